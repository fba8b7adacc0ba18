#include "about.h"

#include <QCoreApplication>
#include <QDir>
#include <QLabel>
#include <QShortcut>
#include <QTextBrowser>
#include <QVBoxLayout>

#include "theme/icons.h"
#include "theme/metrics.h"

namespace reelmesh {
namespace {

constexpr QSize kSize{520, 420};
constexpr int kIconSize = 48;

QString tr(const char* text) {
    return QCoreApplication::translate("About", text);
}

QStringList versionLines(const EngineInfo& info) {
    QStringList lines{QString("Reelmesh %1").arg(QString::fromStdString(info.version)),
                      QString("LibTorch %1").arg(QString::fromStdString(info.torch))};
    if (!info.cuda.empty()) lines << QString("CUDA %1").arg(QString::fromStdString(info.cuda));
    if (!info.nccl.empty()) lines << QString("NCCL %1").arg(QString::fromStdString(info.nccl));
    lines << QString("Qt %1").arg(qVersion());
    return lines;
}

QStringList deviceLines(const EngineInfo& info) {
    QStringList lines;
    for (const DeviceSummary& device : info.hardware.devices)
        lines << QString("%1: %2, %3 GiB")
                     .arg(QString::fromStdString(device.id), QString::fromStdString(device.name))
                     .arg(static_cast<double>(device.total_bytes) / (1 << 30), 0, 'f', 1);
    if (!info.hardware.no_gpu_reason.empty()) lines << QString::fromStdString(info.hardware.no_gpu_reason);
    for (const EncoderSummary& encoder : info.encoders)
        lines << QString("%1: %2").arg(QString::fromStdString(encoder.name),
                                       encoder.opened ? tr("opens") : QString::fromStdString(encoder.reason));
    return lines;
}

/// What the program is built from, and under which terms.
QStringList licenceLines() {
    return {tr("Reelmesh: Apache 2.0"),
            tr("LibTorch: BSD 3-clause"),
            tr("Qt 6: LGPL 3"),
            tr("FFmpeg libraries: LGPL or GPL, as installed"),
            tr("OpenCV: Apache 2.0"),
            tr("SentencePiece: Apache 2.0"),
            tr("nlohmann-json, CLI11, utf8proc, fmt: MIT or BSD")};
}

} // namespace

QString reportText(const EngineInfo& info, const QString& mesh, const QStringList& logLines) {
    const QStringList lines =
        versionLines(info) + deviceLines(info) + QStringList{"mesh " + mesh, QString()} + logLines;
    return lines.join('\n').replace(QDir::homePath(), "~");
}

About::About(const EngineInfo& info, QWidget* parent) : QWidget(parent, Qt::Window) {
    setObjectName("about");
    setWindowTitle(tr("About Reelmesh"));
    resize(kSize);
    auto* column = new QVBoxLayout(this);
    column->setContentsMargins(2 * metrics::kPadding, 2 * metrics::kPadding, 2 * metrics::kPadding,
                               2 * metrics::kPadding);
    auto* picture = new QLabel;
    picture->setPixmap(applicationIcon().pixmap(QSize(kIconSize, kIconSize), devicePixelRatioF()));
    column->addWidget(picture);
    auto* text = new QTextBrowser;
    text->setObjectName("aboutText");
    text->setAccessibleName(tr("Versions, devices and licences"));
    text->setPlainText(versionLines(info).join('\n') + "\n\n" + deviceLines(info).join('\n') + "\n\n" +
                       tr("No network, no telemetry: nothing leaves this machine.") + "\n\n" +
                       licenceLines().join('\n'));
    column->addWidget(text);
    auto* close = new QShortcut(Qt::Key_Escape, this);
    connect(close, &QShortcut::activated, this, &QWidget::close);
}

} // namespace reelmesh
