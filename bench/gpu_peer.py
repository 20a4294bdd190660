#!/usr/bin/env python3
"""Training steps of PyTorch on a GPU, of the shapes of bench_step.c and bench_net.c, or a beam search, of those of
bench_decode.c: one line of JSON.

  gpu_peer.py --size=base --batch=32 --length=32 --precision=bfloat16 [--compile] [--steps=20 --warm=4]
  gpu_peer.py --size=resnet50 --batch=256 --precision=bfloat16 [--compile]
  gpu_peer.py --size=base --beam=4 --batch=256 --length=50 --precision=bfloat16
  gpu_peer.py --size=products --precision=bfloat16         operations a second of a product 8192 x 8192 x 8192

What a machine with a GPU has is enough: torch.  Its own fused attention and fused AdamW; float32
without TF32, tf32 with; with bfloat16 weights stay float32 and the step runs under autocast.
"""
import argparse
import functools
import json
import statistics
import time

SIZES = {"base": (512, 2048, 8, 6, 32768, True), "big": (1024, 4096, 16, 6, 32768, True), "small256": (256, 1024, 4, 4, 8192, True),
         "small128": (128, 512, 4, 2, 8192, True), "gpt2": (768, 3072, 12, 12, 50257, False)}


def model_of(torch, size):
    hidden, filters, heads, layers, vocab, has_inputs = SIZES[size]

    class Model(torch.nn.Module):
        def __init__(self):
            super().__init__()
            self.table = torch.nn.Embedding(vocab, hidden)
            options = {"dim_feedforward": filters, "dropout": 0.1, "batch_first": True, "norm_first": True}
            if has_inputs:
                self.body = torch.nn.Transformer(hidden, heads, layers, layers, **options)
            else:
                layer = torch.nn.TransformerEncoderLayer(hidden, heads, **options)
                self.body = torch.nn.TransformerEncoder(layer, layers, enable_nested_tensor=False)

        def forward(self, inputs, targets):
            mask = torch.nn.Transformer.generate_square_subsequent_mask(targets.shape[1], device=targets.device)
            y = self.table(targets) * hidden ** 0.5
            if has_inputs:
                y = self.body(self.table(inputs) * hidden ** 0.5, y, tgt_mask=mask, tgt_is_causal=True)
            else:
                y = self.body(y, mask=mask, is_causal=True)
            logits = y @ self.table.weight.t()
            return torch.nn.functional.cross_entropy(logits.flatten(0, 1).float(), targets.flatten(), label_smoothing=0.1)

    return Model()


