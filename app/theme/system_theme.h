// Whether the desktop prefers dark or light, asked of its portal over D-Bus and followed. Without a portal
// nothing is ever said and dark holds. GUI thread.
#pragma once

#include <QDBusVariant>
#include <QObject>

#include "palette.h"

namespace reelmesh {

class SystemTheme : public QObject {
    Q_OBJECT

public:
    explicit SystemTheme(QObject* parent = nullptr);
    Theme theme() const { return theme_; }

Q_SIGNALS:
    void changed();

private Q_SLOTS:
    void onSetting(const QString& name, const QString& key, const QDBusVariant& value);

private:
    void take(const QVariant& value);

    Theme theme_ = Theme::Dark;
};

} // namespace reelmesh
