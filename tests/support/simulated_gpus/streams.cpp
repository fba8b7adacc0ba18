#include "support/simulated_gpus/streams.h"

#include <c10/core/impl/DeviceGuardImplInterface.h>

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <deque>
#include <map>
#include <mutex>
#include <optional>
#include <random>
#include <thread>

namespace reelmesh::testing {
namespace {

constexpr c10::DeviceType kCuda = c10::DeviceType::CUDA;

class StreamQueue {
public:
    explicit StreamQueue(unsigned seed) : random_(seed), worker_([this] { work(); }) { worker_.detach(); }

    void add(std::function<void()> task) {
        const std::lock_guard lock(mutex_);
        tasks_.push_back(std::move(task));
        ++given_;
        changed_.notify_all();
    }
    void drain() {
        std::unique_lock lock(mutex_);
        const std::uint64_t until = given_;
        changed_.wait(lock, [&] { return done_ >= until; });
    }

private:
    void work() {
        for (;;) {
            std::unique_lock lock(mutex_);
            changed_.wait(lock, [this] { return !tasks_.empty(); });
            std::function<void()> task = std::move(tasks_.front());
            tasks_.pop_front();
            lock.unlock();
            // Now and then late, as a busy device is.
            if (random_() % 16 == 0) std::this_thread::sleep_for(std::chrono::microseconds(random_() % 300));
            task();
            task = nullptr;
            lock.lock();
            ++done_;
            changed_.notify_all();
        }
    }

    std::mutex mutex_;
    std::condition_variable changed_;
    std::deque<std::function<void()>> tasks_;
    std::uint64_t given_ = 0, done_ = 0;
    std::minstd_rand random_;
    std::thread worker_;
};

using StreamKey = std::pair<c10::DeviceIndex, c10::StreamId>;

/// Streams live as long as the process, as real ones do.
struct AllStreams {
    std::mutex mutex;
    std::map<StreamKey, StreamQueue*> queues;
    std::map<std::pair<c10::DeviceIndex, bool>, int> taken_from_pool; ///< by priority
};
AllStreams& all_streams() {
    static AllStreams& streams = *new AllStreams;
    return streams;
}

StreamQueue& queue_of(const c10::Stream& stream) {
    AllStreams& streams = all_streams();
    const std::lock_guard lock(streams.mutex);
    StreamQueue*& queue = streams.queues[{stream.device_index(), stream.id()}];
    if (!queue) queue = new StreamQueue(static_cast<unsigned>(stream.id() * 8 + stream.device_index() + 1));
    return *queue;
}

thread_local c10::DeviceIndex this_threads_gpu = 0;
thread_local std::map<c10::DeviceIndex, c10::StreamId> this_threads_streams;

c10::Stream stream_of(c10::DeviceIndex device, c10::StreamId id) {
    return c10::Stream(c10::Stream::UNSAFE, c10::Device(kCuda, device), id);
}

struct SimulatedGuard final : c10::impl::DeviceGuardImplInterface {
    c10::DeviceType type() const override { return kCuda; }
    c10::Device exchangeDevice(c10::Device device) const override {
        const c10::Device previous = getDevice();
        setDevice(device);
        return previous;
    }
    c10::Device getDevice() const override { return {kCuda, current_gpu()}; }
    void setDevice(c10::Device device) const override { set_current_gpu(device.index()); }
    void uncheckedSetDevice(c10::Device device) const noexcept override { set_current_gpu(device.index()); }
    c10::DeviceIndex deviceCount() const noexcept override { return kSimulatedGpus; }

