#include "comm/recorded_communicator.h"

namespace reelmesh {
namespace {

class RecordedCommunicator final : public Communicator {
public:
    RecordedCommunicator(std::shared_ptr<Communicator> inner, EventWork work, TelemetryWriter* writer,
                         SentBytes* sent)
        : inner_(std::move(inner)), work_(work), writer_(writer), sent_(sent) {}

    int rank() const override { return inner_->rank(); }
    int size() const override { return inner_->size(); }

    void all_gather(at::Tensor& out, const at::Tensor& in, std::span<const std::int64_t> sizes,
                    std::int64_t dim, const CallTag& tag) override {
        TelemetryEvent event;
        event.kind = EventKind::Exchange;
        event.work = work_;
        event.block = tag.layer;
        const std::int64_t waited_ns = inner_->waited_ns();
        event.start_ns = steady_now_ns();
        inner_->all_gather(out, in, sizes, dim, tag);
        event.end_ns = steady_now_ns();
        event.wait_ns = inner_->waited_ns() - waited_ns;
        event.bytes = all_gather_sent_bytes(in, size());
        sent_->bytes.fetch_add(event.bytes, std::memory_order_relaxed);
        writer_->write(event);
    }

    void barrier(const CallTag& tag) override { inner_->barrier(tag); }
    void abort(const Error& error) override { inner_->abort(error); }
    std::optional<Error> state() const override { return inner_->state(); }
    std::int64_t waited_ns() const override { return inner_->waited_ns(); }

private:
    std::shared_ptr<Communicator> inner_;
    EventWork work_;
    TelemetryWriter* writer_;
    SentBytes* sent_;
};

} // namespace

std::shared_ptr<Communicator> make_recorded(std::shared_ptr<Communicator> inner, EventWork work,
                                            TelemetryWriter* writer, SentBytes* sent) {
    return std::make_shared<RecordedCommunicator>(std::move(inner), work, writer, sent);
}

} // namespace reelmesh
