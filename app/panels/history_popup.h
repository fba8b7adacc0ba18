// Earlier prompts in a list under a search field; a star keeps one for good. Layout and connections only. GUI
// thread; the history outlives it.
#pragma once

#include <QFrame>

class QLineEdit;
class QListWidget;

namespace reelmesh {

class PromptHistory;

/// Deletes itself when it closes.
class HistoryPopup : public QFrame {
    Q_OBJECT

public:
    explicit HistoryPopup(PromptHistory& history, QWidget* parent = nullptr);
    QSize sizeHint() const override;

Q_SIGNALS:
    void chosen(const QString& prompt);

protected:
    bool eventFilter(QObject* watched, QEvent* event) override;

private:
    void fill();

    PromptHistory& history_;
    QLineEdit* search_;
    QListWidget* list_;
};

} // namespace reelmesh