    c10::Stream getStream(c10::Device device) const override { return current_stream(index(device)); }
    c10::Stream getDefaultStream(c10::Device device) const override { return stream_of(index(device), 0); }
    c10::Stream getStreamFromGlobalPool(c10::Device device, bool is_high) const override {
        AllStreams& streams = all_streams();
        const std::lock_guard lock(streams.mutex);
        const int number = streams.taken_from_pool[{index(device), is_high}]++ % kPoolStreams;
        return stream_of(index(device), 1 + number + (is_high ? kPoolStreams : 0));
    }
    c10::Stream exchangeStream(c10::Stream stream) const override {
        const c10::Stream previous = current_stream(stream.device_index());
        this_threads_streams[stream.device_index()] = stream.id();
        return previous;
    }
    bool queryStream(const c10::Stream& stream) const override { return mark(stream).reached(); }
    void synchronizeStream(const c10::Stream& stream) const override { drain_stream(stream); }
    void synchronizeDevice(c10::DeviceIndex device) const override { drain_device(device); }

    void destroyEvent(void* event, c10::DeviceIndex) const noexcept override { delete moment(event); }
    void record(void** event, const c10::Stream& stream, c10::DeviceIndex, c10::EventFlag) const override {
        if (!*event) *event = new std::optional<StreamMoment>;
        *moment(*event) = mark(stream);
    }
    void block(void* event, const c10::Stream& stream) const override {
        if (event && *moment(event)) wait_for(stream, **moment(event));
    }
    bool queryEvent(void* event) const override {
        return !event || !*moment(event) || (*moment(event))->reached();
    }
    void synchronizeEvent(void* event) const override {
        if (event && *moment(event)) (*moment(event))->wait();
    }
    double elapsedTime(void* from, void* to, c10::DeviceIndex) const override {
        TORCH_CHECK(queryEvent(from) && queryEvent(to), "both events have to be over");
        return static_cast<double>((*moment(to))->time_ns() - (*moment(from))->time_ns()) * 1e-6;
    }

private:
    static std::optional<StreamMoment>* moment(void* event) {
        return static_cast<std::optional<StreamMoment>*>(event);
    }
    static c10::DeviceIndex index(c10::Device device) {
        return device.has_index() ? device.index() : current_gpu();
    }
};

} // namespace

struct StreamMoment::State {
    std::mutex mutex;
    std::condition_variable changed;
    std::atomic<bool> reached{false};
    std::int64_t time_ns = 0;
};

std::shared_ptr<StreamMoment::State> StreamMoment::make_state() {
    return std::make_shared<State>();
}

void StreamMoment::reach() {
    const std::lock_guard lock(state_->mutex);
    state_->time_ns = std::chrono::steady_clock::now().time_since_epoch().count();
    state_->reached = true;
    state_->changed.notify_all();
}

void StreamMoment::wait() const {
    std::unique_lock lock(state_->mutex);
    state_->changed.wait(lock, [this] { return state_->reached.load(); });
}

bool StreamMoment::reached() const {
    return state_->reached;
}

std::int64_t StreamMoment::time_ns() const {
    const std::lock_guard lock(state_->mutex);
    return state_->time_ns;
}

void enqueue(const c10::Stream& stream, std::function<void()> task) {
    queue_of(stream).add(std::move(task));
}

void drain_stream(const c10::Stream& stream) {
    queue_of(stream).drain();
}

void drain_device(c10::DeviceIndex device) {
    for (c10::StreamId id = 0; id <= 2 * kPoolStreams; ++id)
        drain_stream(stream_of(device, id));
}

StreamMoment mark(const c10::Stream& stream) {
    StreamMoment moment;
    enqueue(stream, [moment]() mutable { moment.reach(); });
    return moment;
}

void wait_for(const c10::Stream& stream, const StreamMoment& moment) {
    enqueue(stream, [moment] { moment.wait(); });
}

c10::DeviceIndex current_gpu() {
    return this_threads_gpu;
}

void set_current_gpu(c10::DeviceIndex device) {
    TORCH_CHECK(device >= 0 && device < kSimulatedGpus, "no such simulated GPU: ", static_cast<int>(device));
    this_threads_gpu = device;
}

c10::Stream current_stream(c10::DeviceIndex device) {
    return stream_of(device, this_threads_streams[device]);
}

void register_streams() {
    static const c10::impl::DeviceGuardImplRegistrar registrar(kCuda, new SimulatedGuard);
}

} // namespace reelmesh::testing
