#include "jobs/bench_mesh.h"

#include <ATen/ATen.h>
#include <c10/core/InferenceMode.h>
#include <omp.h>

#include <algorithm>
#include <barrier>
#include <cstring>
#include <memory>
#include <thread>

#include "base/check.h"
#include "base/split.h"
#include "comm/peer/peer_communicator.h"
#include "mesh/mesh_runner.h"
#include "models/family.h"
#include "parallel/guidance_parallel.h"
#include "parallel/halo_band.h"
#include "parallel/sequence_split.h"
#include "request/model_presets.h"
#include "telemetry/writer.h"
#include "vae/video_vae.h"

namespace reelmesh {
namespace {

constexpr int kRounds = 5;
constexpr std::int64_t kVaeFrames = 2, kVaeRows = 12, kVaeColumns = 12;

double median(std::vector<double> values) {
    const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
    std::nth_element(values.begin(), middle, values.end());
    return *middle;
}

double seconds_of(const std::function<void()>& function) {
    const std::int64_t start_ns = steady_now_ns();
    function();
    return static_cast<double>(steady_now_ns() - start_ns) * 1e-9;
}

WeightMap random_weights(const std::vector<WeightSpec>& specs) {
    WeightMap weights;
    for (const WeightSpec& spec : specs)
        weights.put(spec.name, at::empty(spec.shape, at::kFloat).uniform_(-0.03, 0.03));
    return weights;
}

/// One layer of Wan 2.1's 1.3 billion parameters: 12 heads, width 1536.
ModelCard short_card() {
    ModelCard card = *model_preset("wan2.1-t2v-1.3b").card;
    card.transformer.num_layers = 1;
    return card;
}

/// Work that a mesh does again and again.
class Subject {
public:
    explicit Subject(const std::string& mesh)
        : mesh_(
              {.shape = parse_mesh(mesh), .threads = parse_mesh(mesh).ranks(), .check = CheckCalls::Never}) {}
    virtual ~Subject() = default;

    void run() {
        mesh_.run([this](RankContext& context) { work(context); });
    }
    /// Share of the time that the rank which waited longest spent waiting in the last run.
    double waited_share(double seconds) {
        std::vector<std::int64_t> waited(static_cast<std::size_t>(mesh_.ranks()));
        mesh_.run([&](RankContext& context) {
            waited[static_cast<std::size_t>(context.rank())] = context.waited_ns();
        });
        const std::int64_t longest = *std::max_element(waited.begin(), waited.end());
        return static_cast<double>(longest - std::exchange(waited_before_, longest)) * 1e-9 / seconds;
    }

protected:
    virtual void work(RankContext& context) = 0;
    MeshRunner mesh_;

private:
    std::int64_t waited_before_ = 0;
};

class DiffusionSubject final : public Subject {
public:
    DiffusionSubject(const std::string& mesh, const DiffusionModel& model,
                     const FamilyDescription& description, int branches)
        : Subject(mesh), branches_(branches), blocks_(description.blocks),
          runs_(static_cast<std::size_t>(mesh_.ranks())), streams_(runs_.size()) {
        mesh_.run([&](RankContext& context) {
            std::vector<BranchContexts> texts(static_cast<std::size_t>(branches));
            for (const int branch : branches_of_rank(branches, context))
                texts[static_cast<std::size_t>(branch)] = {
                    at::zeros({description.contexts[0].tokens, description.contexts[0].width})};
            const auto rank = static_cast<std::size_t>(context.rank());
            runs_[rank] = model.prepare(description, texts, context);
            const LatentStream& stream = description.streams.front();
            streams_[rank] = {
                at::rand({SequenceSplit(stream.tokens(), context).count(), stream.token_width()})};
        });
        run();
    }

private:
    void work(RankContext& context) override {
        const auto rank = static_cast<std::size_t>(context.rank());
        int position = 0;
        run_branches(branches_, context, [&](int branch) {
            context.enter(Stage::Denoise, 0, position++ * blocks_);
            return runs_[rank]->velocity({0, 900, 0.9, 0}, branch, streams_[rank], context);
        });
    }

    int branches_, blocks_;
    std::vector<std::unique_ptr<DiffusionRun>> runs_;
    std::vector<std::vector<at::Tensor>> streams_;
};

class DecodeSubject final : public Subject {
public:
    DecodeSubject(const std::string& mesh, const VideoVae& vae, const at::Tensor& latents)
        : Subject(mesh), vae_(vae), latents_(latents) {
        mesh_.set_vae_group(mesh_.ranks());
        run();
    }

private:
    void work(RankContext& context) override {
        const Parts bands(split(kVaeRows, mesh_.ranks()));
        std::optional<HaloBand> band;
        if (context.vae_group()) band.emplace(*context.vae_group(), bands.sizes);
        vae_.start_decode(band ? &*band : nullptr)
            ->decode(
                latents_.narrow(2, bands.start(context.rank()), bands.size(context.rank())).contiguous());
    }

