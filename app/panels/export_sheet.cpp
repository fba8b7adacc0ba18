#include "export_sheet.h"

#include <QCheckBox>
#include <QClipboard>
#include <QComboBox>
#include <QDir>
#include <QFileDialog>
#include <QGridLayout>
#include <QGuiApplication>
#include <QLabel>
#include <QLineEdit>
#include <QLocale>
#include <QPainter>
#include <QProgressBar>
#include <QSignalBlocker>
#include <QSpinBox>
#include <QToolButton>

#include <ctime>

#include "bridge/engine_client.h"
#include "bridge/error_text.h"
#include "engine/output_name.h"
#include "models/export_job.h"
#include "models/job_list_model.h"
#include "theme/icons.h"
#include "theme/metrics.h"
#include "theme/palette.h"
#include "widgets/notice_bar.h"

namespace reelmesh {
namespace {

constexpr int kHead = 28;
constexpr int kRadius = 6;

QLabel* makeLabel(const QString& text, QWidget* buddy) {
    auto* label = new QLabel(text);
    label->setBuddy(buddy);
    label->setProperty("tone", "second");
    return label;
}

template <class W>
W* named(W* widget, const char* name, const QString& accessible, const QString& help) {
    widget->setObjectName(name);
    widget->setAccessibleName(accessible);
    widget->setToolTip(help);
    return widget;
}

QString megabytes(double bytes) {
    const double mega = bytes / 1e6;
    if (mega < 0.1) return ExportSheet::tr("≈ %1 kB").arg(qint64(bytes / 1e3) + 1);
    return ExportSheet::tr("≈ %1 MB").arg(QLocale().toString(mega, 'f', mega < 10 ? 1 : 0));
}

} // namespace

ExportSheet::ExportSheet(EngineClient& client, ExportJob& job, QWidget* parent)
    : QFrame(parent), client_(client), job_(job), preset_(new QComboBox), crf_(new QSpinBox),
      fps_(new QLineEdit), name_(new QLineEdit), folder_(new QLineEdit), crfHint_(new QLabel),
      namePreview_(new QLabel), facts_(new QLabel), state_(new QLabel), embed_(new QCheckBox),
      progress_(new QProgressBar), cancel_(new QToolButton), start_(new QToolButton), notice_(new NoticeBar) {
    setObjectName("exportSheet");
    setAccessibleName(tr("Export"));
    setFixedWidth(kWidth);
    setSizePolicy(QSizePolicy::Fixed, QSizePolicy::Maximum);
    notice_->setObjectName("exportNotice");
    makeForm();
    fillPresets();
    connect(preset_, &QComboBox::currentIndexChanged, this, &ExportSheet::takePreset);
    connect(preset_, &QComboBox::activated, this, [this] { presetChosen_ = true; });
    connect(crf_, &QSpinBox::valueChanged, this, &ExportSheet::update);
    for (QLineEdit* field : {fps_, name_, folder_})
        connect(field, &QLineEdit::textChanged, this, &ExportSheet::update);
    connect(embed_, &QCheckBox::toggled, this, &ExportSheet::update);
    connect(start_, &QToolButton::clicked, this, &ExportSheet::start);
    connect(cancel_, &QToolButton::clicked, this, [this] {
        if (job_.isRunning())
            job_.cancel();
        else
            Q_EMIT closeRequested();
    });
    connect(&job_, &ExportJob::changed, this, &ExportSheet::update);
    connect(&client_, &EngineClient::opened, this, &ExportSheet::askEncoders);
    if (client_.state() == EngineClient::State::Ready) askEncoders();
    setWaiting(tr("There is no finished clip to export"));
}

void ExportSheet::makeForm() {
    named(preset_, "exportPreset", tr("Preset"), tr("What the clip is for: decides codec and quality"));
    named(crf_, "exportCrf", tr("CRF"), tr("Quality of the movie, 0 to 51: lower is better and larger"));
    crf_->setRange(0, 51);
    named(fps_, "exportFps", tr("Playback fps"),
          tr("Frames a second in the file, like 16, 23.976 or 30000/1001; no frame is made or dropped"));
    named(name_, "exportName", tr("Name"), tr("Name of the file; parts in braces are filled in: %1").arg([] {
        QStringList keys;
        for (const std::string_view key : output_name_keys())
            keys << QString("{%1}").arg(QString::fromUtf8(key.data(), qsizetype(key.size())));
        return keys.join(' ');
    }()));
    name_->setText(kDefaultNamePattern);
    name_->setCursorPosition(0);
    name_->setFont(metrics::numberFont(metrics::kSmallText));
    named(folder_, "exportFolder", tr("Folder"), tr("Folder that the file is written to"));
    named(embed_, "exportEmbed", tr("Embed settings"),
          tr("Keep prompt, seed and all settings in the file, so that it can be made again"));
    embed_->setText(tr("Embed settings"));
    embed_->setChecked(true);
    named(progress_, "exportProgress", tr("Progress of the export"),
          tr("Frames that are in the file already"));
    progress_->setTextVisible(false);
    progress_->setFixedHeight(4);
    named(cancel_, "exportCancel", tr("Cancel"), tr("Close the sheet"));
    named(start_, "exportStart", tr("Export"), tr("Write the file (Ctrl+E)"));
    start_->setProperty("role", "main");
    namePreview_->setObjectName("exportNamePreview");
    state_->setObjectName("exportState");
    facts_->setObjectName("exportFacts");
    for (QLabel* label : {namePreview_, facts_, crfHint_, state_}) {
        label->setFont(metrics::textFont(metrics::kSmallText));
        label->setProperty("tone", "muted");
        label->setTextFormat(Qt::PlainText);
    }
    for (QLabel* label : {namePreview_, facts_, state_})
        label->setWordWrap(true);
    for (QToolButton* button : {cancel_, start_}) {
        button->setMinimumSize(metrics::kLabelColumn, metrics::kControl);
        button->setFocusPolicy(Qt::StrongFocus);
    }
    crfHint_->setText(tr("lower = better, larger"));

    auto* title = new QLabel(tr("Export"));
    title->setFont(metrics::textFont(metrics::kBaseText, QFont::DemiBold));
    auto* close =
        named(new QToolButton, "exportClose", tr("Close"), tr("Close the sheet; an export goes on"));
    close->setProperty("role", "flat");
    close->setIcon(icon("close", IconTint::Muted));
    close->setFixedSize(metrics::kControl, metrics::kControl);
    connect(close, &QToolButton::clicked, this, &ExportSheet::closeRequested);
    auto* browse = named(new QToolButton, "exportBrowse", tr("Choose folder"), tr("Choose the folder"));
    browse->setIcon(icon("folder"));
    browse->setProperty("role", "flat");
    browse->setFixedSize(metrics::kControl, metrics::kControl);
    connect(browse, &QToolButton::clicked, this, &ExportSheet::chooseFolder);

    auto* head = new QHBoxLayout;
    head->setContentsMargins(10, 0, metrics::kGap, 0);
    head->addWidget(title);
    head->addStretch();
    head->addWidget(close);
    auto* headBox = new QWidget;
    headBox->setFixedHeight(kHead);
    headBox->setLayout(head);

    auto* form = new QGridLayout;
    form->setContentsMargins(10, 10, 10, 10);
    form->setHorizontalSpacing(metrics::kGap);
    form->setVerticalSpacing(6);
    form->setColumnMinimumWidth(0, metrics::kLabelColumn);
    form->setColumnStretch(1, 1);
    int row = 0;
    const auto add = [&](const QString& text, QWidget* field, QWidget* beside = nullptr) {
        field->setMinimumHeight(metrics::kControl);
        auto* cell = new QHBoxLayout;
        cell->setSpacing(metrics::kGap);
        cell->addWidget(field, 1);
        if (beside) cell->addWidget(beside);
        form->addWidget(makeLabel(text, field), row, 0);
        form->addLayout(cell, row++, 1);
    };
    add(tr("Preset"), preset_);
    add(tr("CRF"), crf_, crfHint_);
    add(tr("Playback fps"), fps_);
    add(tr("Name"), name_);
    form->addWidget(namePreview_, row++, 1);
    add(tr("Folder"), folder_, browse);
    form->addWidget(embed_, row++, 1);
    form->addWidget(facts_, row++, 0, 1, 2);
    form->addWidget(progress_, row++, 0, 1, 2);

    auto* foot = new QHBoxLayout;
    foot->setContentsMargins(10, 8, 10, 8);
    foot->setSpacing(metrics::kGap + 2);
    foot->addWidget(state_, 1);
    foot->addWidget(cancel_);
    foot->addWidget(start_);

    auto* column = new QVBoxLayout(this);
    column->setContentsMargins(1, 1, 1, 1);
    column->setSpacing(0);
    column->addWidget(headBox);
    column->addLayout(form);
    column->addWidget(notice_);
    column->addLayout(foot);
}

void ExportSheet::askEncoders() {
    client_.ask(
        this, [](Engine& engine) { return engine.info().get(); },
        [this](const EngineInfo& info) {
            encoders_ = info.encoders;
            fillPresets();
        });
}

void ExportSheet::fillPresets() {
    const QString chosen = preset_->currentIndex() < 0 ? QString() : presets_[preset_->currentIndex()].name;
    const Frame none;
    const Frame& frame = source_.frames.empty() ? none : source_.frames.front();
    presets_ = exportPresets(encoders_, frame.width, frame.height);
    {
        const QSignalBlocker blocker(preset_);
        preset_->clear();
        for (const ExportPreset& preset : presets_) {
            preset_->addItem(QString("%1   %2").arg(preset.name, preset.detail));
            // Until then the first one is meant, whichever encoders turn up.
            if (presetChosen_ && preset.name == chosen) preset_->setCurrentIndex(preset_->count() - 1);
        }
    }
    takePreset();
}

void ExportSheet::takePreset() {
    const ExportPreset& preset = presets_[preset_->currentIndex()];
    const bool movie = preset.kind == ExportPreset::Kind::Movie;
    if (movie) crf_->setValue(preset.crf);
    crf_->setEnabled(movie);
    crf_->setToolTip(movie ? tr("Quality of the movie, 0 to 51: lower is better and larger")
                           : tr("PNG pictures lose nothing, so there is no quality to choose"));
    update();
}

void ExportSheet::setSource(const ExportSource& source) {
    source_ = source;
    asked_ = 0;
    waiting_ = source.frames.empty() ? tr("There is no finished clip to export") : QString();
    fps_->setText(QString::fromStdString(frame_rate_text(source.fps)));
    if (folder_->text().isEmpty()) setFolder(QString::fromStdString(source.request.output.path));
    if (!job_.isRunning()) notice_->dismiss();
    fillPresets();
}

void ExportSheet::openJob(JobListModel& jobs, std::uint64_t key, int frame) {
    const int row = jobs.rowOf(key);
    if (row < 0) return;
    setWaiting(tr("Reading the clip…"));
    asked_ = key;
    ExportSource source;
    source.request = jobs.job(row).request;
    source.plan = jobs.job(row).report.mesh;
    source.frame = frame;
    source.again = !jobs.keepsClip(key);
    jobs.fetchClip(key, this, [this, key, source](const Result<MediaClip>& clip) mutable {
        // Another one may have been asked for meanwhile.
        if (asked_ != key) return;
        asked_ = 0;
        if (!clip) return setWaiting(QString::fromStdString(error_message(clip.error())));
        source.frames = clip->frames;
        source.fps = clip->fps;
        source.reduction = clip->reduction;
        setSource(source);
    });
}

void ExportSheet::setWaiting(const QString& reason) {
    source_ = {};
    asked_ = 0;
    waiting_ = reason;
    update();
}

void ExportSheet::setFolder(const QString& folder) {
    folder_->setText(QDir::toNativeSeparators(folder));
    folder_->setCursorPosition(0);
}

ExportChoice ExportSheet::choice() const {
    ExportChoice choice;
    choice.preset = presets_[preset_->currentIndex()];
    choice.crf = crf_->value();
    if (const Result<FrameRate> fps = parse_frame_rate(fps_->text().trimmed().toStdString()))
        choice.fps = *fps;
    choice.pattern = name_->text();
    choice.folder = folder_->text();
    choice.embed = embed_->isChecked();
    return choice;
}

QString ExportSheet::obstacle() const {
    if (client_.state() != EngineClient::State::Ready) return tr("The engine is not open yet");
    if (!waiting_.isEmpty()) return waiting_;
    if (const Result<FrameRate> fps = parse_frame_rate(fps_->text().trimmed().toStdString()); !fps)
        return QString::fromStdString(error_message(fps.error()));
    if (const Result<QString> name = exportFileName(source_, choice(), std::time(nullptr)); !name)
        return QString::fromStdString(error_message(name.error()));
    if (name_->text().trimmed().isEmpty()) return tr("The file needs a name");
    if (folder_->text().isEmpty()) return tr("Choose a folder first");
    return {};
}

void ExportSheet::update() {
    const ExportChoice now = choice();
    const Result<QString> name = exportFileName(source_, now, std::time(nullptr));
    const bool isFolder = now.preset.kind == ExportPreset::Kind::Pictures;
    namePreview_->setText(name ? *name + (isFolder ? "/" : "")
                               : QString::fromStdString(error_message(name.error())));

    QStringList facts;
    if (now.preset.kind == ExportPreset::Kind::Movie) facts << tr("BT.709, limited range, faststart");
    if (now.preset.kind == ExportPreset::Kind::Pictures)
        facts << tr("%n pictures, sRGB", nullptr, int(source_.frames.size()));
    if (now.preset.kind == ExportPreset::Kind::Picture) facts << tr("frame %1, sRGB").arg(source_.frame + 1);
    if (!source_.frames.empty()) facts << megabytes(exportBytes(source_, now));
    if (source_.again) facts << tr("read again from the saved file");
    if (source_.reduction > 1)
        facts << tr("sides divided by %1, since the clip is larger than 1 GiB").arg(source_.reduction);
    facts_->setText(facts.join(QStringLiteral(" · ")));

    const bool running = job_.isRunning();
    const QString reason = running ? tr("An export is running") : obstacle();
    start_->setEnabled(reason.isEmpty());
    start_->setToolTip(reason.isEmpty() ? tr("Write the file (Ctrl+E)") : reason);
    start_->setText(tr("Export"));
    cancel_->setText(running ? tr("Stop") : tr("Cancel"));
    cancel_->setEnabled(job_.state() != ExportJob::State::Stopping);
    cancel_->setToolTip(running ? tr("Stop the export; nothing is left over") : tr("Close the sheet"));
    progress_->setVisible(running);
    progress_->setRange(0, int(std::max<qint64>(1, job_.total())));
    progress_->setValue(int(job_.written()));
    state_->setText(job_.state() == ExportJob::State::Stopping  ? tr("Stopping…")
                    : running && job_.written() == job_.total() ? tr("Checking the file")
                    : running ? tr("Frame %1/%2").arg(job_.written()).arg(job_.total())
                              : waiting_);
    if (const int state = int(job_.state()); state != lastState_) {
        lastState_ = state;
        showResult();
    }
    QFrame::update();
}

void ExportSheet::start() {
    if (!start_->isEnabled()) return;
    const Result<QString> name = exportFileName(source_, choice(), std::time(nullptr));
    if (!name) return;
    notice_->dismiss();
    job_.start(exportRequest(source_, choice(), *name));
}

void ExportSheet::showResult() {
    if (job_.state() == ExportJob::State::Done) {
        const QString path = QString::fromStdString(job_.report().output);
        QString text = tr("Exported %1").arg(QDir::toNativeSeparators(path));
        for (const std::string& notice : job_.report().notices)
            text += "\n" + QString::fromStdString(notice);
        notice_->showNotice(NoticeBar::Kind::Done, text,
                            {{tr("Show in folder"), [this, path] { Q_EMIT showInFolderRequested(path); }},
                             {tr("Copy path"), [path] { QGuiApplication::clipboard()->setText(path); }}});
    } else if (job_.state() == ExportJob::State::Failed) {
        QList<NoticeBar::Action> buttons{{tr("Retry"), [this] { start(); }}};
        if (nextAction(job_.error().code) == NextAction::ChooseFolder)
            buttons << NoticeBar::Action{tr("Choose folder…"), [this] { chooseFolder(); }};
        notice_->showNotice(NoticeBar::Kind::Error, QString::fromStdString(error_message(job_.error())),
                            buttons);
    } else if (job_.state() == ExportJob::State::Canceled) {
        notice_->showNotice(NoticeBar::Kind::Info, tr("The export was stopped; nothing is left over"));
    }
}

void ExportSheet::chooseFolder() {
    auto* dialog = new QFileDialog(this, tr("Where the file is written"), folder_->text());
    dialog->setFileMode(QFileDialog::Directory);
    dialog->setOption(QFileDialog::ShowDirsOnly);
    dialog->setAttribute(Qt::WA_DeleteOnClose);
    connect(dialog, &QFileDialog::fileSelected, this, &ExportSheet::setFolder);
    dialog->open();
}

void ExportSheet::paintEvent(QPaintEvent*) {
    QPainter painter(this);
    painter.setRenderHint(QPainter::Antialiasing);
    const Tokens& t = tokens(palette());
    painter.setPen(t.strong);
    painter.setBrush(t.window);
    painter.drawRoundedRect(QRectF(rect()).adjusted(0.5, 0.5, -0.5, -0.5), kRadius, kRadius);
    painter.fillRect(1, kHead, width() - 2, 1, t.border);
    const int foot = start_->geometry().top() - 8;
    painter.fillRect(1, foot, width() - 2, 1, t.border);
}

} // namespace reelmesh
