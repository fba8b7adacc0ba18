#include "plain_number.h"

namespace reelmesh {

QString plainNumber(const QString& typed) {
    QString plain;
    for (const QChar c : typed) {
        if (c.isSpace()) continue;
        if (c.isDigit())
            plain += QChar('0' + c.digitValue());
        else if (c == ',' || c == QChar(0xFF0C) || c == QChar(0xFF0E) || c == QChar(0x066B))
            plain += '.';
        else if (c == QChar(0x2212) || c == QChar(0xFF0D))
            plain += '-';
        else if (c == QChar(0xFF0F))
            plain += '/';
        else
            plain += c;
    }
    return plain;
}

} // namespace reelmesh
