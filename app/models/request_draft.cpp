#include "request_draft.h"

#include <QLocale>
#include <QStringList>

namespace reelmesh {

Result<bool> RequestDraft::load(const QByteArray& presetJson, const QString& name) {
    Result<JobRequest> preset = job_from_json(
        {presetJson.constData(), static_cast<std::size_t>(presetJson.size())}, name.toStdString());
    if (!preset) return preset.error();
    preset->output = request_.output;
    request_ = std::move(*preset);
    Q_EMIT changed();
    return true;
}

void RequestDraft::setPrompt(const QString& prompt) {
    std::string text = prompt.toStdString();
    if (text == request_.prompt) return;
    request_.prompt = std::move(text);
    Q_EMIT changed();
}

void RequestDraft::setMesh(const QString& mesh) {
    if (mesh == this->mesh()) return;
    request_.mesh = mesh.toStdString();
    Q_EMIT changed();
}

void RequestDraft::setRanks(int ranks) {
    if (request_.ranks == ranks) return;
    request_.ranks = ranks;
    Q_EMIT changed();
}

void RequestDraft::setOutputFolder(const QString& folder) {
    if (folder == outputFolder()) return;
    request_.output.path = folder.toStdString();
    Q_EMIT changed();
}

QString RequestDraft::outcome() const {
    const QLocale locale;
    const QString separator = QStringLiteral(" · ");
    QStringList clip, run;
    if (request_.width && request_.height) clip << tr("%1 × %2").arg(*request_.width).arg(*request_.height);
    if (request_.frames && request_.fps) {
        const double rate = request_.fps->value();
        clip << (*request_.frames == 1 ? tr("%1 frame at %2 fps = %3 s") : tr("%1 frames at %2 fps = %3 s"))
                    .arg(*request_.frames)
                    .arg(locale.toString(rate, 'g', 4),
                         locale.toString(static_cast<double>(*request_.frames) / rate, 'f', 2));
    }
    if (request_.steps) run << (*request_.steps == 1 ? tr("1 step") : tr("%1 steps").arg(*request_.steps));
    if (request_.seed) run << tr("seed %1").arg(*request_.seed);
    return clip.join(separator) + '\n' + run.join(separator);
}

} // namespace reelmesh
