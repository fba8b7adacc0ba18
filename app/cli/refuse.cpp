#include "commands.h"
#include "json_output.h"

namespace reelmesh {

int refuse(const std::vector<Error>& errors, Console& console) {
    for (const Error& error : errors)
        console.error(error);
    if (console.json()) console.result(OrderedJson{{"errors", errors_json(errors)}});
    return exit_code(errors.front());
}

} // namespace reelmesh
