// What an export sheet asks: the presets that this build's encoders allow, the name that comes of a pattern,
// how large the file will be about. Plain values and pure functions.
#pragma once

#include <QList>
#include <QString>

#include "engine/engine.h"

namespace reelmesh {

struct ExportPreset {
    enum class Kind { Movie, Pictures, Picture };
    QString name;   ///< "Share"
    QString detail; ///< "H.264 · libx264 · yuv420p"
    Kind kind = Kind::Movie;
    int crf = 19; ///< Movie only
};

/// Only what opened; with odd sides 4:4:4.
QList<ExportPreset> exportPresets(const std::vector<EncoderSummary>& encoders, int width, int height);

/// A clip that can be exported.
struct ExportSource {
    std::vector<Frame> frames;
    FrameRate fps;
    JobRequest request; ///< complete
    std::string plan;   ///< mesh that it ran on
    int frame = 0;      ///< the one that the viewer shows
    int reduction = 1;  ///< sides were divided by it when the file was read
    bool again = false; ///< read from its file: not the frames that the job made
};

struct ExportChoice {
    ExportPreset preset;
    int crf = 19;
    FrameRate fps;
    QString pattern; ///< with or without braces
    QString folder;
    bool embed = true;
};

/// "…_a_red_kite.mp4", of pictures the folder "…_a_red_kite".
Result<QString> exportFileName(const ExportSource& source, const ExportChoice& choice, std::time_t now);
/// The name must be legal.
ExportRequest exportRequest(const ExportSource& source, const ExportChoice& choice, const QString& fileName);
/// Rough: what a middling clip takes at that quality.
double exportBytes(const ExportSource& source, const ExportChoice& choice);

} // namespace reelmesh
