// Line icons from resources/icons, tinted at paint time with a colour of the theme in force and
// rendered at the device's pixel ratio. GUI thread.
#pragma once

#include <QColor>
#include <QIcon>

namespace reelmesh {

enum class IconTint { Text, OnAccent, Muted, Accent, Done, Warning, Error };

/// name: the file without ".svg"; an unknown name is a programming error.
QIcon icon(const QString& name, IconTint tint = IconTint::Text);
/// The colour a tint has now.
QColor tintColor(IconTint tint);
/// The program's own icon, not tinted; simplified below 24 px.
QIcon applicationIcon();

} // namespace reelmesh
