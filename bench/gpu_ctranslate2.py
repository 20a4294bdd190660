#!/usr/bin/env python3
"""A beam search of CTranslate2 over a Transformer of random weights, of bench_decode.c's shape: one line of JSON.

  gpu_ctranslate2.py --beam=4 --batch=256 --length=50 [--size=base] [--device=cuda --precision=float16]

Sentences of `length` words, hypotheses of `length` words, as the longest and the shortest that are allowed.  Exit code 77:
this python has no ctranslate2, or that has no such device; gpu_peer.py is the peer then.
"""
import argparse
import json
import statistics
import sys
import tempfile
import time

try:
    import ctranslate2
    import numpy
except ImportError as e:
    print(e, file=sys.stderr)
    sys.exit(77)

# width, filters, heads, layers a side, vocabulary
SIZES = {"base": (512, 2048, 8, 6, 32768), "big": (1024, 4096, 16, 6, 32768), "small128": (128, 512, 4, 2, 8192)}


def spec_of(size):
    width, filters, heads, layers, vocab = SIZES[size]
    rng = numpy.random.default_rng(1)
    spec = ctranslate2.specs.TransformerSpec.from_config(layers, heads)

    def draw(*shape):
        return rng.standard_normal(shape, dtype=numpy.float32) * numpy.float32(0.05)

    def linear(layer, outputs, inputs):
        layer.weight, layer.bias = draw(outputs, inputs), numpy.zeros(outputs, numpy.float32)

    def norm(layer):
        layer.gamma, layer.beta = numpy.ones(width, numpy.float32), numpy.zeros(width, numpy.float32)

    def attention(layer, *outputs):
        norm(layer.layer_norm)
        for i, n in enumerate(outputs):
            linear(layer.linear[i], n * width, width)

    table = draw(vocab, width)
    spec.encoder.embeddings[0].weight = spec.decoder.embeddings.weight = spec.decoder.projection.weight = table
    spec.decoder.projection.bias = numpy.zeros(vocab, numpy.float32)
    for side in (spec.encoder, spec.decoder):
        side.position_encodings.encodings = draw(512, width)
        norm(side.layer_norm)
        for layer in side.layer:
            attention(layer.self_attention, 3, 1)
            if side is spec.decoder:
                attention(layer.attention, 1, 2, 1)
            norm(layer.ffn.layer_norm)
            linear(layer.ffn.linear_0, filters, width)
            linear(layer.ffn.linear_1, width, filters)
    words = ["<blank>", "<s>", "</s>"] + ["w%d" % i for i in range(vocab - 3)]
    spec.register_source_vocabulary(words)
    spec.register_target_vocabulary(words)
    spec.validate()
    spec.optimize()
    return spec


def main():
    p = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    p.add_argument("--size", choices=sorted(SIZES), default="base")
    p.add_argument("--beam", type=int, default=4)
    p.add_argument("--batch", type=int, default=256)
    p.add_argument("--length", type=int, default=50)
    p.add_argument("--steps", type=int, default=3)
    p.add_argument("--warm", type=int, default=1)
    p.add_argument("--device", default="cuda")
    p.add_argument("--precision", default="float16")
    p.add_argument("--tag", default="")
    a = p.parse_args()

    if a.device == "cuda" and ctranslate2.get_cuda_device_count() == 0:
        print("ctranslate2 sees no CUDA device", file=sys.stderr)
        sys.exit(77)
    with tempfile.TemporaryDirectory() as folder:
        spec_of(a.size).save(folder)
        model = ctranslate2.Translator(folder, device=a.device, compute_type=a.precision)
    n_words = SIZES[a.size][4] - 3
    rows = [["w%d" % ((i * 7919 + j * 31) % n_words) for j in range(a.length)] for i in range(a.batch)]
    seconds = []
    for _ in range(a.warm + a.steps):
        start = time.perf_counter()
        out = model.translate_batch(rows, beam_size=a.beam, max_batch_size=a.batch, min_decoding_length=a.length,
                                    max_decoding_length=a.length)
        seconds.append(time.perf_counter() - start)
    n = sum(len(r.hypotheses[0]) for r in out)
    median = statistics.median(seconds[a.warm:])
    print(json.dumps({"stage": "peer", "tag": a.tag, "peer": "ctranslate2 %s %s" % (ctranslate2.__version__, a.precision),
                      "flags": "--size=%s --beam=%d --batch=%d --length=%d" % (a.size, a.beam, a.batch, a.length),
                      "value": n / median, "unit": "target tok/s", "seconds": median}))


if __name__ == "__main__":
    main()
