#include "style.h"

#include <QFile>
#include <QPainter>
#include <QStyleOptionComboBox>

#include "icons.h"
#include "metrics.h"

namespace reelmesh {
namespace {

void drawComboFrame(const QStyleOptionComplex& option, QPainter* painter) {
    const Tokens& t = tokens(option.palette);
    const bool enabled = option.state & QStyle::State_Enabled;
    const bool focused = option.state & QStyle::State_HasFocus;
    const bool hovered = option.state & QStyle::State_MouseOver;
    painter->save();
    painter->setRenderHint(QPainter::Antialiasing);
    const double width = focused ? 2 : 1;
    const double inset = focused ? 1 : 1.5;
    painter->setPen(QPen(focused ? t.accent : enabled ? t.strong : t.border, width));
    painter->setBrush(!enabled ? t.window : hovered ? t.hover : t.button);
    painter->drawRoundedRect(QRectF(option.rect).adjusted(inset, inset, -inset, -inset), metrics::kRadius,
                             metrics::kRadius);
    const QRect arrow(option.rect.right() - metrics::kIcon - 6,
                      option.rect.center().y() - metrics::kIcon / 2 + 1, metrics::kIcon, metrics::kIcon);
    icon("chevron-down", IconTint::Muted)
        .paint(painter, arrow, Qt::AlignCenter, enabled ? QIcon::Normal : QIcon::Disabled);
    painter->restore();
}

QString styleSheet(const Tokens& t) {
    QFile file(":/theme/style.qss");
    if (!file.open(QIODevice::ReadOnly)) qFatal("the style sheet is not in the program");
    QString text = QString::fromUtf8(file.readAll());
    // Longer names first: @text must not eat the beginning of another name.
    const std::pair<const char*, QColor> names[] = {
        {"@onaccent", t.onAccent}, {"@selection", t.selection}, {"@disabled", t.disabled},
        {"@border", t.border},     {"@strong", t.strong},       {"@accent", t.accent},
        {"@window", t.window},     {"@button", t.button},       {"@second", t.second},
        {"@hover", t.hover},       {"@input", t.input},         {"@muted", t.muted},
        {"@text", t.text},         {"@seam", t.seam},           {"@bar", t.bar},
        {"@alt", t.alt},
    };
    for (const auto& [name, color] : names)
        text.replace(name, color.name());
    return text;
}

} // namespace

Style::Style() : QProxyStyle("Fusion") {}

void Style::drawComplexControl(ComplexControl control, const QStyleOptionComplex* option, QPainter* painter,
                               const QWidget* widget) const {
    if (control == CC_ComboBox) return drawComboFrame(*option, painter);
    QProxyStyle::drawComplexControl(control, option, painter, widget);
}

int Style::pixelMetric(PixelMetric metric, const QStyleOption* option, const QWidget* widget) const {
    if (metric == PM_SmallIconSize || metric == PM_ButtonIconSize) return metrics::kIcon;
    return QProxyStyle::pixelMetric(metric, option, widget);
}

void applyTheme(QApplication& application, Theme theme) {
    application.setStyle(new Style);
    application.setPalette(makePalette(theme));
    application.setFont(metrics::textFont(metrics::kBaseText));
    application.setStyleSheet(styleSheet(tokens(theme)));
}

} // namespace reelmesh
