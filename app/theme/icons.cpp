#include "icons.h"

#include <QFile>
#include <QGuiApplication>
#include <QIconEngine>
#include <QPainter>
#include <QPixmapCache>
#include <QSvgRenderer>

#include "palette.h"

namespace reelmesh {
namespace {

class TintedIcon : public QIconEngine {
public:
    TintedIcon(QString name, IconTint tint) : name_(std::move(name)), tint_(tint) {
        QFile file(":/icons/" + name_ + ".svg");
        if (!file.open(QIODevice::ReadOnly)) qFatal("no icon named %s", qPrintable(name_));
        source_ = file.readAll();
    }

    QIconEngine* clone() const override { return new TintedIcon(*this); }

    void paint(QPainter* painter, const QRect& rect, QIcon::Mode mode, QIcon::State) override {
        painter->drawPixmap(rect, render(rect.size(), mode, painter->device()->devicePixelRatio()));
    }

    QPixmap pixmap(const QSize& size, QIcon::Mode mode, QIcon::State) override {
        return render(size, mode, 1);
    }

    // QIcon hands over device pixels here and sets the ratio itself.
    QPixmap scaledPixmap(const QSize& size, QIcon::Mode mode, QIcon::State, qreal) override {
        return render(size, mode, 1);
    }

private:
    QPixmap render(const QSize& size, QIcon::Mode mode, qreal ratio) const {
        const QColor color =
            mode == QIcon::Disabled ? tokens(QGuiApplication::palette()).disabled : tintColor(tint_);
        const QString key = QString("reelmesh/%1/%2x%3/%4/%5")
                                .arg(name_)
                                .arg(size.width())
                                .arg(size.height())
                                .arg(color.name())
                                .arg(ratio);
        QPixmap pixmap;
        if (QPixmapCache::find(key, &pixmap)) return pixmap;
        pixmap = QPixmap(size * ratio);
        pixmap.fill(Qt::transparent);
        QPainter painter(&pixmap);
        QSvgRenderer(QByteArray(source_).replace("currentColor", color.name().toLatin1())).render(&painter);
        painter.end();
        pixmap.setDevicePixelRatio(ratio);
        QPixmapCache::insert(key, pixmap);
        return pixmap;
    }

    QString name_;
    IconTint tint_;
    QByteArray source_;
};

} // namespace

QIcon icon(const QString& name, IconTint tint) {
    return QIcon(new TintedIcon(name, tint));
}

QColor tintColor(IconTint tint) {
    const Tokens& t = tokens(QGuiApplication::palette());
    switch (tint) {
    case IconTint::Text: return t.text;
    case IconTint::OnAccent: return t.onAccent;
    case IconTint::Muted: return t.muted;
    case IconTint::Accent: return t.accent;
    case IconTint::Done: return t.done;
    case IconTint::Warning: return t.warning;
    case IconTint::Error: return t.error;
    }
    return t.text;
}

QIcon applicationIcon() {
    QIcon icon;
    icon.addFile(":/icons/app-icon-small.svg", {16, 16});
    for (int side : {24, 32, 48, 64, 128, 256})
        icon.addFile(":/icons/app-icon.svg", {side, side});
    return icon;
}

} // namespace reelmesh
