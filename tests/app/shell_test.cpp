// The frame of the window with stand-ins for panels: workspaces, layouts that come back, ways of the focus.
#include <QAction>
#include <QDockWidget>
#include <QJsonArray>
#include <QJsonDocument>
#include <QLineEdit>
#include <QTabBar>
#include <QTemporaryDir>
#include <QToolButton>
#include <QVBoxLayout>

#include "app_fixture.h"
#include "models/job_status.h"
#include "models/settings.h"
#include "shell/key_sheet.h"
#include "shell/main_window.h"
#include "shell/ui_map.h"
#include "shell/window_place.h"

namespace reelmesh {
namespace {

QWidget* panelWithField(const QString& name) {
    auto* panel = new QWidget;
    auto* column = new QVBoxLayout(panel);
    auto* field = new QLineEdit;
    field->setObjectName(name);
    column->addWidget(field);
    return panel;
}

/// A window of stand-ins.
struct ShellWindow {
    ShellWindow() {
        auto* viewer = new QWidget;
        viewer->setObjectName("viewer");
        viewer->setFocusPolicy(Qt::StrongFocus);
        viewer->setMinimumSize(320, 200);
        QList<Panel> panels;
        int key = Qt::Key_1;
        for (const char* name : {"dockPrompt", "dockParameters", "dockMesh", "dockTimeline", "dockDevices",
                                 "dockQueue", "dockLog"})
            panels << Panel{name,
                            QString(name).mid(4),
                            QKeySequence(Qt::CTRL | Qt::Key(key++)),
                            panelWithField(QString(name) + "Field"),
                            {}};
        window = std::make_unique<MainWindow>(actions, MainWindow::Content{viewer, panels}, status);
    }
    QDockWidget& dock(const char* name) { return *window->layoutOfDocks().dock(name); }
    void show() {
        window->show();
        QTest::qWait(20);
    }

