// Fusion with flat combo boxes and without its gradients, plus the one style sheet made from the
// tokens. Set once per theme on the application. GUI thread.
#pragma once

#include <QApplication>
#include <QProxyStyle>

#include "palette.h"

namespace reelmesh {

class Style : public QProxyStyle {
    Q_OBJECT

public:
    Style();
    void drawComplexControl(ComplexControl control, const QStyleOptionComplex* option, QPainter* painter,
                            const QWidget* widget) const override;
    int pixelMetric(PixelMetric metric, const QStyleOption* option, const QWidget* widget) const override;
};

void applyTheme(QApplication& application, Theme theme);

} // namespace reelmesh
