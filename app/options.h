// The command line of the window's program. Pure: needs no display.
#pragma once

#include <QString>
#include <QStringList>

#include <optional>

#include <QRect>

#include "shell/workspace.h"
#include "theme/palette.h"

namespace reelmesh {

struct Options {
    enum class Wish { Run, ShowHelp, ShowVersion, Refuse };

    Wish wish = Wish::Run;
    QString text; ///< what to print, unless Run

    std::optional<Theme> theme;         ///< unset: as the settings say
    std::optional<Workspace> workspace; ///< unset: the last one
    QString engine;                     ///< library to open; "": found beside the program
    QString outputFolder;               ///< "": Reelmesh in the user's folder for films
    QString configFolder;               ///< "": the user's
    QString dataFolder;                 ///< draft, prompts and log; "": the user's
    QString uiMap, heartbeat;
    struct Geometry {
        QSize size;
        std::optional<QPoint> position;
    };
    std::optional<Geometry> geometry;
};

/// The first argument is the program.
Options parseOptions(const QStringList& arguments);

/// Settings, layouts, presets.
QString configFile(const Options& options, const QString& name);
/// What comes of working: draft, prompts, log.
QString stateFile(const Options& options, const QString& name);

} // namespace reelmesh
