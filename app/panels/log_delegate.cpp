#include "log_delegate.h"

#include <QPainter>

#include "engine/events.h"
#include "models/log_model.h"
#include "theme/icons.h"
#include "theme/metrics.h"
#include "theme/palette.h"

namespace reelmesh {
namespace {

constexpr int kInset = 8, kInsetAfter = 4;
constexpr int kLevelIcon = 14;

struct LevelLook {
    const char* icon;
    IconTint tint;
};

LevelLook lookOf(LogLevel level) {
    switch (level) {
    case LogLevel::Warning: return {"warning", IconTint::Warning};
    case LogLevel::Error: return {"error", IconTint::Error};
    case LogLevel::Debug: return {"more", IconTint::Muted};
    case LogLevel::Info: break;
    }
    return {"info", IconTint::Muted};
}

} // namespace

void LogDelegate::paint(QPainter* painter, const QStyleOptionViewItem& option,
                        const QModelIndex& index) const {
    const Tokens& t = tokens(option.palette);
    const bool selected = option.state & QStyle::State_Selected;
    if (selected)
        painter->fillRect(option.rect, t.selection);
    else if (index.row() % 2 == 1)
        painter->fillRect(option.rect, t.alt);
    QRect area = option.rect.adjusted(index.column() == 0 ? kInset : kInsetAfter, 0, -kInsetAfter, 0);
    QFont font = metrics::textFont(metrics::kSmallText);
    QColor color = t.text;
    switch (index.column()) {
    case LogModel::Time:
        font = metrics::numberFont(metrics::kSmallText);
        color = t.muted;
        break;
    case LogModel::Level: {
        const LevelLook look = lookOf(static_cast<LogLevel>(index.data(LogModel::LevelRole).toInt()));
        icon(look.icon, look.tint)
            .paint(painter, QRect(area.left(), area.center().y() - kLevelIcon / 2, kLevelIcon, kLevelIcon));
        area.adjust(kLevelIcon + 4, 0, 0, 0);
        color = tintColor(look.tint);
        break;
    }
    case LogModel::Job: color = t.muted; break;
    default: break;
    }
    painter->setFont(font);
    painter->setPen(color);
    painter->drawText(area, int(Qt::AlignLeft | Qt::AlignVCenter),
                      QFontMetrics(font).elidedText(index.data().toString(), Qt::ElideRight, area.width()));
}

} // namespace reelmesh
