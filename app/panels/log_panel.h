// The engine's log: filter, level, follow, copy, the folder of its file. Layout and connections only. GUI
// thread; the model outlives the panel.
#pragma once

#include <QTimer>
#include <QWidget>

#include "models/log_filter.h"

class QLineEdit;
class QTableView;
class QToolButton;

namespace reelmesh {

class LogModel;
class SegmentedControl;

class LogPanel : public QWidget {
    Q_OBJECT

public:
    explicit LogPanel(LogModel& model, QWidget* parent = nullptr);

    /// "": there is no file; the button is disabled and says so.
    void setLogFile(const QString& file);

Q_SIGNALS:
    void folderRequested(const QString& file);

private:
    QToolButton* makeButton(const QString& name, const QString& icon, const QString& words,
                            const QString& toolTip);
    void makeTable();
    void copy() const;
    void follow();
    /// Once for all lines that came together.
    void followSoon();

    LogFilter lines_;
    LogModel& model_;
    QLineEdit* words_;
    SegmentedControl* level_;
    QToolButton* follow_;
    QToolButton* copy_;
    QToolButton* folder_;
    QTableView* table_;
    QString file_;
    QTimer soon_;
};

} // namespace reelmesh
