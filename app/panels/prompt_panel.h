// The form: prompt, mesh, and the line that says what clip they make. Layout and connections only;
// edits the draft, follows it. GUI thread; the draft outlives the panel.
#pragma once

#include <QWidget>

class QComboBox;
class QLabel;
class QPlainTextEdit;

namespace reelmesh {

class RequestDraft;

class PromptPanel : public QWidget {
    Q_OBJECT

public:
    explicit PromptPanel(RequestDraft& draft, QWidget* parent = nullptr);
    /// Cursor behind the last character.
    void focusPrompt();

private:
    void writePrompt();
    void showDraft();

    RequestDraft& draft_;
    QPlainTextEdit* prompt_;
    QComboBox* mesh_;
    QLabel* outcome_;
};

} // namespace reelmesh
