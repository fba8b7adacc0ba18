#include "number_field.h"

#include <QEvent>
#include <QKeyEvent>
#include <QLabel>
#include <QLineEdit>
#include <QRegularExpression>
#include <QStyle>
#include <QWheelEvent>

#include <cmath>

#include "theme/metrics.h"
#include "theme/palette.h"
#include "widgets/plain_number.h"

namespace reelmesh {
namespace {

constexpr const char* kIllegal = "illegal";
constexpr int kButtons = 20, kEdge = 4;

} // namespace

std::optional<std::pair<std::int64_t, std::int64_t>> parseSize(const QString& text) {
    static const QRegularExpression size(QStringLiteral("^(\\d{1,9})[xX*×](\\d{1,9})$"));
    const QRegularExpressionMatch match = size.match(plainNumber(text));
    if (!match.hasMatch()) return std::nullopt;
    return std::pair{std::int64_t{match.captured(1).toLongLong()},
                     std::int64_t{match.captured(2).toLongLong()}};
}

NumberField::NumberField(QWidget* parent) : QAbstractSpinBox(parent), unit_(new QLabel(this)) {
    setFixedHeight(metrics::kControl);
    setFont(metrics::numberFont(metrics::kBaseText));
    setFocusPolicy(Qt::StrongFocus);
    setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Fixed);
    // Left to right in every language: these are numbers.
    setLayoutDirection(Qt::LeftToRight);
    unit_->setAttribute(Qt::WA_TransparentForMouseEvents);
    unit_->setProperty("tone", "muted");
    unit_->setFont(metrics::textFont(metrics::kSmallText));
    unit_->hide();
    lineEdit()->setFrame(false);
    lineEdit()->setMaxLength(64);
    connect(lineEdit(), &QLineEdit::textEdited, this, &NumberField::onTyped);
}

void NumberField::setRule(const NumberRule& rule) {
    rule_ = rule;
    judge();
}

void NumberField::setDecimals(int decimals) {
    decimals_ = decimals;
}

void NumberField::setUnit(const QString& unit) {
    unit_->setText(unit);
    unit_->setVisible(!unit.isEmpty());
    placeUnit();
}

QString NumberField::textOf(double value) const {
    // More decimals than asked where the value has them: 4.25 is not 4.2.
    QString text = QString::number(value, 'f', decimals_);
    if (rule_.grid == 0 && std::abs(text.toDouble() - value) > 1e-9) text = QString::number(value, 'g', 10);
    return text;
}

void NumberField::setValue(double value) {
    setValue(value, textOf(value));
}

void NumberField::setValue(double value, const QString& text) {
    const std::optional<double> shown = this->value();
    // 29.97 is typed and 30000/1001 is meant.
    const double same = fractions_ ? 1e-3 : 1e-9;
    if (shown && std::abs(*shown - value) < same && hasFocus()) return judge();
    if (shown && lineEdit()->text() == text) return judge();
    showText(text);
}

void NumberField::clearValue() {
    lineEdit()->clear();
    lineEdit()->setPlaceholderText(QStringLiteral("–"));
    judge();
}

void NumberField::showText(const QString& text) {
    hint_.clear();
    lineEdit()->setText(text);
    judge();
}

std::optional<double> NumberField::parsed(const QString& plain) const {
    bool ok = false;
    if (fractions_ && plain.contains('/')) {
        const double top = plain.section('/', 0, 0).toDouble(&ok);
        if (!ok) return std::nullopt;
        const double bottom = plain.section('/', 1).toDouble(&ok);
        return ok && bottom > 0 ? std::optional(top / bottom) : std::nullopt;
    }
    double value = plain.toDouble(&ok);
    if (!ok || !std::isfinite(value)) return std::nullopt;
    // What is shown rounded means the legal value that it was rounded from.
    if (rule_.grid > 0 && decimals_ > 0)
        for (const double legal : rule_.nearest(value))
            if (std::abs(legal - value) <= 0.5 * std::pow(10.0, -decimals_) + 1e-9) return legal;
    return value;
}

std::optional<double> NumberField::value() const {
    return parsed(plainNumber(lineEdit()->text()));
}

QStringList NumberField::neighbours() const {
    const std::optional<double> now = value();
    if (legal_ || !now) return {};
    QStringList texts;
    for (const double legal : rule_.nearest(*now))
        texts << textOf(legal);
    return texts;
}

