#include "load_card_content.h"

#include <QCoreApplication>
#include <QLocale>

#include <algorithm>
#include <cmath>

namespace reelmesh {
namespace {

using Tone = LoadCell::Tone;

constexpr double kGib = 1024.0 * 1024 * 1024;
/// Fixed scales where the driver names none.
constexpr double kHeatScale_c = 95, kHeatLimit_c = 85;
constexpr double kClockScale_mhz = 2100;
constexpr double kPowerScale_w = 400;
constexpr double kLeastLinkScale = 1e9;
/// Room above a limit, so that its line is seen.
constexpr double kHeadroom = 1.08;

QString tr(const char* text) {
    return QCoreApplication::translate("LoadCard", text);
}

/// "–" for unknown.
QString figure(double value, const QString& unit, int decimals = 0) {
    if (std::isnan(value)) return QStringLiteral("–");
    return QLocale().toString(value, 'f', decimals) + unit;
}

QString percent(double share, int decimals = 0) {
    return figure(share * 100, tr(" %"), decimals);
}

QString gib(double bytes) {
    return figure(bytes / kGib, {}, bytes / kGib < 9.95 ? 2 : 1);
}

/// "33.6/80"
QString gibOf(double bytes, double whole) {
    if (std::isnan(bytes) && std::isnan(whole)) return QStringLiteral("–");
    const double rounded = std::round(whole / kGib);
    const bool even = std::abs(whole / kGib - rounded) < 0.05;
    return figure(bytes / kGib, {}, 1) + '/' + figure(whole / kGib, {}, even ? 0 : 1);
}

QString rate(double bytesPerSecond) {
    if (bytesPerSecond >= 1e9 || std::isnan(bytesPerSecond))
        return figure(bytesPerSecond / 1e9, tr(" GB/s"), 1);
    return bytesPerSecond >= 1e6 ? figure(bytesPerSecond / 1e6, tr(" MB/s"), 1)
                                 : figure(bytesPerSecond / 1e3, tr(" kB/s"), 1);
}

std::vector<SparklinePoint> sparkline(const LoadHistory& history) {
    std::vector<SparklinePoint> line;
    const std::vector<LoadPoint> points = history.points();
    line.reserve(points.size());
    for (std::size_t i = 0; i < points.size(); ++i) {
        SparklinePoint& point = line.emplace_back();
        point.age = static_cast<double>(points.back().time_ns - points[i].time_ns) / LoadHistory::kSpan_ns;
        point.value = points[i].value;
        point.joined = i > 0 && points[i].time_ns - points[i - 1].time_ns <= LoadHistory::kGap_ns;
    }
    return line;
}

class Cells {
public:
    Cells(const LoadEntry& entry, LoadCardContent& content, QString prefix)
        : entry_(entry), content_(content), prefix_(std::move(prefix)) {}

