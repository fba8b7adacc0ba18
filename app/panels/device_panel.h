// The load of GPUs, CPU ranks and the machine: a card each, or a row each where cards find no room; a strip
// with the reason where there is no GPU. Layout and connections only. GUI thread; model and focus outlive it.
#pragma once

#include <QWidget>

#include <vector>

#include "engine/engine.h"
#include "widgets/load_card.h"

class QScrollArea;

namespace reelmesh {

class DeviceLoadModel;
class EmptyState;
class ReasonStrip;
class ViewFocus;

class DevicePanel : public QWidget {
    Q_OBJECT

public:
    DevicePanel(DeviceLoadModel& model, ViewFocus& focus, QWidget* parent = nullptr);

    /// For the dock's title: "60 s · 4 Hz · driver 550.90".
    QString remark() const;

Q_SIGNALS:
    void remarkChanged(const QString& remark);
    /// Whether samples are of use: the panel can be seen.
    void watchChanged(reelmesh::LoadWatch watch);

protected:
    bool eventFilter(QObject* watched, QEvent* event) override;
    void showEvent(QShowEvent* event) override;
    void hideEvent(QHideEvent* event) override;

private:
    void makeCards();
    void showFigures();
    struct Layout {
        LoadCard::Form form = LoadCard::Form::Card;
        int graph = LoadCard::kMostGraph;
        std::vector<QRect> places;
        int height = 0;    ///< of all
        int computing = 0; ///< of all but the machine, if there are GPUs
    };
    Layout layoutFor(LoadCard::Form form, int graph) const;
    void arrange();

    DeviceLoadModel& model_;
    ViewFocus& focus_;
    ReasonStrip* reason_;
    EmptyState* empty_;
    QScrollArea* scroll_;
    QWidget* sheet_;
    std::vector<LoadCard*> cards_;
    QString remark_;
};

} // namespace reelmesh
