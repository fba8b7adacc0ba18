// The spin boxes of a mesh by hand, one an axis. GUI thread; the model outlives it.
#pragma once

#include <QList>
#include <QWidget>

#include "models/mesh_choice.h"

namespace reelmesh {

class DegreeBox;
class FaultFrame;

class MeshDegreesRow : public QWidget {
    Q_OBJECT

public:
    explicit MeshDegreesRow(MeshChoice& choice, QWidget* parent = nullptr);

private:
    struct Box {
        MeshAxis axis;
        DegreeBox* box;
        FaultFrame* fault;
    };

    void showChoice();

    MeshChoice& choice_;
    QList<Box> boxes_;
};

} // namespace reelmesh
