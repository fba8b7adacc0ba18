// The 26 px head of a panel: its name, and a muted remark at the right. Knows no model. GUI thread.
#pragma once

#include <QLabel>
#include <QWidget>

namespace reelmesh {

class PanelTitle : public QWidget {
    Q_OBJECT

public:
    explicit PanelTitle(const QString& name, QWidget* parent = nullptr);
    void setRemark(const QString& remark) { remark_->setText(remark); }

protected:
    void paintEvent(QPaintEvent* event) override;

private:
    QLabel* remark_;
};

} // namespace reelmesh