    JobStatus status;
    Actions actions;
    std::unique_ptr<MainWindow> window;
};

TEST(ShellTest, EachWorkspaceShowsItsPanels) {
    ShellWindow shell;
    shell.show();
    EXPECT_TRUE(shell.dock("dockPrompt").isVisible());
    EXPECT_TRUE(shell.dock("dockQueue").isVisible());
    EXPECT_TRUE(shell.window->layoutOfDocks().isInView(shell.dock("dockTimeline")));
    shell.actions[Act::Observe].trigger();
    QTest::qWait(20);
    EXPECT_EQ(shell.window->layoutOfDocks().workspace(), Workspace::Observe);
    EXPECT_FALSE(shell.dock("dockPrompt").isVisible());
    EXPECT_TRUE(shell.dock("dockDevices").isVisible());
    EXPECT_GT(shell.dock("dockTimeline").height(), shell.window->height() * 2 / 5);
    shell.actions[Act::Review].trigger();
    QTest::qWait(20);
    EXPECT_FALSE(shell.dock("dockMesh").isVisible());
    EXPECT_TRUE(shell.dock("dockQueue").isVisible());
}

TEST(ShellTest, ViewerKeepsItsSizeInTheSmallWindow) {
    ShellWindow shell;
    shell.window->resize(1280, 800);
    shell.show();
    const QWidget* viewer = shell.window->centralWidget();
    EXPECT_GE(viewer->width(), 600);
    EXPECT_GE(viewer->height(), 340);
    EXPECT_NEAR(shell.dock("dockPrompt").width(), 300, 2);
    EXPECT_NEAR(shell.dock("dockQueue").width(), 280, 2);
}

TEST(ShellTest, TabbedDocksHaveNoTitleOfTheirOwn) {
    ShellWindow shell;
    shell.show();
    EXPECT_EQ(shell.dock("dockTimeline").titleBarWidget()->height(), 0);
    EXPECT_EQ(shell.dock("dockPrompt").titleBarWidget()->height(), 26);
    shell.dock("dockLog").close();
    QTest::qWait(20);
    EXPECT_EQ(shell.dock("dockTimeline").titleBarWidget()->height(), 26);
}

TEST(ShellTest, MovedDockStaysAfterSwitchingAndRestart) {
    QJsonObject saved;
    {
        ShellWindow shell;
        shell.show();
        shell.window->addDockWidget(Qt::RightDockWidgetArea, &shell.dock("dockPrompt"));
        shell.actions[Act::Observe].trigger();
        shell.actions[Act::Compose].trigger();
        QTest::qWait(20);
        EXPECT_EQ(shell.window->dockWidgetArea(&shell.dock("dockPrompt")), Qt::RightDockWidgetArea);
        saved = shell.window->layoutOfDocks().save();
    }
    ShellWindow again;
    again.window->layoutOfDocks().restore(saved);
    again.show();
    EXPECT_EQ(again.window->dockWidgetArea(&again.dock("dockPrompt")), Qt::RightDockWidgetArea);
    again.actions[Act::ResetLayout].trigger();
    QTest::qWait(20);
    EXPECT_EQ(again.window->dockWidgetArea(&again.dock("dockPrompt")), Qt::LeftDockWidgetArea);
}

TEST(ShellTest, WorkspaceThatComesBackShowsOnlyItsOwnPanels) {
    QJsonObject saved;
    {
        ShellWindow shell;
        shell.show();
        shell.actions[Act::Observe].trigger();
        shell.actions[Act::Compose].trigger();
        saved = shell.window->layoutOfDocks().save();
    }
    ShellWindow again;
    again.window->layoutOfDocks().restore(saved);
    again.show();
    again.actions[Act::Observe].trigger();
    QTest::qWait(20);
    EXPECT_FALSE(again.dock("dockPrompt").isVisible());
    EXPECT_FALSE(again.dock("dockQueue").isVisible());
    EXPECT_TRUE(again.dock("dockMesh").isVisible());
}

TEST(ShellTest, LayoutOfALargeWindowLeavesTheViewerRoomInASmallOne) {
    QJsonObject saved;
    {
        ShellWindow shell;
        shell.window->resize(1920, 1080);
        shell.show();
        shell.actions[Act::Observe].trigger();
        QTest::qWait(20);
        saved = shell.window->layoutOfDocks().save();
    }
    ShellWindow again;
    again.window->layoutOfDocks().restore(saved);
    again.window->resize(1280, 800);
    again.show();
    const QWidget* viewer = again.window->centralWidget();
    EXPECT_GE(viewer->width(), 1280 * 3 / 10);
    again.actions[Act::Compose].trigger();
    QTest::qWait(20);
    EXPECT_GE(viewer->width(), 600);
    EXPECT_GE(viewer->height(), 340);
}

TEST(ShellTest, TornOffDockComesBackOnTheScreen) {
    QJsonObject saved;
    {
        ShellWindow shell;
        shell.show();
        shell.dock("dockMesh").setFloating(true);
        shell.dock("dockMesh").setGeometry(5000, 4000, 300, 200);
        saved = shell.window->layoutOfDocks().save();
    }
    ShellWindow again;
    again.window->layoutOfDocks().restore(saved);
    again.show();
    ASSERT_TRUE(again.dock("dockMesh").isFloating());
    EXPECT_TRUE(again.window->screen()->availableGeometry().contains(again.dock("dockMesh").geometry()));
}

TEST(ShellTest, GarbageLayoutsAreIgnored) {
    ShellWindow shell;
    shell.window->layoutOfDocks().restore(
        {{"workspace", "moon"}, {"docks", QJsonObject{{"compose", "AAAA"}, {"observe", 7}}}});
    shell.show();
    EXPECT_TRUE(shell.dock("dockPrompt").isVisible());
}

TEST(ShellTest, FocusWalksAllPanelsAndBack) {
    ShellWindow shell;
    shell.show();
    shell.window->activateWindow();
    shell.window->focusViewer();
    QSet<QString> seen;
    for (int i = 0; i < 5; ++i) {
        shell.actions[Act::NextPanel].trigger();
        seen << QApplication::focusWidget()->objectName();
    }
    EXPECT_EQ(seen, (QSet<QString>{"dockPromptField", "dockParametersField", "dockQueueField",
                                   "dockMeshField", "dockTimelineField"}));
    shell.actions[Act::NextPanel].trigger();
    EXPECT_EQ(QApplication::focusWidget()->objectName(), "viewer");
    shell.actions[Act::PreviousPanel].trigger();
    EXPECT_NE(QApplication::focusWidget()->objectName(), "viewer");
}

TEST(ShellTest, PanelKeyRaisesAndLeadsBack) {
    ShellWindow shell;
    shell.show();
    QAction* devices = shell.window->findChild<QAction*>("actdockDevices");
    ASSERT_NE(devices, nullptr);
    devices->trigger();
    EXPECT_TRUE(shell.window->layoutOfDocks().isInView(shell.dock("dockDevices")));
    EXPECT_EQ(QApplication::focusWidget()->objectName(), "dockDevicesField");
    devices->trigger();
    EXPECT_EQ(QApplication::focusWidget()->objectName(), "viewer");
}

TEST(ShellTest, LockedLayoutCannotBeMoved) {
    ShellWindow shell;
    shell.show();
    shell.actions[Act::LockLayout].setChecked(true);
    EXPECT_FALSE(shell.dock("dockMesh").features() & QDockWidget::DockWidgetMovable);
    shell.actions[Act::LockLayout].setChecked(false);
    EXPECT_TRUE(shell.dock("dockMesh").features() & QDockWidget::DockWidgetMovable);
}

TEST(ShellTest, ClosingOnlyAsks) {
    ShellWindow shell;
    shell.show();
    int asked = 0;
    QObject::connect(shell.window.get(), &MainWindow::closeAsked, [&] { ++asked; });
    shell.window->close();
    EXPECT_EQ(asked, 1);
    EXPECT_TRUE(shell.window->isVisible());
}

TEST(ShellTest, NoTwoActionsShareAKey) {
    ShellWindow shell;
    QMap<QString, QString> owner;
    const QList<QAction*> all = shell.window->QWidget::actions();
    for (const QAction* action : all) {
        const QList<QKeySequence> keys = action->shortcuts();
        for (const QKeySequence& key : keys) {
            EXPECT_FALSE(owner.contains(key.toString()))
                << key.toString().toStdString() << ": " << owner[key.toString()].toStdString() << " and "
                << action->objectName().toStdString();
            owner[key.toString()] = action->objectName();
        }
    }
    EXPECT_GT(owner.size(), 20);
    EXPECT_GT(keyGroups(shell.actions).first().rows.size(), 10);
}

TEST(ShellTest, DisabledActionSaysWhy) {
    ShellWindow shell;
    const QString usual = shell.actions[Act::Cancel].toolTip();
    shell.actions.enable(Act::Cancel, false, "No job is running");
    EXPECT_EQ(shell.actions[Act::Cancel].toolTip(), "No job is running");
    shell.actions.enable(Act::Cancel, true);
    EXPECT_EQ(shell.actions[Act::Cancel].toolTip(), usual);
}

TEST(UiMapTest, NamesTabsAndMenusAndCells) {
    ShellWindow shell;
    shell.show();
    QMap<QString, QJsonObject> items;
    for (const QJsonValue& item : UiMap::describe({shell.window.get()}))
        items[item["name"].toString()] = item.toObject();
    EXPECT_TRUE(items.contains("tab/Timeline"));
    EXPECT_TRUE(items.contains("menu/File"));
    EXPECT_EQ(items["actGenerate"]["enabled"], true);
    EXPECT_FALSE(items.contains("dockDevicesField")); // behind another tab
}

TEST(SettingsTest, ComeBackAndKeepWhatTheyDoNotKnow) {
    const QTemporaryDir folder;
    const QString file = folder.filePath("new/settings.json");
    {
        Settings settings(file);
        EXPECT_EQ(settings.load(), "");
        settings.setTheme(Settings::ThemeChoice::Light);
        settings.setScalePercent(1000);
        settings.setModelFolders({"/models/a"});
        settings.setOutputFolder("/films");
    }
    QFile stored(file);
    ASSERT_TRUE(stored.open(QIODevice::ReadOnly));
    QByteArray text = stored.readAll();
    stored.close();
    text.insert(text.indexOf('{') + 1, "\"of_tomorrow\": 7,");
    ASSERT_TRUE(stored.open(QIODevice::WriteOnly));
    stored.write(text);
    stored.close();
    {
        Settings settings(file);
        EXPECT_EQ(settings.load(), "");
        EXPECT_EQ(settings.theme(), Settings::ThemeChoice::Light);
        EXPECT_EQ(settings.scalePercent(), 200);
        EXPECT_EQ(settings.modelFolders(), QStringList{"/models/a"});
        settings.setWelcomed(true);
    }
    ASSERT_TRUE(stored.open(QIODevice::ReadOnly));
    EXPECT_EQ(QJsonDocument::fromJson(stored.readAll())["of_tomorrow"].toInt(), 7);
    EXPECT_EQ(Settings::storedScalePercent(file), 200);
}

TEST(SettingsTest, DamagedFileIsPutAsideAndSaid) {
    const QTemporaryDir folder;
    const QString path = folder.filePath("settings.json");
    QFile file(path);
    ASSERT_TRUE(file.open(QIODevice::WriteOnly));
    file.write("{\"theme\": ");
    file.close();
    Settings settings(path);
    const QString problem = settings.load();
    EXPECT_TRUE(problem.contains(path)) << problem.toStdString();
    EXPECT_EQ(settings.theme(), Settings::ThemeChoice::Dark);
    EXPECT_FALSE(QFile::exists(path));
    EXPECT_TRUE(QFile::exists(path + ".damaged"));
}

TEST(WindowPlaceTest, ComesBackAndIgnoresGarbage) {
    const QTemporaryDir folder;
    const QString file = folder.filePath("new/layouts.json");
    QWidget first, second;
    first.resize(500, 400);
    savePlace({first.saveGeometry(), {}}, file);
    QString problem;
    restoreGeometry(second, readPlace(file, problem).geometry);
    EXPECT_EQ(problem, "");
    EXPECT_EQ(second.size(), QSize(500, 400));
    QFile garbage(file);
    ASSERT_TRUE(garbage.open(QIODevice::WriteOnly));
    garbage.write(R"({"window": "AAAA", "layouts": 3})");
    garbage.close();
    restoreGeometry(second, readPlace(file, problem).geometry);
    EXPECT_EQ(second.size(), QSize(500, 400));
}

TEST(WindowPlaceTest, OfAScreenThatIsGoneLandsOnOneThatIsThere) {
    QWidget first, second;
    first.setGeometry(9000, 7000, 500, 400);
    restoreGeometry(second, first.saveGeometry());
    const QRect room = second.screen()->availableGeometry();
    const QRect seen = room.intersected(second.geometry());
    EXPECT_GE(seen.width() * seen.height(), second.width() * second.height() * 8 / 10);
}

} // namespace
} // namespace reelmesh
