#include "comm/recorded_communicator.h"

#include <algorithm>

namespace reelmesh {
namespace {

EventWork work_of(ExchangeGroup group) {
    switch (group) {
    case ExchangeGroup::Cfg: return EventWork::Cfg;
    case ExchangeGroup::Vae: return EventWork::Vae;
    default: return EventWork::Copy;
    }
}

class RecordedCommunicator final : public Communicator {
public:
    RecordedCommunicator(std::shared_ptr<Communicator> inner, const RecordTarget& target)
        : inner_(std::move(inner)), target_(target), clock_(target.clock ? target.clock : &host_clock_) {}

    int rank() const override { return inner_->rank(); }
    int size() const override { return inner_->size(); }

    void all_to_all(at::Tensor& out, const at::Tensor& in, std::span<const std::int64_t> out_sizes,
                    std::span<const std::int64_t> in_sizes, std::int64_t out_dim, std::int64_t in_dim,
                    const CallTag& tag) override {
        begin(ExchangeOp::AllToAll, tag, in,
              all_to_all_bytes(out, in, out_sizes, in_sizes, out_dim, in_dim, rank()));
        inner_->all_to_all(out, in, out_sizes, in_sizes, out_dim, in_dim, tag);
        end();
    }

    void all_gather(at::Tensor& out, const at::Tensor& in, std::span<const std::int64_t> sizes,
                    std::int64_t dim, const CallTag& tag) override {
        begin(ExchangeOp::AllGather, tag, in, all_gather_bytes(out, in, size()));
        inner_->all_gather(out, in, sizes, dim, tag);
        end();
    }

    void start_send_recv(std::span<const PeerTransfer> transfers, const CallTag& tag) override {
        at::Tensor any;
        for (const PeerTransfer& transfer : transfers)
            any = transfer.send.defined() ? transfer.send : transfer.receive;
        begin(ExchangeOp::SendRecv, tag, any, send_recv_bytes(transfers));
        inner_->start_send_recv(transfers, tag);
    }
    void finish_send_recv() override {
        // What the rank did meanwhile is no part of the exchange.
        start_ = clock_->mark();
        inner_->finish_send_recv();
        end();
    }

    void all_reduce(at::Tensor& tensor, ReduceOp op, const CallTag& tag) override {
        begin(ExchangeOp::AllReduce, tag, tensor, all_reduce_bytes(tensor, rank(), size()));
        inner_->all_reduce(tensor, op, tag);
        end();
    }

    void broadcast(at::Tensor& tensor, int root, const CallTag& tag) override {
        begin(ExchangeOp::Broadcast, tag, tensor, broadcast_bytes(tensor, root, rank(), size()));
        inner_->broadcast(tensor, root, tag);
        end();
    }

    void barrier(const CallTag& tag) override {
        begin(ExchangeOp::Barrier, tag, {}, {});
        inner_->barrier(tag);
        end();
    }

    void abort(const Error& error) override { inner_->abort(error); }
    std::optional<Error> state() const override { return inner_->state(); }
    void set_deadline(std::chrono::milliseconds deadline) override { inner_->set_deadline(deadline); }
    std::int64_t waited_ns() const override {
        return clock_->on_device() ? waited_on_device_->load() : inner_->waited_ns();
    }

private:
    void begin(ExchangeOp op, const CallTag& tag, const at::Tensor& tensor, const CallBytes& bytes) {
        record_ = {};
        record_.bytes_sent = bytes.sent;
        record_.bytes_received = bytes.received;
        record_.sequence = ++sequence_;
        record_.job = target_.scope->job;
        record_.step = target_.scope->step;
        record_.branch = target_.scope->branch;
        record_.expert = target_.scope->expert;
        record_.layer = tag.layer;
        record_.hop = static_cast<std::int16_t>(tag.hop);
        record_.rank = static_cast<std::int16_t>(target_.rank);
        record_.first_rank = static_cast<std::int16_t>(target_.first_rank);
        record_.group_size = static_cast<std::int16_t>(size());
        record_.index = static_cast<std::int16_t>(rank());
        record_.group = target_.group;
        record_.op = op;
        record_.purpose = tag.purpose;
        record_.element_bytes = tensor.defined() ? static_cast<std::uint8_t>(tensor.element_size()) : 0;
        record_.link = target_.link;
        record_.wait_ns = -inner_->waited_ns();
        record_.issued_ns = steady_now_ns();
        ready_ = start_ = clock_->mark();
        if (clock_->on_device() && target_.ready_times)
            target_.ready_times->put(record_.sequence, record_.index, ready_);
    }

