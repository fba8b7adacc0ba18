#include "ui_map.h"

#include <QAbstractItemView>
#include <QJsonArray>
#include <QJsonDocument>
#include <QJsonObject>
#include <QSaveFile>
#include <QWidget>

namespace reelmesh {
namespace {

constexpr int kPeriod_ms = 250;

QJsonObject rectangle(const QWidget& widget, const QRect& rect) {
    const QPoint corner = widget.mapToGlobal(rect.topLeft());
    const double ratio = widget.devicePixelRatioF();
    return {{"x", corner.x() * ratio},
            {"y", corner.y() * ratio},
            {"width", rect.width() * ratio},
            {"height", rect.height() * ratio}};
}

QString textOf(const QWidget& widget) {
    for (const char* property : {"plainText", "currentText", "text", "windowTitle"}) {
        const QVariant value = widget.property(property);
        if (value.isValid() && !value.toString().isEmpty()) return value.toString();
    }
    return {};
}

void addWidget(QJsonArray& items, const QWidget& widget) {
    items.append(QJsonObject{{"name", widget.objectName()},
                             {"class", widget.metaObject()->className()},
                             {"rect", rectangle(widget, widget.rect())},
                             {"enabled", widget.isEnabled()},
                             {"focused", widget.hasFocus()},
                             {"text", textOf(widget)},
                             {"accessible", widget.accessibleName()}});
}

void addCells(QJsonArray& items, const QAbstractItemView& view) {
    const QAbstractItemModel& model = *view.model();
    for (int row = 0; row < model.rowCount(); ++row) {
        for (int column = 0; column < model.columnCount(); ++column) {
            const QModelIndex index = model.index(row, column);
            const QRect rect = view.visualRect(index);
            if (!rect.intersects(view.viewport()->rect())) continue;
            items.append(
                QJsonObject{{"name", QString("%1/%2/%3").arg(view.objectName()).arg(row).arg(column)},
                            {"class", "cell"},
                            {"rect", rectangle(*view.viewport(), rect)},
                            {"text", index.data().toString()}});
        }
    }
}

} // namespace

UiMap::UiMap(QWidget& window, QString file, QObject* parent)
    : QObject(parent), window_(window), file_(std::move(file)) {
    connect(&timer_, &QTimer::timeout, this, &UiMap::write);
    timer_.start(kPeriod_ms);
}

QByteArray UiMap::describe(const QWidget& window) {
    QJsonArray items;
    addWidget(items, window);
    for (const QWidget* widget : window.findChildren<QWidget*>()) {
        if (!widget->isVisible()) continue;
        addWidget(items, *widget);
        if (const auto* view = qobject_cast<const QAbstractItemView*>(widget))
            if (view->model()) addCells(items, *view);
    }
    return QJsonDocument(QJsonObject{{"items", items}}).toJson(QJsonDocument::Compact);
}

void UiMap::write() {
    const QByteArray map = describe(window_);
    if (map == written_) return;
    QSaveFile file(file_);
    if (file.open(QIODevice::WriteOnly) && file.write(map) == map.size() && file.commit()) written_ = map;
}

} // namespace reelmesh
