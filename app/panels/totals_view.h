// The table of sums over the selected span, with what copies it. Adds up off the GUI thread. GUI thread.
#pragma once

#include <QThreadPool>
#include <QWidget>

#include <memory>
#include <optional>

#include "models/totals_model.h"

class QLabel;
class QTableView;

namespace reelmesh {

class TotalsView : public QWidget {
    Q_OBJECT

public:
    explicit TotalsView(QWidget* parent = nullptr);
    ~TotalsView() override;

    /// What is shown follows once it is summed up.
    void setSpan(std::shared_ptr<const TraceView> trace, const TimeRange& range);
    const TotalsModel& model() const { return *model_; }
    /// The row of the rank is marked; -1: none.
    void setFocusRank(int rank);
    void copyCsv() const;

Q_SIGNALS:
    void updated();

private:
    void start();

    struct Wish {
        std::shared_ptr<const TraceView> trace;
        TimeRange range;
    };
    QThreadPool pool_;
    std::optional<Wish> wish_;
    bool inFlight_ = false;
    int focusRank_ = -1;
    TotalsModel* model_;
    QLabel* span_;
    QTableView* table_;
};

} // namespace reelmesh
