// The mesh panel: how the work is split, chosen automatically or by hand, as a picture of the ranks and what
// they exchange, and as a table of the alternatives. Layout and connections; state is in the models. GUI
// thread; the models outlive it.
#pragma once

#include <QWidget>

#include "models/mesh_choice.h"
#include "models/mesh_model.h"
#include "models/parity_check.h"
#include "models/plan_table_model.h"
#include "models/view_focus.h"

class QLabel;
class QLineEdit;
class QScrollArea;
class QSpinBox;
class QStackedWidget;
class QToolButton;
class QVBoxLayout;

namespace reelmesh {

class DegreeBox;
class FaultFrame;
class MeshDegreesRow;
class MeshFault;
class MeshPicture;
class NoticeBar;
class PlanTableView;
class SegmentedControl;

class MeshPanel : public QWidget {
    Q_OBJECT

public:
    struct Models {
        RequestDraft& draft;
        MeshChoice& choice;
        MeshModel& mesh;
        PlanTableModel& plans;
        ParityCheck& parity;
        ViewFocus& focus;
    };

    explicit MeshPanel(const Models& models, QWidget* parent = nullptr);

    /// Where Generate leads while the mesh is illegal.
    void focusFault();

protected:
    void resizeEvent(QResizeEvent* event) override;
    bool eventFilter(QObject* watched, QEvent* event) override;

private:
    QWidget* makeTools();
    QWidget* makeCpuRow();
    QWidget* makeFold();
    void connectModels();
    void showChoice();
    void showParityButton();
    void showScene();
    void showFocus();
    void showPlans();
    void showGpuNotice();
    void setFolded(bool folded);
    void fitTable();
    void fitPicture();

    Models models_;
    NoticeBar* gpuNoticeBar_;
    NoticeBar* parityNotice_;
    SegmentedControl* mode_;
    QLineEdit* string_;
    FaultFrame* stringFault_;
    QToolButton* parityButton_;
    QWidget* cpuRow_;
    QSpinBox* cpuRanks_;
    QLabel* cores_;
    MeshDegreesRow* degrees_;
    MeshFault* fault_;
    QLabel* note_;
    QStackedWidget* pages_;
    QScrollArea* scroll_;
    MeshPicture* picture_;
    QToolButton* fold_;
    QLabel* count_;
    PlanTableView* table_;
    QString gpuNotice_; ///< as shown, or closed by the user
};

} // namespace reelmesh
