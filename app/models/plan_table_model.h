// The planner's answer as a table: a row a mesh in its order, refused ones last with the reason. GUI thread.
#pragma once

#include <QAbstractTableModel>

#include "engine/plan.h"

namespace reelmesh {

class PlanTableModel : public QAbstractTableModel {
    Q_OBJECT

public:
    enum Column {
        Mesh,
        StepSeconds,
        TotalSeconds,
        Memory,
        Bytes,
        Exposed,
        Exact,
        Basis,
        WhyNot,
        ColumnCount
    };
    enum Role {
        RefusedRole = Qt::UserRole, ///< bool
        CurrentRole,                ///< bool: the mesh of the draft
        MeshRole,                   ///< "cfg2,ulysses4"
    };

    using QAbstractTableModel::QAbstractTableModel;

    void setPlans(const PlanSet& plans);
    /// The mesh that the draft would run on.
    void setCurrent(const std::string& mesh);
    /// -1: it is not among them.
    int currentRow() const;
    int refused() const;
    const PlanSet& plans() const { return plans_; }

    int rowCount(const QModelIndex& parent = {}) const override;
    int columnCount(const QModelIndex& parent = {}) const override;
    QVariant data(const QModelIndex& index, int role = Qt::DisplayRole) const override;
    QVariant headerData(int section, Qt::Orientation orientation, int role) const override;
    Qt::ItemFlags flags(const QModelIndex& index) const override;

private:
    QString text(const Plan& plan, int column) const;
    QString toolTip(const Plan& plan, int column) const;

    PlanSet plans_;
    std::string current_;
};

} // namespace reelmesh
