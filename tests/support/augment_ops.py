#!/usr/bin/env python3
"""Hashes for tests/oracle/test_augment_ops.c: AutoAugment's operations by TensorFlow's own.

  augment_ops.py IMAGE HEIGHT WIDTH      (TensorFlow 2; IMAGE: raw RGB bytes)

Prints the rows of the test's table.  The operations are put together as the Model Garden puts them
together (official/vision/ops/augment.py); "grey" is tensorflow/tpu's filling.
"""
import hashlib
import math
import os
import sys

os.environ["TF_CPP_MIN_LOG_LEVEL"] = "3"
os.environ["TF_ENABLE_ONEDNN_OPTS"] = "0"  # oneDNN's convolution fuses products and sums: sharpness 1 level apart
import numpy as np  # noqa: E402
import tensorflow as tf  # noqa: E402


def blend(a, b, factor):
    if factor == 0.0:
        return a
    if factor == 1.0:
        return b
    a, b = tf.cast(a, tf.float32), tf.cast(b, tf.float32)
    mixed = a + factor * (b - a)
    if 0.0 < factor < 1.0:
        return tf.cast(mixed, tf.uint8)
    return tf.cast(tf.clip_by_value(mixed, 0.0, 255.0), tf.uint8)


def grey(x):
    return tf.image.grayscale_to_rgb(tf.image.rgb_to_grayscale(x))


def contrast(x, f):
    n = float(x.shape[0] * x.shape[1])
    level = tf.cast(tf.clip_by_value(tf.constant(n, tf.float32) / 256.0, 0.0, 255.0), tf.uint8)
    return blend(tf.zeros_like(x) + level, x, f)


def sharpness(x, f):
    kernel = tf.constant([[1, 1, 1], [1, 5, 1], [1, 1, 1]], tf.float32, shape=[3, 3, 1, 1]) / 13.0
    smooth = tf.nn.depthwise_conv2d(tf.cast(x, tf.float32)[None], tf.tile(kernel, [1, 1, 3, 1]), [1, 1, 1, 1], padding="VALID")
    smooth = tf.cast(tf.clip_by_value(smooth, 0.0, 255.0), tf.uint8)[0].numpy()
    out = x.numpy().copy()
    out[1:-1, 1:-1] = smooth
    return blend(tf.constant(out), x, f)


def equalize(x, _):
    planes = []
    for c in range(3):
        im = tf.cast(x[..., c], tf.int32)
        counts = tf.histogram_fixed_width(im, [0, 255], nbins=256)
        some = tf.boolean_mask(counts, counts != 0)
        step = (tf.reduce_sum(some) - some[-1]) // 255
        if int(step) == 0:
            planes.append(im)
            continue
        table = (tf.cumsum(counts) + step // 2) // step
        table = tf.clip_by_value(tf.concat([[0], table[:-1]], 0), 0, 255)
        planes.append(tf.gather(table, im))
    return tf.cast(tf.stack(planes, -1), tf.uint8)


def autocontrast(x, _):
    planes = []
    for c in range(3):
        im = x[..., c]
        lo, hi = tf.cast(tf.reduce_min(im), tf.float32), tf.cast(tf.reduce_max(im), tf.float32)
        scale = 255.0 / (hi - lo)
        planes.append(tf.cast(tf.clip_by_value(tf.cast(im, tf.float32) * scale + -lo * scale, 0.0, 255.0), tf.uint8))
    return tf.stack(planes, -1)


def move(matrix, fill_grey):
    def f(x, v):
        h, w = x.shape[:2]
        t = tf.reshape(tf.cast(matrix(v, h, w), tf.float32), [1, 8])
        x4 = tf.concat([x, tf.ones([h, w, 1], tf.uint8)], -1)[None]
        y = tf.raw_ops.ImageProjectiveTransformV3(images=x4, transforms=t, output_shape=[h, w], fill_value=0.0,
                                                  interpolation="NEAREST", fill_mode="CONSTANT" if fill_grey else "REFLECT")[0]
        return tf.where(y[..., 3:] == 0, tf.constant(128, tf.uint8), y[..., :3])
    return f


def rotation(v, h, w):
    a = tf.cast(v * (math.pi / 180.0), tf.float32)
    h, w = tf.cast(h, tf.float32), tf.cast(w, tf.float32)
    c, s = tf.cos(a), tf.sin(a)
    x = ((w - 1) - (c * (w - 1) - s * (h - 1))) / 2.0
    y = ((h - 1) - (s * (w - 1) + c * (h - 1))) / 2.0
    return tf.stack([c, -s, x, s, c, y, 0.0, 0.0])


MATRICES = {"ROTATE": rotation, "SHEAR_X": lambda v, h, w: [1.0, v, 0, 0, 1, 0, 0, 0],
            "SHEAR_Y": lambda v, h, w: [1.0, 0, 0, v, 1, 0, 0, 0], "TRANSLATE_X": lambda v, h, w: [1.0, 0, v, 0, 1, 0, 0, 0],
            "TRANSLATE_Y": lambda v, h, w: [1.0, 0, 0, 0, 1, v, 0, 0]}
OPS = {"AUTO_CONTRAST": autocontrast, "EQUALIZE": equalize, "INVERT": lambda x, _: 255 - x,
       "POSTERIZE": lambda x, v: tf.bitwise.left_shift(tf.bitwise.right_shift(x, np.uint8(8 - v)), np.uint8(8 - v)),
       "SOLARIZE": lambda x, v: tf.where(tf.cast(x, tf.int32) < v, x, 255 - x),
       "SOLARIZE_ADD": lambda x, v: tf.where(x < 128, tf.cast(tf.clip_by_value(tf.cast(x, tf.int64) + v, 0, 255), tf.uint8), x),
       "COLOR": lambda x, v: blend(grey(x), x, v), "CONTRAST": contrast, "BRIGHTNESS": lambda x, v: blend(tf.zeros_like(x), x, v),
       "SHARPNESS": sharpness}
VALUES = {"POSTERIZE": [4, 2, 1, 0], "SOLARIZE": [256, 204, 51], "SOLARIZE_ADD": [33, 77, 110],
          "ROTATE": [30.0, -24.0, 7.5], "SHEAR_X": [0.3, -0.12], "SHEAR_Y": [0.21, -0.3], "TRANSLATE_X": [100.0, -22.5, 10.0],
          "TRANSLATE_Y": [-225.0, 9.0]}


def main():
    h, w = int(sys.argv[2]), int(sys.argv[3])
    with open(sys.argv[1], "rb") as f:
        x = tf.constant(np.frombuffer(f.read(), np.uint8).reshape(h, w, 3))

    def row(op, v, fill, y):
        text = repr(float(v))
        print('    {AUG_%s, %sf, %s, "%s"},' % (op, text, fill, hashlib.sha256(y.numpy().tobytes()).hexdigest()))
    for op, f in OPS.items():
        for v in VALUES.get(op, [0.1, 0.28, 0.82, 1.9] if op in ("COLOR", "CONTRAST", "BRIGHTNESS", "SHARPNESS") else [0]):
            row(op, v, "false", f(x, v))
    for op, matrix in MATRICES.items():
        for v in VALUES[op]:
            row(op, v, "false", move(matrix, False)(x, v))
            row(op, v, "true", move(matrix, True)(x, v))


main()
