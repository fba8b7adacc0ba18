// One muted sentence over a panel that says why something is as it is. Knows no model. GUI thread.
#pragma once

#include <QWidget>

class QLabel;

namespace reelmesh {

class ReasonStrip : public QWidget {
    Q_OBJECT
    Q_PROPERTY(QString text READ text)

public:
    explicit ReasonStrip(QWidget* parent = nullptr);
    /// "": hidden.
    void setReason(const QString& reason);
    QString text() const;

protected:
    void paintEvent(QPaintEvent* event) override;

private:
    QLabel* icon_;
    QLabel* text_;
};

} // namespace reelmesh
