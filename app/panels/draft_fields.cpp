#include "draft_fields.h"

#include <algorithm>

#include "models/request_draft.h"
#include "theme/icons.h"
#include "theme/metrics.h"
#include "widgets/number_field.h"

namespace reelmesh {
namespace {

template <class Value>
std::optional<double> asNumber(const std::optional<Value>& value) {
    return value ? std::optional(static_cast<double>(*value)) : std::nullopt;
}

} // namespace

std::optional<double> numberOf(const JobRequest& complete, const QString& key) {
    if (key == "width") return asNumber(complete.width);
    if (key == "height") return asNumber(complete.height);
    if (key == "frames") return asNumber(complete.frames);
    if (key == "steps") return asNumber(complete.steps);
    if (key == "guidance") return complete.guidance;
    if (key == "guidance2") return complete.guidance2;
    if (key == "shift") return complete.shift;
    if (key == "boundary") return complete.boundary;
    if (key == "fps" && complete.fps) return complete.fps->value();
    return std::nullopt;
}

void bindNumber(RequestDraft& draft, NumberField& field, const char* key) {
    QObject::connect(&field, &NumberField::edited, &draft,
                     [&draft, key](const QString& plain) { draft.setField(key, plain); });
    // An empty field asks for the default.
    QObject::connect(&field, &NumberField::editingFinished, &draft, [&draft, &field, key] {
        if (field.text().isEmpty()) draft.resetField(key);
    });
    const auto show = [&draft, &field, key] {
        // What is no value stays as typed.
        if (!draft.isReadable(key)) return;
        const std::optional<double> value = numberOf(draft.complete(), key);
        if (value)
            field.setValue(*value);
        else
            field.clearValue();
    };
    const auto rule = [&draft, &field, key] {
        if (const auto legal = draft.rule(key)) field.setRule(*legal);
    };
    QObject::connect(&draft, &RequestDraft::changed, &field, show);
    QObject::connect(&draft, &RequestDraft::rulesChanged, &field, [rule, show] {
        rule();
        show();
    });
    rule();
    show();
}

void nameField(QWidget& field, const char* objectName, const QString& accessible, const QString& toolTip) {
    field.setObjectName(objectName);
    field.setAccessibleName(accessible);
    field.setToolTip(toolTip);
}

QToolButton* iconButton(const char* objectName, const QString& iconName, const QString& accessible,
                        const QString& toolTip) {
    auto* button = new QToolButton;
    nameField(*button, objectName, accessible, toolTip);
    button->setProperty("role", "flat");
    button->setIcon(icon(iconName));
    button->setFixedSize(metrics::kControl, metrics::kControl);
    button->setFocusPolicy(Qt::StrongFocus);
    return button;
}

QString helpOf(const char* key) {
    const auto fields = request_fields();
    const auto field =
        std::find_if(fields.begin(), fields.end(), [key](const RequestField& row) { return row.key == key; });
    if (field == fields.end()) return QString::fromLatin1(key);
    const QString help = QString::fromUtf8(field->help.data(), static_cast<qsizetype>(field->help.size()));
    return QStringLiteral("%1 (%2)").arg(help, QString::fromLatin1(key));
}

} // namespace reelmesh
