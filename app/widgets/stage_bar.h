// A progress bar in parts, one a stage, each filled by its own fraction. Knows no model. GUI thread.
#pragma once

#include <QWidget>

#include <vector>

namespace reelmesh {

class StageBar : public QWidget {
    Q_OBJECT
    Q_PROPERTY(QString text READ text)

public:
    /// Relative widths of the parts.
    explicit StageBar(std::vector<int> widths, QWidget* parent = nullptr);
    /// One fraction 0 ... 1 a part.
    void setFractions(std::vector<double> fractions);
    /// "100 50 0 0": per cent a part.
    QString text() const;
    QSize sizeHint() const override;

protected:
    void paintEvent(QPaintEvent* event) override;

private:
    std::vector<int> widths_;
    std::vector<double> fractions_;
};

} // namespace reelmesh
