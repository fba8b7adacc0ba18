#include "mesh_feed.h"

#include "models/mesh_choice.h"
#include "models/mesh_model.h"
#include "models/plan_model.h"
#include "models/plan_table_model.h"

namespace reelmesh {

MeshFeed::MeshFeed(PlanModel& plans, RequestDraft& draft, const Targets& targets, QObject* parent)
    : QObject(parent), plans_(plans), draft_(draft), targets_(targets) {
    connect(&plans, &PlanModel::changed, this, &MeshFeed::hand);
    if (plans.isCurrent()) hand();
}

void MeshFeed::hand() {
    targets_.choice.setAlternatives(plans_.plans(), plans_.hardware());
    targets_.table.setPlans(plans_.plans());
    // The planner speaks only of the draft as it is now.
    const JobRequest& asked = draft_.complete();
    if (const Plan* chosen = plans_.chosen()) {
        PlanSet own = plans_.plans();
        own.plans = {*chosen};
        targets_.choice.setPlans(own, asked);
        targets_.picture.setPlans(own, plans_.hardware());
        targets_.table.setCurrent(chosen->mesh);
        return;
    }
    if (plans_.error()) targets_.choice.setPlanError(*plans_.error(), asked);
    targets_.picture.setHardware(plans_.hardware());
    targets_.table.setCurrent({});
}

} // namespace reelmesh
