#include "support/simulated_gpus/kernels.h"

#include <ATen/ATen.h>
#include <ATen/EmptyTensor.h>
#include <ATen/NativeFunctions.h>
#include <ATen/core/dispatch/Dispatcher.h>
#include <c10/core/DeviceGuard.h>
#include <c10/core/InferenceMode.h>
#include <torch/library.h>

#include <chrono>
#include <memory>
#include <optional>
#include <thread>
#include <vector>

#include "support/simulated_gpus/broken.h"
#include "support/simulated_gpus/memory.h"
#include "support/simulated_gpus/streams.h"

// The run time is LibTorch's own; its headers come with the compiler, which is not told -fopenmp.
extern "C" {
void omp_set_num_threads(int);
int omp_get_max_threads();
}

namespace reelmesh::testing {
namespace {

/// A GPU computes the same bits however many threads its caller has; LibTorch on the CPU does not.
class OneThread {
public:
    OneThread() { omp_set_num_threads(1); }
    ~OneThread() { omp_set_num_threads(previous_); }
    OneThread(const OneThread&) = delete;
    OneThread& operator=(const OneThread&) = delete;

private:
    int previous_ = omp_get_max_threads();
};

constexpr c10::DispatchKeySet kCudaKeys(c10::DispatchKey::CUDA);

at::ScalarType type_or_default(std::optional<at::ScalarType> type) {
    return type.value_or(at::kFloat);
}

/// Makes the device that the options name current; none: stays.
c10::DeviceGuard on_device_of(std::optional<c10::Device> device) {
    const c10::Device place = device.value_or(at::kCUDA);
    return c10::DeviceGuard(place.has_index() ? place : c10::Device(at::kCUDA, current_gpu()));
}

at::Tensor empty(at::IntArrayRef sizes, std::optional<at::ScalarType> type, std::optional<at::Layout>,
                 std::optional<c10::Device> device, std::optional<bool>,
                 std::optional<at::MemoryFormat> format) {
    const c10::DeviceGuard guard = on_device_of(device);
    return at::detail::empty_generic(sizes, simulated_gpu_allocator(), kCudaKeys, type_or_default(type),
                                     format);
}

at::Tensor empty_strided(at::IntArrayRef sizes, at::IntArrayRef strides, std::optional<at::ScalarType> type,
                         std::optional<at::Layout>, std::optional<c10::Device> device, std::optional<bool>) {
    const c10::DeviceGuard guard = on_device_of(device);
    return at::detail::empty_strided_generic(sizes, strides, simulated_gpu_allocator(), kCudaKeys,
                                             type_or_default(type));
}

/// The same memory as a CPU tensor; does not keep it alive.
at::Tensor as_host(const at::Tensor& tensor) {
    if (!tensor.defined() || tensor.is_cpu()) return tensor;
    if (tensor.numel() == 0)
        return at::empty(tensor.sizes(), tensor.options().device(at::kCPU)); // may be resized
    return at::from_blob(tensor.data_ptr(), tensor.sizes(), tensor.strides(),
                         tensor.options().device(at::kCPU));
}

void drain_caller(c10::DeviceIndex device) {
    drain_stream(current_stream(device));
}

[[noreturn]] void never_end() {
    for (;;)
        std::this_thread::sleep_for(std::chrono::hours(1));
}

/// After LibTorch: between GPUs on the source's current stream, which waits for the destination's and is
/// waited for; a blocking one with the host waits for the stream.
at::Tensor& copy_(at::Tensor& to, const at::Tensor& from, bool non_blocking) {
    if (to.is_cuda() && from.is_cuda()) {
        const c10::Stream reads = current_stream(from.device().index()),
                          writes = current_stream(to.device().index());
        if (to.device() != from.device() && is_broken(Broken::NoPeer) && !from.is_contiguous()) {
            // On the reader's thread, but before its stream's work is waited for.
            const c10::DeviceGuard guard(from.device());
            at::Tensor packed = at::empty(from.sizes(), from.options());
            copy_(packed, from, /*non_blocking=*/true);
            return copy_(to, packed, non_blocking);
        }
        wait_for(reads, mark(writes));
        const bool peers = to.device() != from.device(), hangs = peers && is_broken(Broken::PathHangs),
                   corrupts = peers && is_broken(Broken::PathCorrupts);
        enqueue(reads, [target = as_host(to), source = as_host(from), hangs, corrupts]() mutable {
            const c10::InferenceMode inference; // as the caller's tensors may be
            if (hangs) never_end();
            while (is_broken(Broken::Held))
                std::this_thread::sleep_for(std::chrono::milliseconds(1));
            target.copy_(source);
            if (corrupts) target.zero_();
        });
        wait_for(writes, mark(reads));
        return to;
    }
    const c10::Stream stream = current_stream((to.is_cuda() ? to : from).device().index());
    enqueue(stream, [target = as_host(to), source = as_host(from)]() mutable {
        const c10::InferenceMode inference; // as the caller's tensors may be
        target.copy_(source);
    });
    if (!non_blocking) drain_stream(stream);
    return to;
}

at::Tensor to_gpu(const at::Tensor& host, c10::Device device) {
    at::Tensor made = at::empty_strided(host.sizes(), host.strides(), host.options().device(device));
    as_host(made).copy_(host);
    return made;
}

/// An empty tensor that an operator was given for its result gets the result's size; others have it.
void give_size(const at::Tensor& argument, const at::Tensor& result, c10::Device device) {
    if (argument.sizes() == result.sizes()) return;
    TORCH_CHECK(argument.numel() == 0, "a result of another size than the tensor that is to hold it");
    const at::Tensor made = to_gpu(result, device);
    c10::TensorImpl* impl = argument.unsafeGetTensorImpl();
    impl->set_storage_keep_dtype(made.storage());
    impl->set_sizes_and_strides(made.sizes(), made.strides());
}

/// The device of a call's GPU tensors; throws where there are two, or one and the host's.
class CallDevice {
public:
    void see(const c10::OperatorHandle& op, const at::Tensor& tensor) {
        if (!tensor.defined()) return;
        const bool is_number = tensor.is_cpu() && tensor.dim() == 0;
        if (is_number) return;
        TORCH_CHECK(!device_ || *device_ == tensor.device(),
                    "Expected all tensors to be on the same device, but ", op.schema().name(), " has ",
                    device_->str(), " and ", tensor.device().str());
        device_ = tensor.device();
    }
    void see(c10::Device device) {
        if (device.is_cuda()) device_ = device.has_index() ? device : c10::Device(at::kCUDA, current_gpu());
    }
    c10::Device device() const { return device_.value_or(c10::Device(at::kCUDA, current_gpu())); }

private:
    std::optional<c10::Device> device_;
};

c10::IValue host_argument(const c10::OperatorHandle& op, const c10::IValue& argument, CallDevice& seen) {
    if (argument.isTensor()) {
        seen.see(op, argument.toTensor());
        return as_host(argument.toTensor());
    }
    if (argument.isTensorList()) {
        std::vector<at::Tensor> tensors = argument.toTensorVector();
        for (at::Tensor& tensor : tensors) {
            seen.see(op, tensor);
            tensor = as_host(tensor);
        }
        return c10::List<at::Tensor>(tensors);
    }
    if (argument.isOptionalTensorList()) {
        c10::List<std::optional<at::Tensor>> tensors;
        for (const std::optional<at::Tensor>& tensor : argument.toOptionalTensorVector()) {
            if (tensor) seen.see(op, *tensor);
            tensors.push_back(tensor ? std::optional(as_host(*tensor)) : std::nullopt);
        }
        return tensors;
    }
    if (argument.isDevice()) {
        seen.see(argument.toDevice());
        return c10::Device(at::kCPU);
    }
    return argument;
}

/// A result that an argument gave is that argument; others are new tensors of the device.
c10::IValue device_result(const c10::Argument& declared, const c10::FunctionSchema& schema,
                          const c10::IValue& result, const std::vector<c10::IValue>& given,
                          c10::Device device) {
    if (declared.alias_info() && declared.alias_info()->isWrite()) {
        for (std::size_t i = 0; i < given.size(); ++i) {
            const c10::AliasInfo* info = schema.arguments()[i].alias_info();
            if (!info || *info != *declared.alias_info()) continue;
            const at::Tensor& argument = given[i].toTensor();
            give_size(argument, result.toTensor(), device);
            return argument;
        }
    }
    if (result.isTensor() && result.toTensor().defined()) return to_gpu(result.toTensor(), device);
    if (result.isTensorList()) {
        std::vector<at::Tensor> tensors = result.toTensorVector();
        for (at::Tensor& tensor : tensors)
            tensor = to_gpu(tensor, device);
        return c10::List<at::Tensor>(tensors);
    }
    return result;
}

void on_the_host(const c10::OperatorHandle& op, torch::jit::Stack* stack) {
    const c10::FunctionSchema& schema = op.schema();
    const std::size_t count = schema.arguments().size();
    const std::vector<c10::IValue> given(stack->end() - static_cast<std::ptrdiff_t>(count), stack->end());
    torch::jit::drop(*stack, count);
    CallDevice seen;
    for (const c10::IValue& argument : given)
        torch::jit::push(*stack, host_argument(op, argument, seen));
    TORCH_CHECK(!is_broken(Broken::Lost), "CUDA error: device has fallen off the bus");
    drain_caller(seen.device().index());
    {
        const OneThread one_thread;
        op.redispatchBoxed(c10::DispatchKeySet(c10::DispatchKey::CPU), stack);
    }
    const std::size_t returns = schema.returns().size();
    if (seen.device().index() == 1 && is_broken(Broken::Gpu1Wrong) && returns == 1 &&
        stack->back().isTensor())
        stack->back().toTensor().mul_(1.001);
    const std::vector<c10::IValue> results(stack->end() - static_cast<std::ptrdiff_t>(returns), stack->end());
    torch::jit::drop(*stack, returns);
    for (std::size_t i = 0; i < returns; ++i)
        torch::jit::push(*stack,
                         device_result(schema.returns()[i], schema, results[i], given, seen.device()));
}

/// Log-sum-exp rows are padded to whole tiles with what happens to be there, as the real kernel leaves them.
std::tuple<at::Tensor, at::Tensor, at::Tensor, at::Tensor>
efficient_attention(const at::Tensor& query, const at::Tensor& key, const at::Tensor& value,
                    const std::optional<at::Tensor>& bias, bool, double dropout, bool causal,
                    std::optional<double> scale) {
    constexpr std::int64_t kTile = 32;
    TORCH_CHECK(!bias && query.device() == key.device() && key.device() == value.device());
    drain_caller(query.device().index());
    const OneThread one_thread;
    const auto [output, sums] = at::_scaled_dot_product_flash_attention_for_cpu(
        as_host(query), as_host(key), as_host(value), dropout, causal, {}, scale);
    const std::int64_t rows = (query.size(2) + kTile - 1) / kTile * kTile;
    const at::Tensor padded = at::full({query.size(0), query.size(1), rows}, NAN, sums.options());
    padded.narrow(2, 0, query.size(2)).copy_(sums.narrow(2, 0, query.size(2)));
    return {to_gpu(output, query.device()), to_gpu(padded, query.device()), {}, {}};
}

std::tuple<at::Tensor, at::Tensor, at::Tensor, at::Tensor, c10::SymInt, c10::SymInt, at::Tensor, at::Tensor,
           at::Tensor>
flash_attention(const at::Tensor& query, const at::Tensor& key, const at::Tensor& value, double dropout,
                bool causal, bool, std::optional<double> scale) {
    TORCH_CHECK(query.scalar_type() == at::kBFloat16 || query.scalar_type() == at::kHalf);
    const auto result = efficient_attention(query, key, value, {}, true, dropout, causal, scale);
    return {std::get<0>(result), std::get<1>(result), {}, {}, query.size(2), key.size(2), {}, {}, {}};
}

} // namespace

void register_kernels() {
    const auto on_host = [] { return torch::CppFunction::makeFromBoxedFunction<&on_the_host>(); };
    static torch::Library& others =
        *new torch::Library(torch::Library::IMPL, "_", c10::DispatchKey::CUDA, __FILE__, __LINE__);
    others.fallback(on_host());
    static torch::Library& aten =
        *new torch::Library(torch::Library::IMPL, "aten", c10::DispatchKey::CUDA, __FILE__, __LINE__);
    aten.impl("empty.memory_format", empty);
    aten.impl("empty_strided", empty_strided);
    aten.impl("copy_", copy_);
    aten.impl("as_strided", [](const at::Tensor& self, at::IntArrayRef sizes, at::IntArrayRef strides,
                               std::optional<std::int64_t> offset) {
        return at::native::as_strided_tensorimpl(self, sizes, strides, offset);
    });
    aten.impl("view",
              [](const at::Tensor& self, at::IntArrayRef sizes) { return at::native::view(self, sizes); });
    aten.impl("_reshape_alias", [](const at::Tensor& self, at::IntArrayRef sizes, at::IntArrayRef strides) {
        return at::native::_reshape_alias(self, sizes, strides);
    });
    aten.impl("unfold", [](const at::Tensor& self, std::int64_t dim, std::int64_t size, std::int64_t step) {
        return at::native::unfold(self, dim, size, step);
    });
    // Compositions that would look for CUDA's libraries.
    aten.impl("convolution", on_host());
    aten.impl("scaled_dot_product_attention", on_host());
    aten.impl("_scaled_dot_product_efficient_attention", efficient_attention);
    aten.impl("_scaled_dot_product_flash_attention", flash_attention);
}

} // namespace reelmesh::testing
