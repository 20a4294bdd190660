#!/usr/bin/env python3
"""What a training step on an H100 should take, from operations and bytes: a table in Markdown.

  gpu_model.py >bench/results/DATE-gpu-model.md

Standard library only; nothing is measured.  scripts/gpu.sh bench gives the lines to hold it against.
"""
import sys

# One H100 SXM: NVIDIA's data sheet, and the share of it that large products and long passes reach.
PEAK = {"bfloat16": 989e12, "float32": 67e12}
REACHED = {"bfloat16": 0.65, "float32": 0.80}
ATTENTION = {"bfloat16": 0.25, "float32": 0.15}  # of the peak: attention_tensor.cu, attention_tiles.cu
MEMORY, MEMORY_REACHED = 3.35e12, 0.85
LAUNCH = 2.5e-6  # of a kernel of a recorded graph, where the kernel is short

# width, filters, heads, layers of the encoder and of the decoder, vocabulary
SHAPES = {"transformer_base": (512, 2048, 8, 6, 6, 33708), "transformer_big": (1024, 4096, 16, 6, 6, 33708),
          "GPT-2 124M": (768, 3072, 12, 0, 12, 50257)}
RUNS = [("transformer_base", 25000, 50), ("transformer_big", 12500, 50), ("GPT-2 124M", 32768, 1024)]


def step(name, tokens, length, precision):
    """tokens of each side, in sequences of `length`; forward, backward, Adam."""
    width, filters, _, encoder, decoder, vocab = SHAPES[name]
    layers, cross = encoder + decoder, decoder if encoder else 0
    small = 2 if precision == "bfloat16" else 4
    causal = {True: 0.5, False: 1.0}
    # multiply-adds count two; the backward pass has two products for each of the forward's
    weights = layers * (4 * width * width + 2 * width * filters) + cross * 4 * width * width
    products = 3 * 2 * tokens * (weights + vocab * width)
    # forward two products, backward nine (three passes make the logits again): attention_tensor.cu
    pairs = tokens * length * (encoder + cross + decoder * causal[True])
    attention = (2 + 9) * 2 * pairs * width
    # passes over (tokens,width): 7 for a norm with its residual sum and dropout, both ways; 4 for the filters' mask
    norms = 2 * layers + cross
    passes = tokens * small * (7 * 2 * norms * width + 4 * layers * filters)
    logits = 4 * tokens * vocab * small  # written and read, and their gradient
    variables = weights + vocab * width
    adam = variables * 4 * 7 + variables * (4 + 2) * (precision == "bfloat16")  # and weights rounded for products
    kernels = 3 * (norms * 2 + layers * 4 + cross * 2) + 20
    seconds = {"products": products / (PEAK[precision] * REACHED[precision]),
               "attention": attention / (PEAK[precision] * ATTENTION[precision]),
               "passes": (passes + logits) / (MEMORY * MEMORY_REACHED), "Adam": adam / (MEMORY * MEMORY_REACHED),
               "launches": kernels * LAUNCH}
    model = products + 3 * 2 * 2 * pairs * width
    return seconds, model / (sum(seconds.values()) * PEAK[precision] * REACHED[precision])


def main():
    if len(sys.argv) > 1:
        sys.exit(__doc__)
    print("# Device cuda: what a step on an H100 should take\n\n`bench/gpu_model.py`: computed, not measured; no GPU could be had.")
    print("Peak: %.0f TFLOP/s bfloat16, %.0f float32, of which large products reach %.2f and %.2f; attention %.2f and %.2f; memory %.2f TB/s, %.2f of it."
          % (PEAK["bfloat16"] / 1e12, PEAK["float32"] / 1e12, REACHED["bfloat16"], REACHED["float32"], ATTENTION["bfloat16"],
             ATTENTION["float32"], MEMORY / 1e12, MEMORY_REACHED))
    print("Share: operations of the model (attention counted once forward, twice backward) over what products reach.\n")
    print("| work | precision | products ms | attention ms | passes ms | Adam ms | launches ms | step ms | tokens/s | share |")
    print("|---|---|---:|---:|---:|---:|---:|---:|---:|---:|")
    for name, tokens, length in RUNS:
        for precision in ("bfloat16", "float32"):
            s, share = step(name, tokens, length, precision)
            total = sum(s.values())
            print("| %s, %d tokens, length %d | %s | %s | %.1f | %.0f k | %.0f %% |"
                  % (name, tokens, length, precision, " | ".join("%.2f" % (s[k] * 1e3) for k in ("products", "attention", "passes", "Adam", "launches")),
                     total * 1e3, tokens / total / 1e3, 100 * share))


if __name__ == "__main__":
    main()
