#include "ui_map.h"

#include <QAbstractItemView>
#include <QAbstractSlider>
#include <QAction>
#include <QApplication>
#include <QJsonDocument>
#include <QJsonObject>
#include <QMenu>
#include <QMenuBar>
#include <QSaveFile>
#include <QTabBar>
#include <QToolButton>
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
    QJsonObject item{{"name", widget.objectName()},
                     {"class", widget.metaObject()->className()},
                     {"rect", rectangle(widget, widget.rect())},
                     {"enabled", widget.isEnabled()},
                     {"shown", widget.visibleRegion().boundingRect() == widget.rect()},
                     {"focused", widget.hasFocus()},
                     {"focusable", (widget.focusPolicy() & Qt::TabFocus) != 0},
                     {"text", textOf(widget)},
                     {"accessible", widget.accessibleName()},
                     {"tooltip", widget.toolTip()}};
    if (const auto* button = qobject_cast<const QToolButton*>(&widget))
        item["icon_only"] = button->toolButtonStyle() == Qt::ToolButtonIconOnly;
    for (const char* property : {"checked", "value"})
        if (const QVariant value = widget.property(property); value.isValid())
            item[property] = QJsonValue::fromVariant(value);
    items.append(item);
}

void addPart(QJsonArray& items, const QWidget& widget, const QString& name, const char* kind,
             const QRect& rect, const QString& text) {
    if (!rect.intersects(widget.rect())) return;
    items.append(
        QJsonObject{{"name", name}, {"class", kind}, {"rect", rectangle(widget, rect)}, {"text", text}});
}

void addCells(QJsonArray& items, const QAbstractItemView& view) {
    const QAbstractItemModel& model = *view.model();
    const QWidget& port = *view.viewport();
    // A list of a million rows must not stop the program: only what may be in view is asked.
    const QModelIndex top = view.indexAt({1, 1});
    const int first = top.isValid() ? top.row() : 0;
    for (int row = first; row < model.rowCount(); ++row) {
        const QRect line = view.visualRect(model.index(row, 0));
        if (line.top() > port.height()) break;
        for (int column = 0; column < model.columnCount(); ++column) {
            const QModelIndex index = model.index(row, column);
            const QRect rect = view.visualRect(index);
            if (rect.isEmpty()) continue;
            addPart(items, port, QString("%1/%2/%3").arg(view.objectName()).arg(row).arg(column), "cell",
                    rect, index.data().toString());
        }
    }
}

void addCustomItems(QJsonArray& items, const QWidget& widget) {
    if (widget.metaObject()->indexOfMethod("uiItems()") < 0) return;
    QVariantList drawn;
    QMetaObject::invokeMethod(const_cast<QWidget*>(&widget), "uiItems", Qt::DirectConnection,
                              Q_RETURN_ARG(QVariantList, drawn));
    for (const QVariant& value : drawn) {
        const QVariantMap item = value.toMap();
        addPart(items, widget, item["name"].toString(), "drawn", item["rect"].toRect(),
                item["text"].toString());
    }
}

void addParts(QJsonArray& items, const QWidget& widget) {
    if (const auto* view = qobject_cast<const QAbstractItemView*>(&widget); view && view->model())
        addCells(items, *view);
    if (const auto* bar = qobject_cast<const QTabBar*>(&widget))
        for (int i = 0; i < bar->count(); ++i)
            addPart(items, *bar, "tab/" + bar->tabText(i), "tab", bar->tabRect(i), bar->tabText(i));
    if (const auto* menu = qobject_cast<const QMenu*>(&widget))
        for (const QAction* action : menu->actions())
            addPart(items, *menu, "menu/" + action->objectName(), "entry",
                    menu->actionGeometry(const_cast<QAction*>(action)), action->text());
    if (const auto* bar = qobject_cast<const QMenuBar*>(&widget))
        for (const QAction* action : bar->actions())
            addPart(items, *bar, "menu/" + action->text().remove('&'), "entry",
                    bar->actionGeometry(const_cast<QAction*>(action)), action->text());
    addCustomItems(items, widget);
}

} // namespace

UiMap::UiMap(QString file, QObject* parent) : QObject(parent), file_(std::move(file)) {
    connect(&timer_, &QTimer::timeout, this, &UiMap::write);
    writer_.setMaxThreadCount(1);
    timer_.start(kPeriod_ms);
}

UiMap::~UiMap() {
    writer_.waitForDone();
}

QJsonArray UiMap::describe(const QList<QWidget*>& windows) {
    QJsonArray items;
    for (const QWidget* window : windows) {
        if (!window->isVisible()) continue;
        addWidget(items, *window);
        addParts(items, *window);
        for (const QWidget* widget : window->findChildren<QWidget*>()) {
            // Other windows are children too; they are told on their own.
            if (!widget->isVisible() || widget->isWindow() || widget->window() != window) continue;
            // Panels behind a tab are visible in Qt's sense, but lie beside the window.
            const QRect place(widget->mapTo(window, QPoint()), widget->size());
            if (!place.intersects(window->rect())) continue;
            addWidget(items, *widget);
            addParts(items, *widget);
        }
    }
    return items;
}

void UiMap::write() {
    // The tests that read the map measure this thread as well: it looks, another one writes.
    if (writer_.activeThreadCount() > 0) return;
    writer_.start([this, items = describe(QApplication::topLevelWidgets())] {
        const QByteArray map = QJsonDocument(QJsonObject{{"items", items}}).toJson(QJsonDocument::Compact);
        if (map == written_) return;
        QSaveFile file(file_);
        if (file.open(QIODevice::WriteOnly) && file.write(map) == map.size() && file.commit()) written_ = map;
    });
}

} // namespace reelmesh
