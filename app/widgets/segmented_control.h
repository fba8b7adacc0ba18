// A few choices side by side of which one is made. One stop for Tab; arrow keys move the choice. Knows no
// model. GUI thread.
#pragma once

#include <QStringList>
#include <QVariant>
#include <QWidget>

namespace reelmesh {

class SegmentedControl : public QWidget {
    Q_OBJECT
    Q_PROPERTY(QString text READ text)

public:
    explicit SegmentedControl(const QStringList& choices, QWidget* parent = nullptr);

    int current() const { return current_; }
    void setCurrent(int choice);
    QString text() const { return choices_.value(current_); }
    /// {name, rect, text} of each choice; named as the widget with /0, /1 ...
    Q_INVOKABLE QVariantList uiItems() const;
    QSize sizeHint() const override;

Q_SIGNALS:
    void changed(int choice);

protected:
    bool event(QEvent* event) override;
    void paintEvent(QPaintEvent* event) override;
    void mousePressEvent(QMouseEvent* event) override;
    void keyPressEvent(QKeyEvent* event) override;

private:
    QRect place(int choice) const;

    const QStringList choices_;
    int current_ = 0;
};

} // namespace reelmesh
