#include "export_settings.h"

#include <QCoreApplication>
#include <QDir>

#include <algorithm>
#include <array>
#include <cmath>

#include "engine/output_name.h"

namespace reelmesh {
namespace {

QString tr(const char* text) {
    return QCoreApplication::translate("ExportSettings", text);
}

constexpr std::array kH264 = {"libx264", "h264_nvenc", "mpeg4"};

/// The one that the engine will use; "": none opened.
QString firstOpened(const std::vector<EncoderSummary>& encoders) {
    for (const char* name : kH264)
        for (const EncoderSummary& encoder : encoders)
            if (encoder.opened && encoder.name == name) return QString(name);
    return {};
}

} // namespace

QList<ExportPreset> exportPresets(const std::vector<EncoderSummary>& encoders, int width, int height) {
    QList<ExportPreset> presets;
    const QString encoder = firstOpened(encoders);
    if (!encoder.isEmpty()) {
        const QString pixels = width % 2 == 0 && height % 2 == 0 ? "yuv420p" : "yuv444p";
        const QString codec = encoder == "mpeg4" ? "MPEG-4" : "H.264";
        const QString detail = QString("%1 · %2 · %3").arg(codec, encoder, pixels);
        presets << ExportPreset{tr("Share"), detail, ExportPreset::Kind::Movie, 19};
        presets << ExportPreset{tr("Master"), detail, ExportPreset::Kind::Movie, 10};
    }
    presets << ExportPreset{tr("Frames"), tr("PNG · 8-bit · a folder"), ExportPreset::Kind::Pictures, 0};
    presets << ExportPreset{tr("This frame"), tr("PNG · 8-bit"), ExportPreset::Kind::Picture, 0};
    return presets;
}

Result<QString> exportFileName(const ExportSource& source, const ExportChoice& choice, std::time_t now) {
    NameFacts facts;
    facts.time = now;
    facts.plan = source.plan;
    QString pattern = choice.pattern.trimmed();
    const QString ending = choice.preset.kind == ExportPreset::Kind::Movie ? ".mp4" : ".png";
    // A name typed in full may carry its ending.
    if (pattern.endsWith(ending, Qt::CaseInsensitive)) pattern.chop(ending.size());
    Result<std::string> name = output_name(pattern.toStdString(), source.request, facts);
    if (!name) return name.error();
    return QString::fromStdString(*name) + (choice.preset.kind == ExportPreset::Kind::Pictures ? "" : ending);
}

ExportRequest exportRequest(const ExportSource& source, const ExportChoice& choice, const QString& fileName) {
    ExportRequest request;
    request.fps = choice.fps;
    request.settings = source.request;
    request.settings.output.path = QDir(choice.folder).filePath(fileName).toStdString();
    request.settings.output.format = choice.preset.kind == ExportPreset::Kind::Movie ? "mp4" : "png";
    request.settings.output.crf = choice.crf;
    request.settings.output.embed_settings = choice.embed;
    request.taken_name = choice.pattern.contains('{') ? TakenName::Count : TakenName::Refuse;
    if (choice.preset.kind == ExportPreset::Kind::Picture) {
        const auto last = static_cast<int>(source.frames.size()) - 1;
        request.frames = {source.frames[static_cast<std::size_t>(std::clamp(source.frame, 0, last))]};
    } else {
        request.frames = source.frames;
    }
    return request;
}

double exportBytes(const ExportSource& source, const ExportChoice& choice) {
    if (source.frames.empty()) return 0;
    // Rules of thumb: about a fifth of a byte a pixel at CRF 19, half as much for every six more; PNG takes
    // about half of the raw bytes.
    constexpr double kMovie = 0.18, kPicture = 1.5;
    const double pixels = double(source.frames.front().width) * source.frames.front().height;
    switch (choice.preset.kind) {
    case ExportPreset::Kind::Movie:
        return pixels * double(source.frames.size()) * kMovie * std::exp2((19 - choice.crf) / 6.0);
    case ExportPreset::Kind::Pictures: return pixels * double(source.frames.size()) * kPicture;
    case ExportPreset::Kind::Picture: return pixels * kPicture;
    }
    return 0;
}

} // namespace reelmesh
