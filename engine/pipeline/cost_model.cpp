#include "pipeline/cost_model.h"

#include <algorithm>
#include <cmath>
#include <map>

namespace reelmesh {
namespace {

/// Reads and writes of [tokens, width] in a block beside its matrix products, and operations started.
constexpr double kPassesPerBlock = 14, kLaunchesPerBlock = 30;
/// Reads and writes of the tokens' features by the solver, float32.
constexpr double kSolverPasses = 10;
/// Merging a ring block reads two outputs, writes one, float32, and starts operations of its own; at the end
/// the result is rounded.
constexpr double kMergePasses = 4, kLaunchesPerHop = 8;
/// The decoder computes in float32 and is bound by memory more than the transformer: its share of the rate.
constexpr double kCpuDecodeShare = 0.5, kGpuDecodeShare = 0.1;
/// GPU rates are of bf16; float32 without tensor cores is this much of them.
constexpr double kGpuFloatShare = 0.12;
constexpr double kFastBf16Gain = 2;
constexpr double kUnknownBytesPerSecond = 10e9, kUnknownLatency = 30e-6;
/// Speeds nearer than this are alike: uneven slots would gain less than they upset.
constexpr double kAlike = 0.02;

double real(std::int64_t value) {
    return static_cast<double>(value);
}

double log2_steps(int ranks) {
    return std::ceil(std::log2(static_cast<double>(ranks)));
}

} // namespace

ForwardFlop forward_flop(const TransformerShape& shape, std::int64_t image_tokens) {
    const double tokens = real(image_tokens + shape.joint_text_tokens), width = real(shape.width),
                 layers = real(shape.layers), text = real(shape.text_tokens);
    ForwardFlop flop;
    flop.linears = layers * tokens * (8 * width * width + 4 * width * real(shape.ffn));
    if (shape.text_tokens > 0) flop.linears += layers * tokens * 4 * width * width;
    flop.self_attention = 4 * tokens * tokens * width * layers;
    flop.cross_attention = 4 * tokens * text * width * layers;
    flop.context = 4 * text * width * width * layers;
    return flop;
}

double pipe_seconds(double forward_seconds, int steps, int stages, int patches, int warm_up) {
    const double in_flight =
        static_cast<double>(steps - warm_up) * std::max(patches, stages) + std::min(patches, stages) - 1;
    return warm_up * forward_seconds + in_flight * forward_seconds / (patches * stages);
}

CostModel::CostModel(const PlanSubject& subject, const HardwareSnapshot& hardware)
    : subject_(subject), hardware_(hardware) {
    const std::size_t count = hardware.devices.size();
    links_.assign(count * count, {kUnknownBytesPerSecond, kUnknownLatency, true});
    const auto set = [&](int from, int to, const LinkSummary& summary) {
        links_[static_cast<std::size_t>(from) * count + static_cast<std::size_t>(to)] = {
            summary.bytes_per_s, summary.latency_s, summary.kind != "memory"};
    };
    for (const LinkSummary& summary : hardware.links)
        set(summary.to, summary.from, summary);
    // What is listed for a direction beats the other one's figures.
    for (const LinkSummary& summary : hardware.links)
        set(summary.from, summary.to, summary);
}

const CostModel::Link& CostModel::link(int from, int to) const {
    return links_[static_cast<std::size_t>(from) * hardware_.devices.size() + static_cast<std::size_t>(to)];
}

bool CostModel::interchangeable(int one, int other) const {
    const DeviceSummary& a = hardware_.devices[static_cast<std::size_t>(one)];
    const DeviceSummary& b = hardware_.devices[static_cast<std::size_t>(other)];
    const auto same_rates = [](const DeviceRates& x, const DeviceRates& y) {
        return x.gemm_flops == y.gemm_flops && x.attention_flops == y.attention_flops &&
               x.memory_bytes_per_s == y.memory_bytes_per_s && x.launch_s == y.launch_s;
    };
    const auto same_link = [](const Link& x, const Link& y) {
        return x.bytes_per_s == y.bytes_per_s && x.latency_s == y.latency_s;
    };
    if (is_cpu(a) != is_cpu(b) || a.free_bytes != b.free_bytes || !same_rates(a.rates, b.rates)) return false;
    if (!same_link(link(one, other), link(other, one))) return false;
    for (int third = 0; third < static_cast<int>(hardware_.devices.size()); ++third)
        if (third != one && third != other &&
            (!same_link(link(one, third), link(other, third)) ||
             !same_link(link(third, one), link(third, other))))
            return false;
    return true;
}

std::vector<CostModel::Speed> CostModel::speeds(const std::vector<int>& device_of_rank) const {
    // By id: a device that is named twice is still one.
    std::map<std::string, int> sharers;
    for (const int device : device_of_rank)
        ++sharers[hardware_.devices[static_cast<std::size_t>(device)].id];
    std::vector<Speed> speeds;
    for (const int device : device_of_rank) {
        const DeviceSummary& summary = hardware_.devices[static_cast<std::size_t>(device)];
        const double scale = 1.0 / sharers[summary.id];
        const bool whole_precision = subject_.dtype == at::kFloat;
        const double precision = is_cpu(summary) ? (summary.fast_bf16 && !whole_precision ? kFastBf16Gain : 1)
                                                 : (whole_precision ? kGpuFloatShare : 1);
        speeds.push_back({summary.rates.gemm_flops * scale * precision,
                          summary.rates.attention_flops * scale * precision,
                          summary.rates.memory_bytes_per_s * scale, summary.rates.launch_s / scale});
    }
    return speeds;
}

std::vector<double> CostModel::slot_weights(const MeshShape& mesh,
                                            const std::vector<int>& device_of_rank) const {
    const std::vector<Speed> speed = speeds(device_of_rank);
    std::vector<double> weights(
        static_cast<std::size_t>(mesh.degree(Axis::Ring) * mesh.degree(Axis::Ulysses)), 0);
    for (std::size_t rank = 0; rank < speed.size(); ++rank) {
        const int at = static_cast<int>(rank);
        const int slot =
            mesh.coordinate(at, Axis::Ring) * mesh.degree(Axis::Ulysses) + mesh.coordinate(at, Axis::Ulysses);
        double& weight = weights[static_cast<std::size_t>(slot)];
        weight = weight == 0 ? speed[rank].gemm : std::min(weight, speed[rank].gemm);
    }
    const auto [least, most] = std::minmax_element(weights.begin(), weights.end());
    if (*most <= *least * (1 + kAlike)) return {};
    const double fastest = *most;
    for (double& weight : weights)
        weight /= fastest;
    return weights;
}

/// One rank's step.
class CostModel::Pricing {
public:
    Pricing(const CostModel& model, const WorkSplit& split, const std::vector<int>& devices, int rank,
            const Speed& speed)
        : model_(model), split_(split), devices_(devices), rank_(rank), speed_(speed),
          shape_(model.subject_.shape), e_(model.subject_.element_bytes) {}

