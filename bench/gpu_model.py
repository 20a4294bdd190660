#!/usr/bin/env python3
"""What a training step on an H100 should take, from operations and bytes: a table in Markdown.

  gpu_model.py >bench/results/DATE-gpu-model.md     what is to be expected
  gpu_model.py --against gpu.jsonl                  beside what scripts/gpu.sh bench has measured, ours and the peers'

Standard library only.
"""
import json
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
    # passes over (tokens,width): 4 forward and 7 backward for a norm with its residual sum and dropout; 4 for the filters' mask
    norms = 2 * layers + cross
    passes = tokens * small * (11 * norms * width + 4 * layers * filters)
    # float32 logits written, read twice; gradients of `small` bytes written, read by two products
    logits = tokens * vocab * (3 * 4 + 3 * small)
    variables = weights + vocab * width
    adam = variables * 4 * 7 + variables * 2 * (precision == "bfloat16")  # and the update writes them rounded
    kernels = 3 * (norms + layers * 4 + cross * 2) + 20  # of one graph
    seconds = {"products": products / (PEAK[precision] * REACHED[precision]),
               "attention": attention / (PEAK[precision] * ATTENTION[precision]),
               "passes": (passes + logits) / (MEMORY * MEMORY_REACHED), "Adam": adam / (MEMORY * MEMORY_REACHED),
               "launches": kernels * LAUNCH}
    return seconds, model_operations(name, tokens, length) / (sum(seconds.values()) * PEAK[precision] * REACHED[precision])


def model_operations(name, tokens, length):
    """Of a step: each product once forward and twice backward, nothing that is computed again."""
    width, filters, _, encoder, decoder, vocab = SHAPES[name]
    layers, cross = encoder + decoder, decoder if encoder else 0
    weights = layers * (4 * width * width + 2 * width * filters) + cross * 4 * width * width
    pairs = tokens * length * (encoder + cross + decoder * 0.5)
    return 3 * 2 * tokens * (weights + vocab * width) + 3 * 2 * 2 * pairs * width


# Goals: ours by PyTorch's compiled, by CTranslate2's or PyTorch's.  tag of the lines of scripts/gpu.sh -> work, goal
WORK = {"base-bf16": ("transformer_base, 25,000 tokens, bfloat16", 1.1), "big-bf16": ("transformer_big, 12,500 tokens, bfloat16", 1.1),
        "gpt2-bf16": ("GPT-2 124M, 32 x 1024, bfloat16", 1.1), "resnet-bf16": ("ResNet-50 at 224, 256 images, bfloat16", 1.0),
        "beam-bf16": ("beam 4, base, 256 sentences, bfloat16", 1.3), "base-f32": ("transformer_base, 25,000 tokens, float32", 1.1)}


# Of the product rate that was measured in the same run, what a step should reach.
SHARE = {"base-bf16": 0.5, "big-bf16": 0.5}

# llm.c's scripts/run_gpt2_124M.sh: 524,288 tokens in about 300 ms on eight A100 80GB SXM, bfloat16 (312 TFLOP/s, 2.04 TB/s).
LLM_C_A100 = 524288 / 0.3 / 8


def llm_c():
    """Its tokens a second on an H100, if they grow as the memory does, and as the products do."""
    return LLM_C_A100 * MEMORY / 2.04e12, LLM_C_A100 * PEAK["bfloat16"] / 312e12


def first_loss():
    """Seconds: the CUDA context and its modules, cuBLASLt, initial values of 61 million weights on 16 threads and their copy,
    a step without a recording (about 600 launches of 5 us by the host)."""
    return 0.7 + 0.3 + 61e6 * 20e-9 / 16 + 61e6 * 4 / 10e9 + 600 * 5e-6 + sum(step("transformer_base", 25000, 50, "bfloat16")[0].values())


def device_memory(name, tokens, length):
    """Bytes of the plan, about: values, gradients and Adam's two slots in float32, values in 16 bits; what a layer keeps for its
    backward pass in 16 bits; a chunk of logits."""
    width, filters, _, encoder, decoder, vocab = SHAPES[name]
    layers, cross = encoder + decoder, decoder if encoder else 0
    variables = layers * (4 * width * width + 2 * width * filters) + cross * 4 * width * width + vocab * width
    kept = layers * (8 * width + filters) + cross * 7 * width
    return variables * (4 * 4 + 2) + tokens * kept * 2 + 4 * 2 ** 25


def images(batch, precision):
    """ResNet-50 at 224: 4.1 billion multiply-adds an image, twice again backward; batch norm is eight passes over 11.1
    million values (three forward, five backward)."""
    small = 2 if precision == "bfloat16" else 4
    products = 3 * 2 * 4.1e9 * batch / (PEAK[precision] * (0.35 if precision == "bfloat16" else 0.70))
    return products + 8 * 11.1e6 * batch * small / (MEMORY * MEMORY_REACHED) + 550 * LAUNCH