void NumberField::judge() {
    const QString text = lineEdit()->text();
    const std::optional<double> now = value();
    legal_ = text.isEmpty() ? !hasFocus() : now && rule_.holds(*now);
    if (!legal_) {
        const bool outside = now && (*now < rule_.minimum || *now > rule_.maximum);
        if (!now || outside || gridWords_.isEmpty())
            hint_ = tr("%1: from %2 to %3")
                        .arg(text.isEmpty() ? QStringLiteral("–") : text.left(16), textOf(rule_.minimum),
                             textOf(rule_.maximum));
        else
            hint_ = tr("%1: %2").arg(text, gridWords_);
    } else if (!hint_.contains(QChar(0x2192))) {
        hint_.clear();
    }
    if (property(kIllegal).toBool() != !legal_) {
        setProperty(kIllegal, !legal_);
        update();
    }
    Q_EMIT stateChanged();
}

void NumberField::onTyped() {
    hint_.clear();
    if (const auto size = parseSize(lineEdit()->text())) {
        Q_EMIT sizePasted(size->first, size->second);
        return;
    }
    judge();
    const QString plain = plainNumber(lineEdit()->text());
    const std::optional<double> now = parsed(plain);
    Q_EMIT edited(now && !plain.contains('/') ? QString::number(*now, 'g', 15) : plain);
}

void NumberField::take(const QString& neighbour) {
    const QString before = lineEdit()->text();
    lineEdit()->setText(neighbour);
    hint_ = tr("%1 → %2").arg(before, neighbour);
    selectAll();
    judge();
    const std::optional<double> now = value();
    if (now) Q_EMIT edited(QString::number(*now, 'g', 15));
}

void NumberField::stepBy(int steps) {
    const double from = value().value_or(rule_.minimum);
    const double to = rule_.stepped(from, steps);
    const QString text = textOf(to);
    hint_.clear();
    lineEdit()->setText(text);
    selectAll();
    judge();
    Q_EMIT edited(QString::number(to, 'g', 15));
}

QAbstractSpinBox::StepEnabled NumberField::stepEnabled() const {
    if (isReadOnly()) return StepNone;
    const std::optional<double> now = value();
    StepEnabled can = StepNone;
    if (!now || *now < rule_.maximum) can |= StepUpEnabled;
    if (!now || *now > rule_.minimum) can |= StepDownEnabled;
    return can;
}

QValidator::State NumberField::validate(QString&, int&) const {
    return QValidator::Acceptable;
}

void NumberField::keyPressEvent(QKeyEvent* event) {
    const bool enter = event->key() == Qt::Key_Return || event->key() == Qt::Key_Enter;
    if (enter && event->modifiers() & Qt::ControlModifier) return event->ignore();
    if (enter) {
        const std::optional<double> now = value();
        const QStringList offers = neighbours();
        if (now && !offers.isEmpty()) {
            const std::vector<double> legal = rule_.nearest(*now);
            const bool up = legal.size() > 1 && legal[1] - *now <= *now - legal[0];
            return take(offers[up ? 1 : 0]);
        }
        selectAll();
        return event->accept();
    }
    QAbstractSpinBox::keyPressEvent(event);
}

/// Only of the field in use: a wheel over the form scrolls the form.
void NumberField::wheelEvent(QWheelEvent* event) {
    if (!hasFocus()) return event->ignore();
    QAbstractSpinBox::wheelEvent(event);
}

void NumberField::resizeEvent(QResizeEvent* event) {
    QAbstractSpinBox::resizeEvent(event);
    placeUnit();
}

void NumberField::changeEvent(QEvent* event) {
    QAbstractSpinBox::changeEvent(event);
    if (event->type() == QEvent::EnabledChange) unit_->setEnabled(isEnabled());
}

void NumberField::placeUnit() {
    const QSize size = unit_->sizeHint();
    unit_->setGeometry(width() - kButtons - kEdge - size.width(), (height() - size.height()) / 2,
                       size.width(), size.height());
    lineEdit()->setTextMargins(0, 0, unit_->isHidden() ? 0 : size.width() + kEdge, 0);
    unit_->raise();
}

} // namespace reelmesh
