#include "palette.h"

namespace reelmesh {

const Tokens& tokens(Theme theme) {
    static const Tokens dark{
        .matte = 0x101113,
        .seam = 0x141518,
        .window = 0x1E1F22,
        .bar = 0x26282C,
        .input = 0x151618,
        .alt = 0x222327,
        .button = 0x303338,
        .hover = 0x3A3E44,
        .border = 0x34373C,
        .strong = 0x4B5057,
        .text = 0xE6E6E6,
        .second = 0xC3C7CC,
        .muted = 0x9AA0A6,
        .disabled = 0x72787F,
        .accent = 0x56B4E9,
        .onAccent = 0x08161F,
        .selection = 0x1D3541,
        .warning = 0xE69F00,
        .warningGround = 0x33291A,
        .error = 0xF08A4B,
        .errorGround = 0x372720,
        .done = 0x45C08F,
    };
    static const Tokens light{
        .matte = 0xC6C6C3,
        .seam = 0xD9D9D6,
        .window = 0xF4F4F2,
        .bar = 0xE9E9E6,
        .input = 0xFFFFFF,
        .alt = 0xEDEDEA,
        .button = 0xFFFFFF,
        .hover = 0xF0F0EE,
        .border = 0xD4D4D0,
        .strong = 0xAFAFAA,
        .text = 0x1A1A1A,
        .second = 0x3B3E42,
        .muted = 0x5F6368,
        .disabled = 0x85898E,
        .accent = 0x0067A3,
        .onAccent = 0xFFFFFF,
        .selection = 0xCFE4F2,
        .warning = 0x8A5A00,
        .warningGround = 0xF7ECD6,
        .error = 0xA63A00,
        .errorGround = 0xF8E3D8,
        .done = 0x00704F,
    };
    return theme == Theme::Dark ? dark : light;
}

const Tokens& tokens(const QPalette& palette) {
    const bool isDark = palette.color(QPalette::Window).lightness() < 128;
    return tokens(isDark ? Theme::Dark : Theme::Light);
}

QPalette makePalette(Theme theme) {
    const Tokens& t = tokens(theme);
    QPalette palette;
    const std::pair<QPalette::ColorRole, QColor> roles[] = {
        {QPalette::Window, t.window},
        {QPalette::WindowText, t.text},
        {QPalette::Base, t.input},
        {QPalette::AlternateBase, t.alt},
        {QPalette::Text, t.text},
        {QPalette::PlaceholderText, t.muted},
        {QPalette::Button, t.button},
        {QPalette::ButtonText, t.text},
        {QPalette::Light, t.hover},
        {QPalette::Midlight, t.bar},
        {QPalette::Mid, t.border},
        {QPalette::Dark, t.strong},
        {QPalette::Shadow, t.seam},
        {QPalette::Highlight, t.selection},
        {QPalette::HighlightedText, t.text},
        {QPalette::Link, t.accent},
        {QPalette::ToolTipBase, t.bar},
        {QPalette::ToolTipText, t.text},
        {QPalette::BrightText, t.error},
    };
    for (const auto& [role, color] : roles)
        palette.setColor(role, color);
    for (auto role : {QPalette::WindowText, QPalette::Text, QPalette::ButtonText, QPalette::HighlightedText})
        palette.setColor(QPalette::Disabled, role, t.disabled);
    return palette;
}

} // namespace reelmesh
