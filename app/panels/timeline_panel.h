// The timeline with its tools: follow, fit, measure, flags, search, files, totals, pinned event. Reads and
// writes traces off the GUI thread. GUI thread.
#pragma once

#include <QThreadPool>
#include <QWidget>

#include <functional>

#include "models/telemetry_store.h"
#include "models/view_focus.h"

class QAction;
class QComboBox;
class QHBoxLayout;
class QLabel;
class QLineEdit;
class QScrollArea;
class QStackedWidget;
class QToolButton;

namespace reelmesh {

class EventDetails;
class NoticeBar;
class TimelineView;
class TotalsView;

class TimelinePanel : public QWidget {
    Q_OBJECT

public:
    TimelinePanel(TelemetryStore& store, ViewFocus& focus, QWidget* parent = nullptr);
    ~TimelinePanel() override;

    TimelineView& view() { return *view_; }
    /// Reads a *.reeltrace and shows it in the place of what is there, or says in a notice why not.
    void openTrace(const QString& path);
    void saveTrace(const QString& path);
    void exportJson(const QString& path);
    /// Of the next job.
    int detail() const;
    void setDetail(int detail);
    /// Ask the user for a file, without holding anything up.
    void chooseTrace();
    /// suffix: ".reeltrace" or ".json".
    void chooseTarget(const QString& suffix);

Q_SIGNALS:
    /// RunOptions::detail that the next job shall have.
    void detailChanged(int detail);
    /// The store holds the trace of this file.
    void opened(const QString& path);
    void written(const QString& path);

protected:
    void resizeEvent(QResizeEvent* event) override;

private:
    QWidget* makeTools();
    QWidget* makeSide();
    QToolButton* addTool(QHBoxLayout& row, const char* name, const char* icon, const QString& label,
                         const QString& tip);
    void write(const QString& path, const QString& suffix);
    /// next: the button's.
    void showError(const Error& error, const QString& label, std::function<void()> next);
    void showSide();
    void showState();
    void setSearching(bool searching);

    TelemetryStore& store_;
    ViewFocus& focus_;
    QThreadPool pool_;
    NoticeBar* notice_;
    QStackedWidget* pages_;
    TimelineView* view_;
    TotalsView* totals_;
    EventDetails* details_;
    QScrollArea* pinned_;
    QWidget* side_;
    QAction* open_;
    QToolButton *follow_, *fit_, *measure_, *flag_, *search_, *save_, *export_;
    QComboBox* detail_;
    QLabel* remark_;
    QLineEdit* words_;
};

} // namespace reelmesh
