// reelmesh: the window.
#include <QCoreApplication>

#include <cstdio>

#include "application.h"
#include "models/settings.h"

namespace {

int print(std::FILE* stream, const QString& text, int code) {
    std::fputs(text.toUtf8().constData(), stream);
    return code;
}

reelmesh::Options readOptions(int& argc, char** argv) {
    // Gives the parser the program's name; the real application needs a display, these answers do not.
    const QCoreApplication core(argc, argv);
    return reelmesh::parseOptions(core.arguments());
}

/// Qt reads the factor once, before there is an application. One that is already set wins.
void scaleInterface(const reelmesh::Options& options) {
    const int percent =
        reelmesh::Settings::storedScalePercent(reelmesh::configFile(options, "settings.json"));
    if (percent != 100 && qEnvironmentVariableIsEmpty("QT_SCALE_FACTOR"))
        qputenv("QT_SCALE_FACTOR", QByteArray::number(percent / 100.0));
}

} // namespace

int main(int argc, char** argv) {
    constexpr int kBadArguments = 2;
    QCoreApplication::setApplicationName("reelmesh");
    QCoreApplication::setApplicationVersion(REELMESH_VERSION);
    const reelmesh::Options options = readOptions(argc, argv);
    switch (options.wish) {
    case reelmesh::Options::Wish::ShowHelp:
    case reelmesh::Options::Wish::ShowVersion: return print(stdout, options.text, 0);
    case reelmesh::Options::Wish::Refuse: return print(stderr, options.text + "\n", kBadArguments);
    case reelmesh::Options::Wish::Run: break;
    }
    scaleInterface(options);
    return reelmesh::Application(argc, argv, options).run();
}
