#include "style.h"

#include <QAbstractSpinBox>
#include <QFile>
#include <QPainter>
#include <QStyleOptionComboBox>

#include "icons.h"
#include "metrics.h"

namespace reelmesh {
namespace {

constexpr int kSpinButton = 18;
constexpr int kCheck = 14;

/// The ground and frame of whatever can be typed into or opened.
void drawFrame(const QStyleOption& option, QPainter* painter, const QWidget* widget, const QColor& ground) {
    const Tokens& t = tokens(option.palette);
    const bool enabled = option.state & QStyle::State_Enabled;
    const bool focused = option.state & QStyle::State_HasFocus;
    const bool illegal = widget && widget->property(Style::kIllegal).toBool();
    const QColor line = illegal ? t.warning : focused ? t.accent : enabled ? t.strong : t.border;
    const double width = focused || illegal ? 2 : 1;
    const double inset = focused || illegal ? 1 : 0.5;
    painter->save();
    painter->setRenderHint(QPainter::Antialiasing);
    painter->setPen(QPen(line, width));
    painter->setBrush(enabled ? ground : t.window);
    painter->drawRoundedRect(QRectF(option.rect).adjusted(inset, inset, -inset, -inset), metrics::kRadius,
                             metrics::kRadius);
    painter->restore();
}

void drawIcon(QPainter* painter, const QString& name, const QRect& rect, int size, bool enabled) {
    QRect place(0, 0, size, size);
    place.moveCenter(rect.center());
    icon(name, IconTint::Muted)
        .paint(painter, place, Qt::AlignCenter, enabled ? QIcon::Normal : QIcon::Disabled);
}

void drawCombo(const QStyleOptionComplex& option, QPainter* painter, const QWidget* widget) {
    const Tokens& t = tokens(option.palette);
    const bool hovered = option.state & QStyle::State_MouseOver;
    drawFrame(option, painter, widget, hovered ? t.hover : t.button);
    const QRect arrow(option.rect.right() - metrics::kIcon - 6, option.rect.top(), metrics::kIcon,
                      option.rect.height());
    drawIcon(painter, "chevron-down", arrow, metrics::kIcon, option.state & QStyle::State_Enabled);
}

void drawSpin(const QStyle& style, const QStyleOptionSpinBox& option, QPainter* painter,
              const QWidget* widget) {
    const Tokens& t = tokens(option.palette);
    drawFrame(option, painter, widget, t.input);
    if (option.buttonSymbols == QAbstractSpinBox::NoButtons) return;
    for (const auto part : {QStyle::SC_SpinBoxUp, QStyle::SC_SpinBoxDown}) {
        const bool up = part == QStyle::SC_SpinBoxUp;
        const QRect rect = style.subControlRect(QStyle::CC_SpinBox, &option, part, widget);
        const bool can =
            option.stepEnabled & (up ? QAbstractSpinBox::StepUpEnabled : QAbstractSpinBox::StepDownEnabled);
        if (can && option.activeSubControls == part && (option.state & QStyle::State_MouseOver))
            painter->fillRect(rect.adjusted(0, 1, -2, -1), t.hover);
        drawIcon(painter, up ? "chevron-up" : "chevron-down", rect, 12,
                 can && (option.state & QStyle::State_Enabled));
    }
}

void drawCheck(const QStyleOption& option, QPainter* painter) {
    const Tokens& t = tokens(option.palette);
    const bool enabled = option.state & QStyle::State_Enabled;
    const bool on = option.state & QStyle::State_On;
    const bool focused = option.state & QStyle::State_HasFocus;
    painter->save();
    painter->setRenderHint(QPainter::Antialiasing);
    const QRectF box = QRectF(option.rect).adjusted(0.5, 0.5, -0.5, -0.5);
    painter->setPen(QPen(focused || on ? t.accent : enabled ? t.strong : t.border, focused ? 2 : 1));
    painter->setBrush(on && enabled ? t.accent : t.input);
    painter->drawRoundedRect(box, 3, 3);
    if (on)
        icon("check", enabled ? IconTint::OnAccent : IconTint::Muted)
            .paint(painter, option.rect.adjusted(1, 1, -1, -1));
    painter->restore();
}

void drawFocus(const QStyleOption& option, QPainter* painter) {
    painter->save();
    painter->setRenderHint(QPainter::Antialiasing);
    painter->setPen(QPen(tokens(option.palette).accent, 2));
    painter->setBrush(Qt::NoBrush);
    painter->drawRoundedRect(QRectF(option.rect).adjusted(1, 1, -1, -1), metrics::kRadius, metrics::kRadius);
    painter->restore();
}

QString styleSheet(const Tokens& t) {
    QFile file(":/theme/style.qss");
    if (!file.open(QIODevice::ReadOnly)) qFatal("the style sheet is not in the program");
    QString text = QString::fromUtf8(file.readAll());
    // Longer names first: @text must not eat the beginning of another name.
    const std::pair<const char*, QColor> names[] = {
        {"@onaccent", t.onAccent}, {"@selection", t.selection},
        {"@disabled", t.disabled}, {"@warning", t.warning},
        {"@border", t.border},     {"@strong", t.strong},
        {"@accent", t.accent},     {"@window", t.window},
        {"@button", t.button},     {"@second", t.second},
        {"@hover", t.hover},       {"@input", t.input},
        {"@muted", t.muted},       {"@text", t.text},
        {"@seam", t.seam},         {"@bar", t.bar},
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
    if (control == CC_ComboBox) return drawCombo(*option, painter, widget);
    if (control == CC_SpinBox)
        if (const auto* spin = qstyleoption_cast<const QStyleOptionSpinBox*>(option))
            return drawSpin(*this, *spin, painter, widget);
    QProxyStyle::drawComplexControl(control, option, painter, widget);
}

void Style::drawPrimitive(PrimitiveElement element, const QStyleOption* option, QPainter* painter,
                          const QWidget* widget) const {
    switch (element) {
    case PE_PanelLineEdit:
        // The field inside a spin box stands on the box's own ground.
        if (widget && qobject_cast<const QAbstractSpinBox*>(widget->parentWidget())) return;
        return drawFrame(*option, painter, widget, tokens(option->palette).input);
    case PE_IndicatorCheckBox: return drawCheck(*option, painter);
    case PE_FrameFocusRect: return drawFocus(*option, painter);
    default: QProxyStyle::drawPrimitive(element, option, painter, widget);
    }
}

QRect Style::subControlRect(ComplexControl control, const QStyleOptionComplex* option, SubControl part,
                            const QWidget* widget) const {
    const auto* spin = qstyleoption_cast<const QStyleOptionSpinBox*>(option);
    if (control != CC_SpinBox || !spin) return QProxyStyle::subControlRect(control, option, part, widget);
    const QRect whole = option->rect;
    const int buttons = spin->buttonSymbols == QAbstractSpinBox::NoButtons ? 0 : kSpinButton;
    QRect rect;
    switch (part) {
    case SC_SpinBoxUp: rect = {whole.right() - buttons, whole.top(), buttons, whole.height() / 2}; break;
    case SC_SpinBoxDown:
        rect = {whole.right() - buttons, whole.center().y() + 1, buttons, whole.height() / 2};
        break;
    case SC_SpinBoxEditField: rect = whole.adjusted(5, 1, -buttons - 2, -1); break;
    default: return whole;
    }
    return visualRect(option->direction, whole, rect);
}

int Style::pixelMetric(PixelMetric metric, const QStyleOption* option, const QWidget* widget) const {
    if (metric == PM_SmallIconSize || metric == PM_ButtonIconSize) return metrics::kIcon;
    if (metric == PM_IndicatorWidth || metric == PM_IndicatorHeight) return kCheck;
    return QProxyStyle::pixelMetric(metric, option, widget);
}

void applyTheme(QApplication& application, Theme theme) {
    application.setStyle(new Style);
    application.setPalette(makePalette(theme));
    application.setFont(metrics::textFont(metrics::kBaseText));
    application.setStyleSheet(styleSheet(tokens(theme)));
}

} // namespace reelmesh
