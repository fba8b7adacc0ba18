// What a draft will become, in words: clip, mesh and time, memory and disk. Pure functions, any thread.
#pragma once

#include <QString>
#include <QStringList>

#include "engine/plan.h"

namespace reelmesh {

/// "CFG 2 × U 4" of "cfg2,ulysses4"; "auto" and "single" in words.
QString meshWords(const QString& mesh);
/// "8 GPUs", "2 CPU ranks".
QString ranksWords(const Plan& plan);
/// "9.2 s", "41 s", "2 min 21 s".
QString durationText(double seconds);
/// "32 760".
QString groupedNumber(std::int64_t number);

/// "81 frames = 5.06 s at 16 fps · 32 760 tokens"; parts that are unknown are left out.
QString clipLine(const JobRequest& complete, std::int64_t tokens);
/// "CFG 2 × U 4, 8 GPUs · ≈ 41 s (±15 %)"; the range is known only of rates that were measured here.
QString runLine(const Plan& plan, const std::string& basis);
/// "fullest rank ≈ 23.4 of 80 GiB · disk ≈ 6 MB".
QString roomLine(const Plan& plan, const HardwareSnapshot& hardware, const JobRequest& complete);
/// "Not possible: needs ≈ 31.0 GiB on GPU 3, 22.1 free".
QString problemText(const Error& error);

} // namespace reelmesh
