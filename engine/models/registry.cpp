#include "base/check.h"
#include "models/family.h"
#include "models/wan/wan_family.h"

namespace reelmesh {

const Family& find_family(std::string_view name) {
    static const wan::WanFamily wan;
    for (const Family* family : {static_cast<const Family*>(&wan)})
        if (family->name() == name) return *family;
    fail(ErrorCode::Internal, {{"reason", "no model family is called " + std::string(name)}});
}

} // namespace reelmesh
