#include "outcome.h"

#include <QCoreApplication>
#include <QLocale>

#include <algorithm>
#include <cmath>

#include "mesh_degrees.h"

namespace reelmesh {
namespace {

constexpr double kGiB = 1024.0 * 1024 * 1024, kMegabyte = 1e6;

QString tr(const char* text) {
    return QCoreApplication::translate("Outcome", text);
}

QString number(double value, int decimals) {
    return QString::number(value, 'f', decimals);
}

/// "80", "7.8": sizes of machines are told without a fraction of nothing.
QString gibibytes(double bytes) {
    const double size = bytes / kGiB;
    return number(size, size >= 100 || std::abs(size - std::round(size)) < 0.05 ? 0 : 1);
}

QString diskText(double bytes) {
    const double size = bytes / kMegabyte;
    if (size >= 1000) return tr("%1 GB").arg(number(size / 1000, 1));
    return tr("%1 MB").arg(size >= 0.95 ? number(size, 0) : number(std::max(size, 0.1), 1));
}

double argument(const Error& error, const std::string& name) {
    return QString::fromStdString(error.text(name)).toDouble();
}

QString joined(const QStringList& parts) {
    return parts.join(QStringLiteral(" · "));
}

} // namespace

QString meshWords(const QString& mesh) {
    if (mesh == "auto") return tr("Auto mesh");
    if (mesh == "single") return tr("one rank");
    const std::optional<MeshDegrees> degrees = MeshDegrees::parse(mesh);
    return degrees ? degrees->label() : mesh;
}

QString ranksWords(const Plan& plan) {
    const bool gpus = !plan.devices.empty() && plan.devices.front() != "cpu";
    if (plan.ranks == 1) return gpus ? tr("1 GPU") : tr("1 CPU rank");
    return (gpus ? tr("%1 GPUs") : tr("%1 CPU ranks")).arg(plan.ranks);
}

QString durationText(double seconds) {
    if (seconds < 9.95) return tr("%1 s").arg(number(std::max(seconds, 0.1), 1));
    const auto whole = static_cast<qint64>(std::llround(seconds));
    if (whole < 60) return tr("%1 s").arg(whole);
    if (whole < 3600) return tr("%1 min %2 s").arg(whole / 60).arg(whole % 60);
    return tr("%1 h %2 min").arg(whole / 3600).arg(whole % 3600 / 60);
}

QString groupedNumber(std::int64_t number) {
    QString text = QString::number(number);
    for (qsizetype at = text.size() - 3; at > 0; at -= 3)
        text.insert(at, ' ');
    return text;
}

QString clipLine(const JobRequest& complete, std::int64_t tokens) {
    QStringList parts;
    if (complete.frames && *complete.frames == 1) {
        parts << tr("1 frame, a still image");
    } else if (complete.frames && complete.fps) {
        const double rate = complete.fps->value();
        parts << tr("%1 frames = %2 s at %3 fps")
                     .arg(*complete.frames)
                     .arg(number(static_cast<double>(*complete.frames) / rate, 2),
                          QString::number(rate, 'g', 5));
    }
    if (tokens > 0) parts << tr("%1 tokens").arg(groupedNumber(tokens));
    return joined(parts);
}

QString runLine(const Plan& plan, const std::string& basis) {
    const QString time = durationText(plan.total_seconds);
    return joined({tr("%1, %2").arg(meshWords(QString::fromStdString(plan.mesh)), ranksWords(plan)),
                   basis == "measured" ? tr("≈ %1 (±15 %)").arg(time) : tr("≈ %1 (modelled)").arg(time)});
}

QString roomLine(const Plan& plan, const HardwareSnapshot& hardware, const JobRequest& complete) {
    QStringList parts;
    const bool gpus = !plan.devices.empty() && plan.devices.front() != "cpu";
    if (gpus) {
        const auto fullest = std::max_element(
            plan.shares.begin(), plan.shares.end(),
            [](const RankShare& one, const RankShare& other) { return one.peak_bytes < other.peak_bytes; });
        if (fullest != plan.shares.end()) {
            const auto device =
                std::find_if(hardware.devices.begin(), hardware.devices.end(),
                             [&](const DeviceSummary& candidate) { return candidate.id == fullest->device; });
            const double size =
                device == hardware.devices.end() ? 0 : static_cast<double>(device->total_bytes);
            parts << tr("fullest rank ≈ %1 of %2 GiB")
                         .arg(number(static_cast<double>(fullest->peak_bytes) / kGiB, 1),
                              size > 0 ? gibibytes(size) : QStringLiteral("–"));
        }
    } else {
        // Ranks on a processor share the process's memory.
        parts << tr("all ranks ≈ %1 of %2 GiB")
                     .arg(number(static_cast<double>(plan.memory.peak()) / kGiB, 1),
                          gibibytes(static_cast<double>(hardware.total_bytes)));
    }
    parts << tr("disk ≈ %1").arg(diskText(static_cast<double>(expected_output_bytes(complete))));
    return joined(parts);
}

QString problemText(const Error& error) {
    if (error.code != ErrorCode::MemoryTooSmall)
        return tr("Not possible: %1").arg(QString::fromStdString(error_message(error)));
    const QString needed = number(argument(error, "needed_bytes") / kGiB, 1),
                  free = number(argument(error, "free_bytes") / kGiB, 1);
    QString device = QString::fromStdString(error.text("device"));
    if (device.startsWith("cuda:"))
        return tr("Not possible: needs ≈ %1 GiB on GPU %2, %3 free").arg(needed, device.mid(5), free);
    return tr("Not possible: needs ≈ %1 GiB, %2 free").arg(needed, free);
}

} // namespace reelmesh
