// What the mesh picture shows: a card a rank, a link a group of ranks that exchange. Plain values; unknown
// figures are NaN.
#pragma once

#include <QList>
#include <QMetaType>
#include <QString>

#include <vector>

#include "engine/events.h"
#include "models/mesh_degrees.h"

namespace reelmesh {

enum class RankState { Idle, Load, Text, Compute, Comm, Wait, Decode, Error };
/// "idle", "load" ...
QString rankStateWord(RankState state);

struct RankCard {
    QString name;        ///< "GPU 3"
    QString coordinates; ///< "c0 u3"
    RankState state = RankState::Idle;
    double busy = kUnknown;           ///< 0 ... 1 of the last step, neither waiting nor exchanging
    double predictedBytes = kUnknown; ///< of its device; on a CPU of the process
    double weightsBytes = kUnknown;   ///< part of it
    double usedBytes = kUnknown, peakBytes = kUnknown; ///< measured
    double totalBytes = kUnknown;
    double stepSeconds = kUnknown; ///< of the last step, without waiting
    double deviation = kUnknown;   ///< from the median of the ranks; 0.03: 3 % longer
    bool slowest = false;
};

struct MeshLink {
    ExchangeGroup group = ExchangeGroup::Vae;
    std::vector<int> ranks;  ///< the first one names the group
    double bytes = kUnknown; ///< sent in the last step by its busiest rank; predicted before
    double transferSeconds = kUnknown, waitSeconds = kUnknown; ///< of that rank in that step
    bool measured = false;
    bool staged = false; ///< through the host

    int firstRank() const { return ranks.front(); }
    double bytesPerSecond() const;
};

struct MeshScene {
    MeshDegrees degrees;
    std::vector<RankCard> cards;
    std::vector<MeshLink> links;
};

/// "10.06 GB", "2.1 MB", "960 kB"; "–" for unknown.
QString bytesText(double bytes);
/// "150 GB/s".
QString rateText(double bytesPerSecond);
/// "33.6/80", GiB; "≈ 23.4/80" while it is predicted alone.
QString memoryText(const RankCard& card);
/// "922 ms", "3.41 s".
QString stepTimeText(double seconds);

} // namespace reelmesh
