#include "event_text.h"

#include <QCoreApplication>
#include <QLocale>
#include <QStringList>

#include <array>
#include <cmath>

#include "time_axis.h"

namespace reelmesh {
namespace {

QString text(const char* words) {
    return QCoreApplication::translate("Timeline", words);
}

QString withUnit(double value, const char* last) {
    static constexpr std::array<const char*, 5> kPrefixes{"", "k", "M", "G", "T"};
    std::size_t prefix = 0;
    for (; value >= 1000 && prefix + 1 < kPrefixes.size(); ++prefix)
        value /= 1000;
    const int digits = prefix == 0 || value >= 100 ? (prefix == 0 ? 0 : 1) : value >= 10 ? 1 : 2;
    return QLocale().toString(value, 'f', digits) + ' ' + QLatin1String(kPrefixes[prefix]) +
           QLatin1String(last);
}

QString peersText(const TelemetryEvent& event, const TraceView& view) {
    QStringList peers;
    for (const RankGroup& group : view.groups)
        if (group.link.group == event.group && group.link.firstRank == event.first_rank)
            for (const int rank : group.ranks)
                if (rank != event.rank) peers << view.rankName(rank);
    QString text = peers.isEmpty() ? QStringLiteral("–") : peers.join(", ");
    return text + QStringLiteral(" · ") + QString::fromLatin1(link_kind_name(event.link)).replace('_', ' ');
}

} // namespace

QString bytesText(std::uint64_t bytes) {
    return withUnit(static_cast<double>(bytes), "B");
}

QString transferRateText(double bytesPerSecond) {
    return std::isnan(bytesPerSecond) ? QStringLiteral("–") : withUnit(bytesPerSecond, "B/s");
}

QString eventTitle(const TelemetryEvent& event) {
    if (event.kind != EventKind::Exchange) return QString::fromStdString(event_name(event));
    return QString::fromLatin1(exchange_op_name(event.op)).replace('_', '-') + ' ' +
           QLatin1String(exchange_purpose_name(static_cast<ExchangePurpose>(event.detail)));
}

std::vector<std::pair<QString, QString>> eventRows(const TelemetryEvent& event, const TraceView& view) {
    std::vector<std::pair<QString, QString>> rows;
    QStringList where;
    where << (event.rank < 0 ? text("host") : view.rankName(event.rank));
    if (const QString place = event.rank < 0 ? QString() : view.rankPlace(event.rank); !place.isEmpty())
        where << place;
    rows.emplace_back(text("Rank"), where.join(QStringLiteral(" · ")));
    if (event.step >= 0) rows.emplace_back(text("Step"), QString::number(event.step + 1));
    if (event.block >= 0) rows.emplace_back(text("Block"), QString::number(event.block));
    const StepSpan* step = event.step >= 0 ? stepOf(view, event.step) : nullptr;
    rows.emplace_back(text("Start"),
                      step
                          ? text("%1 after step start").arg(timeText(event.start_ns - step->start_ns, 10'000))
                          : timeText(event.start_ns - view.span.begin_ns, 10'000));
    rows.emplace_back(text("Duration"), durationText(event.end_ns - event.start_ns));
    if (event.kind == EventKind::Exchange) {
        rows.emplace_back(
            text("Bytes"),
            text("%1 sent, %2 received").arg(bytesText(event.bytes), bytesText(event.bytes_received)));
        rows.emplace_back(
            text("Rate"),
            text("%1 algorithm, %2 bus").arg(transferRateText(algorithm_rate(event)), transferRateText(bus_rate(event))));
        rows.emplace_back(text("Peers"), peersText(event, view));
    }
    if (event.kind == EventKind::Exchange || event.kind == EventKind::Step)
        rows.emplace_back(text("Wait"), durationText(event.end_ns - event.start_ns - transfer_ns(event)));
    return rows;
}

QString eventText(const TelemetryEvent& event, const TraceView& view) {
    QString lines = eventTitle(event);
    for (const auto& [label, value] : eventRows(event, view))
        lines += '\n' + label + ": " + value;
    return lines;
}

} // namespace reelmesh
