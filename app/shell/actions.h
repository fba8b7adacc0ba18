// What the user can do, once: text, icon, shortcut and object name of each action, shared by menus, tool bar
// and panels. One table; the sheet of keys is made from it. GUI thread; owns the actions.
#pragma once

#include <QAction>
#include <QObject>

#include <array>

namespace reelmesh {

enum class Act {
    Generate,
    AddToQueue,
    AddToFront,
    Pause,
    PauseAfter,
    Cancel,
    StopAndDecode,
    Export,
    SaveFrame,
    OpenTrace,
    SaveTrace,
    OutputFolder,
    ShowOutput,
    AddModelFolder,
    Settings,
    Quit,
    CopyFrame,
    CopyJob,
    Compose,
    Observe,
    Review,
    ThemeDark,
    ThemeLight,
    ThemeSystem,
    LockLayout,
    ResetLayout,
    FullScreen,
    NextPanel,
    PreviousPanel,
    MeshAuto,
    MeshParity,
    MeshCopy,
    Keys,
    About,
    CopyReport,
};
inline constexpr int kActs = static_cast<int>(Act::CopyReport) + 1;

class Actions : public QObject {
    Q_OBJECT

public:
    explicit Actions(QObject* parent = nullptr);
    QAction& operator[](Act act) const { return *actions_[static_cast<std::size_t>(act)]; }
    /// Disabled says why: the reason becomes the tooltip.
    void enable(Act act, bool enabled, const QString& whyNot = {});

private:
    std::array<QAction*, kActs> actions_{};
};

} // namespace reelmesh
