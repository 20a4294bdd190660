/*
 * train/ckpt/encoded_weights.h - variables of hparam weight_dtype=bfloat16 in checkpoints of
 * TensorFlow: bfloat16 numbers that stand for weights (device/rules/eighth_power.h), as
 * EighthPowerEncoding of tensor2tensor/utils/quantization.py leaves them.
 *
 * Checkpoints of our own hold the weights themselves, float32.
 */
#ifndef CKPT_ENCODED_WEIGHTS_H
#define CKPT_ENCODED_WEIGHTS_H

#include <stddef.h>
#include <stdint.h>

#include "train/ckpt/safetensors.h"

/* All tensors of bfloat16 become those of the weights, F32; their memory is the file's. */
void ckpt_decode_weights(struct ckpt_file *f);
/* encoded (n) = what stands for weights (n); the nearest where none does exactly, as after an
 * average of checkpoints. */
void ckpt_encode_weights(const float *weights, size_t n, uint16_t *encoded);

#endif
