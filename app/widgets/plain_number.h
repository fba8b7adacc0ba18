// Typed numbers as the engine reads them, whatever the locale. Pure.
#pragma once

#include <QString>

namespace reelmesh {

/// Decimal point for comma, plain digits for full-width and other ones, no spaces.
QString plainNumber(const QString& typed);

} // namespace reelmesh