    StepCost step() const {
        const double layers = real(shape_.layers), tensor = degree(Axis::Tensor);
        const double own = real(split_.own(rank_)), width = real(shape_.width);
        const int forwards = (model_.subject_.branches + degree(Axis::Cfg) - 1) / degree(Axis::Cfg);
        const double linears =
            own * width * ((shape_.text_tokens > 0 ? 12 : 8) * width + 4 * real(shape_.ffn)) / tensor;
        const double cross = 4 * own * real(shape_.text_tokens) * width / tensor;
        const double block = linears / speed_.gemm + (self_attention_flop() + cross) / speed_.attention +
                             kPassesPerBlock * own * width * e_ / speed_.memory +
                             kLaunchesPerBlock * speed_.launch_s;
        const double features = real(split_.own_image(rank_) * model_.subject_.token_features);

        StepCost cost;
        const double per_step = layers * forwards;
        if (degree(Axis::Ulysses) > 1) cost.exposed_by(Axis::Ulysses) = per_step * exchange_heads();
        if (degree(Axis::Ring) > 1) cost.exposed_by(Axis::Ring) = per_step * ring();
        if (degree(Axis::Tensor) > 1) cost.exposed_by(Axis::Tensor) = forwards * tensor_sums();
        if (degree(Axis::Cfg) > 1) cost.exposed_by(Axis::Cfg) = guidance(4 * features);
        cost.seconds = per_step * block + forwards * 4 * features * width / speed_.gemm +
                       kSolverPasses * 4 * features / speed_.memory;
        for (const double seconds : cost.exposed)
            cost.seconds += seconds;
        cost.forward_seconds = cost.seconds / forwards;
        return cost;
    }

private:
    int device(int rank) const { return devices_[static_cast<std::size_t>(rank)]; }
    int degree(Axis axis) const { return split_.mesh.degree(axis); }
    int own(Axis axis) const { return split_.mesh.coordinate(rank_, axis); }

