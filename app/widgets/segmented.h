// A few choices side by side of which one holds, such as Auto | Manual. Left and Right move. Knows no model.
// GUI thread.
#pragma once

#include <QButtonGroup>
#include <QFrame>

namespace reelmesh {

class Segmented : public QFrame {
    Q_OBJECT
    Q_PROPERTY(QString text READ text)

public:
    struct Choice {
        QString name; ///< of the button object
        QString text;
        QString toolTip;
    };

    explicit Segmented(const QList<Choice>& choices, QWidget* parent = nullptr);

    void setCurrent(int index);
    int current() const { return buttons_->checkedId(); }
    QString text() const;

Q_SIGNALS:
    /// By the user.
    void chosen(int index);

protected:
    void paintEvent(QPaintEvent* event) override;

private:
    QButtonGroup* buttons_;
};

} // namespace reelmesh
