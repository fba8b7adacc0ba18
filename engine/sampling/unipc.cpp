#include "sampling/unipc.h"

#include <ATen/TensorOperators.h>
#include <ATen/ops/empty.h>
#include <ATen/ops/linalg_solve.h>
#include <ATen/ops/zeros_like.h>

#include <algorithm>
#include <cmath>

#include "base/check.h"
#include "sampling/schedule.h"

namespace reelmesh {

/// The scalars of a move between two noise levels, float32 throughout as in the reference.
struct UniPcSampler::Move {
    float sigma_ratio, alpha, phi1, b_of_h;
    std::vector<float> ratios;    ///< r_k: distances to earlier levels over this move's, then 1
    std::vector<float> integrals; ///< b_k: right-hand sides of the weights' equations
};

namespace {

/// Weights rho of sum_k rho_k r_k^j = b_j, j = 0 ... n-1, for the first n ratios.
std::vector<float> solve_weights(const std::vector<float>& ratios, const std::vector<float>& integrals,
                                 int n) {
    at::Tensor matrix = at::empty({n, n}, at::kFloat);
    for (int row = 0; row < n; ++row)
        for (int column = 0; column < n; ++column)
            matrix[row][column] = std::pow(ratios[column], static_cast<float>(row));
    at::Tensor right = at::empty({n}, at::kFloat);
    std::copy_n(integrals.begin(), n, right.mutable_data_ptr<float>());
    const at::Tensor weights = at::linalg_solve(matrix, right).contiguous();
    return {weights.const_data_ptr<float>(), weights.const_data_ptr<float>() + n};
}

} // namespace

UniPcSampler::UniPcSampler(const SchedulerConfig& config, Schedule schedule)
    : ScheduledSampler(std::move(schedule)), config_(config) {
    if (config.solver_order < 1 || config.solver_order > 3)
        fail(ErrorCode::BadConfig, {{"file", std::string("scheduler_config.json")},
                                    {"field", std::string("solver_order")},
                                    {"found", std::to_string(config.solver_order)},
                                    {"needed", std::string("1, 2, 3")}});
}

UniPcSampler::Move UniPcSampler::make_move(int from, int to, int order) const {
    const float start = log_snr(sigma(from));
    const float h = log_snr(sigma(to)) - start;
    const float minus_h = -h;
    Move move;
    move.sigma_ratio = sigma(to) / sigma(from);
    move.alpha = 1 - sigma(to);
    move.phi1 = std::expm1(minus_h);
    move.b_of_h = config_.solver_type == "bh1" ? minus_h : move.phi1;
    float factorial = 1;
    float q = move.phi1 / minus_h - 1;
    for (int k = 1; k <= order; ++k) {
        move.ratios.push_back(k < order ? (log_snr(sigma(from - k)) - start) / h : 1.0F);
        move.integrals.push_back(q * factorial / move.b_of_h);
        factorial *= static_cast<float>(k + 1);
        q = q / minus_h - 1 / factorial;
    }
    return move;
}

int UniPcSampler::order_at(int index) const {
    int order = static_cast<int>(config_.solver_order);
    if (config_.lower_order_final) order = std::min(order, num_steps() - index);
    // A move without end (onto the clean sample) or of no length divides the higher terms by zero.
    if (sigma(index + 1) == 0 || sigma(index + 1) == sigma(index)) order = 1;
    return std::min(order, index + 1);
}

at::Tensor UniPcSampler::predicted(const at::Tensor& sample, int index, int order) const {
    const Move move = make_move(index, index + 1, order);
    const at::Tensor& newest = clean_.front();
    at::Tensor next = sample * move.sigma_ratio - newest * (move.alpha * move.phi1);
    if (order == 1) return next;
    // At order 2 the reference takes the limit of the weight for small moves.
    const std::vector<float> weights =
        order == 2 ? std::vector<float>{0.5F} : solve_weights(move.ratios, move.integrals, order - 1);
    at::Tensor terms = at::zeros_like(sample);
    for (int k = 0; k < order - 1; ++k)
        terms = terms + (clean_[k + 1] - newest) / move.ratios[k] * weights[k];
    return next - terms * (move.alpha * move.b_of_h);
}

at::Tensor UniPcSampler::corrected(const at::Tensor& new_clean, int index) const {
    const Move move = make_move(index - 1, index, last_order_);
    const at::Tensor& newest = clean_.front();
    const std::vector<float> weights =
        last_order_ == 1 ? std::vector<float>{0.5F} : solve_weights(move.ratios, move.integrals, last_order_);
    at::Tensor terms = (new_clean - newest) * weights.back();
    for (int k = 0; k < last_order_ - 1; ++k)
        terms = (clean_[k + 1] - newest) / move.ratios[k] * weights[k] + terms;
    return last_sample_ * move.sigma_ratio - newest * (move.alpha * move.phi1) -
           terms * (move.alpha * move.b_of_h);
}

at::Tensor UniPcSampler::advance(const at::Tensor& velocity, const at::Tensor& sample, int index) {
    // The estimate belongs to the sample that the model saw, not to the corrected one.
    const at::Tensor clean = clean_estimate(velocity, sample, sigma(index));
    const auto& disabled = config_.disable_corrector;
    const bool correct =
        index > 0 && std::find(disabled.begin(), disabled.end(), index - 1) == disabled.end();
    last_sample_ = correct ? corrected(clean, index) : sample.clone();
    clean_.push_front(clean);
    if (std::ssize(clean_) > config_.solver_order) clean_.pop_back();
    last_order_ = order_at(index);
    return predicted(last_sample_, index, last_order_);
}

} // namespace reelmesh
