#include "job_text.h"

#include <QCoreApplication>
#include <QStringList>

#include <cmath>

namespace reelmesh {
namespace {

QString tr(const char* text) {
    return QCoreApplication::translate("JobText", text);
}

} // namespace

QString clockText(double seconds) {
    if (!(seconds >= 0)) return QStringLiteral("–");
    const auto whole = static_cast<qint64>(std::ceil(seconds));
    if (whole < 600) return QString("%1:%2").arg(whole / 60).arg(whole % 60, 2, 10, QChar('0'));
    const qint64 minutes = (whole + 30) / 60;
    if (minutes < 60) return tr("%1 min").arg(minutes);
    return tr("%1 h %2 min").arg(minutes / 60).arg(minutes % 60, 2, 10, QChar('0'));
}

QString sizeText(const JobRequest& request) {
    const auto text = [](const std::optional<std::int64_t>& value) {
        return value ? QString::number(*value) : QStringLiteral("–");
    };
    return QString("%1×%2×%3").arg(text(request.width), text(request.height), text(request.frames));
}

QString promptLine(const JobRequest& request) {
    // Long prompts are cut here: no row shows more, and laying out a megabyte would take seconds.
    constexpr std::size_t kLongestBytes = 2048;
    const QString line = QString::fromStdString(request.prompt.substr(0, kLongestBytes)).simplified();
    return line.isEmpty() ? tr("(no prompt)") : line;
}

} // namespace reelmesh
