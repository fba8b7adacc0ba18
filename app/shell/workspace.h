// The three arrangements of the window and their names. Pure.
#pragma once

#include <QString>

#include <array>
#include <optional>

namespace reelmesh {

enum class Workspace { Compose, Observe, Review };
inline constexpr std::array kWorkspaces{Workspace::Compose, Workspace::Observe, Workspace::Review};

/// "compose" ...: in files and on the command line.
inline QString workspaceName(Workspace workspace) {
    constexpr std::array names{"compose", "observe", "review"};
    return names[static_cast<std::size_t>(workspace)];
}

inline std::optional<Workspace> workspaceOf(const QString& name) {
    for (const Workspace workspace : kWorkspaces)
        if (name == workspaceName(workspace)) return workspace;
    return std::nullopt;
}

} // namespace reelmesh
