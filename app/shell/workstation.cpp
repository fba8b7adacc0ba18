#include "workstation.h"

#include <QClipboard>
#include <QDir>
#include <QFileDialog>
#include <QGuiApplication>

#include "bridge/error_text.h"
#include "models/settings.h"
#include "panels/preview_panel.h"
#include "panels/prompt_panel.h"
#include "panels/ranks_panel.h"
#include "shell/show_in_folder.h"
#include "widgets/notice_bar.h"

namespace reelmesh {

Workstation::Workstation(EngineClient& client, Settings& settings)
    : settings_(settings), generation_(client), promptPanel_(new PromptPanel(generation_.draft())),
      previewPanel_(
          new PreviewPanel({generation_.preview(), generation_.status()}, &actions_[Act::Generate])) {
    const QList<Panel> panels{
        {"dockPrompt", tr("Prompt"), QKeySequence(Qt::CTRL | Qt::Key_1), promptPanel_, {}},
        {"dockDevices",
         tr("Device load"),
         QKeySequence(Qt::CTRL | Qt::Key_5),
         new RanksPanel(generation_.rankTimes()),
         {}},
    };
    window_ = std::make_unique<MainWindow>(actions_, MainWindow::Content{previewPanel_, panels},
                                           generation_.status());
    connectActions();
    updateActions();
    connect(window_.get(), &MainWindow::closeAsked, this, [this] {
        if (!generation_.status().isActive())
            Q_EMIT quitConfirmed();
        else
            askAboutQuitting();
    });
    promptPanel_->focusPrompt();
}

Workstation::~Workstation() = default;

void Workstation::showProblem(const QString& sentence) {
    previewPanel_->notice().showNotice(NoticeBar::Kind::Warning, sentence);
}

void Workstation::connectActions() {
    connect(&actions_[Act::Generate], &QAction::triggered, &generation_, &Generation::generate);
    connect(&actions_[Act::Cancel], &QAction::triggered, &generation_, &Generation::cancel);
    connect(&actions_[Act::OutputFolder], &QAction::triggered, this, &Workstation::chooseOutputFolder);
    connect(&generation_.status(), &JobStatus::changed, this, &Workstation::updateActions);
    connect(&generation_.preview(), &PreviewModel::changed, this, &Workstation::updateActions);
    connect(&generation_, &Generation::started, &previewPanel_->notice(), &NoticeBar::dismiss);
    connect(&generation_, &Generation::failed, this, &Workstation::showError);
    connect(&generation_, &Generation::saved, this, &Workstation::showSaved);
}

void Workstation::updateActions() {
    const JobStatus& status = generation_.status();
    const bool stopping = status.phase() == JobStatus::Phase::Stopping;
    actions_.enable(Act::Generate, !status.isActive(), tr("A job is running; cancel it or wait for its end"));
    actions_.enable(Act::Cancel, status.isActive() && !stopping,
                    stopping ? tr("The job is stopping") : tr("No job is running"));
}

void Workstation::showError(const Error& error) {
    QList<NoticeBar::Action> actions;
    switch (nextAction(error.code)) {
    case NextAction::None: break;
    case NextAction::EditPrompt:
        actions << NoticeBar::Action{tr("Edit prompt"), [this] { promptPanel_->focusPrompt(); }};
        break;
    case NextAction::AutomaticMesh:
        actions << NoticeBar::Action{tr("Use automatic mesh"), [this] {
                                         generation_.draft().setMesh("auto");
                                         generation_.generate();
                                     }};
        break;
    case NextAction::ChooseFolder:
        actions << NoticeBar::Action{tr("Choose folder…"), [this] { chooseOutputFolder(); }};
        break;
    case NextAction::Retry:
        actions << NoticeBar::Action{tr("Retry"), [this] { generation_.generate(); }};
        break;
    }
    previewPanel_->notice().showNotice(NoticeBar::Kind::Error, QString::fromStdString(error_message(error)),
                                       actions);
}

void Workstation::showSaved(const QString& path, const QStringList& notices) {
    QList<NoticeBar::Action> actions;
    if (canShowInFolder()) actions << NoticeBar::Action{tr("Show in folder"), [path] { showInFolder(path); }};
    actions << NoticeBar::Action{tr("Copy path"), [path] { QGuiApplication::clipboard()->setText(path); }};
    QString text = tr("Saved %1").arg(QDir::toNativeSeparators(path));
    for (const QString& notice : notices)
        text += "\n" + notice;
    previewPanel_->notice().showNotice(NoticeBar::Kind::Done, text, actions);
}

void Workstation::chooseOutputFolder() {
    const QString folder = QFileDialog::getExistingDirectory(
        window_.get(), tr("Where finished clips are saved"), generation_.draft().outputFolder());
    if (!folder.isEmpty()) generation_.draft().setOutputFolder(folder);
}

void Workstation::askAboutQuitting() {
    NoticeBar& notice = previewPanel_->notice();
    notice.showNotice(NoticeBar::Kind::Warning,
                      tr("A job is running; quitting ends it and nothing is saved."),
                      {{tr("Cancel and quit"), [this] { Q_EMIT quitConfirmed(); }},
                       {tr("Stay"), [&notice] { notice.dismiss(); }}});
}

} // namespace reelmesh
