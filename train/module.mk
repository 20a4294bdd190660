# train/module.mk - the sources of libt2-train.a; the format is at the top of the Makefile.
LIB_train := device/device.c device/product_times.c device/plain/plain.c device/plain/attention_plain.c device/plain/conv_plain.c device/plain/axes_plain.c device/plain/picture_layout_plain.c device/plain/excite_plain.c device/plain/class_loss_plain.c device/cpu/cpu_device.c device/cpu/products.c \
	device/cpu/onednn.c device/cpu/openblas.c device/cpu/gemm.c
LIB_train += device/plain/conv2d_plain.c device/cpu/onednn_conv.c ops/conv2d.c
LIB_train += graph/params.c graph/initial_values.c graph/params_special.c graph/graph.c graph/plan.c graph/profile.c graph/remat.c
LIB_train += ops/linear.c ops/embed.c ops/layer_norm.c ops/residual.c ops/attention.c ops/xent.c ops/conv.c ops/axes.c ops/excite.c ops/picture_layout.c ops/class_loss.c ops/elementwise.c
LIB_train += models/basic_fc.c models/byte_net.c models/cnn_parts.c models/lab_cnn.c models/resnet.c models/resnet_v1.c models/shake_shake.c models/xception.c
LIB_train += models/registry.c models/record_net.c models/official_transformer.c models/model.c models/model_decoder.c models/model_keys.c models/transformer.c models/transformer_check.c models/transformer_ffn.c models/transformer_layers.c models/prepend.c
CPU_KERNELS_train := device/cpu/table.c device/cpu/elementwise_cpu.c device/cpu/bfloat16_cpu.c device/cpu/layer_norm_cpu.c device/cpu/embed_cpu.c device/cpu/attention_cpu.c device/cpu/xent_cpu.c device/cpu/conv_cpu.c device/cpu/axes_cpu.c device/cpu/picture_layout_cpu.c device/cpu/excite_cpu.c device/cpu/class_loss_cpu.c
LIB_train += ops/targeted.c device/plain/targeted_plain.c
CPU_KERNELS_train += device/cpu/targeted_cpu.c
LIB_train += models/regularise.c ops/pointwise_loss.c device/plain/pointwise_loss_plain.c
LIB_train += device/plain/batch_norm_plain.c device/plain/pooling_plain.c ops/batch_norm.c ops/pooling.c
CPU_KERNELS_train += device/cpu/batch_norm_cpu.c device/cpu/pooling_cpu.c device/cpu/pointwise_loss_cpu.c
CPU_KERNELS_train += device/cpu/conv2d_cpu.c device/cpu/conv2d_unfold.c device/cpu/conv2d_depthwise.c
$(foreach f,$(CPU_KERNELS_train),$(eval CFLAGS_train/$f := -Wno-psabi))
LIB_train += models/hparams.c models/hparams_basic.c models/hparams_cnn.c models/hparams_extra.c models/hparams_official.c models/hparams_override.c models/hparams_ranges.c models/hparams_reads.c models/hparams_sets.c models/hparams_transformer.c
LIB_train += eval/bleu.c eval/bleu_13a.c eval/bleu_files.c eval/bleu_t2t.c eval/ngram_match.c
LIB_train += optim/adafactor.c optim/adagrad.c optim/adam.c optim/adamax.c optim/ftrl.c optim/garden_schedule.c optim/keras_rms_prop.c optim/keras_sgd.c optim/lars.c optim/lookahead.c optim/momentum.c optim/moving_average.c optim/nadam.c optim/noise.c optim/optimizer.c optim/rms_prop.c optim/schedule.c optim/picture_schedule.c optim/sgd.c optim/yellow_fin.c
# sqrtf without errno, so that the loops vectorise; the values are the same
$(foreach f,$(filter optim/%,$(LIB_train)),$(eval CFLAGS_train/$f := -fno-math-errno -fno-trapping-math))
LIB_train += ckpt/average_all.c ckpt/checkpoint.c ckpt/checkpoint_restore.c ckpt/checkpoint_state.c ckpt/safetensors.c ckpt/safetensors_write.c
LIB_train += decode/beam.c decode/decode_file.c decode/decode_hparams.c decode/draw_id.c decode/greedy.c decode/line_editor.c decode/row_scan.c decode/search.c decode/translator.c trained.c
CPU_KERNELS_train += decode/row_kernel.c
LIB_train += input/index.c input/input.c input/input_shapes.c input/order.c input/pack.c input/picture_mix.c input/picture_recipe.c input/picture_batch.c input/prefetch.c input/record.c input/reference.c input/reference_records.c input/reference_rows.c input/sample_reader.c input/scheme.c
LIB_train += classify.c new_pictures.c registry_names.c
LIB_train += eval/report.c continuous_eval.c data_set.c experiment_hparams.c experiment_paths.c loop.c run.c run_experiment.c run_flags.c run_hparams.c run_profile.c run_text.c memory_plan.c trainer_flags.c
LIB_train += experiment/config.c experiment/config_dump.c experiment/config_value.c experiment/experiments.c experiment/fields_image.c experiment/fields_optimizer.c experiment/fields_run.c experiment/fields_tpu_resnet.c experiment/fields_translation.c experiment/params_override.c
