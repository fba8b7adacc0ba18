// Job files from strangers: whatever is accepted can be written and read again unchanged.
#include "engine/request.h"

#include <cstdint>
#include <cstdlib>

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    using namespace reelmesh;
    const std::string_view text(reinterpret_cast<const char*>(data), size);
    const Result<JobRequest> job = job_from_json(text, "fuzz.reeljob");
    if (!job) return 0;
    (void)validate_without_model(*job);
    const std::string written = job_to_json(*job, JobScope::Whole);
    const Result<JobRequest> again = job_from_json(written, "again.reeljob");
    if (!again || !(*again == *job) || job_to_json(*again, JobScope::Whole) != written) std::abort();
    return 0;
}
