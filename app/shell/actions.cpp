#include "actions.h"

#include <QAction>
#include <QCoreApplication>
#include <QKeySequence>
#include <QWidget>

#include "theme/icons.h"

namespace reelmesh {
namespace {

QString tr(const char* text) {
    return QCoreApplication::translate("Actions", text);
}

struct Row {
    const char* name;
    const char* text;
    const char* icon; ///< nullptr: none
    IconTint tint;
    QList<QKeySequence> shortcuts;
    const char* toolTip;
};

QAction* makeAction(QWidget* parent, const Row& row) {
    auto* action = new QAction(tr(row.text), parent);
    action->setObjectName(row.name);
    if (row.icon) action->setIcon(icon(row.icon, row.tint));
    action->setShortcuts(row.shortcuts);
    action->setToolTip(tr(row.toolTip));
    action->setIconVisibleInMenu(false);
    parent->addAction(action);
    return action;
}

} // namespace

Actions makeActions(QWidget* parent) {
    return {
        .generate = makeAction(parent, {"actGenerate",
                                        QT_TRANSLATE_NOOP("Actions", "Generate"),
                                        "generate",
                                        IconTint::OnAccent,
                                        {Qt::CTRL | Qt::Key_Return, Qt::CTRL | Qt::Key_Enter},
                                        QT_TRANSLATE_NOOP("Actions", "Make the clip (Ctrl+Enter)")}),
        .stop = makeAction(parent, {"actStop",
                                    QT_TRANSLATE_NOOP("Actions", "Cancel"),
                                    "cancel",
                                    IconTint::Text,
                                    {Qt::CTRL | Qt::ALT | Qt::Key_Return, Qt::CTRL | Qt::ALT | Qt::Key_Enter},
                                    QT_TRANSLATE_NOOP("Actions", "No job is running")}),
        .play = makeAction(parent,
                           {"actPlay",
                            QT_TRANSLATE_NOOP("Actions", "Play or pause"),
                            nullptr,
                            IconTint::Text,
                            {},
                            QT_TRANSLATE_NOOP("Actions", "Play or pause the clip (Space in the viewer)")}),
        .outputFolder = makeAction(parent, {"actOutputFolder",
                                            QT_TRANSLATE_NOOP("Actions", "Output folder…"),
                                            nullptr,
                                            IconTint::Text,
                                            {},
                                            QT_TRANSLATE_NOOP("Actions", "Where finished clips are saved")}),
        .quit = makeAction(parent, {"actQuit",
                                    QT_TRANSLATE_NOOP("Actions", "Quit"),
                                    nullptr,
                                    IconTint::Text,
                                    {Qt::CTRL | Qt::Key_Q},
                                    QT_TRANSLATE_NOOP("Actions", "Quit Reelmesh")}),
    };
}

} // namespace reelmesh
