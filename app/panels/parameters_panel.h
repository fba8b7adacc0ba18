// The form of everything but the prompt, and the line that says what it will become. Layout and connections
// only; edits the draft, follows it. GUI thread; the models outlive the panel.
#pragma once

#include <QList>
#include <QWidget>

class QAction;
class QComboBox;
class QMenu;
class QToolButton;

namespace reelmesh {

class FormRows;
class ModelList;
class NoticeBar;
class OutcomeView;
class PlanModel;
class PresetList;
class RequestDraft;
class SamplingFields;
class SizeFields;

class ParametersPanel : public QWidget {
    Q_OBJECT

public:
    struct Models {
        RequestDraft& draft;
        PlanModel& plan;
        PresetList& presets;
        ModelList& models;
    };

    explicit ParametersPanel(const Models& models, QWidget* parent = nullptr);
    /// To the field that is the draft's first fault, or to the ways out of an impossible plan; false: the
    /// fault is elsewhere ("prompt", "mesh").
    bool focusFault();
    /// For the panel's title: back to the preset, and the menu of presets.
    QList<QAction*> titleActions() const { return {resetAction_, menuAction_}; }

Q_SIGNALS:
    /// A model folder shall be chosen and added.
    void addModelAsked();

private:
    void makeModelRows(FormRows& rows);
    void makeTitleActions();
    void showModels();
    void showPresets();
    void showOutcome();
    void savePreset();
    void importPreset();
    void exportPreset();
    void say(const QString& problem);

    Models models_;
    QComboBox* model_;
    QComboBox* preset_;
    QWidget* saveRow_ = nullptr;
    SizeFields* size_;
    SamplingFields* sampling_;
    OutcomeView* outcome_;
    NoticeBar* note_;
    QAction* resetAction_ = nullptr;
    QAction* menuAction_ = nullptr;
};

} // namespace reelmesh
