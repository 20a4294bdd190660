#!/usr/bin/env python3
"""Sentence cleaning of translate_*_clean* against Tensor2Tensor's own, over real and made pairs.

usage: check_cleaner.py CLEANER T2T_DATAGEN [ENGLISH OTHER]...

CLEANER is data_generators/cleaner_en_xx.py of a tensor2tensor that is installed (pip download tensor2tensor==1.15.7,
unpacked, will do: TensorFlow is not imported).  ENGLISH and OTHER are text files, line by line.  Compiles the pairs by
translate_ende_wmt_clean32k and compares the compiled text with what the functions of CLEANER give; where they stop
with an error in Python 3 (several sentences), with what was meant.
"""

import gzip
import itertools
import pathlib
import random
import subprocess
import sys
import tempfile

BITS = ["A", "Be", "x", " ", ". ", "? ", "! A", '"', "\u201c", "\u201d", "'", "\u2018", "\u2019", "s", "t", "(", ")", "\u00a9", "Copyright", "(C)", "-", "LONDON ",
        "_", "__|__", ": ", ",", ";", "1", "2", "  ", "\u0663", "\u00bd", "\u00e9", "\u00a0", ".", "The end.", "Word", "ABC ", "\u2028", "!"]


def original(path):
    source = pathlib.Path(path).read_text(encoding="utf-8")
    for line in ("from tensor2tensor.data_generators import text_encoder", "import tensorflow.compat.v1 as tf"):
        source = source.replace(line, "")
    source = source.replace("text_encoder.native_to_unicode", "str")
    itertools.izip = zip
    names = {}
    exec(compile(source, path, "exec"), names)  # pylint: disable=exec-used
    return names["clean_en_xx_pairs"]


def lines(path):
    data = pathlib.Path(path).read_bytes()
    return (gzip.decompress(data) if path.endswith(".gz") else data).decode("utf-8").split("\n")


def made_pairs(real):
    rng = random.Random(1)

    def bits():
        return "".join(rng.choice(BITS) for _ in range(rng.randrange(1, 14)))

    for _ in range(60000):
        english = "A " + bits() + " end." if rng.random() < 0.7 else bits()
        yield english, bits() if rng.random() < 0.5 else english
    for _ in range(40000 if real else 0):
        (a, b), (c, d) = rng.choice(real), rng.choice(real)
        k = rng.randrange(len(a) + 1)
        yield a[:k] + rng.choice(BITS) + a[k:] + " " + c, b + " " + d


def main():
    clean, tool, files = original(sys.argv[1]), sys.argv[2], sys.argv[3:]
    real = [p for e, o in zip(files[::2], files[1::2]) for p in zip(lines(e), lines(o))]
    pairs = [(a.replace("\r", "").strip(), b.replace("\r", "").strip()) for a, b in itertools.chain(real, made_pairs(real))]
    with tempfile.TemporaryDirectory() as d:
        tmp = pathlib.Path(d)
        stems = ["training-parallel-nc-v13/news-commentary-v13.de-en", "commoncrawl.de-en", "training/europarl-v7.de-en", "dev/newstest2013"]
        for n, stem in enumerate(stems):
            (tmp / stem).parent.mkdir(exist_ok=True)
            for i, ending in enumerate(("en", "de")):
                (tmp / f"{stem}.{ending}").write_text("".join(p[i] + "\n" for p in (pairs if n == 0 else [("A b.", "A b.")])), encoding="utf-8", newline="\n")
        subprocess.run([tool, "--quiet", "--problem=translate_ende_wmt_clean32k", f"--data_dir={d}/data", f"--tmp_dir={d}", "--offline", "--train_shards=1"], check=True)
        got = [(tmp / f"translate_ende_wmt_clean32k-compiled-train.lang{i}").read_text(encoding="utf-8").split("\n")[:-1] for i in (1, 2)]
    wanted = [(a, b) for a, b in clean([p for p in pairs]) if a and b] + 2 * [("A b.", "A b.")]
    same = list(zip(*got)) == wanted
    print(f"{len(pairs)} pairs, {len(wanted)} left after cleaning: {'the same' if same else 'DIFFERENT'}")
    return not same


if __name__ == "__main__":
    sys.exit(main())
