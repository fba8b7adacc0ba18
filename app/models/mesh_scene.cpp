#include "mesh_scene.h"

#include <QCoreApplication>
#include <QLocale>

#include <cmath>

namespace reelmesh {
namespace {

constexpr double kGiB = 1024.0 * 1024 * 1024;

QString tr(const char* text) {
    return QCoreApplication::translate("MeshScene", text);
}

/// Three or four digits that tell: 10.06, 2.1, 960.
QString figure(double value) {
    return QLocale().toString(value, 'f', value < 9.95 ? 1 : value < 99.5 ? 2 : 0);
}

QString gibibytes(double bytes) {
    const double value = bytes / kGiB;
    const double rounded = std::round(value);
    if (std::abs(value - rounded) < 0.05 && rounded >= 10) return QLocale().toString(rounded, 'f', 0);
    return QLocale().toString(value, 'f', value < 0.095 ? 2 : 1);
}

} // namespace

QString rankStateWord(RankState state) {
    switch (state) {
    case RankState::Idle: return tr("idle");
    case RankState::Load: return tr("load");
    case RankState::Text: return tr("text");
    case RankState::Compute: return tr("compute");
    case RankState::Comm: return tr("comm");
    case RankState::Wait: return tr("wait");
    case RankState::Decode: return tr("decode");
    case RankState::Error: return tr("error");
    }
    return {};
}

double MeshLink::bytesPerSecond() const {
    return measured && transferSeconds > 0 ? bytes / transferSeconds : kUnknown;
}

QString bytesText(double bytes) {
    if (std::isnan(bytes)) return QStringLiteral("–");
    if (bytes < 1e3) return tr("%1 B").arg(QLocale().toString(bytes, 'f', 0));
    if (bytes < 1e6) return tr("%1 kB").arg(figure(bytes / 1e3));
    if (bytes < 1e9) return tr("%1 MB").arg(figure(bytes / 1e6));
    return tr("%1 GB").arg(figure(bytes / 1e9));
}

QString rateText(double bytesPerSecond) {
    if (std::isnan(bytesPerSecond)) return QStringLiteral("–");
    const double gigabytes = bytesPerSecond / 1e9;
    return tr("%1 GB/s").arg(QLocale().toString(gigabytes, 'f',
                                                gigabytes < 0.1  ? 3
                                                : gigabytes < 10 ? 2
                                                                 : 0));
}

QString memoryText(const RankCard& card) {
    const bool measured = !std::isnan(card.usedBytes);
    const double bytes = measured ? card.usedBytes : card.predictedBytes;
    if (std::isnan(bytes)) return QStringLiteral("–");
    QString text = gibibytes(bytes);
    if (!std::isnan(card.totalBytes)) text += '/' + gibibytes(card.totalBytes);
    return measured ? text : QStringLiteral("≈ ") + text;
}

QString stepTimeText(double seconds) {
    if (std::isnan(seconds)) return QStringLiteral("–");
    if (seconds < 1) return tr("%1 ms").arg(QLocale().toString(seconds * 1e3, 'f', seconds < 0.01 ? 1 : 0));
    return tr("%1 s").arg(QLocale().toString(seconds, 'f', seconds < 10 ? 2 : 1));
}

} // namespace reelmesh