    void end() {
        record_.wait_ns += inner_->waited_ns();
        target_.sent->bytes.fetch_add(record_.bytes_sent, std::memory_order_relaxed);
        const ClockMark end = clock_->mark();
        clock_->when_reached(end, [record = record_, target = target_, ready = ready_, start = start_, end,
                                   on_device = clock_->on_device(), waited = waited_on_device_]() mutable {
            record.ready_ns = *ready.time_ns();
            record.start_ns = *start.time_ns();
            record.end_ns = *end.time_ns();
            if (on_device) {
                // The host waits for calls to be issued; the stream for the data of all.
                const std::int64_t all_ready =
                    target.ready_times ? target.ready_times->last_ns(record.sequence).value_or(0) : 0;
                record.wait_ns =
                    std::max<std::int64_t>(0, std::min(record.end_ns, all_ready) - record.start_ns);
                *waited += record.wait_ns;
            }
            write(record, target);
        });
    }

    static void write(const ExchangeRecord& record, const RecordTarget& target) {
        TelemetryEvent event;
        event.kind = EventKind::Exchange;
        event.work = work_of(target.group);
        event.step = record.step;
        event.block = record.layer;
        event.detail = static_cast<std::uint16_t>(record.purpose);
        event.start_ns = record.start_ns;
        event.end_ns = record.end_ns;
        event.wait_ns = record.wait_ns;
        event.bytes = record.bytes_sent;
        event.bytes_received = record.bytes_received;
        event.sequence = static_cast<std::uint32_t>(record.sequence);
        event.first_rank = record.first_rank;
        event.group = record.group;
        event.op = record.op;
        event.group_size = static_cast<std::uint8_t>(record.group_size);
        event.link = record.link;
        if (target.scope->detail >= 1) target.writer->write(event);
        target.ledger->add(record);
    }

    std::shared_ptr<Communicator> inner_;
    RecordTarget target_;
    std::uint64_t sequence_ = 0;
    StreamClock host_clock_;
    StreamClock* clock_;
    // Of the call in progress.
    ExchangeRecord record_;
    ClockMark ready_, start_;
    /// Outlives the communicator in records that wait for the device.
    std::shared_ptr<std::atomic<std::int64_t>> waited_on_device_ =
        std::make_shared<std::atomic<std::int64_t>>(0);
};

} // namespace

void ReadyTimes::put(std::uint64_t sequence, int index, ClockMark ready) {
    const std::lock_guard lock(mutex_);
    Call& call = calls_[sequence % kKept];
    if (call.sequence != sequence) call = {sequence, std::vector<ClockMark>(size_), std::vector<bool>(size_)};
    call.ready[static_cast<std::size_t>(index)] = std::move(ready);
    call.known[static_cast<std::size_t>(index)] = true;
}

std::optional<std::int64_t> ReadyTimes::last_ns(std::uint64_t sequence) const {
    const std::lock_guard lock(mutex_);
    const Call& call = calls_[sequence % kKept];
    std::optional<std::int64_t> last;
    if (call.sequence != sequence) return last;
    for (std::size_t index = 0; index < size_; ++index)
        if (call.known[index]) last = std::max(last, call.ready[index].time_ns());
    return last;
}

void ExchangeLedger::reset() {
    records_.clear();
    next_ = 0;
}

void ExchangeLedger::add(const ExchangeRecord& record) {
    if (records_.size() < kKept) {
        records_.push_back(record);
        return;
    }
    records_[next_] = record;
    next_ = (next_ + 1) % kKept;
}

std::vector<ExchangeRecord> ExchangeLedger::records() const {
    std::vector<ExchangeRecord> ordered = records_;
    std::rotate(ordered.begin(), ordered.begin() + static_cast<std::ptrdiff_t>(next_), ordered.end());
    return ordered;
}

std::shared_ptr<Communicator> make_recorded(std::shared_ptr<Communicator> inner, const RecordTarget& target) {
    return std::make_shared<RecordedCommunicator>(std::move(inner), target);
}

} // namespace reelmesh
