#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace ridgeline::simulator {

/// Kernel names as PyTorch 2.x with CUDA 12 launches them.
namespace names {
inline constexpr std::string_view kLayerNorm =
    "void at::native::(anonymous namespace)::vectorized_layer_norm_kernel<c10::BFloat16, "
    "float>(int, float, c10::BFloat16 const*, c10::BFloat16 const*, c10::BFloat16 const*, float*, "
    "float*, c10::BFloat16*)";
inline constexpr std::string_view kLayerNormBackward =
    "void at::native::(anonymous "
    "namespace)::layer_norm_grad_input_kernel_vectorized<c10::BFloat16, "
    "float>(c10::BFloat16 const*, c10::BFloat16 const*, float const*, float const*, c10::BFloat16 "
    "const*, c10::BFloat16*, int)";
inline constexpr std::string_view kGammaBetaBackward =
    "void at::native::(anonymous namespace)::GammaBetaBackwardCUDAKernel_32x32<c10::BFloat16, "
    "float>(long, long, c10::BFloat16 const*, c10::BFloat16 const*, float const*, float const*, "
    "c10::BFloat16*, c10::BFloat16*)";
inline constexpr std::string_view kFlashForward =
    "void pytorch_flash::flash_fwd_kernel<pytorch_flash::Flash_fwd_kernel_traits<128, 128, 64, 4, "
    "false, false, cutlass::bfloat16_t, pytorch_flash::Flash_kernel_traits<128, 128, 64, 4, "
    "cutlass::bfloat16_t> >, false, true, false, false, true, true, false, "
    "false>(pytorch_flash::Flash_fwd_params)";
inline constexpr std::string_view kFlashSplit =
    "void pytorch_flash::flash_fwd_splitkv_kernel<pytorch_flash::Flash_fwd_kernel_traits<128, 64, "
    "128, 4, false, false, cutlass::bfloat16_t, pytorch_flash::Flash_kernel_traits<128, 64, 128, "
    "4, "
    "cutlass::bfloat16_t> >, false, false, false, false, true, true, false, "
    "false>(pytorch_flash::Flash_fwd_params)";
inline constexpr std::string_view kFlashBackwardDot =
    "void pytorch_flash::flash_bwd_dot_do_o_kernel<true, "
    "pytorch_flash::Flash_bwd_kernel_traits<128, 64, 128, 8, 2, 4, 2, false, false, "
    "cutlass::bfloat16_t, pytorch_flash::Flash_kernel_traits<128, 64, 128, 8, cutlass::bfloat16_t> "
    "> >(pytorch_flash::Flash_bwd_params)";
inline constexpr std::string_view kFlashBackward =
    "void pytorch_flash::flash_bwd_dq_dk_dv_loop_seqk_parallel_kernel<"
    "pytorch_flash::Flash_bwd_kernel_traits<128, 64, 128, 8, 2, 4, 2, false, false, "
    "cutlass::bfloat16_t, pytorch_flash::Flash_kernel_traits<128, 64, 128, 8, cutlass::bfloat16_t> "
    ">, false, true, false, false, true, true>(pytorch_flash::Flash_bwd_params)";
inline constexpr std::string_view kFlashBackwardConvert =
    "void pytorch_flash::flash_bwd_convert_dq_kernel<pytorch_flash::Flash_bwd_kernel_traits<128, "
    "64, 128, 8, 2, 4, 2, false, false, cutlass::bfloat16_t, "
    "pytorch_flash::Flash_kernel_traits<128, 64, 128, 8, cutlass::bfloat16_t> > "
    ">(pytorch_flash::Flash_bwd_params, int)";
inline constexpr std::string_view kSoftmax =
    "void (anonymous namespace)::softmax_warp_forward<c10::BFloat16, c10::BFloat16, float, 9, "
    "false, false>(c10::BFloat16*, c10::BFloat16 const*, int, int, int, bool const*, int, bool)";
inline constexpr std::string_view kSoftmaxBackward =
    "void (anonymous namespace)::softmax_warp_backward<c10::BFloat16, c10::BFloat16, float, 9, "
    "false, false>(c10::BFloat16*, c10::BFloat16 const*, c10::BFloat16 const*, int, int, int, bool "
    "const*)";
inline constexpr std::string_view kLogSoftmax =
    "void at::native::(anonymous namespace)::cunn_SoftMaxForward<8, c10::BFloat16, float, "
    "c10::BFloat16, at::native::(anonymous namespace)::LogSoftMaxForwardEpilogue>(c10::BFloat16*, "
    "c10::BFloat16 const*, int)";
inline constexpr std::string_view kLogSoftmaxBackward =
    "void at::native::(anonymous namespace)::cunn_SoftMaxBackward<8, c10::BFloat16, float, "
    "c10::BFloat16, at::native::(anonymous namespace)::LogSoftMaxBackwardEpilogue>(c10::BFloat16*, "
    "c10::BFloat16 const*, c10::BFloat16 const*, int)";
inline constexpr std::string_view kNllLoss =
    "void at::native::(anonymous namespace)::nll_loss_forward_reduce_cuda_kernel_2d<c10::BFloat16, "
    "float, long>(c10::BFloat16*, c10::BFloat16*, c10::BFloat16 const*, long const*, c10::BFloat16 "
    "const*, bool, long, long, long, long)";
inline constexpr std::string_view kNllLossBackward =
    "void at::native::(anonymous "
    "namespace)::nll_loss_backward_reduce_cuda_kernel_2d<c10::BFloat16, "
    "long>(c10::BFloat16*, c10::BFloat16 const*, long const*, c10::BFloat16 const*, c10::BFloat16 "
    "const*, bool, int, int, long, long)";
inline constexpr std::string_view kIndexSelect =
    "void at::native::(anonymous namespace)::indexSelectLargeIndex<c10::BFloat16, long, unsigned "
    "int, 2, 2, -2, true>(at::cuda::detail::TensorInfo<c10::BFloat16, unsigned int>, "
    "at::cuda::detail::TensorInfo<c10::BFloat16 const, unsigned int>, "
    "at::cuda::detail::TensorInfo<long const, unsigned int>, int, int, unsigned int, unsigned int, "
    "long)";
inline constexpr std::string_view kEmbeddingBackward =
    "void at::native::(anonymous namespace)::embedding_backward_feature_kernel<c10::BFloat16, "
    "float, long>(long const*, c10::BFloat16 const*, c10::BFloat16*, int, long, int)";
inline constexpr std::string_view kCat =
    "void at::native::(anonymous namespace)::CatArrayBatchedCopy_aligned16_contig<at::native::"
    "(anonymous namespace)::OpaqueType<2u>, unsigned int, 3, 128, 1>(at::native::(anonymous "
    "namespace)::OpaqueType<2u>*, at::native::(anonymous namespace)::CatArrInputTensorMetadata<"
    "at::native::(anonymous namespace)::OpaqueType<2u>, unsigned int, 128, 1>, at::native::"
    "(anonymous namespace)::TensorSizeStride<unsigned int, 4u>, int, unsigned int)";
inline constexpr std::string_view kSum =
    "void at::native::reduce_kernel<128, 4, at::native::ReduceOp<c10::BFloat16, "
    "at::native::func_wrapper_t<c10::BFloat16, at::native::sum_functor<c10::BFloat16, float, "
    "c10::BFloat16>::operator()(at::TensorIterator&)::{lambda(float, float)#1}>, unsigned int, "
    "c10::BFloat16, 4> >(at::native::ReduceOp<c10::BFloat16, "
    "at::native::func_wrapper_t<c10::BFloat16, at::native::sum_functor<c10::BFloat16, float, "
    "c10::BFloat16>::operator()(at::TensorIterator&)::{lambda(float, float)#1}>, unsigned int, "
    "c10::BFloat16, 4>)";
inline constexpr std::string_view kMean =
    "void at::native::reduce_kernel<512, 1, at::native::ReduceOp<float, at::native::MeanOps<float, "
    "float, float, float>, unsigned int, float, 4> >(at::native::ReduceOp<float, "
    "at::native::MeanOps<float, float, float, float>, unsigned int, float, 4>)";
inline constexpr std::string_view kArgMax =
    "void at::native::reduce_kernel<512, 1, at::native::ReduceOp<c10::BFloat16, "
    "at::native::ArgMaxOps<c10::BFloat16>, unsigned int, long, 4> "
    ">(at::native::ReduceOp<c10::BFloat16, at::native::ArgMaxOps<c10::BFloat16>, unsigned int, "
    "long, 4>)";
inline constexpr std::string_view kForeachNorm =
    "void at::native::(anonymous namespace)::multi_tensor_apply_kernel<at::native::(anonymous "
    "namespace)::TensorListMetadata<1>, at::native::(anonymous "
    "namespace)::LpNormFunctor<c10::BFloat16, (at::native::NormType)1, c10::BFloat16, 1, 1, 0>, "
    "float*, int>(at::native::(anonymous namespace)::TensorListMetadata<1>, at::native::(anonymous "
    "namespace)::LpNormFunctor<c10::BFloat16, (at::native::NormType)1, c10::BFloat16, 1, 1, 0>, "
    "float*, int)";
inline constexpr std::string_view kFusedAdam =
    "void at::native::(anonymous namespace)::multi_tensor_apply_kernel<at::native::(anonymous "
    "namespace)::FusedOptimizerTensorListMetadata<4>, at::native::(anonymous "
    "namespace)::FusedAdamMathFunctor<c10::BFloat16, 4, (at::native::ADAM_MODE)1, false>, float "
    "const*, "
    "double, double, double, double, double, bool, float const*, float "
    "const*>(at::native::(anonymous namespace)::FusedOptimizerTensorListMetadata<4>, "
    "at::native::(anonymous namespace)::FusedAdamMathFunctor<c10::BFloat16, 4, "
    "(at::native::ADAM_MODE)1, "
    "false>, float const*, double, double, double, double, double, bool, float const*, float "
    "const*)";
inline constexpr std::string_view kAllReduce =
    "ncclDevKernel_AllReduce_Sum_bf16_RING_LL(ncclDevKernelArgsStorage<4096ul>)";
inline constexpr std::string_view kConvForward =
    "sm80_xmma_fprop_implicit_gemm_bf16bf16_bf16f32_f32_nhwckrsc_nhwc_tilesize256x128x32_stage3_"
    "warpsize4x2x1_g1_tensor16x8x16_execute_kernel_cudnn";
inline constexpr std::string_view kConvWeightGrad =
    "sm80_xmma_wgrad_implicit_gemm_indexed_bf16bf16_bf16f32_f32_nhwckrsc_nhwc_tilesize128x128x32_"
    "stage4_warpsize2x2x1_g1_tensor16x8x16_execute_kernel_cudnn";

// Functors of elementwise kernels.
inline constexpr std::string_view kAdd = "CUDAFunctor_add<c10::BFloat16>";
inline constexpr std::string_view kAddFloat = "CUDAFunctor_add<float>";
inline constexpr std::string_view kAddScalar = "CUDAFunctorOnSelf_add<float>";
inline constexpr std::string_view kMul =
    "BinaryFunctor<c10::BFloat16, c10::BFloat16, c10::BFloat16, "
    "at::native::binary_internal::MulFunctor<float> >";
inline constexpr std::string_view kMulFloat =
    "BinaryFunctor<float, float, float, at::native::binary_internal::MulFunctor<float> >";
inline constexpr std::string_view kMulScalar =
    "AUnaryFunctor<c10::BFloat16, c10::BFloat16, c10::BFloat16, "
    "at::native::binary_internal::MulFunctor<float> >";
inline constexpr std::string_view kDivScalar =
    "BUnaryFunctor<float, float, float, at::native::binary_internal::DivFunctor<float> >";
inline constexpr std::string_view kGelu =
    "GeluCUDAKernelImpl(at::TensorIteratorBase&, at::native::GeluType)::{lambda()#2}::operator()() "
    "const::{lambda()#4}::operator()() const::{lambda(c10::BFloat16)#1}";
inline constexpr std::string_view kGeluBackward =
    "GeluBackwardCUDAKernelImpl(at::TensorIteratorBase&, "
    "at::native::GeluType)::{lambda()#2}::operator()() const::{lambda()#4}::operator()() "
    "const::{lambda(c10::BFloat16, c10::BFloat16)#1}";
inline constexpr std::string_view kCopyToFloat =
    "float_copy_kernel_cuda(at::TensorIteratorBase&)::{lambda(float)#1}";
inline constexpr std::string_view kCopyToBFloat16 =
    "bfloat16_copy_kernel_cuda(at::TensorIteratorBase&)::{lambda(float)#1}";
inline constexpr std::string_view kPow =
    "(anonymous namespace)::pow_tensor_scalar_kernel_impl<float, "
    "float>(at::TensorIteratorBase&, float)::{lambda(float)#1}";
inline constexpr std::string_view kRsqrt =
    "rsqrt_kernel_cuda(at::TensorIteratorBase&)::{lambda()#2}::operator()() "
    "const::{lambda()#2}::operator()() const::{lambda(float)#1}";
inline constexpr std::string_view kSqrt =
    "sqrt_kernel_cuda(at::TensorIteratorBase&)::{lambda()#2}::operator()() "
    "const::{lambda()#2}::operator()() const::{lambda(float)#1}";
inline constexpr std::string_view kLerp =
    "(anonymous namespace)::lerp_scalar_kernel(at::TensorIteratorBase&, c10::Scalar "
    "const&)::{lambda()#1}::operator()() const::{lambda()#2}::operator()() const::{lambda(float, "
    "float)#1}";
inline constexpr std::string_view kAddcmul =
    "addcmul_cuda_kernel(at::TensorIteratorBase&, c10::Scalar "
    "const&)::{lambda()#1}::operator()() const::{lambda()#2}::operator()() const::{lambda(float, "
    "float, float)#1}";
inline constexpr std::string_view kAddcdiv =
    "addcdiv_cuda_kernel(at::TensorIteratorBase&, c10::Scalar "
    "const&)::{lambda()#1}::operator()() const::{lambda()#2}::operator()() const::{lambda(float, "
    "float, float)#1}";
}  // namespace names

/// The whole name of an elementwise kernel with `functor` over `operands` tensors.
[[nodiscard]] std::string elementwiseName(std::string_view functor, int operands);

/// The matrix product kernel that the library picks on Ampere or Hopper. `layout` is cuBLAS's "tn",
/// "nn" or "nt"; tile in rows and columns.
[[nodiscard]] std::string gemmName(bool hopper, std::int64_t tileRows, std::int64_t tileColumns,
                                   std::string_view layout);

}  // namespace ridgeline::simulator
