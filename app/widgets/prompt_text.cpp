#include "prompt_text.h"

#include <QTextBoundaryFinder>

namespace reelmesh {
namespace {

bool isControl(QChar c) {
    return (c.category() == QChar::Other_Control && c != '\n' && c != '\t') ||
           c == QChar::ObjectReplacementCharacter;
}

/// Up to here back from `end` begins a character that people see as one: a few code points in any script.
constexpr qsizetype kLongestCharacter = 64;

qsizetype wholeCharacters(QStringView line, qsizetype end) {
    const qsizetype begin = std::max<qsizetype>(0, end - kLongestCharacter);
    const QStringView near = line.mid(begin, 2 * kLongestCharacter);
    QTextBoundaryFinder characters(QTextBoundaryFinder::Grapheme, near.toString());
    characters.setPosition(end - begin);
    if (characters.isAtBoundary()) return end;
    const qsizetype back = characters.toPreviousBoundary();
    return back > 0 ? begin + back : end;
}

} // namespace

QString withoutControls(const QString& text) {
    QString clean = text;
    clean.replace(QStringLiteral("\r\n"), QStringLiteral("\n"));
    clean.replace('\r', '\n');
    clean.removeIf(isControl);
    return clean;
}

QString inShortLines(const QString& text, qsizetype most, qsizetype column) {
    QString result;
    result.reserve(text.size() + text.size() / most);
    qsizetype room = std::max<qsizetype>(1, most - column);
    for (QStringView rest = text; !rest.isEmpty();) {
        const qsizetype lineEnd = rest.indexOf('\n');
        const QStringView line = lineEnd < 0 ? rest : rest.left(lineEnd);
        if (line.size() <= room) {
            result += rest.left(lineEnd < 0 ? rest.size() : lineEnd + 1);
            rest = rest.mid(lineEnd < 0 ? rest.size() : lineEnd + 1);
        } else {
            const qsizetype space = line.left(room + 1).lastIndexOf(' ');
            const qsizetype end = space > 0 ? space : wholeCharacters(line, room);
            result += line.left(end);
            result += '\n';
            rest = rest.mid(space > 0 ? end + 1 : end);
        }
        room = most;
    }
    return result;
}

} // namespace reelmesh
