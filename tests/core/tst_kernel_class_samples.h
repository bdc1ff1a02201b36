#pragma once

// The table of tst_kernel_class.cpp: names as profilers write them (shortened), one or more for
// each rule and each trap of ANALYSIS.md section 2.

void TstKernelClass::kernelsGetTheirClass_data() {
  QTest::addColumn<QString>("name");
  QTest::addColumn<QString>("category");
  QTest::addColumn<QString>("kernelClass");
  QTest::addColumn<QString>("subclass");
  const std::vector<Sample> samples = {
      // Traps: what a search for words in the whole name gets wrong.
      {"void at::native::elementwise_kernel<128, 2, at::native::gpu_kernel_impl<at::native::"
       "exp_kernel_cuda(at::TensorIteratorBase&)::{lambda(float)#1}> >(int)",
       "elementwise", "elementwise", nullptr},
      {"void fbgemm_gpu::permute_2D_data_kernel<false, int, int, decltype(nullptr)>(int, int)",
       "embedding", "indexing", "embedding"},
      {"triton_poi_fused__scaled_dot_product_flash_attention_cat_transpose_view_10",
       "triton_pointwise", "triton", "pointwise"},
      {"triton_red_fused_add_addmm_cat_mul_native_layer_norm_slice_split_27", "triton_reduction",
       "triton", "reduction"},
      {"triton_poi_fused_constant_pad_nd_moe_forward_0", "triton_pointwise", "triton", nullptr},
      {"triton__0d1d2d3d", "triton_pointwise", "triton", "kind unknown"},
      {"void vllm::reshape_and_cache_flash_kernel<__nv_bfloat16, unsigned char>(int)",
       "index_gather_scatter", "indexing", "kv cache"},
      {"void at::native::reduce_kernel<512, 1, at::native::ReduceOp<float, at::native::"
       "MeanOps<float, float>, unsigned int, float, 4> >(int)",
       "reduction", "reduction", nullptr},
      {"void at::native::elementwise_kernel<128, 4, at::native::gpu_kernel_impl_nocast<at::native::"
       "direct_copy_kernel_cuda(at::TensorIteratorBase&)::{lambda()#3}> >(int)",
       "copy_cast_transpose", "copy", nullptr},
      {"void at::native::elementwise_kernel_manual_unroll<128, 4, "
       "at::native::gpu_kernel_impl_nocast"
       "<at::native::(anonymous namespace)::GroupNormKernelImplInternal<float>(at::Tensor)> >(int)",
       "normalization", "normalization", "group"},
      {"sm80_xmma_fprop_implicit_gemm_tf32f32_tf32f32_f32_nhwckrsc_nhwc_execute_kernel_cudnn_infer",
       "convolution", "convolution", "fwd"},
      {"sm80_xmma_wgrad_implicit_gemm_indexed_tf32f32_nhwc_execute_kernel_cudnn_train",
       "convolution", "convolution", "wgrad"},
      {"_ZN2ck16tensor_operation6device37kernel_batched_gemm_xdlops_bwd_weightINS_47GridwiseGemm_"
       "bk0mk1_bk0nk1_mn_xdlops_bwd_weightILi64EttftLN",
       "convolution", "convolution", "wgrad"},
      {"void splitKreduce_kernel<32, 16, int, float>(cublasSplitKParams<float>)", "gemm", "matmul",
       "helper"},
      {"void epilogue::impl::globalKernel<float, float, float, true, true>(int)", "gemm", "matmul",
       "helper"},
      {"void dot_kernel<float, 128, 0, cublasDotParams<float> >(int)", "gemm", "matmul", "gemv"},
      {"reduce_segments", "attention", "attention", "merge"},
      {"_matmul_ogs_NNT_bf16xbf16xmxfp4_16x128x256x1_swiglu", "moe", "moe", "gemm"},
      {"_topk_forward", "moe", "moe", "routing"},
      {"_sum_bitmatrix_rows", "moe", "moe", "routing"},
      {"bmm_Bfloat16_Bfloat16Bfloat16_Fp32_t128x8x128u2_s6_rgTma_clmp_swiGlu_dynB_sm100f", "gemm",
       "matmul", "grouped"},
      {"void moe::dev::routing::routingIndicesHistogramKernel<moe::dev::KernelParams<int> >(int)",
       "moe", "moe", "routing"},
      {"void (anonymous namespace)::multimem_all_reduce_kernel<c10::BFloat16, 16>(int)",
       "collective", "collective", "all-reduce"},
      {"void vllm::cross_device_reduce_1stage<__nv_bfloat16, 8>(int)", "collective", "collective",
       "all-reduce"},
      {"void dpsk::ep::internode::dispatch<false, 8, true, 8>(int4*)", "collective", "collective",
       "dispatch"},
      {"void dpsk::ep::internode::combine<__nv_bfloat16>(int4*)", "collective", "collective",
       "combine"},
      {"void dpsk::ep::internode::cached_notify<false>(int)", "collective", "collective", nullptr},
      {"_ZN5aiter24add_rmsnorm_quant_kernelIDF16bDF16bLi256ELi16ELb0ELb0ELb1ELi1EEEvPT0_PT_PfS4_",
       "normalization", "normalization", "rms"},
      {"_ZN7ck_tile6kentryILi2ENS_38FmhaBatchPrefillWithPagedKVCacheKernelINS_40BlockFmhaBatchPre",
       "attention", "attention", "paged"},
      {"__amd_rocclr_copyBuffer", "memcpy", "memcpy", "DtoD"},
      {"CopyDeviceToDevice", "memcpy", "memcpy", "DtoD"},
      {"__amd_rocclr_fillBufferAligned", "memset", "memset", nullptr},
      // One by one through the classes.
      {"Memcpy HtoD (Pageable -> Device)", "memcpy", "memcpy", "HtoD"},
      {"Memcpy DtoH (Device -> Pinned)", "memcpy", "memcpy", "DtoH"},
      {"Memcpy PtoP (Device -> Device)", "memcpy", "memcpy", "PtoP"},
      {"zeCommandListAppendMemoryCopy(M2D)[4194304 bytes]", "memcpy", "memcpy", "HtoD"},
      {"Memset (Device)", "memset", "memset", nullptr},
      {"zeCommandListAppendMemoryFill", "memset", "memset", nullptr},
      {"volta_sgemm_32x32_sliced1x4_tn", "gemm", "matmul", "gemm"},
      {"Cijk_Ailk_Bjlk_HHS_BH_MT64x128x32_MI16x16x16x1_SN_1LDSB0", "gemm", "matmul", "gemm"},
      {"void cutlass::device_kernel<at::cuda::detail::enable_3x_kernel_for_sm9x<cutlass::gemm::"
       "kernel::GemmUniversal<cute::tuple<int> > > >(Params)",
       "gemm", "matmul", "gemm"},
      {"void cutlass::device_kernel<flash::enable_sm90_or_later<flash::FlashAttnFwdSm90<flash::"
       "CollectiveMainloopFwdSm90<2> > > >(Params)",
       "attention", "attention", "fwd"},
      {"void cutlass::device_kernel<flash::FlashAttnBwd<flash::CollectiveMainloopBwd<2> > >(int)",
       "attention", "attention", "bwd"},
      {"void pytorch_flash::flash_bwd_dq_dk_dv_loop_seqk_parallel_kernel<Traits<64> >(int)",
       "attention", "attention", "bwd"},
      {"fmha_cutlassF_bf16_aligned_64x64_rf_sm80(PyTorchMemEffAttention::Params)", "attention",
       "attention", "fwd"},
      {"cudnn_generated_fort_native_sdpa_sm90_flash_fprop_wgmma_f16_knob_7_64x128x128_4x1x1",
       "attention", "attention", "fwd"},
      {"void cutlass__5x_cudnn::Kernel<cutlass_tensorop_bf16_s16816fprop_optimized_bf16_256x64>(P)",
       "convolution", "convolution", "fwd"},
      {"void cutlass_cudnn_train::Kernel<cutlass_cudnn_train::reduction::kernel::ReduceSplitK<int> "
       ">(int)",
       "convolution", "convolution", "layout helper"},
      {"void cudnn::bn_fw_tr_1C11_kernel_NCHW<float, float, 512, true, 1>(int)", "normalization",
       "normalization", "batch"},
      {"void (anonymous namespace)::softmax_warp_forward<float, float, float, 10, true>(float*)",
       "softmax", "softmax", "softmax"},
      {"void at::native::vectorized_elementwise_kernel<4, at::native::mse_kernel_cuda(at::"
       "TensorIteratorBase&)::{lambda()#1}>(int)",
       "loss", "softmax", "loss"},
      {"void at::native::(anonymous namespace)::multi_tensor_apply_kernel<TensorListMetadata<2>, "
       "BinaryOpListAlphaFunctor<float, 2, 2, 0> >(int)",
       "optimizer", "optimizer", "foreach"},
      {"void at_cuda_detail::cub::DeviceRadixSortSingleTileKernel<Policy<long> >(long*)",
       "sort_topk", "reduction", "sort"},
      {"void rocprim::detail::trampoline_kernel<rocprim::detail::wrapped_scan_config<int> >(int)",
       "scan", "reduction", "scan"},
      {"void at::native::(anonymous namespace)::distribution_elementwise_grid_stride_kernel<float, "
       "4, normal_and_transform<float> >(int)",
       "rng_dropout", "rng", nullptr},
      {"void at::native::(anonymous namespace)::max_pool_forward_nchw<float, float>(int)",
       "pooling", "reduction", "pooling"},
      {"_fused_qk_rope_reshape_and_cache_kernel", "rope", "elementwise", "rope"},
      {"void vllm::scaled_fp8_quant_kernel_strided<c10::BFloat16, c10::Float8_e4m3fn>(int)",
       "quantize", "elementwise", "quantise"},
      {"at::cuda::(anonymous namespace)::spin_kernel(long)", "spin", "sync", nullptr},
      {"ncclKernel_SendRecv_RING_SIMPLE_Sum_int8_t(ncclWorkElem)", "collective", "collective",
       "send-recv"},
      {"ncclDevKernel_AllReduce_Sum_bf16_RING_LL(ncclDevKernelArgsStorage<4096ul>)", "collective",
       "collective", "all-reduce"},
      {"ncclDevKernel_Generic(ncclDevComm*, channelMasks, ncclWork*)", "collective", "collective",
       "generic"},
  };
  for (const Sample& sample : samples) {
    QTest::addRow("%.60s", sample.name)
        << QString::fromLatin1(sample.name) << QString::fromLatin1(sample.category)
        << QString::fromLatin1(sample.kernelClass)
        << (sample.subclass == nullptr ? QString() : QString::fromLatin1(sample.subclass));
  }
}