    Link link(int from, int to) const {
        Link link = model_.link(device(from), device(to));
        // Ranks of a processor copy with their own cores.
        if (!link.runs_beside_arithmetic) link.bytes_per_s = std::min(link.bytes_per_s, speed_.memory);
        return link;
    }

    double self_attention_flop() const {
        const double rows = real(split_.block(own(Axis::Ring)));
        return 4 * rows * real(split_.tokens) * real(split_.own_heads(rank_) * shape_.head_dim);
    }

    /// Both all-to-alls of a layer: links and the rank's two ports, whichever takes longest.
    double exchange_heads() const {
        double there = 0, back = 0, out_there = 0, in_there = 0, out_back = 0, in_back = 0, port = 0,
               latency = 0;
        const double unit = real(shape_.head_dim) * e_;
        const double tokens = real(split_.own(rank_)), heads = real(split_.own_heads(rank_));
        for (int i = 0; i < degree(Axis::Ulysses); ++i) {
            const int peer = split_.mesh.neighbour(rank_, Axis::Ulysses, i);
            if (peer == rank_) continue;
            const Link out = link(rank_, peer), in = link(peer, rank_);
            const double keeps = tokens * real(split_.own_heads(peer)) * unit;
            const double gets = real(split_.own(peer)) * heads * unit;
            there = std::max({there, 3 * keeps / out.bytes_per_s, 3 * gets / in.bytes_per_s});
            back = std::max({back, gets / out.bytes_per_s, keeps / in.bytes_per_s});
            out_there += 3 * keeps;
            in_there += 3 * gets;
            out_back += gets;
            in_back += keeps;
            port = std::max(port, out.bytes_per_s);
            latency = std::max(latency, out.latency_s);
        }
        there = std::max(there, std::max(out_there, in_there) / port);
        back = std::max(back, std::max(out_back, in_back) / port);
        return 2 * latency * log2_steps(degree(Axis::Ulysses)) + there + back;
    }

    double ring() const {
        const int ranks = degree(Axis::Ring);
        const int next = split_.mesh.neighbour(rank_, Axis::Ring, (own(Axis::Ring) + 1) % ranks);
        const Link out = link(rank_, next);
        const double heads = real(split_.own_heads(rank_) * shape_.head_dim);
        const double rows = real(split_.block(own(Axis::Ring)));
        double seconds = 0;
        for (int hop = 0; hop + 1 < ranks; ++hop) {
            const double keys = real(split_.block((own(Axis::Ring) + ranks - hop) % ranks));
            const double transfer = out.latency_s + 2 * keys * heads * e_ / out.bytes_per_s;
            const double attention = 4 * rows * keys * heads / speed_.attention;
            seconds += out.runs_beside_arithmetic ? std::max(0.0, transfer - attention) : transfer;
        }
        const double merge =
            kMergePasses * rows * heads * 4 / speed_.memory + kLaunchesPerHop * speed_.launch_s;
        return seconds + (ranks - 1) * merge;
    }

