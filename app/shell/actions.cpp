#include "actions.h"

#include <QCoreApplication>
#include <QKeySequence>

#include "theme/icons.h"

namespace reelmesh {
namespace {

QString tr(const char* text) {
    return QCoreApplication::translate("Actions", text);
}

constexpr const char* kToolTip = "toolTipWhenEnabled";

struct Row {
    Act act;
    const char* name;
    const char* text;
    const char* toolTip;
    const char* icon = nullptr; ///< nullptr: none
    QList<QKeySequence> keys;
    bool checkable = false;
    IconTint tint = IconTint::Text;
};

QList<Row> rows() {
    using enum Act;
    constexpr auto kCtrl = Qt::CTRL;
    constexpr auto kShift = Qt::CTRL | Qt::SHIFT;
    constexpr auto kAlt = Qt::CTRL | Qt::ALT;
#define TEXT(text) QT_TRANSLATE_NOOP("Actions", text)
    return {
        {Generate,
         "actGenerate",
         TEXT("Generate"),
         TEXT("Make the video of this prompt (Ctrl+Enter)"),
         "generate",
         {kCtrl | Qt::Key_Return, kCtrl | Qt::Key_Enter},
         false,
         IconTint::OnAccent},
        {AddToQueue,
         "actAddToQueue",
         TEXT("Add to queue"),
         TEXT("Put a copy of the draft behind all waiting jobs"),
         "add",
         {kShift | Qt::Key_Q}},
        {AddToFront,
         "actAddToFront",
         TEXT("Add to front"),
         TEXT("Put a copy of the draft before all waiting jobs"),
         "top",
         {kShift | Qt::Key_Return, kShift | Qt::Key_Enter}},
        {Pause,
         "actPause",
         TEXT("Pause"),
         TEXT("Stop the running job before its next step; it can go on later"),
         "pause",
         {}},
        {PauseAfter,
         "actPauseAfter",
         TEXT("Pause after this job"),
         TEXT("Let the running job end and start no other"),
         "pause-after",
         {},
         true},
        {Cancel,
         "actCancel",
         TEXT("Cancel"),
         TEXT("Stop the running job; nothing is decoded (Ctrl+Alt+Enter)"),
         "cancel",
         {kAlt | Qt::Key_Return, kAlt | Qt::Key_Enter}},
        {StopAndDecode,
         "actStopDecode",
         TEXT("Stop and decode now"),
         TEXT("Decode and save what the last complete step shows"),
         "stop-decode",
         {}},
        {Export,
         "actExport",
         TEXT("Export…"),
         TEXT("Write the clip in view in another form (Ctrl+E)"),
         "export",
         {kCtrl | Qt::Key_E}},
        {SaveFrame,
         "actSaveFrame",
         TEXT("Save frame"),
         TEXT("Write the frame in view as a PNG with its settings (S in the viewer)"),
         "save-frame",
         {}},
        {OpenTrace,
         "actOpenTrace",
         TEXT("Open a trace…"),
         TEXT("Show a recorded run in timeline and mesh (Ctrl+O)"),
         "open",
         {kCtrl | Qt::Key_O}},
        {SaveTrace,
         "actSaveTrace",
         TEXT("Save trace…"),
         TEXT("Keep what the timeline shows in a file"),
         "save",
         {}},
        {OutputFolder,
         "actOutputFolder",
         TEXT("Output folder…"),
         TEXT("Choose where finished videos are saved"),
         "folder",
         {}},
        {ShowOutput,
         "actShowOutput",
         TEXT("Show output folder"),
         TEXT("Open the folder of finished videos"),
         nullptr,
         {}},
        {AddModelFolder,
         "actAddModelFolder",
         TEXT("Add model folder…"),
         TEXT("Use a model that is on this machine"),
         "model",
         {}},
        {Settings,
         "actSettings",
         TEXT("Settings"),
         TEXT("Settings (Ctrl+,)"),
         "settings",
         {kCtrl | Qt::Key_Comma}},
        {Quit, "actQuit", TEXT("Quit"), TEXT("Quit Reelmesh"), nullptr, {kCtrl | Qt::Key_Q}},
        {CopyFrame,
         "actCopyFrame",
         TEXT("Copy frame"),
         TEXT("Copy the frame in view (Ctrl+C in the viewer)"),
         "copy",
         {}},
        {CopyJob,
         "actCopyJob",
         TEXT("Copy job as JSON"),
         TEXT("Copy the draft as a job file's text"),
         nullptr,
         {}},
        {Compose,
         "actCompose",
         TEXT("Compose"),
         TEXT("Write and set up (Alt+1)"),
         nullptr,
         {Qt::ALT | Qt::Key_1},
         true},
        {Observe,
         "actObserve",
         TEXT("Observe"),
         TEXT("Watch what each rank does (Alt+2)"),
         nullptr,
         {Qt::ALT | Qt::Key_2},
         true},
        {Review,
         "actReview",
         TEXT("Review"),
         TEXT("Play and compare (Alt+3)"),
         nullptr,
         {Qt::ALT | Qt::Key_3},
         true},
        {ThemeDark, "actThemeDark", TEXT("Dark"), TEXT("Dark colours"), nullptr, {}, true},
        {ThemeLight, "actThemeLight", TEXT("Light"), TEXT("Light colours"), nullptr, {}, true},
        {ThemeSystem,
         "actThemeSystem",
         TEXT("As the system"),
         TEXT("Dark or light as the desktop says"),
         nullptr,
         {},
         true},
        {LockLayout,
         "actLockLayout",
         TEXT("Lock layout"),
         TEXT("Panels stay where they are"),
         "lock",
         {},
         true},
        {ResetLayout,
         "actResetLayout",
         TEXT("Reset layout"),
         TEXT("Arrange this workspace as it was first"),
         "reset",
         {}},
        {FullScreen,
         "actFullScreen",
         TEXT("Full screen"),
         TEXT("Use the whole screen (F11)"),
         "fullscreen",
         {Qt::Key_F11},
         true},
        {NextPanel,
         "actNextPanel",
         TEXT("Next panel"),
         TEXT("Move the focus to the next panel (F6)"),
         nullptr,
         {Qt::Key_F6}},
        {PreviousPanel,
         "actPreviousPanel",
         TEXT("Previous panel"),
         TEXT("Move the focus to the panel before (Shift+F6)"),
         nullptr,
         {Qt::SHIFT | Qt::Key_F6}},
        {MeshAuto,
         "actMeshAuto",
         TEXT("Automatic mesh"),
         TEXT("Let the planner choose the mesh"),
         nullptr,
         {},
         true},
        {MeshParity,
         "actMeshParity",
         TEXT("Check against one rank"),
         TEXT("Run two steps on this mesh and on one rank, and compare"),
         "parity",
         {}},
        {MeshCopy, "actMeshCopy", TEXT("Copy mesh"), TEXT("Copy the mesh as text"), "copy", {}},
        {Keys, "actKeys", TEXT("Keys"), TEXT("All keys (F1)"), "keyboard", {Qt::Key_F1}},
        {About, "actAbout", TEXT("About Reelmesh"), TEXT("Versions, devices and licences"), "info", {}},
        {CopyReport,
         "actCopyReport",
         TEXT("Copy report"),
         TEXT("Copy versions, devices, mesh and the last lines of the log"),
         "report",
         {}},
    };
#undef TEXT
}

} // namespace

Actions::Actions(QObject* parent) : QObject(parent) {
    for (const Row& row : rows()) {
        auto* action = new QAction(reelmesh::tr(row.text), this);
        action->setObjectName(row.name);
        if (row.icon) action->setIcon(icon(row.icon, row.tint));
        action->setShortcuts(row.keys);
        action->setToolTip(reelmesh::tr(row.toolTip));
        action->setProperty(kToolTip, reelmesh::tr(row.toolTip));
        action->setCheckable(row.checkable);
        action->setIconVisibleInMenu(false);
        actions_[static_cast<std::size_t>(row.act)] = action;
    }
}

void Actions::enable(Act act, bool enabled, const QString& whyNot) {
    QAction& action = (*this)[act];
    action.setEnabled(enabled);
    action.setToolTip(enabled || whyNot.isEmpty() ? action.property(kToolTip).toString() : whyNot);
}

} // namespace reelmesh
