#!/usr/bin/env python3
"""A dense layer trained by Keras, for tests/unit/train/test_value_loss.c.

    record_keras.py [--check]      environment: keras 3.15 and a backend (KERAS_BACKEND=torch, tensorflow or jax)

Four steps of Dense on a table of five rows, all of them a batch: a number by MeanSquaredError, two labels by
BinaryCrossentropy of logits, both with Adagrad of rate 0.1.  Prints the losses and the weights behind them, kernel and
bias, as the test has them; --check compares instead, and fails where one is 1e-6 apart.
"""
import os
import re
import sys

os.environ.setdefault("KERAS_BACKEND", "torch")
os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")
import keras  # noqa: E402
import numpy as np  # noqa: E402

TEST = os.path.join(os.path.dirname(os.path.abspath(__file__)), "../tests/unit/train/test_value_loss.c")
TABLE = [[0.5, -1.0, 2.0], [1.5, 0.25, -0.75], [-2.0, 1.0, 0.5], [0.0, 3.0, 1.0], [1.0, 1.0, -1.0]]
CASES = {
    "numbers": (keras.losses.MeanSquaredError(), [[1.0], [-0.5], [2.5], [0.0], [0.75]], [[0.25], [-0.5], [0.125]], [0.1]),
    "sets": (keras.losses.BinaryCrossentropy(from_logits=True), [[1, 0], [0, 0], [1, 1], [0, 1], [1, 0]],
             [[0.25, -0.25], [-0.5, 0.75], [0.125, 0.5]], [0.1, 0.1]),
}
STEPS = 4


def train(loss, targets, kernel, bias):
    x, y = np.array(TABLE, np.float32), np.array(targets, np.float32)
    model = keras.Sequential([keras.layers.Dense(len(bias))])
    model.build((None, x.shape[1]))
    model.set_weights([np.array(kernel, np.float32), np.array(bias, np.float32)])
    model.compile(optimizer=keras.optimizers.Adagrad(learning_rate=0.1), loss=loss)
    losses = [float(model.train_on_batch(x, y)) for _ in range(STEPS)]
    return losses, np.concatenate([w.ravel() for w in model.get_weights()]).astype(float).tolist()


def in_test():
    """The numbers of the test, losses and ends of each case in their order."""
    with open(TEST, encoding="utf-8") as f:
        text = f.read()
    return [[float(x) for x in found.split(",")] for found in re.findall(r"\.(?:losses|ends) = \{([^}]*)\}", text)]


def main():
    known = in_test()
    for i, (name, case) in enumerate(CASES.items()):
        recorded = train(*case)
        if "--check" not in sys.argv[1:]:
            for what, numbers in zip(("losses", "ends"), recorded):
                print(f"{name}: .{what} = {{{', '.join(map(repr, numbers))}}}")
            continue
        apart = max(np.abs(np.subtract(a, b)).max() for a, b in zip(known[2 * i:2 * i + 2], recorded))
        print(f"{name}: {apart:.1e} apart, keras {keras.__version__} on {keras.config.backend()}")
        if not apart < 1e-6:
            sys.exit(1)


if __name__ == "__main__":
    main()
