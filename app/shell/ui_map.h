// For tests (--ui-map): a JSON file with whatever can be seen of the program's windows: widgets, and inside
// them cells of views, tabs, menu entries and custom-drawn items (those that a widget names by "Q_INVOKABLE
// QVariantList uiItems() const": name, rect in the widget's coordinates, text). Read only; written when
// something changed, at most four times a second, by a thread of its own. GUI thread.
#pragma once

#include <QByteArray>
#include <QJsonArray>
#include <QObject>
#include <QString>
#include <QThreadPool>
#include <QTimer>

class QWidget;

namespace reelmesh {

class UiMap : public QObject {
    Q_OBJECT

public:
    explicit UiMap(QString file, QObject* parent = nullptr);
    ~UiMap() override;

    /// What is visible below these, with rectangles in device pixels of the screen.
    static QJsonArray describe(const QList<QWidget*>& windows);

private:
    void write();

    QString file_;
    QByteArray written_; ///< the writer's
    QThreadPool writer_; ///< one thread
    QTimer timer_;
};

} // namespace reelmesh
