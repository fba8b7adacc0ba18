// What is wrong with the mesh of the draft, and the legal ones nearest to it as buttons. Hidden while nothing
// is wrong. GUI thread; the model outlives it.
#pragma once

#include <QWidget>

#include "models/mesh_choice.h"

class QLabel;
class QToolButton;

namespace reelmesh {

class MeshFault : public QWidget {
    Q_OBJECT

public:
    explicit MeshFault(MeshChoice& choice, QWidget* parent = nullptr);

private:
    void showChoice();

    MeshChoice& choice_;
    QLabel* icon_;
    QLabel* text_;
    QList<QToolButton*> offers_;
};

} // namespace reelmesh
