#!/usr/bin/env python3
"""Training steps of PyTorch on a GPU, of the shapes of bench_step.c: one line of JSON.

  gpu_peer.py --size=base --batch=32 --length=32 --precision=bfloat16 [--compile] [--steps=20 --warm=4]

What a machine with a GPU has is enough: torch.  Its own fused attention and fused AdamW; float32
without TF32, tf32 with; with bfloat16 weights stay float32 and the step runs under autocast.
"""
import argparse
import json
import statistics
import time

SIZES = {"base": (512, 2048, 8, 6, 32768, True), "small256": (256, 1024, 4, 4, 8192, True),
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


def main():
    p = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    p.add_argument("--size", choices=sorted(SIZES), default="base")
    p.add_argument("--batch", type=int, default=32)
    p.add_argument("--length", type=int, default=32)
    p.add_argument("--precision", choices=("float32", "tf32", "bfloat16"), default="float32")
    p.add_argument("--steps", type=int, default=20)
    p.add_argument("--warm", type=int, default=4)
    p.add_argument("--compile", action="store_true")
    a = p.parse_args()

    import torch
    torch.manual_seed(1)
    torch.backends.cuda.matmul.allow_tf32 = a.precision == "tf32"
    torch.backends.cudnn.allow_tf32 = a.precision == "tf32"
    device = torch.device("cuda")
    model = model_of(torch, a.size).to(device)
    step = torch.compile(model) if a.compile else model
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-4, fused=True)
    ids = torch.randint(2, SIZES[a.size][4], (2, a.batch, a.length), device=device)
    seconds = []
    for _ in range(a.warm + a.steps):
        torch.cuda.synchronize()
        start = time.perf_counter()
        with torch.autocast("cuda", torch.bfloat16, enabled=a.precision == "bfloat16"):
            loss = step(ids[0], ids[1])
        loss.backward()
        optimizer.step()
        optimizer.zero_grad(set_to_none=True)
        torch.cuda.synchronize()
        seconds.append(time.perf_counter() - start)
    median = statistics.median(seconds[a.warm:])
    print(json.dumps({"stage": "peer", "peer": "torch %s%s" % (torch.__version__, " compiled" if a.compile else ""),
                      "flags": "--size=%s --batch=%d --length=%d --precision=%s" % (a.size, a.batch, a.length, a.precision),
                      "value": a.batch * a.length / median, "unit": "target tok/s", "seconds": median, "loss": loss.item()}))


if __name__ == "__main__":
    main()
