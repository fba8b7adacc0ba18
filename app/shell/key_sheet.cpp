#include "key_sheet.h"

#include <QCoreApplication>
#include <QGridLayout>
#include <QLabel>
#include <QShortcut>

#include "shell/actions.h"
#include "theme/metrics.h"

namespace reelmesh {
namespace {

QString tr(const char* text) {
    return QCoreApplication::translate("KeySheet", text);
}

constexpr int kColumnWidth = 300;
constexpr int kRowsPerColumn = 24;

} // namespace

QList<KeyGroup> keyGroups(const Actions& actions) {
    KeyGroup global{tr("Everywhere"), {}};
    for (int i = 0; i < kActs; ++i) {
        const QAction& action = actions[static_cast<Act>(i)];
        if (!action.shortcut().isEmpty())
            global.rows << std::pair(action.shortcut().toString(QKeySequence::NativeText),
                                     action.text().remove(QChar(0x2026)));
    }
    return {global,
            {tr("Viewer"),
             {{tr("Space"), tr("Play or pause")},
              {tr("Left, Right"), tr("One frame")},
              {tr("Shift+Left, Right"), tr("One second")},
              {tr("Home, End"), tr("First, last frame")},
              {tr("J K L"), tr("Slower, stop, faster")},
              {tr("[ ]  Backspace"), tr("Speed, and back to 1×")},
              {tr("\\"), tr("Loop")},
              {tr("PgUp, PgDn"), tr("Step of the job")},
              {tr("F, 1, + −"), tr("Fit, 100 %, zoom")},
              {tr("O"), tr("Overlays")},
              {tr("B, W, X"), tr("Pin B, wipe, flick")},
              {tr("S, Ctrl+C"), tr("Save, copy the frame")}}},
            {tr("Timeline"),
             {{tr("W S A D"), tr("Zoom and pan")},
              {tr("F, Shift+F"), tr("Fit the selection, all")},
              {tr(". ,"), tr("Next, previous event")},
              {tr("[ ]"), tr("Same collective on the next rank")},
              {tr("M, End"), tr("Mark, follow")},
              {tr("Ctrl+F, Esc"), tr("Find, let go")}}},
            {tr("Queue, prompt"),
             {{tr("Ctrl+Up, Down"), tr("Move the job")},
              {tr("Del, Ctrl+D"), tr("Remove, duplicate")},
              {tr("Enter"), tr("Play the result")},
              {tr("Alt+Up, Down"), tr("Earlier, later prompts")}}}};
}

KeySheet::KeySheet(const QList<KeyGroup>& groups, QWidget* parent) : QWidget(parent, Qt::Window) {
    setObjectName("keySheet");
    setWindowTitle(tr("Keys"));
    auto* grid = new QGridLayout(this);
    grid->setContentsMargins(2 * metrics::kPadding, 2 * metrics::kPadding, 2 * metrics::kPadding,
                             2 * metrics::kPadding);
    grid->setHorizontalSpacing(2 * metrics::kPadding);
    grid->setVerticalSpacing(metrics::kGap);
    int row = 0, column = 0;
    for (const KeyGroup& group : groups) {
        if (row > 0 && row + group.rows.size() > kRowsPerColumn) {
            row = 0;
            column += 2;
        }
        auto* title = new QLabel(group.title);
        title->setFont(metrics::textFont(metrics::kBaseText, QFont::DemiBold));
        grid->addWidget(title, row++, column, 1, 2);
        for (const auto& [keys, meaning] : group.rows) {
            auto* key = new QLabel(keys);
            key->setFont(metrics::numberFont(metrics::kSmallText));
            key->setProperty("tone", "second");
            grid->addWidget(key, row, column);
            grid->addWidget(new QLabel(meaning), row++, column + 1);
        }
    }
    for (int i = 1; i <= column + 1; i += 2)
        grid->setColumnMinimumWidth(i, kColumnWidth / 2);
    auto* close = new QShortcut(Qt::Key_Escape, this);
    connect(close, &QShortcut::activated, this, &QWidget::close);
}

} // namespace reelmesh
