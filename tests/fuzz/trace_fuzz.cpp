// Traces from strangers: whatever is read is written again byte for byte, and can be summed and exported. The
// check sum is mended first, so that what lies behind it is tried as well.
#include <string>

#include "base/check.h"
#include "fuzz/parsers.h"

namespace {

void mend_check_sum(std::string& bytes) {
    using namespace reelmesh;
    TraceHead head;
    if (bytes.size() < sizeof head) return;
    std::memcpy(&head, bytes.data(), sizeof head);
    const std::size_t rest = bytes.size() - sizeof head;
    if (head.text_bytes > rest) return;
    const std::size_t event_bytes = rest - head.text_bytes;
    const char* text = bytes.data() + sizeof head;
    head.check_sum = trace_check_sum(head.dropped, {text, head.text_bytes}, text + head.text_bytes,
                                     event_bytes / sizeof(TelemetryEvent));
    std::memcpy(bytes.data(), &head, sizeof head);
}

} // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    using namespace reelmesh;
    std::string bytes(reinterpret_cast<const char*>(data), size);
    mend_check_sum(bytes);
    try {
        const Trace trace = testing::read_trace_bytes(bytes);
        std::string written = trace_start(trace);
        written.append(reinterpret_cast<const char*>(trace.events.data()),
                       trace.events.size() * sizeof(TelemetryEvent));
        if (written != bytes) std::abort();
        const TraceSpan span = trace_span(trace.events);
        (void)trace_totals(trace.events, span.begin_ns, span.end_ns);
        (void)trace_json(trace);
    } catch (const EngineException&) {
    }
    return 0;
}
