#include "system_theme.h"

#include <QDBusConnection>
#include <QDBusMessage>
#include <QDBusPendingCallWatcher>
#include <QDBusPendingReply>

namespace reelmesh {
namespace {

const char kService[] = "org.freedesktop.portal.Desktop";
const char kPath[] = "/org/freedesktop/portal/desktop";
const char kInterface[] = "org.freedesktop.portal.Settings";
const char kAppearance[] = "org.freedesktop.appearance";
const char kColorScheme[] = "color-scheme";
/// Of the portal's values 0 says nothing and 1 asks for dark.
constexpr uint kPrefersLight = 2;

QVariant unwrapped(QVariant value) {
    while (value.canConvert<QDBusVariant>() && value.userType() == qMetaTypeId<QDBusVariant>())
        value = value.value<QDBusVariant>().variant();
    return value;
}

} // namespace

SystemTheme::SystemTheme(QObject* parent) : QObject(parent) {
    QDBusConnection bus = QDBusConnection::sessionBus();
    if (!bus.isConnected()) return;
    bus.connect(kService, kPath, kInterface, "SettingChanged", this,
                SLOT(onSetting(QString, QString, QDBusVariant)));
    QDBusMessage read = QDBusMessage::createMethodCall(kService, kPath, kInterface, "Read");
    read << QString(kAppearance) << QString(kColorScheme);
    auto* watcher = new QDBusPendingCallWatcher(bus.asyncCall(read), this);
    connect(watcher, &QDBusPendingCallWatcher::finished, this, [this](QDBusPendingCallWatcher* call) {
        const QDBusPendingReply<QDBusVariant> reply = *call;
        if (reply.isValid()) take(reply.value().variant());
        call->deleteLater();
    });
}

void SystemTheme::onSetting(const QString& name, const QString& key, const QDBusVariant& value) {
    if (name == kAppearance && key == kColorScheme) take(value.variant());
}

void SystemTheme::take(const QVariant& value) {
    const Theme theme = unwrapped(value).toUInt() == kPrefersLight ? Theme::Light : Theme::Dark;
    if (theme == theme_) return;
    theme_ = theme;
    Q_EMIT changed();
}

} // namespace reelmesh
