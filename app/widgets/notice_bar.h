// One notice in place, never a dialog: an icon of the kind, a sentence, at most three actions, a way
// to close it. Knows no model. GUI thread.
#pragma once

#include <QFrame>
#include <QLabel>
#include <QList>

#include <functional>

class QBoxLayout;
class QHBoxLayout;
class QToolButton;

namespace reelmesh {

class NoticeBar : public QFrame {
    Q_OBJECT

public:
    enum class Kind { Info, Done, Warning, Error };
    struct Action {
        QString text;
        std::function<void()> run;
    };

    explicit NoticeBar(QWidget* parent = nullptr);

    /// Replaces what is shown.
    void showNotice(Kind kind, const QString& text, const QList<Action>& actions = {});
    void dismiss();
    Kind kind() const { return kind_; }
    QString text() const { return text_->text(); }
    /// As narrow as a side panel, whatever its buttons say.
    QSize minimumSizeHint() const override;

Q_SIGNALS:
    /// By the user's hand, not by dismiss().
    void closed();

protected:
    void paintEvent(QPaintEvent* event) override;
    void resizeEvent(QResizeEvent* event) override;

private:
    /// Buttons beside the text, below it, or below one another: as the width allows.
    void arrange();

    Kind kind_ = Kind::Info;
    QLabel* icon_;
    QLabel* text_;
    QBoxLayout* buttons_;
    QBoxLayout* body_; ///< text and buttons, side by side or one below the other
    QToolButton* close_;
};

} // namespace reelmesh