    LoadCell& add(LoadQuantity quantity, const QString& name, const QString& label, const QString& value,
                  Tone tone, const QString& toolTip) {
        LoadCell& cell = content_.cells.emplace_back();
        cell.name = prefix_ + name;
        if (entry_.kind != LoadEntry::Kind::Machine) cell.name += QString::number(entry_.index);
        cell.label = label;
        cell.value = value;
        cell.tone = tone;
        cell.toolTip = toolTip;
        cell.points = sparkline(entry_.history(quantity));
        return cell;
    }

private:
    const LoadEntry& entry_;
    LoadCardContent& content_;
    const QString prefix_;
};

/// "00000000:AB:00.0" -> "AB:00.0"
QString shortBusId(const QString& id) {
    return id.section(':', 1);
}

QString linkToolTip(const DeviceLoad& load) {
    const auto known = [](double value) { return !std::isnan(value); };
    QStringList lines;
    lines << tr("PCIe generation %1 × %2: in %3, out %4")
                 .arg(figure(load.pcie_generation, {}), figure(load.pcie_width, {}),
                      rate(load.pcie_rx_bytes_per_s), rate(load.pcie_tx_bytes_per_s));
    if (known(load.nvlink_rx_bytes_per_s) || known(load.nvlink_tx_bytes_per_s))
        lines << tr("NVLink: in %1, out %2")
                     .arg(rate(load.nvlink_rx_bytes_per_s), rate(load.nvlink_tx_bytes_per_s));
    return lines.join('\n');
}

void fillGpu(LoadCardContent& content, const LoadEntry& entry, const QString& place) {
    const DeviceLoad& load = entry.device;
    const QString busId = QString::fromStdString(load.bus_id);
    content.title = tr("GPU %1").arg(entry.number);
    content.detail =
        QString::fromStdString(load.name).remove("NVIDIA ") + (place.isEmpty() ? "" : " · " + place);
    content.place = busId.startsWith("0000") ? busId.mid(busId.size() > 12 ? 4 : 0) : busId;
    content.rowPlace = shortBusId(busId);
    content.trouble = load.lost.empty() ? QString() : tr("lost: %1").arg(QString::fromStdString(load.lost));
    QStringList reasons;
    for (const std::string& reason : load.throttle)
        reasons << QString::fromStdString(reason);
    content.badge = reasons.join(", ");
    content.toolTip =
        tr("%1\nbus %2\n%3").arg(QString::fromStdString(load.name), busId, QString::fromStdString(load.uuid));
    if (!reasons.isEmpty())
        content.toolTip += '\n' + tr("The driver holds the clock down: %1.").arg(reasons.join(", "));

    Cells cells(entry, content, "device");
    LoadCell& busy =
        cells.add(LoadQuantity::Busy, "Util", tr("Util"), percent(load.utilization), Tone::Accent,
                  tr("Share of time in which the driver (NVML) saw any kernel run on this GPU.\n"
                     "The mesh shows another figure: busy by our own events, waiting left out."));
    busy.maximum = 1.04;
    busy.rowValue = busy.value;

    LoadCell& memory =
        cells.add(LoadQuantity::Memory, "Memory", tr("Memory"),
                  gibOf(load.memory_used_bytes, load.memory_total_bytes), Tone::Accent,
                  tr("%1 of %2 GiB are in use by all programs; the tick is the peak of the last minute.")
                      .arg(gib(load.memory_used_bytes), gib(load.memory_total_bytes)));
    memory.rowValue = memory.value;
    memory.bar = MemoryBar{};
    memory.bar->others = load.memory_used_bytes / load.memory_total_bytes;
    memory.bar->peak = entry.history(LoadQuantity::Memory).peak() / load.memory_total_bytes;

    const double powerLimit = load.power_limit_w;
    LoadCell& power = cells.add(LoadQuantity::Power, "Power", tr("Power"),
                                figure(load.power_w, {}) +
                                    (std::isnan(powerLimit) ? tr(" W") : '/' + figure(powerLimit, tr(" W"))),
                                Tone::Steady,
                                tr("%1 of the enforced limit of %2. The last video took %3.")
                                    .arg(figure(load.power_w, tr(" W")), figure(powerLimit, tr(" W")),
                                         figure(entry.videoEnergy_j, tr(" J"))));
    power.limit = powerLimit;
    power.maximum = std::isnan(powerLimit) ? kPowerScale_w : powerLimit * kHeadroom;
    power.rowValue = figure(load.power_w, tr(" W"));

    const bool hot = load.temperature_c >= kHeatLimit_c || content.badge.contains("thermal");
    LoadCell& heat = cells.add(LoadQuantity::Heat, "Temp", tr("Temp"), figure(load.temperature_c, tr(" °C")),
                               hot ? Tone::Warning : Tone::Steady,
                               tr("Temperature of the chip; the line marks %1 °C.").arg(kHeatLimit_c));
    heat.maximum = kHeatScale_c;
    heat.limit = kHeatLimit_c;
    heat.limitWarns = true;
    heat.rowValue = heat.value;

    LoadCell& clock = cells.add(
        LoadQuantity::Clock, "Clock", tr("SM clock"), figure(load.sm_mhz, tr(" MHz")),
        reasons.isEmpty() ? Tone::Accent : Tone::Warning,
        tr("Clock of the processors, at most %1.%2")
            .arg(figure(load.sm_max_mhz, tr(" MHz")),
                 reasons.isEmpty() ? QString() : '\n' + tr("Held down: %1.").arg(reasons.join(", "))));
    clock.maximum = std::isnan(load.sm_max_mhz) ? kClockScale_mhz : load.sm_max_mhz;

    const bool nvlink = !std::isnan(load.nvlink_rx_bytes_per_s) || !std::isnan(load.nvlink_tx_bytes_per_s);
    LoadCell& link = cells.add(LoadQuantity::Link, "Link", nvlink ? tr("NVLink") : tr("PCIe"),
                               rate(entry.value(LoadQuantity::Link)), Tone::Traffic, linkToolTip(load));
    // The one scale that nobody names: the peak seen, rounded up to 1, 2, 5, 10 ... GB/s.
    const double peak = entry.history(LoadQuantity::Link).peak();
    double scale = kLeastLinkScale;
    for (int step = 0; !std::isnan(peak) && scale < peak; ++step)
        scale *= step % 3 == 1 ? 2.5 : 2;
    link.maximum = scale;
}

void fillRank(LoadCardContent& content, const LoadEntry& entry, const QString& place) {
    const RankLoad& load = entry.rankLoad;
    content.title = tr("Rank %1").arg(entry.number);
    const QString threads = load.threads == 1 ? tr("1 thread") : tr("%1 threads").arg(load.threads);
    content.detail = place.isEmpty() ? threads : place + " · " + threads;
    content.place = tr("CPU");
    content.rowPlace = place.isEmpty() ? threads : place;
    content.toolTip = tr("The threads that compute rank %1 on the CPU: its own and those that it starts.")
                          .arg(entry.number);
    Cells cells(entry, content, "device");
    const double busyShare = entry.value(LoadQuantity::Busy);
    LoadCell& busy =
        cells.add(LoadQuantity::Busy, "Util", tr("Busy"), percent(busyShare), Tone::Accent,
                  tr("Share of time in which the kernel ran the threads of this rank, on average "
                     "over its threads; waiting in a loop counts as busy."));
    busy.rowValue = busy.value;
    busy.maximum = 1.04;
    LoadCell& cores = cells.add(LoadQuantity::Cores, "Cores", tr("Cores"),
                                figure(load.cores, {}, 2) + '/' + QString::number(load.threads), Tone::Steady,
                                tr("Cores that the threads of this rank kept busy."));
    cores.maximum = std::max(1, load.threads) * 1.04;
    cores.rowValue = figure(load.cores, tr(" cores"), 2);
}

void fillMachine(LoadCardContent& content, const LoadEntry& entry) {
    const MachineLoad& load = entry.machine;
    content.title = tr("Machine");
    content.detail = load.cores == 1 ? tr("1 core") : tr("%1 cores").arg(load.cores);
    content.place = tr("limit %1 GiB").arg(gib(load.limit_bytes));
    content.rowPlace = content.detail;
    content.toolTip = tr("Cores and memory that this program may use, control group included.");
    Cells cells(entry, content, "deviceMachine");
    const QString ofCores = '/' + QString::number(load.cores);
    LoadCell& own =
        cells.add(LoadQuantity::Cores, "Cores", tr("Own cores"), figure(load.process_cores, {}, 1) + ofCores,
                  Tone::Accent, tr("Cores that this program keeps busy, all its threads together."));
    own.maximum = std::max(1, load.cores) * 1.04;
    own.rowValue = own.value;
    LoadCell& busy =
        cells.add(LoadQuantity::Busy, "Busy", tr("All"), percent(entry.value(LoadQuantity::Busy)),
                  Tone::Steady, tr("How busy all programs keep the cores that this one may use."));
    busy.maximum = 1.04;
    LoadCell& memory =
        cells.add(LoadQuantity::Memory, "Memory", tr("Memory"),
                  gibOf(entry.value(LoadQuantity::Memory), load.limit_bytes), Tone::Accent,
                  tr("In use of the limit, GiB: this program %1 (solid), others (grey). The tick "
                     "is the peak of the last minute.")
                      .arg(gib(load.resident_bytes)));
    memory.rowValue = memory.value;
    memory.bar = MemoryBar{};
    memory.bar->solid = load.resident_bytes / load.limit_bytes;
    // Pages that can be dropped count as free: then this program may hold more than what is "in use".
    memory.bar->others =
        std::max(0.0, entry.value(LoadQuantity::Memory) - load.resident_bytes) / load.limit_bytes;
    memory.bar->peak = entry.history(LoadQuantity::Memory).peak() / load.limit_bytes;
    const double scale = std::isnan(load.limit_bytes) ? 1 : load.limit_bytes;
    LoadCell& resident =
        cells.add(LoadQuantity::Resident, "Resident", tr("Resident"), gib(load.resident_bytes) + tr(" GiB"),
                  Tone::Accent, tr("Memory of this program that lies in RAM."));
    resident.maximum = scale;
    LoadCell& free = cells.add(
        LoadQuantity::Free, "Free", tr("Free"), gib(load.available_bytes) + tr(" GiB"), Tone::Steady,
        tr("Memory that can still be had without swapping, the control group's limit included."));
    free.maximum = scale;
    free.rowValue = figure(load.available_bytes / kGib, tr(" free"), 1);
    const double stalled = load.memory_pressure;
    LoadCell& pressure =
        cells.add(LoadQuantity::Pressure, "Pressure", tr("Pressure"), percent(stalled, 1),
                  stalled >= 0.1 ? Tone::Warning : Tone::Steady,
                  tr("Share of the last 10 s in which some task stood still because memory was short."));
    pressure.maximum = 1;
}

} // namespace

LoadCardContent loadCardContent(const LoadEntry& entry, const DeviceLoadModel& model, int selectedRank) {
    LoadCardContent content;
    switch (entry.kind) {
    case LoadEntry::Kind::Gpu: fillGpu(content, entry, model.place(entry.rank)); break;
    case LoadEntry::Kind::Rank: fillRank(content, entry, model.place(entry.rank)); break;
    case LoadEntry::Kind::Machine: fillMachine(content, entry); break;
    }
    content.selectable = entry.rank >= 0;
    content.selected = entry.rank >= 0 && entry.rank == selectedRank;
    return content;
}

} // namespace reelmesh
