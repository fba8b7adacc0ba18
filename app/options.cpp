#include "options.h"

#include <QCommandLineParser>
#include <QCoreApplication>
#include <QDir>
#include <QRegularExpression>
#include <QStandardPaths>

namespace reelmesh {
namespace {

std::optional<Options::Geometry> readGeometry(const QString& text) {
    static const QRegularExpression form("^(\\d{1,5})x(\\d{1,5})(?:([+-]\\d{1,5})([+-]\\d{1,5}))?$");
    const QRegularExpressionMatch match = form.match(text);
    if (!match.hasMatch()) return std::nullopt;
    Options::Geometry geometry{.size = {match.captured(1).toInt(), match.captured(2).toInt()}};
    if (!match.captured(3).isEmpty())
        geometry.position = QPoint(match.captured(3).toInt(), match.captured(4).toInt());
    return geometry;
}

Options refuse(const QString& reason) {
    return {.wish = Options::Wish::Refuse, .text = reason};
}

} // namespace

Options parseOptions(const QStringList& arguments) {
    const QCommandLineOption theme("theme", "Colours: dark or light; else as in the settings.", "name");
    const QCommandLineOption workspace("workspace", "compose, observe or review.", "name");
    const QCommandLineOption geometry("geometry", "Size and place of the window, WxH or WxH+X+Y.",
                                      "geometry");
    const QCommandLineOption output("output-dir", "Folder for finished clips.", "folder");
    const QCommandLineOption config("config-dir", "Folder for the window's settings.", "folder");
    const QCommandLineOption data("data-dir", "Folder for the draft, prompts and the log.", "folder");
    const QCommandLineOption engine("engine", "Engine library to open in place of the installed one.",
                                    "file");
    const QCommandLineOption uiMap("ui-map", "For tests: keep a JSON map of what the window shows.", "file");
    const QCommandLineOption heartbeat("heartbeat", "For tests: write handler times and gaps as CSV.",
                                       "file");
    QCommandLineParser parser;
    parser.setApplicationDescription("Turns a prompt into a video.");
    const QCommandLineOption help = parser.addHelpOption();
    const QCommandLineOption version = parser.addVersionOption();
    parser.addOptions({theme, workspace, geometry, output, config, data, engine, uiMap, heartbeat});

    if (!parser.parse(arguments)) return refuse(parser.errorText());
    if (parser.isSet(help)) return {.wish = Options::Wish::ShowHelp, .text = parser.helpText()};
    if (parser.isSet(version))
        return {.wish = Options::Wish::ShowVersion,
                .text = "reelmesh " + QCoreApplication::applicationVersion() + "\n"};
    if (!parser.positionalArguments().isEmpty())
        return refuse("unexpected argument: " + parser.positionalArguments().first());

    Options options{.engine = parser.value(engine),
                    .outputFolder = parser.value(output),
                    .configFolder = parser.value(config),
                    .dataFolder = parser.value(data),
                    .uiMap = parser.value(uiMap),
                    .heartbeat = parser.value(heartbeat)};
    if (parser.isSet(theme)) {
        const QString name = parser.value(theme);
        if (name != "light" && name != "dark")
            return refuse("--theme: " + name + " is not legal, needed: dark or light");
        options.theme = name == "light" ? Theme::Light : Theme::Dark;
    }
    if (parser.isSet(workspace)) {
        options.workspace = workspaceOf(parser.value(workspace));
        if (!options.workspace)
            return refuse("--workspace: " + parser.value(workspace) +
                          " is not legal, needed: compose, observe or review");
    }
    if (parser.isSet(geometry)) {
        options.geometry = readGeometry(parser.value(geometry));
        if (!options.geometry)
            return refuse("--geometry: " + parser.value(geometry) + " is not legal, needed: WxH or WxH+X+Y");
    }
    return options;
}

QString configFile(const Options& options, const QString& name) {
    if (!options.configFolder.isEmpty()) return options.configFolder + "/" + name;
    return QStandardPaths::writableLocation(QStandardPaths::GenericConfigLocation) + "/reelmesh/" + name;
}

QString stateFile(const Options& options, const QString& name) {
    if (!options.dataFolder.isEmpty()) return options.dataFolder + "/" + name;
    // Qt 6.4 knows no place for state.
    QString folder = qEnvironmentVariable("XDG_STATE_HOME");
    if (folder.isEmpty()) folder = QDir::homePath() + "/.local/state";
    return folder + "/reelmesh/" + name;
}

} // namespace reelmesh