def resnet50(torch):
    """torchvision's, layer by layer, as bench_net.c has it; torchvision itself need not be there."""
    nn = torch.nn

    def convolution(inputs, outputs, kernel, stride=1):
        return [nn.Conv2d(inputs, outputs, kernel, stride, kernel // 2, bias=False), nn.BatchNorm2d(outputs)]

    class Block(nn.Module):
        def __init__(self, inputs, width, stride):
            super().__init__()
            self.body = nn.Sequential(*convolution(inputs, width, 1), nn.ReLU(), *convolution(width, width, 3, stride), nn.ReLU(),
                                      *convolution(width, 4 * width, 1))
            self.short = nn.Sequential(*convolution(inputs, 4 * width, 1, stride)) if inputs != 4 * width or stride > 1 else nn.Identity()

        def forward(self, x):
            return torch.relu(self.body(x) + self.short(x))

    layers, inputs = convolution(3, 64, 7, 2) + [nn.ReLU(), nn.MaxPool2d(3, 2, 1)], 64
    for stage, n in enumerate((3, 4, 6, 3)):
        for i in range(n):
            layers.append(Block(inputs, 64 << stage, 2 if stage and i == 0 else 1))
            inputs = 4 * (64 << stage)
    return nn.Sequential(*layers, nn.AdaptiveAvgPool2d(1), nn.Flatten(), nn.Linear(inputs, 1000))


class Beam:
    """Beam search with caches over a Transformer of this size with random weights: `length` steps, whatever comes."""

    def __init__(self, torch, size, device, dtype):
        self.torch = torch
        self.hidden, filters, self.heads, self.layers, self.vocab, _ = SIZES[size]
        draw = lambda *shape: torch.randn(*shape, device=device, dtype=dtype) * 0.05
        h = self.hidden
        self.table = draw(self.vocab, h)
        self.weights = [[draw(3 * h, h), draw(h, h), draw(h, h), draw(2 * h, h), draw(h, h), draw(filters, h), draw(h, filters)] for _ in range(self.layers)]

    def split(self, x):
        return x.view(x.shape[0], -1, self.heads, self.hidden // self.heads).transpose(1, 2)

    def attend(self, q, k, v):
        y = self.torch.nn.functional.scaled_dot_product_attention(self.split(q), k, v)
        return y.transpose(1, 2).reshape(q.shape)

    def run(self, source, beam, length):
        f, n = self.torch.nn.functional, source.shape[0]
        norm = functools.partial(f.layer_norm, normalized_shape=(self.hidden,))
        x = self.table[source]
        for qkv, out, _, _, _, up, down in self.weights:
            q, k, v = f.linear(norm(x), qkv).chunk(3, -1)
            x = x + f.linear(self.attend(q, self.split(k), self.split(v)), out)
            x = x + f.linear(f.relu(f.linear(norm(x), up)), down)
        sources = [[self.split(y).repeat_interleave(beam, 0) for y in f.linear(norm(x), w[3]).chunk(2, -1)] for w in self.weights]
        caches, ids = [None] * self.layers, source.new_ones(n * beam)
        scores = self.torch.full((n, beam), -1e9, device=source.device)
        scores[:, 0] = 0
        base = self.torch.arange(n, device=source.device)[:, None] * beam
        for _ in range(length):
            y = self.table[ids][:, None]
            for i, (qkv, out, cross, _, cross_out, up, down) in enumerate(self.weights):
                q, k, v = f.linear(norm(y), qkv).chunk(3, -1)
                k, v = self.split(k), self.split(v)
                if caches[i]:
                    k, v = self.torch.cat((caches[i][0], k), 2), self.torch.cat((caches[i][1], v), 2)
                caches[i] = (k, v)
                y = y + f.linear(self.attend(q, k, v), out)
                y = y + f.linear(self.attend(f.linear(norm(y), cross), *sources[i]), cross_out)
                y = y + f.linear(f.relu(f.linear(norm(y), up)), down)
            all_scores = f.log_softmax(f.linear(norm(y[:, 0]), self.table).float(), -1).view(n, beam, -1) + scores[..., None]
            scores, best = all_scores.flatten(1).topk(beam)
            rows = (base + best // self.vocab).flatten()
            ids = (best % self.vocab).flatten()
            caches = [(k[rows], v[rows]) for k, v in caches]
        return ids


def products(torch, a, device):
    """The rate that steps are held against: a product that is large enough for all of the card."""
    n = min(a.batch, 8192) if a.batch > 32 else 8192
    dtype = torch.bfloat16 if a.precision == "bfloat16" else torch.float32
    x, y = torch.randn(2, n, n, device=device, dtype=dtype)
    out = torch.empty(n, n, device=device, dtype=dtype)
    median, _ = timed(torch, device, lambda: torch.mm(x, y, out=out), a.steps, a.warm)
    return median, 2 * n ** 3, "FLOP/s"


def timed(torch, device, call, steps, warm):
    seconds = []
    for _ in range(warm + steps):
        if device.type == "cuda":
            torch.cuda.synchronize()
        start = time.perf_counter()
        result = call()
        if device.type == "cuda":
            torch.cuda.synchronize()
        seconds.append(time.perf_counter() - start)
    return statistics.median(seconds[warm:]), result


def trainer(torch, a, device):
    """A function that takes a step and gives its loss, and what a step has of what."""
    images = a.size == "resnet50"
    model = (resnet50(torch) if images else model_of(torch, a.size)).to(device)
    if images:
        model = model.to(memory_format=torch.channels_last)
        x = torch.randn(a.batch, 3, a.pixels, a.pixels, device=device).contiguous(memory_format=torch.channels_last)
        labels = torch.randint(0, 1000, (a.batch,), device=device)
    else:
        ids = torch.randint(2, SIZES[a.size][4], (2, a.batch, a.length), device=device)
    step = torch.compile(model) if a.compile else model
    fused = {"fused": True} if device.type == "cuda" else {}
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-4, **fused)

    def one():
        with torch.autocast(device.type, torch.bfloat16, enabled=a.precision == "bfloat16"):
            loss = torch.nn.functional.cross_entropy(step(x).float(), labels) if images else step(ids[0], ids[1])
        loss.backward()
        optimizer.step()
        optimizer.zero_grad(set_to_none=True)
        return loss

    return one, (a.batch, "images/s") if images else (a.batch * a.length, "target tok/s")


def main():
    p = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    p.add_argument("--size", choices=sorted(SIZES) + ["resnet50", "products"], default="base")
    p.add_argument("--batch", type=int, default=32)
    p.add_argument("--length", type=int, default=32)
    p.add_argument("--precision", choices=("float32", "tf32", "bfloat16"), default="float32")
    p.add_argument("--steps", type=int, default=20)
    p.add_argument("--warm", type=int, default=4)
    p.add_argument("--compile", action="store_true")
    p.add_argument("--beam", type=int, default=0, help="hypotheses of a search instead of training steps")
    p.add_argument("--pixels", type=int, default=224)
    p.add_argument("--device", default="cuda")
    p.add_argument("--tag", default="", help="which figure this is: gpu_model.py")
    a = p.parse_args()

    import torch
    torch.manual_seed(1)
    torch.backends.cuda.matmul.allow_tf32 = a.precision == "tf32"
    torch.backends.cudnn.allow_tf32 = a.precision == "tf32"
    device = torch.device(a.device)
    if a.size == "products":
        (median, n, unit), loss = products(torch, a, device), None
    elif a.beam:
        search = Beam(torch, a.size, device, torch.bfloat16 if a.precision == "bfloat16" else torch.float32)
        source = torch.randint(2, search.vocab, (a.batch, a.length), device=device)
        with torch.inference_mode():
            median, _ = timed(torch, device, lambda: search.run(source, a.beam, a.length), a.steps, a.warm)
        n, unit, loss = a.batch * a.length, "target tok/s", None
    else:
        one, (n, unit) = trainer(torch, a, device)
        median, loss = timed(torch, device, one, a.steps, a.warm)
        loss = loss.item()
    print(json.dumps({"stage": "peer", "tag": a.tag, "peer": "torch %s%s" % (torch.__version__, " compiled" if a.compile else ""),
                      "flags": "--size=%s --batch=%d --length=%d --precision=%s%s" % (a.size, a.batch, a.length, a.precision,
                                                                                     " --beam=%d" % a.beam if a.beam else ""),
                      "value": n / median, "unit": unit, "seconds": median, "loss": loss}))


if __name__ == "__main__":
    main()
