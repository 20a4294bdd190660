#!/usr/bin/env python3
"""A training step of the Image Transformer: ours beside PyTorch or the original, in pairs.

  python3 bench/bench_image_step.py [--layers=2] [--batch=2] [--pairs=3] [--peer=torch|t2t]

environment: one with torch, or with tensor2tensor 1.15.7.

imagetransformer_cifar10_base: 512 wide, 4 heads, feed-forward 2048, attention to the own block of 256 positions and the
one before, dropout 0.3, Adam, images of 32 x 32 x 3 numbers, of so many layers.  PyTorch's side has the same shapes and
operations (its fused attention with a mask, float32); the original's is its own graph, loss and gradients clipped by its
norm, with TensorFlow's Adam.  Prints positions a second of the processor's time of all threads
and the ratio, the median of the pairs, with its spread; the load stands beside it.
"""
import argparse
import json
import os
import subprocess
import time

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
SIDE, CHANNELS, VALUES, WIDTH, HEADS, FILTER, BLOCK, DROPOUT = 32, 3, 256, 512, 4, 2048, 256, 0.3
LENGTH = SIDE * SIDE * CHANNELS


def ours(a):
    program = os.path.join(os.environ.get("T2_BUILD", os.path.join(ROOT, "build/release")), "bench/bench_image_step")
    out = subprocess.run([program, "--layers=%d" % a.layers, "--batch=%d" % a.batch, "--steps=%d" % a.steps, "--num_threads=%d" % a.threads],
                         check=True, stdout=subprocess.PIPE)
    return json.loads(out.stdout.decode())["value"]


def by_torch(a):
    import torch
    from torch import nn
    from torch.nn import functional as F

    torch.set_num_threads(a.threads)
    torch.manual_seed(1)

    class Layer(nn.Module):
        def __init__(self):
            super().__init__()
            self.qkv, self.out = nn.Linear(WIDTH, 3 * WIDTH, bias=False), nn.Linear(WIDTH, WIDTH, bias=False)
            self.hidden, self.back = nn.Linear(WIDTH, FILTER), nn.Linear(FILTER, WIDTH)
            self.norms = nn.ModuleList([nn.LayerNorm(WIDTH, eps=1e-6) for _ in range(2)])

        def attend(self, x, mask):
            B, blocks = x.shape[0], LENGTH // BLOCK
            q, k, v = self.qkv(x).view(B, blocks, BLOCK, 3, HEADS, WIDTH // HEADS).permute(3, 0, 1, 4, 2, 5)
            k, v = (torch.cat([F.pad(y, (0, 0, 0, 0, 0, 0, 1, 0))[:, :-1], y], 3) for y in (k, v))
            y = F.scaled_dot_product_attention(*(z.reshape(-1, HEADS, z.shape[3], z.shape[4]) for z in (q, k, v)), attn_mask=mask)
            return self.out(y.transpose(1, 2).reshape(B, LENGTH, WIDTH))

        def forward(self, x, mask):
            x = self.norms[0](x + F.dropout(self.attend(x, mask), DROPOUT))
            return self.norms[1](x + F.dropout(self.back(F.relu(self.hidden(x))), DROPOUT))

    class Model(nn.Module):
        def __init__(self):
            super().__init__()
            self.tables = nn.Embedding(VALUES * CHANNELS, WIDTH)
            self.layers = nn.ModuleList([Layer() for _ in range(a.layers)])
            self.last = nn.Linear(WIDTH, VALUES)
            own = torch.ones(BLOCK, BLOCK, dtype=torch.bool).tril()
            before = torch.ones(a.batch, LENGTH // BLOCK, BLOCK, BLOCK, dtype=torch.bool)
            before[:, 0] = False
            self.mask = torch.cat([before, own.expand_as(before)], 3).view(-1, 1, BLOCK, 2 * BLOCK)
            self.signal = torch.randn(LENGTH, WIDTH)

        def forward(self, values):
            x = self.tables(values + VALUES * (torch.arange(LENGTH) % CHANNELS)) * WIDTH ** 0.5
            x = F.dropout(F.pad(x, (0, 0, 1, 0))[:, :-1] + self.signal, DROPOUT)
            for layer in self.layers:
                x = layer(x, self.mask)
            return self.last(x)

    model = Model()
    adam = torch.optim.Adam(model.parameters(), lr=1e-4)
    values = torch.randint(VALUES, (a.batch, LENGTH))

    def step():
        adam.zero_grad()
        F.cross_entropy(model(values).view(-1, VALUES), values.view(-1)).backward()
        adam.step()

    return "PyTorch " + torch.__version__, step


def by_t2t(a):
    import numpy as np
    import tensorflow.compat.v1 as tf
    from tensor2tensor.data_generators import problem
    from tensor2tensor.layers import common_layers, modalities
    from tensor2tensor.models import image_transformer  # noqa: F401 - registers it
    from tensor2tensor.utils import registry, trainer_lib

    class Generation(problem.Problem):
        def hparams(self, defaults, unused_model_hparams):
            defaults.modality, defaults.vocab_size = {"targets": modalities.ModalityType.IMAGE}, {"targets": VALUES}

    tf.disable_v2_behavior()
    common_layers.should_generate_summaries = lambda: False
    tf.summary.image = lambda *args, **more: None
    hparams = trainer_lib.create_hparams("imagetransformer_cifar10_base").parse("num_decoder_layers=%d" % a.layers)
    hparams.add_hparam("data_dir", "")
    hparams.problem_hparams = Generation(False, False).get_hparams(hparams)
    model = registry.model("imagetransformer")(hparams, tf.estimator.ModeKeys.TRAIN, hparams.problem_hparams)
    values = np.random.RandomState(1).randint(0, VALUES, (a.batch, SIDE, SIDE, CHANNELS)).astype(np.int32)
    losses = model({"targets": tf.constant(values)})[1]
    variables = tf.trainable_variables()
    gradients, _ = tf.clip_by_global_norm(tf.gradients(tf.add_n(list(losses.values())), variables), hparams.clip_grad_norm)
    train = tf.train.AdamOptimizer(1e-4).apply_gradients(zip(gradients, variables))
    session = tf.Session(config=tf.ConfigProto(intra_op_parallelism_threads=a.threads, inter_op_parallelism_threads=1))
    session.run(tf.global_variables_initializer())
    return "tensor2tensor on TensorFlow " + tf.__version__, lambda: session.run(train)


def rate(step, a):
    step()
    begin = time.process_time()
    for _ in range(a.steps):
        step()
    return a.batch * LENGTH * a.steps / (time.process_time() - begin)


def main():
    p = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    for name, value in (("layers", 2), ("batch", 2), ("steps", 2), ("pairs", 3), ("threads", 2)):
        p.add_argument("--" + name, type=int, default=value)
    p.add_argument("--peer", choices=("torch", "t2t"), default="torch")
    a = p.parse_args()
    name, step = by_t2t(a) if a.peer == "t2t" else by_torch(a)
    pairs = [(ours(a), rate(step, a)) for _ in range(a.pairs)]
    ratios = sorted(x / y for x, y in pairs)
    middle = a.pairs // 2
    print("image step, %d layers, batch %d: ours %.0f   %s %.0f   ratio %.2f (%.2f to %.2f)   load %.1f" % (
        a.layers, a.batch, sorted(x for x, _ in pairs)[middle], name, sorted(y for _, y in pairs)[middle], ratios[middle], ratios[0],
        ratios[-1], os.getloadavg()[0]))


if __name__ == "__main__":
    main()
