// What holds for the program rather than for a job; a window of its own. Changes act at once, but for the
// scale of the interface, which says so. GUI thread; the settings outlive it.
#pragma once

#include <QWidget>

class QComboBox;
class QFormLayout;
class QLabel;
class QListWidget;
class QSpinBox;

namespace reelmesh {

class Settings;

class SettingsPanel : public QWidget {
    Q_OBJECT

public:
    explicit SettingsPanel(Settings& settings, QWidget* parent = nullptr);

Q_SIGNALS:
    void outputFolderAsked();
    void modelFolderAsked();

private:
    void addRow(const QString& label, QWidget* field);
    QComboBox* makeChoice(const QString& name, const QStringList& texts);
    QWidget* makeFolderRow();
    QWidget* makeModelFolders();
    void showSettings();

    Settings& settings_;
    QFormLayout* form_;
    QComboBox* theme_;
    QSpinBox* scale_;
    QLabel* scaleNote_;
    QComboBox* afterFailure_;
    QLabel* outputFolder_;
    QListWidget* modelFolders_;
};

} // namespace reelmesh
