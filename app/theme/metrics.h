// Sizes in logical pixels at density Normal, and the two font families. Constants only.
#pragma once

#include <QFont>

namespace reelmesh::metrics {

inline constexpr int kPadding = 8;
inline constexpr int kGap = 4;
inline constexpr int kGroupGap = 8;
inline constexpr int kToolBar = 40;
inline constexpr int kToolButton = 28;
inline constexpr int kStatusBar = 24;
inline constexpr int kPanelTitle = 26;
inline constexpr int kPlayerBar = 36;
inline constexpr int kControl = 24;
inline constexpr int kSmallControl = 20;
inline constexpr int kTableRow = 20;
inline constexpr int kLabelColumn = 76;
inline constexpr int kSeam = 4;
inline constexpr int kPromptPanel = 280;
inline constexpr int kRadius = 4;
inline constexpr int kIcon = 16;
inline constexpr int kEmptyIcon = 28;

inline constexpr int kPromptText = 13;
inline constexpr int kBaseText = 12;
inline constexpr int kSmallText = 11;

/// Room that the docks around the viewer take at first.
struct Columns {
    int left, right, bottom;
};
Columns columns(int windowWidth);

/// Sentences and names; point sizes, so that a font scale acts on them.
QFont textFont(int pixels, QFont::Weight weight = QFont::Normal);
/// Numbers that change in place or stand in columns: all digits equally wide.
QFont numberFont(int pixels);

} // namespace reelmesh::metrics
