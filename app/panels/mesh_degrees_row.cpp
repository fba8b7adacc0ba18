#include "mesh_degrees_row.h"

#include <QGridLayout>
#include <QLabel>
#include <QSignalBlocker>

#include "theme/metrics.h"
#include "widgets/degree_box.h"
#include "widgets/fault_frame.h"

namespace reelmesh {

MeshDegreesRow::MeshDegreesRow(MeshChoice& choice, QWidget* parent) : QWidget(parent), choice_(choice) {
    const struct {
        MeshAxis axis;
        const char* name;
        QString label, toolTip;
    } rows[] = {
        {MeshAxis::Cfg, "meshCfg", tr("CFG"),
         tr("Over how many ranks the guidance branches are split (cfg).")},
        {MeshAxis::Ulysses, "meshUlysses", tr("Ulysses"),
         tr("Over how many ranks tokens are split that change places with heads for attention (ulysses).")},
        {MeshAxis::Ring, "meshRing", tr("Ring"),
         tr("Over how many ranks tokens are split whose keys and values go round (ring).")},
        {MeshAxis::Tp, "meshTp", tr("TP"), tr("Over how many ranks the weights of a layer are split (tp).")},
        {MeshAxis::Dp, "meshDp", tr("Data"), tr("How many jobs run at once, each on ranks of its own (dp).")},
    };
    auto* grid = new QGridLayout(this);
    grid->setContentsMargins(metrics::kPadding, 2, metrics::kPadding, metrics::kGap);
    grid->setHorizontalSpacing(metrics::kGap);
    grid->setVerticalSpacing(2);
    int column = 0;
    for (const auto& row : rows) {
        auto* box = new DegreeBox;
        box->setObjectName(row.name);
        box->setAccessibleName(row.label);
        box->setToolTip(row.toolTip);
        box->setFont(metrics::numberFont(metrics::kSmallText));
        box->setFixedHeight(metrics::kControl);
        box->setMinimumWidth(44);
        box->setSizePolicy(QSizePolicy::Ignored, QSizePolicy::Fixed);
        box->setKeyboardTracking(false);
        auto* label = new QLabel(row.label);
        label->setProperty("tone", "muted");
        label->setFont(metrics::textFont(metrics::kSmallText));
        label->setBuddy(box);
        grid->addWidget(label, 0, column);
        grid->addWidget(box, 1, column);
        grid->setColumnStretch(column, 1);
        grid->setColumnMinimumWidth(column++, 44);
        connect(box, &QSpinBox::valueChanged, this,
                [this, axis = row.axis](int degree) { choice_.setDegree(axis, degree); });
        boxes_ << Box{row.axis, box, new FaultFrame(*box)};
    }
    connect(&choice, &MeshChoice::changed, this, &MeshDegreesRow::showChoice);
    showChoice();
}

void MeshDegreesRow::showChoice() {
    const MeshDegrees degrees = choice_.degrees();
    const bool illegal = choice_.legality() == MeshChoice::Legality::Illegal;
    for (const Box& entry : boxes_) {
        QList<int> legal = choice_.legalDegrees(entry.axis);
        // What is in force is among them; while it is illegal a step must lead away from it.
        if (illegal && legal.size() > 1) legal.removeOne(degrees.degree(entry.axis));
        entry.box->setLegalValues(legal);
        entry.fault->setFault(illegal && degrees.degree(entry.axis) > 1);
        const QSignalBlocker blocker(entry.box);
        entry.box->setValue(degrees.degree(entry.axis));
    }
}

} // namespace reelmesh