    double all_reduce(double bytes) const {
        const int ranks = degree(Axis::Tensor);
        double slowest = 0, latency = 0;
        for (int i = 0; i < ranks; ++i) {
            const int peer = split_.mesh.neighbour(rank_, Axis::Tensor, i);
            if (peer == rank_) continue;
            const Link out = link(rank_, peer);
            slowest = slowest == 0 ? out.bytes_per_s : std::min(slowest, out.bytes_per_s);
            latency = std::max(latency, out.latency_s);
        }
        return 2 * latency * (ranks - 1) + 2.0 * (ranks - 1) / ranks * bytes / slowest;
    }

    double tensor_sums() const {
        const double own = real(split_.own(rank_));
        double seconds = real(shape_.tensor_reduces_per_forward) * all_reduce(own * real(shape_.width) * e_);
        if (shape_.norm_over_heads)
            seconds += real(shape_.layers) * (all_reduce(8 * own) + all_reduce(4 * own));
        return seconds;
    }

    double guidance(double bytes) const {
        const int peer = split_.mesh.neighbour(rank_, Axis::Cfg, own(Axis::Cfg) == 0 ? 1 : 0);
        const Link out = link(rank_, peer);
        return out.latency_s + bytes / out.bytes_per_s;
    }

    const CostModel& model_;
    const WorkSplit& split_;
    const std::vector<int>& devices_;
    const int rank_;
    const Speed& speed_;
    const TransformerShape& shape_;
    const double e_;
};

StepCost CostModel::step(const WorkSplit& split, const std::vector<int>& device_of_rank) const {
    const std::vector<Speed> speed = speeds(device_of_rank);
    StepCost slowest;
    for (std::size_t rank = 0; rank < speed.size(); ++rank) {
        StepCost cost = Pricing(*this, split, device_of_rank, static_cast<int>(rank), speed[rank]).step();
        if (rank == 0 || cost.seconds > slowest.seconds) slowest = std::move(cost);
    }
    return slowest;
}

double CostModel::text_seconds(const std::vector<int>& device_of_rank) const {
    const std::vector<Speed> speed = speeds(device_of_rank);
    const int ranks = static_cast<int>(speed.size());
    const int busy = std::min(ranks, subject_.branches);
    double slowest = 0;
    for (int rank = 0; rank < busy; ++rank)
        slowest = std::max(slowest, subject_.text_flop / speed[static_cast<std::size_t>(rank)].gemm);
    return slowest * ((subject_.branches + busy - 1) / busy);
}

CostModel::Decode CostModel::decode(const VaeTraffic* traffic, const std::vector<int>& device_of_rank) const {
    const std::vector<Speed> speed = speeds(device_of_rank);
    Decode decode;
    const int bands = traffic ? traffic->bands : 1;
    double slowest = 0;
    for (int band = 0; band < bands; ++band) {
        const auto rank = static_cast<std::size_t>(band);
        const DeviceSummary& device = hardware_.devices[static_cast<std::size_t>(device_of_rank[rank])];
        const double share = traffic ? real(traffic->rows[rank]) / real(subject_.latent_height) : 1;
        slowest =
            std::max(slowest, subject_.decode_flop * share /
                                  (speed[rank].gemm * (is_cpu(device) ? kCpuDecodeShare : kGpuDecodeShare)));
        if (bands == 1) continue;
        const int peer = device_of_rank[static_cast<std::size_t>(band == 0 ? 1 : band - 1)];
        const Link& out = link(device_of_rank[rank], peer);
        const double bytes_per_s =
            out.runs_beside_arithmetic ? out.bytes_per_s : std::min(out.bytes_per_s, speed[rank].memory);
        decode.exposed =
            std::max(decode.exposed, real(traffic->exchanges) * out.latency_s +
                                         static_cast<double>(traffic->rank_bytes(band)) / bytes_per_s);
    }
    decode.seconds = slowest + decode.exposed;
    return decode;
}

} // namespace reelmesh
