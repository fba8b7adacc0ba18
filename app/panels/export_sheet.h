// The export sheet at the right edge of the viewer: preset, quality, rate, name, progress and what went
// wrong, all in place. Works on a clip that is handed over; runs beside the next job. GUI thread; the models
// outlive the sheet.
#pragma once

#include <QFrame>

#include "models/export_settings.h"

class QCheckBox;
class QComboBox;
class QLabel;
class QLineEdit;
class QProgressBar;
class QSpinBox;
class QToolButton;

namespace reelmesh {

class EngineClient;
class ExportJob;
class JobListModel;
class NoticeBar;

class ExportSheet : public QFrame {
    Q_OBJECT

public:
    static constexpr int kWidth = 333;

    ExportSheet(EngineClient& client, ExportJob& job, QWidget* parent = nullptr);

    /// Without frames: there is nothing to export yet.
    void setSource(const ExportSource& source);
    /// Instead of a clip: why there is none, "Reading the clip…".
    void setWaiting(const QString& reason);
    /// A finished job of the queue: its frames, else read again from its file. frame: the one that is shown.
    void openJob(JobListModel& jobs, std::uint64_t key, int frame);
    void setFolder(const QString& folder);
    NoticeBar& notice() { return *notice_; }

public Q_SLOTS:
    /// The same as the button; nothing while it is disabled.
    void start();

Q_SIGNALS:
    void closeRequested();
    void showInFolderRequested(const QString& path);

protected:
    void paintEvent(QPaintEvent* event) override;

private:
    void makeForm();
    void askEncoders();
    void fillPresets();
    void takePreset();
    ExportChoice choice() const;
    /// Why nothing can be exported now; "": it can.
    QString obstacle() const;
    void update();
    void showResult();
    void chooseFolder();

    EngineClient& client_;
    ExportJob& job_;
    ExportSource source_;
    QString waiting_;
    std::uint64_t asked_ = 0; ///< job whose clip is on its way
    std::vector<EncoderSummary> encoders_;
    bool presetChosen_ = false; ///< by hand
    QList<ExportPreset> presets_;
    QComboBox* preset_;
    QSpinBox* crf_;
    QLineEdit *fps_, *name_, *folder_;
    QLabel *crfHint_, *namePreview_, *facts_, *state_;
    QCheckBox* embed_;
    QProgressBar* progress_;
    QToolButton *cancel_, *start_;
    NoticeBar* notice_;
    int lastState_ = 0;
};

} // namespace reelmesh