    const VideoVae& vae_;
    at::Tensor latents_;
};

/// What keeps a strategy from the ceiling.
const char* limit_of(const std::string& mesh) {
    if (mesh == "cfg2") return "one exchange of the velocity a step; nothing else is shared";
    if (mesh == "ulysses2") return "two exchanges a layer, each waits for the slower rank";
    if (mesh == "ring2")
        return "the first block of keys and values is attended in two parts that are added up";
    if (mesh == "tp2")
        return "five sums a layer wait for the slower rank, and norms and modulation run on both";
    return "border rows before every convolution, and keys and values of the middle run on both";
}

using MakeSubject = std::function<std::unique_ptr<Subject>(const std::string& mesh)>;

BenchCase measure(const std::string& name, const std::string& mesh, const MakeSubject& make,
                  const std::function<bool()>& should_stop) {
    const auto one = make("single"), left = make("single"), right = make("single"), two = make(mesh);
    std::vector<double> alone, together, apart, speed_up, ceiling, share, waited;
    two->waited_share(1);
    for (int round = 0; round < kRounds; ++round) {
        if (should_stop()) fail(ErrorCode::Canceled);
        alone.push_back(seconds_of([&] { one->run(); }));
        together.push_back(seconds_of([&] { two->run(); }));
        waited.push_back(two->waited_share(together.back()));
        apart.push_back(seconds_of([&] {
            std::thread other([&] { right->run(); });
            left->run();
            other.join();
        }));
        speed_up.push_back(alone.back() / together.back());
        ceiling.push_back(2 * alone.back() / apart.back());
        share.push_back(speed_up.back() / ceiling.back());
    }
    const auto [least, most] = std::minmax_element(share.begin(), share.end());
    return {name,
            {{"one_rank_s", median(alone)},
             {"two_ranks_s", median(together)},
             {"two_apart_s", median(apart)},
             {"speed_up", median(speed_up)},
             {"ceiling", median(ceiling)},
             {"of_ceiling", median(share)},
             {"of_ceiling_least", *least},
             {"of_ceiling_most", *most},
             {"waited_share", median(waited)}},
            limit_of(mesh)};
}

/// Two ranks read bytes of each other, beside two threads that copy as many.
BenchCase measure_exchange(std::int64_t mebibytes) {
    const std::int64_t values = mebibytes << 18; // of four bytes, for the other rank
    const std::vector<std::int64_t> halves{values, values};
    auto group = make_peer_group(2);
    std::vector<double> ratios, rates;
    std::barrier line(2);
    const int repeats = static_cast<int>(std::max<std::int64_t>(1, 64 / mebibytes));
    const auto on_rank = [&](int rank) {
        const c10::InferenceMode inference;
        omp_set_num_threads(1);
        Communicator& own = *group[static_cast<std::size_t>(rank)];
        const at::Tensor in = at::ones({2 * values}), room = at::zeros({values});
        at::Tensor out = at::zeros({2 * values});
        for (int round = 0; round < 2 * kRounds + 1; ++round) {
            line.arrive_and_wait();
            // The own half is copied too; the plain copy does as much.
            const double exchange = seconds_of([&] {
                for (int i = 0; i < repeats; ++i)
                    own.all_to_all(out, in, halves, halves, 0, 0, {});
            });
            line.arrive_and_wait();
            const double copy = seconds_of([&] {
                for (int i = 0; i < repeats; ++i)
                    for (const std::int64_t first : {std::int64_t{0}, values})
                        std::memcpy(out.data_ptr<float>() + first, in.data_ptr<float>() + first,
                                    static_cast<std::size_t>(values) * sizeof(float));
            });
            if (rank != 0 || round == 0) continue;
            ratios.push_back(copy / exchange);
            rates.push_back(2.0 * static_cast<double>(values) * 4 * repeats / exchange);
        }
    };
    std::thread other([&] { on_rank(1); });
    on_rank(0);
    other.join();
    return {"exchange_" + std::to_string(mebibytes) + "mib",
            {{"of_memcpy", median(ratios)}, {"bytes_per_s", median(rates)}},
            "waking the other rank"};
}

} // namespace

BenchReport bench_mesh(const std::function<bool()>& should_stop) {
    const c10::InferenceMode inference;
    const ModelCard card = short_card();
    const Family& family = find_family("wan");
    JobRequest request;
    request.width = 832;
    request.height = 480;
    request.frames = 1;
    const FamilyDescription description = family.describe(card, request);
    std::map<std::string, WeightMap> weights;
    for (const ComponentWeights& component : family.weights(card))
        weights[component.component] = random_weights(component.specs);
    const auto model = family.load(card, std::move(weights), at::kFloat);

    BenchReport report;
    for (const std::string mesh : {"cfg2", "ulysses2", "ring2", "tp2"}) {
        const auto make = [&](const std::string& name) {
            return std::make_unique<DiffusionSubject>(name, *model, description, mesh == "cfg2" ? 2 : 1);
        };
        report.cases.push_back(measure(mesh, mesh, make, should_stop));
    }
    const auto vae = load_vae(card, random_weights(vae_weights(card)));
    const at::Tensor latents = at::rand({card.vae.z_dim, kVaeFrames, kVaeRows, kVaeColumns});
    const auto make = [&](const std::string& name) {
        return std::make_unique<DecodeSubject>(name, *vae, latents);
    };
    report.cases.push_back(measure("vae2", "ulysses2", make, should_stop));
    report.cases.back().limit = limit_of("vae2");
    for (const std::int64_t mebibytes : {1, 4, 16, 64})
        report.cases.push_back(measure_exchange(mebibytes));
    return report;
}

} // namespace reelmesh
