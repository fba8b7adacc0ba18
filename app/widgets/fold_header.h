// A line that opens and closes what lies under it: a chevron, a name, and a remark or badge at the right.
// Knows no model. GUI thread; the folded widget outlives it.
#pragma once

#include <QAbstractButton>

namespace reelmesh {

class FoldHeader : public QAbstractButton {
    Q_OBJECT

public:
    FoldHeader(const QString& name, QWidget& folded, QWidget* parent = nullptr);
    enum class Remark { Muted, Badge };
    void setRemark(const QString& text, Remark look = Remark::Muted);
    QString remark() const { return remark_; }
    QSize sizeHint() const override;
    /// For tests: the remark, {name, rect, text}.
    Q_INVOKABLE QVariantList uiItems() const;

protected:
    void paintEvent(QPaintEvent* event) override;

private:
    QRect remarkRect() const;

    QString remark_;
    Remark look_ = Remark::Muted;
};

} // namespace reelmesh
