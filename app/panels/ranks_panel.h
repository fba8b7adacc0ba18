// Step times per rank as a table. Layout and connections only. GUI thread; the model outlives the
// panel.
#pragma once

#include <QWidget>

namespace reelmesh {

class RankTimesModel;

class RanksPanel : public QWidget {
    Q_OBJECT

public:
    explicit RanksPanel(RankTimesModel& model, QWidget* parent = nullptr);
};

} // namespace reelmesh
