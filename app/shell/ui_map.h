// Writes what the window shows for tests that drive it from outside (--ui-map): JSON with the name,
// class, screen rectangle, state and text of each visible widget and table cell. Looked at four
// times a second, written on change, replaced in one step. Read-only for the window. GUI thread.
#pragma once

#include <QByteArray>
#include <QTimer>

class QWidget;

namespace reelmesh {

class UiMap : public QObject {
    Q_OBJECT

public:
    UiMap(QWidget& window, QString file, QObject* parent = nullptr);
    static QByteArray describe(const QWidget& window);

private:
    void write();

    QWidget& window_;
    QString file_;
    QByteArray written_;
    QTimer timer_;
};

} // namespace reelmesh
