// Fusion with flat fields, spin and combo boxes and check marks, without its gradients, plus the one style
// sheet made from the tokens. Set once per theme on the application. GUI thread.
#pragma once

#include <QApplication>
#include <QProxyStyle>

#include "palette.h"

namespace reelmesh {

class Style : public QProxyStyle {
    Q_OBJECT

public:
    /// A widget with this property set draws its frame in warning colour: what it holds is not legal.
    static constexpr const char* kIllegal = "illegal";

    Style();
    void drawComplexControl(ComplexControl control, const QStyleOptionComplex* option, QPainter* painter,
                            const QWidget* widget) const override;
    void drawPrimitive(PrimitiveElement element, const QStyleOption* option, QPainter* painter,
                       const QWidget* widget) const override;
    QRect subControlRect(ComplexControl control, const QStyleOptionComplex* option, SubControl part,
                         const QWidget* widget) const override;
    int pixelMetric(PixelMetric metric, const QStyleOption* option, const QWidget* widget) const override;
};

void applyTheme(QApplication& application, Theme theme);

} // namespace reelmesh
