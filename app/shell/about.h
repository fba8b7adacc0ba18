// Versions, devices and licences in a window of its own, and the same facts as text for a report. GUI thread.
#pragma once

#include <QStringList>
#include <QWidget>

#include "engine/engine.h"

namespace reelmesh {

/// For pasting into a report: versions, devices, mesh, the last lines of the log; the user's home is left
/// out.
QString reportText(const EngineInfo& info, const QString& mesh, const QStringList& logLines);

class About : public QWidget {
    Q_OBJECT

public:
    About(const EngineInfo& info, QWidget* parent);
};

} // namespace reelmesh
