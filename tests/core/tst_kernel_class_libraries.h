#pragma once

// Names as further libraries write them (vLLM, SGLang, TensorRT-LLM, FlashInfer, DeepEP, apex,
// Transformer Engine, bitsandbytes, Liger, XLA, cuDNN, MIOpen, CK, oneDNN …), shortened.

#include <vector>

namespace ridgeline {

struct LibraryNames {
  const char* category;
  std::vector<const char*> names;
};

inline std::vector<LibraryNames> libraryNames() {
  return {
      {"attention",
       {
           "void vllm::paged_attention_v1_kernel<unsigned short, unsigned short, 128, 16, 128, "
           "(vllm::Fp8KVCacheDataType)0, false>(unsigned short*)",
           "void flash_fwd_splitkv_mla_kernel<Flash_fwd_kernel_traits_mla<576, 64, 64, 8, "
           "cutlass::bfloat16_t, 512>, true, SharedStorageMLA>(Flash_fwd_mla_params)",
           "void flash::flash_bwd_dot_do_o_kernel<true, Flash_bwd_kernel_traits<128> "
           ">(flash::Flash_bwd_params)",
           "void flash::prepare_varlen_num_blocks_kernel<1, true>(int, int)",
           "void flashinfer::BatchPrefillWithPagedKVCacheKernel<flashinfer::KernelTraits<1>, "
           "flashinfer::BatchPrefillPagedParams<__half> >(int)",
           "void flashinfer::SinglePrefillWithKVCacheKernel<flashinfer::KernelTraits<1> >(int)",
           "void flashinfer::PrefillWithKVCacheKernel<flashinfer::CollectiveMainloop<1> >(int)",
           "void "
           "cutlass::device_kernel<cutlass::fmha::kernel::Sm100FmhaFwdKernelTmaWarpspecialized<"
           "cute::tuple<int> > >(Params)",
           "_fwd_grouped_kernel_stage1",
           "_fwd_kernel_stage1",
           "_attn_fwd",
           "_attn_bwd_preprocess",
           "kernel_paged_attention_2d",
           "_decode_att_m_fwd",
           "_decode_softmax_reducev_fwd",
           "merge_attn_states_kernel",
           "void tensorrt_llm::kernels::mmha::masked_multihead_attention_kernel<unsigned short, "
           "unsigned short, tensorrt_llm::kernels::KVBlockArray>(int)",
           "kernel_mha",
           "cudnn_generated_fort_native_sdpa_sm80_flash_bprop_f16_knob_3_64x64x64_1x4x1_kernel0_0",
           "_ZN5aiter30fmha_fwd_hd128_bf16_causal_rtzE",
           "void kn_mla_reduce_v1<MlaReduceKernelV1Traits<512, 128> >(int)",
           "void ck_tile::kentry<256, 1, ck_tile::FmhaFwdSplitKVCombineKernel<int> >(int)",
           "chunk_gated_delta_rule_fwd_kernel_h_blockdim64",
           "void sm90::fwd::sparse_attn_fwd_kernel<576>(int)",
           "void deep_gemm::sm90_fp8_mqa_logits<64u, 128u>(int)",
           "void cutlass::device_kernel<cutlass::fmha::kernel::XeFMHAFwdKernel<int> >(int)",
           "void FlashAttnFwdCombine<int>(int)",
           "void flash::flash_fwd_kernel<Flash_fwd_kernel_traits<128, 128, 64, 4, false, false, "
           "cutlass::bfloat16_t>, false, true, false>(flash::Flash_fwd_params)",
           "void "
           "fmha_cutlassB_bf16_aligned_128x64_k96_sm80(PyTorchMemEffAttention::"
           "AttentionBackwardKernel<int>::Params)",
           "void tensorrt_llm::kernels::fused_multihead_attention_kernel<int>(int)",
           "void kernel_mha_sm90_impl<int>(int)",
           "fused_multihead_attention_v2_fp16_128_64_kernel_sm80",
           "flash_mla_sparse_fwd",
           "bwd_kernel_dk_dv",
           "aiter::fmha_bwd_dq_convert",
           "qk_int8_sv_f16_accum_f32_attn_kernel",
       }},
      {"gemm",
       {
           "void "
           "cutlass::Kernel2<cutlass_80_tensorop_s16816gemm_f16_128x128_32x5_tn_align8>(cutlass::"
           "Params)",
           "ampere_bf16_s16816gemm_bf16_128x64_sliced1x2_ldg8_f2f_stages_64x3_nn",
           "volta_fp16_s884gemm_fp16_128x128_ldg8_f2f_nn",
           "nvjet_hsh_192x192_64x4_2x1_v_bz_coopB_TNN",
           "nvjet_sm100_tst_mma_128x256x64_2_64x64x64_cta2_bz_TNT",
           "void gemv2N_kernel<int, int, float, float, float, float, 128, 8, 4, 4, 1, false>(int)",
           "void deep_gemm::fp8_gemm_kernel<7168u, 2048u, 64u, 128u>(int)",
           "void deep_gemm::sm100_fp8_gemm_1d1d_impl<(cute::UMMA::Major)0>(int)",
           "void vllm::gptq::gemm_half_q_half_gptq_4bit_kernel<true, 8>(int)",
           "_w8a8_block_fp8_matmul",
           "_matmul_partition_k",
           "bmm_kernel",
           "scaled_mm_kernel",
           "_ZN2ck16tensor_operation6device12_GLOBAL__N_127kernel_gemm_xdl_cshuffle_v3INS_"
           "28GridwiseGemm_xdl_cshuffle_v3INS",
           "rocblas_gemm_batched_general_kernel",
           "_bf16gemm_fp32bf16_tn_96x64_splitk_clean",
           "aiter::f4gemm_bf16_per1x32Fp4_BpreShuffle_192x128",
           "_gemm_a16_w16_kernel",
           "triton_gemm_dot_15",
           "triton_tem_fused_addmm_relu_2",
           "void tensorrt_llm::kernels::weight_only::kernel<int>(int)",
           "void cutlass::Kernel<cutlass::gemm::kernel::GemmGrouped<int> >(int)",
           "xe_hpc_gemm_kernel",
           "void machete::kernel<int>(int)",
           "void gemm_half_q_half_kernel<true>(int)",
           "_lora_expand_matmul",
           "tinygemm_kernel",
           "void gemv2T_kernel_val<int, int, float2, float2, float2, float2, 128, 16, 4, 4, false, "
           "false, cublasGemvParams<int> >(int)",
           "void gemm_universal<int>(int)",
           "sm80_xmma_gemm_f16f16_f16f16_f16_nn_n_tilesize64x64x64_stage3_warpsize2x2x1_"
           "tensor16x8x16_kernel_trt",
           "maxwell_sgemm_fp16_128x64_nt",
           "dgemm_kernel",
           "void "
           "cutlass::Kernel2<cutlass_80_tensorop_i16832gemm_s8_128x128_64x5_tn_align16>(Params)",
           "void at::native::_int4mm_kernel<int>(int)",
           "void w8a8_gemm_kernel<int>(int)",
           "void cutlass::device_kernel<cutlass::gemm::kernel::GemmUniversal<cute::tuple<int>, "
           "cutlass::gemm::collective::CollectiveMma<cutlass::gemm::"
           "MainloopSm100TmaUmmaWarpSpecialized<4> > > >(Params)",
           "_ZN7cutlass6KernelINS_4gemm6kernel4GemmINS1_11threadblock13MmaMultistageINS1_"
           "9GemmShapeILi128ELi128ELi32EEE",
           "_ZN13internal_gemm6kernelEv",
           "Cijk_SS_BiasS_HAS_ScaleAlphaVec_PostGSU8_VW4",
           "Cijk_D_Bias_PostGSU",
           "hipblaslt_gemm_kernel",
           "fp8fp8bf16_gemm_rowwise",
           "custom-call.gemm.1",
       }},
      {"convolution",
       {
           "void cudnn::winograd_nonfused::winogradForwardFilter4x4<float, float>(int)",
           "volta_fp16_scudnn_fp16_128x64_relu_small_nn_v1",
           "void conv2d_c1_k1_nchw_hw_packed_kernel<float, float, 3>(int)",
           "void at::native::im2col_kernel<float>(long)",
           "void at::native::vol2col_kernel<float>(long)",
           "_5x_cudnn_ampere_scudnn_128x64_relu_small_nn_v1",
           "_causal_conv1d_update_kernel",
           "MIOpenConvUni",
           "gridwise_convolution_implicit_gemm_v4r4_nchw_kcyx_nkhw_lds_double_buffer",
           "gen_conv_kernel",
           "gen_conv",
           "cudnn::cnn::conv2d_grouped_direct_kernel",
           "void wgrad2d_grouped_direct_kernel<float, float>(int)",
           "void at::native::deformable_im2col_kernel<float>(int)",
           "void precomputed_convolve_sgemm<float, 1024, 5, 5, 4, 3, 3, 1, false>(int)",
           "void cudnn::detail::explicit_convolve_sgemm<float, int>(int)",
           "sm86_xmma_fprop_implicit_gemm_f16f16_f16f16_f16_nhwckrsc_nhwc_tilesize128x128x32_"
           "stage4_kernel_trt",
           "void DepthwiseConv2dGPUKernelNCHWSmall<float>(int)",
           "kernel_grouped_conv_bwd_data_xdl",
           "void fft2d_r2c_32x32<float, false, 1u, true>(float2*)",
       }},
      {"normalization",
       {
           "void at::native::(anonymous namespace)::vectorized_layer_norm_kernel<c10::Half, "
           "float>(int)",
           "void at::native::(anonymous "
           "namespace)::layer_norm_grad_input_kernel_vectorized<c10::BFloat16, float>(int)",
           "void cuApplyLayerNorm<c10::BFloat16, float, c10::BFloat16>(int)",
           "void cuComputeGradInput<c10::BFloat16, float, c10::BFloat16>(int)",
           "void transformer_engine::normalization::rmsnorm_bwd_finalize_tuned_kernel<int>(int)",
           "void flashinfer::norm::FusedAddRMSNormKernel<8u, __nv_bfloat16>(int)",
           "_rms_norm_forward_kernel",
           "_layer_norm_fwd_1pass_kernel",
           "void vllm::rms_norm_static_fp8_quant_kernel<c10::BFloat16, c10::Float8_e4m3fn>(int)",
           "void tensorrt_llm::kernels::generalRmsNorm<__nv_bfloat16, __nv_bfloat16>(int)",
           "fused_dual_residual_rmsnorm_kernel",
           "at::native::xpu::LayerNormForwardKernelFunctor",
           "cudnn_generated_fort_native_layernorm_fprop",
           "_group_norm_fwd",
           "_fused_qk_norm_kernel",
           "void cuda_layer_norm::LayerNormSmall<float>(int)",
           "void batchnorm_bwtr_nhwc_semiPersist<__half>(int)",
           "void nhwc_batch_norm_fwd<int>(int)",
           "void skipLayerNormKernelSmall<int>(int)",
           "_fused_add_rmsnorm_kernel",
           "void at::native::(anonymous "
           "namespace)::Compute1dBackwardFusedParamsCUDAKernel<float>(int)",
           "void at::native::(anonymous namespace)::weight_norm_fwd_first_dim_kernel<float>(int)",
       }},
      {"softmax",
       {
           "void at::native::(anonymous namespace)::cunn_SoftMaxBackward<8, float, float, float, "
           "at::native::(anonymous namespace)::LogSoftMaxBackwardEpilogue>(float*)",
           "void transformer_engine::(anonymous "
           "namespace)::scaled_masked_softmax_warp_backward<__half, __half, float, 11>(int)",
           "triton_softmax_3",
           "void cudnn::ops::softmax_fw_kernel<2, float>(int)",
           "_softmax_kernel",
           "softmax_kernel",
       }},
      {"loss",
       {
           "liger_cross_entropy_kernel",
           "_chunked_cross_entropy_forward",
           "void cunn_SoftMaxXEntropyForward<4, c10::BFloat16, float, float>(int)",
           "void at::native::(anonymous namespace)::ctc_loss_log_alpha_gpu_kernel<float, "
           "long>(int)",
           "void at::native::vectorized_elementwise_kernel<4, at::native::(anonymous "
           "namespace)::binary_cross_entropy_out_kernel>(int)",
           "void softmax_cross_entropy_kernel<float>(int)",
           "mse_loss_kernel",
       }},
      {"elementwise",
       {
           "void at::native::vectorized_elementwise_kernel<8, at::native::BinaryFunctor<c10::Half, "
           "c10::Half, c10::Half, at::native::binary_internal::MulFunctor<float> >, "
           "std::array<char*, 3ul> >(int)",
           "void flashinfer::activation::act_and_mul_kernel<__nv_bfloat16, &(silu(float "
           "const&))>(int)",
           "_geglu_tanh_backward_kernel",
           "element_mul_kernel",
           "at::native::xpu::VectorizedElementwiseKernel<4, at::native::xpu::AddFunctor<float>, "
           "at::detail::Array<char*, 3> >",
           "Op1dTensorGeneric",
           "loop_add_fusion",
           "fusion_12",
           "MIOpenActiveFwd2DLite",
           "void transformer_engine::gated_kernel<1, int>(int)",
           "void elemWiseRNNcell<__half>(int)",
           "simple_eltwise",
           "gen9_binary",
           "_gelu_kernel",
           "void "
           "thrust::cuda_cub::core::_kernel_agent<thrust::cuda_cub::__parallel_for::"
           "ParallelForAgent<thrust::cuda_cub::__transform::unary_transform_f<int> > >(int)",
           "void generatedNativePointwise",
           "void genericPointwiseKernel<int>(int)",
           "void at::native::vectorized_elementwise_kernel<4, at::native::CUDAFunctor_add<float>, "
           "std::array<char*, 3ul> >(int)",
           "void at::native::vectorized_templated_elementwise_kernel<8, "
           "at::native::CUDAFunctor_add<float> >(int)",
           "_ZN2at6native29vectorized_elementwise_kernelILi4ENS0_15CUDAFunctor_"
           "addIfEESt5arrayIPcLm3EEEEviT0_T1_",
           "loop_compare_select_fusion",
           "gelu_kernel_forward",
           "bias_gelu_fused_kernel",
       }},
      {"copy_cast_transpose",
       {
           "void at::native::(anonymous "
           "namespace)::CatArrayBatchedCopy_vectorized<at::native::(anonymous "
           "namespace)::OpaqueType<16u>, unsigned int, 1, 128, 1, 16, 8>(char*)",
           "void at::native::vectorized_elementwise_kernel<4, "
           "at::native::float16_copy_kernel_cuda(at::TensorIteratorBase&)::{lambda(float)#1}, "
           "std::array<char*, 2ul> >(int)",
           "void at::native::(anonymous namespace)::roll_cuda_kernel<float>(float const*)",
           "void transformer_engine::transpose_optimized_kernel<128, 128, true, float>(int)",
           "copy_kernel",
           "gen9_concat",
           "loop_transpose_fusion",
           "void at::native::vectorized_elementwise_kernel<4, at::native::FillFunctor<unsigned "
           "char>, std::array<char*, 1ul> >(int)",
           "void at::native::(anonymous namespace)::elementwise_kernel_with_index<int, "
           "at::native::linspace_cuda_out(c10::Scalar)::{lambda()#1}>(int)",
           "void at::native::detail::chunk_cat_cuda_kernel<float, c10::BFloat16>(int)",
           "_ZN2at6native29vectorized_elementwise_kernelILi4ENS0_"
           "11FillFunctorIfEESt5arrayIPcLm1EEEEviT0_T1_",
           "void convertTensor_kernel<float, __half>(int)",
           "void permutationKernelPLC3Multi<int>(int)",
           "void at::native::vectorized_elementwise_kernel<4, "
           "at::native::FillFunctor<c10::complex<float> >, std::array<char*, 1ul> >(int)",
           "void at::native::(anonymous namespace)::repeat_interleave<int>(int)",
           "copy_fusion_1",
           "MatrixTranspose",
       }},
      {"triton_pointwise",
       {
           "triton_poi_fused_add_0",
           "triton_unk_fused_add_2",
           "triton_for_fused_0",
       }},
      {"triton_reduction",
       {
           "triton_red_fused__softmax_1",
           "triton_per_fused_native_layer_norm_2",
           "triton_spl_fused_cumsum_0",
           "triton_mix_order_reduction_fused_0",
       }},
      {"reduction",
       {
           "void at::native::reduce_kernel<512, 1, at::native::ReduceOp<float, "
           "at::native::func_wrapper_t<float, at::native::MaxNanFunctor<float> >, unsigned int, "
           "float, 4, 4> >(int)",
           "void cub::CUB_200302_800_900_NS::DeviceReduceKernel<int>(int)",
           "input_add_reduce_fusion",
           "at::native::xpu::ReduceKernel<1, at::native::xpu::ReduceOp<float, "
           "at::native::xpu::MeanOps<float> > >",
           "ref_reduction",
           "reduce_kernel",
           "void tensorflow::functor::BlockReduceKernel<float>(int)",
       }},
      {"index_gather_scatter",
       {
           "void at::native::index_elementwise_kernel<128, 4, "
           "at::native::gpu_index_kernel<at::native::index_kernel_impl<at::native::OpaqueType<2> "
           ">(at::TensorIteratorBase&)> >(int)",
           "void at::native::vectorized_gather_kernel<16, long>(char*)",
           "void vllm::reshape_and_cache_kernel<__nv_bfloat16, unsigned char>(int)",
           "void vllm::copy_blocks_kernel<__nv_bfloat16>(long*)",
           "set_mla_kv_buffer_kernel",
           "write_req_to_token_pool_triton",
           "get_last_loc_kernel",
           "void cub::DeviceSelectSweepKernel<int>(int)",
           "void at::native::(anonymous namespace)::masked_scatter_size_check(int)",
           "loop_dynamic_slice_fusion",
           "loop_gather_fusion",
           "void gatherKernel<int>(int)",
           "_copy_page_indices_kernel",
           "void tensorflow::GatherOpKernel<int>(int)",
           "transfer_kernel_impl",
       }},
      {"embedding",
       {
           "void at::native::(anonymous namespace)::embedding_backward_feature_kernel<float, "
           "float, long>(long const*)",
           "void at::native::(anonymous "
           "namespace)::EmbeddingBag_updateOutputKernel_sum_mean<float, long>(int)",
           "void fbgemm_gpu::linearize_cache_indices_kernel<long>(int)",
           "void tensorrt_llm::kernels::lookup_kernel<__half, int>(int)",
           "void at::native::(anonymous "
           "namespace)::EmbeddingBag_accGradParametersKernel_max<float, long>(int)",
           "void fbgemm_gpu::expand_into_jagged_permute_kernel<int>(int)",
           "void fbgemm_gpu::generate_vbe_metadata_foreach_sample_kernel(int)",
           "void HugeCTR::embedding_lookup_kernel<int>(int)",
       }},
      {"rope",
       {
           "void vllm::batched_rotary_embedding_kernel<c10::BFloat16, true>(int)",
           "_rope_embedding",
           "void transformer_engine::fused_rope_forward_kernel<__nv_bfloat16>(int)",
           "void tensorrt_llm::kernels::fusedQKNormRopeKernel<128, true>(int)",
           "_apply_rotary_emb_kernel",
           "fused_rotary_embedding",
       }},
      {"rng_dropout",
       {
           "void at::native::(anonymous "
           "namespace)::distribution_elementwise_grid_stride_kernel<float, 4, "
           "at::native::templates::cuda::bernoulli_kernel>(int)",
           "void at::native::(anonymous namespace)::fused_dropout_kernel<float, float, unsigned "
           "int, 1, bool>(int)",
           "void curand_uniform_kernel(int)",
           "void at::native::(anonymous namespace)::distribution_nullary_kernel<float>(int)",
           "void at::native::(anonymous namespace)::sampleMultinomialOnce<float, float>(int)",
           "MIOpenDropoutForward",
           "void dropout_kernel<float>(int)",
           "void at::native::(anonymous "
           "namespace)::distribution_binary_elementwise_kernel<int>(int)",
           "void generate_seed_pseudo<rng_config<curandStateXORWOW> >(int)",
           "philox_kernel",
       }},
      {"optimizer",
       {
           "void at::native::(anonymous "
           "namespace)::multi_tensor_apply_kernel<at::native::(anonymous "
           "namespace)::FusedOptimizerTensorListMetadata<4>, at::native::(anonymous "
           "namespace)::FusedAdamMathFunctor<float, 4, (at::native::ADAM_MODE)1, false> >(int)",
           "void kOptimizerStatic8bit2StateBlockwise<__nv_bfloat16, 0, 256, 1>(int)",
           "void multi_tensor_apply_kernel<TensorListMetadata<5>, LAMBStage1Functor<float> >(int)",
           "void adam_kernel<float>(int)",
           "fused_adam_kernel",
           "void FusedSGDKernel<int>(int)",
           "void tensorflow::ApplyAdamKernel<float>(int)",
           "multi_tensor_lamb_cuda_kernel",
       }},
      {"moe",
       {
           "void vllm::moe::topkGatingSoftmax<4, 128, 4, 16>(float const*)",
           "moe_fused_gate_kernel",
           "void tensorrt_llm::kernels::moe::expandInputRowsKernel<int>(int)",
           "void grouped_topk_fused_kernel<float>(int)",
           "_fwd_kernel_ep_gather",
           "aiter::fmoe_bf16_pertokenFp8_g1u1_vs_silu_1tg_ps_32x256",
           "void aiter::grouped_topk_kernel<c10::BFloat16>(int)",
           "void trtllm_gen::moe::permute<int>(int)",
           "moe_align_block_size_kernel",
           "fused_topk_kernel_moe",
           "_routing_shuffled",
           "void expertPrefixSumKernel<int>(int)",
       }},
      {"collective",
       {
           "ncclDevKernel_AllReduce_Sum_bf16_RING_LL(ncclDevKernelArgsStorage<4096ul>)",
           "ncclDevKernel_SendRecv(ncclDevKernelArgsStorage<4096ul>)",
           "ncclSymkDevKernel_AllReduce_RSxLDMC_AGxSTMC(ncclSymkDevWorkArgs4K)",
           "mscclKernel_Sum_half_Simple_false(int)",
           "void "
           "flashinfer::trtllm_allreduce_fusion::allreduce_fusion_kernel_oneshot_lamport<("
           "flashinfer::trtllm_allreduce_fusion::AllReduceFusionPattern)1, __nv_bfloat16, 8>(int)",
           "void vllm::cross_device_reduce_2stage<__nv_bfloat16, 8>(int)",
           "void quickreduce::allreduce_prototype_twoshot<quickreduce::AllReduceTwoshot<__half> "
           ">(int)",
           "two_shot_all_reduce_kernel",
           "void deep_ep::intranode::cached_notify_combine<8>(int)",
           "nvshmemi_alltoall_kernel",
           "oneapi::ccl::allreduce_kernel",
           "all-gather.3",
           "reduce_scatter_kernel",
           "void allreduce_fusion_kernel<int>(int)",
           "ncclDevKernel_AllReduce_Sum_f32_TREE_LL(ncclDevKernelArgsStorage<4096ul>)",
           "ncclAllReduceRingLLKernel_sum_f32(ncclColl)",
           "reduce-scatter.1",
           "ragged-all-to-all",
           "hcclAllReduce",
           "void custom_all_reduce::cross_device_reduce<int>(int)",
           "c10d_symm_mem_all_gather_kernel",
       }},
      {"quantize",
       {
           "void vllm::dynamic_scaled_int8_quant_kernel<c10::BFloat16, float, float>(int)",
           "_per_token_group_quant_fp8",
           "void per_token_group_quant_8bit_kernel<c10::BFloat16, c10::Float8_e4m3fn, true>(int)",
           "void kQuantizeBlockwise<float, 4096, 4, 0, 0>(int)",
           "void transformer_engine::(anonymous "
           "namespace)::block_scaled_cast_transpose_kernel<true>(int)",
           "void vllm::cvt_fp16_to_fp4<__nv_bfloat16, false>(int)",
           "void aiter::dynamic_per_group_scaled_quant_kernel<__hip_bfloat16, float>(int)",
           "weight_dequant_kernel",
           "void vllm::awq::dequantize_weights(int*)",
           "_per_token_quant_int8",
           "void quantize_fp8_rowwise_kernel<int>(int)",
           "void at::native::(anonymous namespace)::fake_quantize_per_channel_kernel(int)",
           "per_tensor_quant_fp8_kernel",
       }},
      {"scan",
       {
           "void selective_scan_fwd_kernel<Selective_Scan_fwd_kernel_traits<128, 16, 1, true>, "
           "c10::BFloat16>(SSMParamsBase)",
           "_state_passing_fwd_kernel",
           "_selective_scan_update_kernel",
           "void at::native::tensor_kernel_scan_innermost_dim<float, std::plus<float> >(int)",
           "chunk_local_cumsum_scalar_kernel",
           "void cub::CUB_200200_NS::DeviceScanByKeyKernel<int>(int)",
           "void cub::DeviceScanByKeyKernel<int>(int)",
           "void at::native::tensor_kernel_scan_outer_dim<float, unsigned int, std::plus<float> "
           ">(int)",
           "cumsum_kernel",
       }},
      {"sort_topk",
       {
           "void at::native::radixSortKVInPlace<2, -1, 128, 32, float, long, unsigned int>(int)",
           "void flashinfer::sampling::TopKTopPSamplingFromProbKernel<1024u, "
           "(cub::BlockScanAlgorithm)2>(int)",
           "void "
           "rocprim::ROCPRIM_304000_NS::detail::trampoline_kernel<rocprim::detail::radix_sort_"
           "onesweep_config<int> >(int)",
           "topk_transform_decode_kernel",
           "void cub::DeviceSegmentedRadixSortKernel<int>(int)",
           "sort.12",
       }},
      {"pooling",
       {
           "void at::native::(anonymous namespace)::avg_pool2d_out_cuda_frame_nhwc<float, "
           "float>(int)",
           "void at::native::(anonymous namespace)::adaptive_average_gradinput<float>(int)",
           "void at::native::(anonymous namespace)::upsample_bilinear2d_out_frame<float, "
           "float>(int)",
           "void cudnn::pooling_fw_4d_kernel<float, float, cudnn::maxpooling_func<float> >(int)",
           "void pooling_bw_kernel_max_nchw_fully_packed_small<float>(int)",
           "void at::native::(anonymous namespace)::grid_sampler_2d_kernel<float, int>(int)",
           "mloPoolingG",
           "void vision::ops::roi_align_forward_kernel_impl<float>(int)",
           "void at::native::(anonymous namespace)::avg_pool2d_backward_out_cuda_frame<float>(int)",
           "resize_bilinear_kernel",
           "max_pool2d_with_indices",
       }},
      {"memcpy",
       {"Memcpy PtoP (Device -> Device)", "Memcpy HtoH (Pageable -> Pinned)",
        "MEMORY_COPY_HOST_TO_DEVICE", "hipMemcpyAsync", "__amd_rocclr_copyBufferAligned",
        "CopyHostToDevice", "MemcpyD2D"}},
      {"memset", {"Memset (Pinned)", "hipMemsetAsync", "zeCommandListAppendMemoryFill"}},
      {"spin",
       {"void c10d::symmetric_memory::barrier_kernel(unsigned int**, int)",
        "void c10d::symmetric_memory::wait_signal_kernel(unsigned int**)", "stream_wait_value32",
        "void at::cuda::sleep(long)"}},
      // llama.cpp, XLA's instructions, Pallas, Ascend
      {"gemm",
       {"void mul_mat_q<(ggml_type)12, 128, 8, false>(char const*, int const*)",
        "void mul_mat_vec_q<(ggml_type)8, 1>(void const*, void const*, float*)",
        "void mul_mat_vec<__half, __half, 1, 256>(__half const*, float const*)",
        "void mul_mat_q_stream_k_fixup<(ggml_type)12, 128, 8, false>(int const*)",
        "dequantize_mul_mat_vec_q4_K(void const*, float const*, float*, int)", "gmm.1", "tgmm.3",
        "dot.7"}},
      {"moe", {"void marlin_moe_wna16::Marlin<__half, 1125899906909960L, 256, 4>(int4 const*)"}},
      {"softmax", {"void soft_max_f32<true, 1024, 1024, float>(float const*, float*)"}},
      {"attention", {"void gated_delta_net_cuda<128, false>(float const*, float*)"}},
      {"index_gather_scatter",
       {"void k_get_rows_float<float, float>(float const*, int const*, float*)",
        "dynamic-update-slice.5", "dynamic-slice.2"}},
      {"elementwise", {"void k_bin_bcast<&(op_add(float, float)), float>(float const*)", "iota.4"}},
      {"copy_cast_transpose",
       {"void cpy_flt<&(cpy_1_flt<float, __half>)>(char const*, char*, int)", "slice.3", "bitcast",
        "TransData"}},
      {"convolution", {"void cask__5x_cudnn::computeOffsetsKernel(ComputeOffsetsParams)"}},
      {"collective", {"async-collective-start.1", "send.4", "recv-done.2"}},
      {"memcpy", {"infeed.1", "outfeed.2", "SDMA_SQE"}},
      {"other", {"EVENT_WAIT", "Notify_Wait", "redzone_checker"}},
  };
}

}  // namespace ridgeline