def beam(batch, width_of_beam, length):
    """Seconds of a translation by transformer_base in bfloat16: each step multiplies all rows by the decoder's weights and
    the table, reads their caches and the sources', writes and reads the logits twice, and waits once for the host."""
    width, filters, _, _, layers, vocab = SHAPES["transformer_base"]
    rows, weights = batch * width_of_beam, layers * (8 * width * width + 2 * width * filters) + vocab * width
    caches = 2 * 2 * rows * width * layers * (length / 2 + length)
    one = (2 * weights * rows / (PEAK["bfloat16"] * REACHED["bfloat16"]) + (2 * weights + caches + 3 * 4 * rows * vocab) / (MEMORY * MEMORY_REACHED)
           + (layers * 14 + 6) * LAUNCH + 30e-6)
    return length * one


def run_of(tag):
    return RUNS[("base", "big", "gpt2").index(tag.split("-")[0])]


def share_of(tag, ours, found):
    """Operations of the model by the product rate of the same run; None where there is no such rate."""
    rate = found.get(("peer", "products-f32" if tag.endswith("f32") else "products-bf16"))
    if not (ours and rate) or tag.split("-")[0] not in ("base", "big", "gpt2"):
        return None
    name, tokens, length = run_of(tag)
    return ours * model_operations(name, tokens, length) / tokens / rate


def forecast(tag):
    """Tokens or images a second."""
    if tag == "resnet-bf16":
        return 256 / images(256, "bfloat16")
    if tag == "beam-bf16":
        return 256 * 50 / beam(256, 4, 50)
    name, tokens, length = run_of(tag)
    return tokens / sum(step(name, tokens, length, "float32" if tag.endswith("f32") else "bfloat16")[0].values())


def against(path):
    with open(path, encoding="utf-8") as f:
        rows = [json.loads(line) for line in f]
    found = {(r["stage"], r["tag"]): r["value"] for r in rows if "tag" in r and isinstance(r.get("value"), (int, float))}
    print("| work | forecast /s | ours /s | of the forecast | peer /s | ours by peer | goal | | of the product rate | goal |")
    print("|---|---:|---:|---:|---:|---:|---:|---|---:|---:|")
    text = lambda x, form: form % x if x else "-"
    for tag, (work, goal) in WORK.items():
        ours, peer, expected = found.get(("ours", tag)), found.get(("peer", tag)), forecast(tag)
        ratio = ours / peer if ours and peer else None
        share = share_of(tag, ours, found)
        print("| %s | %.0f | %s | %s | %s | %s | %.1f | %s | %s | %s |" % (
            work, expected, text(ours, "%.0f"), text(ours and 100 * ours / expected, "%.0f %%"), text(peer, "%.0f"), text(ratio, "%.2f"), goal,
            "-" if ratio is None else "met" if ratio >= goal else "missed", text(share and 100 * share, "%.0f %%"),
            text(SHARE.get(tag, 0) * 100, "%.0f %%")))
    print("\nllm.c on GPT-2 124M, from its figure on an A100: %.0f to %.0f tokens/s." % llm_c())
    for r in rows:
        if r.get("stage") == "first_loss":
            print("First loss: %.2f s, forecast %.1f, goal %s: %s." % (r["seconds"], first_loss(), r["goal"], "met" if r["seconds"] <= r["goal"] else "missed"))
        if r.get("stage") == "ours" and r.get("planned_bytes"):
            off = r["taken_bytes"] / r["planned_bytes"] - 1
            print("Device memory of %s: %.0f MiB planned, %.1f %% more taken, goal 5 %%: %s."
                  % (r["tag"], r["planned_bytes"] / 2 ** 20, 100 * off, "met" if abs(off) <= 0.05 else "missed"))


def main():
    if len(sys.argv) == 3 and sys.argv[1] == "--against":
        against(sys.argv[2])
        return
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
    print("\nGoals: the first two rows in bfloat16 at 50 % of the product rate of the same run or more.")
    print("\nllm.c's figure for GPT-2 124M is one of eight A100 (scripts/run_gpt2_124M.sh: 524,288 tokens in 300 ms, %.0f k tokens/s a card);"
          " on an H100 that is between %.0f k, as memory grows, and %.0f k, as products do." % ((LLM_C_A100 / 1e3,) + tuple(x / 1e3 for x in llm_c())))
    print("\nFirst loss of transformer_base: %.1f s after the call, goal 3. Device memory, about: base %.1f GB, big %.1f, GPT-2 %.1f;"
          " what is taken may be 5 %% off what the program itself plans." % ((first_loss(),) + tuple(device_memory(*run) / 1e9 for run in RUNS)))
    print("\nResNet-50, 256 images at 224, bfloat16: %.1f ms, %.0f images/s. Beam 4, base, 256 sentences of 50 ids, bfloat16: %.0f ms, %.0f k ids/s."
          % (images(256, "bfloat16") * 1e3, forecast("resnet-bf16"), beam(256, 4, 50) * 1e3, forecast("beam-bf16") / 1e3))


if __name__ == "__main__":
    main()
