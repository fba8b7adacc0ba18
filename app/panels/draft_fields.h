// How fields of the form and keys of the draft follow each other. GUI thread; draft and field outlive the
// tie.
#pragma once

#include <QString>
#include <QToolButton>

#include <optional>

#include "engine/request.h"

namespace reelmesh {

class NumberField;
class RequestDraft;

/// The value of a key that is a number, defaults in place.
std::optional<double> numberOf(const JobRequest& complete, const QString& key);
/// Edits go to the draft; its values, rules and legality come back.
void bindNumber(RequestDraft& draft, NumberField& field, const char* key);
/// Name, tooltip with the job key, accessible name with the unit: the same for every field of the form.
void nameField(QWidget& field, const char* objectName, const QString& accessible, const QString& toolTip);
/// A flat button with an icon, as tall as a field.
QToolButton* iconButton(const char* objectName, const QString& iconName, const QString& accessible,
                        const QString& toolTip);
/// The sentence of the table that explains a key, with the key.
QString helpOf(const char* key);

} // namespace reelmesh
