#!/usr/bin/env python3
"""The tokenizer: counting words, building a vocabulary, encoding; ours and the peers of peer_tokenize.py.

  make bench-tokenizer [PEERS=DIR]      or: python3 bench/bench_tokenizer.py [--quick] [--only TEXT]

The text: distinct lines of the data sets in T2_DATA (English and German), as peer_tokenize.py makes it (or the
file TEXT in the environment), or, without them, lines of made words.  Other algorithms (t2t and official apart)
give other ids: what is compared is the time for the same text.

Figures whose peer is a sentence compare two runs of our own program, or one with a fixed value.
"""
import os
import random
import subprocess
import sys

import common

# Ids by the original's own encoder.  argv: vocabulary, text, number of lines.
T2T_IDS = """
import hashlib, json, os, sys
os.environ["TF_CPP_MIN_LOG_LEVEL"] = "3"
from tensor2tensor.data_generators import text_encoder
e, h, n = text_encoder.SubwordTextEncoder(sys.argv[1]), hashlib.sha256(), 0
for line in open(sys.argv[2], encoding="utf-8", newline="\\n"):
    if n == int(sys.argv[3]):
        break
    h.update(("".join("%d " % i for i in e.encode(line.rstrip("\\n"))) + "\\n").encode())
    n += 1
print(json.dumps({"lines": n, "sha256": h.hexdigest()}))
"""
IDENTITY_LINES = 5000
# What a peer needs in its environment.
MODULES = {"t2t": "tensor2tensor", "official": "official", "tf-text": "tensorflow_text", "youtokentome": "youtokentome",
           "hf-bpe": "tokenizers", "fast-gigatoken-lines": "gigatoken", "fast-gigatoken-file": "gigatoken",
           "fast-tokie-lines": "tokie", "fast-fastokens-lines": "fastokens"}
CACHED = ("fast-gigatoken-lines", "fast-gigatoken-file", "fast-tokie-lines", "fast-fastokens-lines")


def made_text(path, mb):
    """Words drawn from a Zipf-like list, for machines without T2_DATA."""
    rnd = random.Random(1)
    words = ["".join(rnd.choices("etaoinshrdlucmfwyp", k=rnd.randint(2, 11))) for _ in range(60000)]
    size = 0
    with open(path, "w", encoding="utf-8") as f:
        while size < mb * 1e6:
            line = " ".join(words[int(len(words) ** rnd.random()) - 1] for _ in range(rnd.randint(4, 16))) + ".\n"
            f.write(line)
            size += len(line)


def corpus(bench, args):
    if os.environ.get("TEXT"):
        return os.environ["TEXT"]
    path = bench.temporary("corpus.txt")
    script = os.path.join(args.peer_scripts, "peer_tokenize.py")
    multi30k, tatoeba = os.path.join(args.data, "multi30k-en-de"), os.path.join(args.data, "tatoeba-en-de", "deu-eng.zip")
    more = os.path.join(args.data, "opennmt-wmt-ende-10k")
    if os.path.exists(script) and os.path.isdir(multi30k) and os.path.exists(tatoeba) and os.path.isdir(more):
        texts = [os.path.join(more, n) for n in sorted(os.listdir(more)) if n.endswith(".txt")]
        subprocess.run([sys.executable, script, "--make", "--unique", "--multi30k", multi30k, "--tatoeba", tatoeba,
                        "--out", path, "--text"] + texts, check=True, stdout=subprocess.DEVNULL)
    else:
        made_text(path, 18)
    return path


def made_words(path, n):
    """n distinct words, each with a number of its own, a few hundred of them many times."""
    rnd = random.Random(2)
    with open(path, "w", encoding="utf-8") as f:
        for i in range(0, n, 12):
            f.write(" ".join("".join(rnd.choices("etaoinshrdlucmfwyp", k=rnd.randint(2, 6))) + str(k)
                             for k in range(i, min(i + 12, n))) + " the same words.\n")


def long_tokens(path, length, mb):
    """Lines that are one token of so many letters."""
    rnd = random.Random(3)
    with open(path, "w", encoding="utf-8") as f:
        for _ in range(max(1, int(mb * 1e6) // length)):
            f.write("".join(rnd.choices("etaoinshrdlucmfwyp", k=length)) + "\n")


def one_line(path, text, mb):
    """The first mb of a text without its line feeds."""
    with open(text, "rb") as f, open(path, "wb") as out:
        out.write(f.read(int(mb * 1e6)).replace(b"\n", b" "))


def same_ids(bench, vocab, text):
    """How the original's ids were shown to be ours; raises when they are not."""
    import hashlib
    python = bench.python("tf1")
    if python is None:
        return None
    theirs = bench.run([python, "-c", T2T_IDS, vocab, text, str(IDENTITY_LINES)])
    rows = subprocess.run([bench.ours("bench_tokenizer"), "--work=ids", "--input=" + text, "--vocab=" + vocab],
                          check=True, stdout=subprocess.PIPE).stdout.split(b"\n")[:theirs["lines"]]
    if hashlib.sha256(b"".join(r + b"\n" for r in rows)).hexdigest() != theirs["sha256"]:
        raise common.Refused("t2t gives other ids than we do")
    return "ids of %d lines equal" % theirs["lines"]


def main():
    args = common.arguments("tokenizer", __doc__)
    bench = common.Bench("tokenizer", args)
    text, vocab = corpus(bench, args), bench.temporary("vocab.32k")
    own = "recorded vocabularies of the original equal byte for byte (make check-data)"
    other = "the same text; another algorithm"

    def ours(work, *more, input=text, threads=None):
        return bench.program("bench_tokenizer", "--work=" + work, "--input=" + input, "--vocab=" + vocab, "--reps=3",
                             "--num_threads=%d" % (threads or args.threads), *more)

    def peers(work, wanted, *flags, key="value"):
        """{name: (call, identity)} of the peers that are there; wanted is name -> (environment, identity)."""
        found = {}
        for name, (environment, identity) in wanted.items():
            if not bench.has(environment, MODULES[name]):
                continue
            call = bench.peer_script(environment, "peer_tokenize.py", "--peer", name, "--work", work, "--input", text,
                                     "--threads", args.threads, "--reps", 2, *flags, key=key)
            if call is not None:
                found[name] = (call, identity)
        return found

    bench.program("bench_tokenizer", "--work=build", "--input=" + text, "--reps=1", "--output=" + vocab)()

    bench.figure("tokenizer.count", "words of all lines with their counts", "MB/s", ours("count"),
                 dict(peers("count", {"t2t": ("tf1", own), "official": ("tfm", other)}, "--max_mb", "2"),
                      **{"250 MB/s": (lambda: 250.0, None)}), goal={"t2t": 40, "250 MB/s": 1})
    bench.figure("tokenizer.build.32k", "counting and the vocabulary of 32768", "MB/s", ours("build"),
                 peers("train", {"youtokentome": ("torch", other), "hf-bpe": ("torch", other)}, "--vocab", "32768"),
                 goal={"youtokentome": 1.5})
    bench.figure("tokenizer.build.32k.part", "the same of the first 2 MB, for the originals", "MB/s",
                 ours("build", "--max_mb=2"),
                 peers("train", {"t2t": ("tf1", own), "official": ("tfm", other)}, "--vocab", "32768", "--train_mb", "2"),
                 goal={"t2t": 100})
    encode(bench, ours, peers, text, vocab, other)
    bench.figure("tokenizer.decode", "ids to text", "MB/s", ours("decode"))
    extremes(bench, ours, text)
    if args.threads == 1:
        two_threads(bench, ours)
    return bench.finish()


def encode(bench, ours, peers, text, vocab, other):
    wanted = {}
    try:
        wanted = {"t2t": ("tf1", same_ids(bench, vocab, text)), "tf-text": ("tf2", other)}
    except (common.Refused, OSError, subprocess.CalledProcessError) as e:
        print("bench: error: %s" % e, file=sys.stderr)
        bench.failed += 1
    cached = {name: ("tok", other) for name in CACHED}
    cold = peers("encode", wanted, "--vocab_file", vocab, "--max_mb", "4")
    cold.update(peers("encode", cached))
    bench.figure("tokenizer.encode.cold", "distinct lines to ids, the word cache empty at first", "MB/s",
                 ours("encode_cold"), cold,
                 goal={"t2t": 45, "tf-text": 7, "fast-gigatoken-lines": 2, "fast-gigatoken-file": 2})
    bench.figure("tokenizer.encode.warm", "the same lines again, every word in the cache", "MB/s", ours("encode_warm"),
                 peers("encode", cached, key="repeat"), goal={"fast-gigatoken-lines": 2, "fast-gigatoken-file": 2})
    bench.figure("tokenizer.encode.calls", "the same with a call for each line", "MB/s", ours("encode_calls"))
    bench.figure("tokenizer.encode.plain", "the same without a cache", "MB/s", ours("encode_plain"))


def extremes(bench, ours, text):
    """What must not change the class of time or memory."""
    short, long, line, words = (bench.temporary(n) for n in ("short.txt", "long.txt", "line.txt", "words.txt"))
    long_tokens(short, 1000, 4)
    long_tokens(long, 100000, 4)
    one_line(line, text, 1)
    made_words(words, 605000)
    bench.figure("tokenizer.encode.long_token", "tokens of 100 kB, no cache", "MB/s", ours("encode_plain", input=long),
                 {"tokens of 1 kB": (_rate(ours("encode_plain", input=short)), None)}, goal=0.9)
    bench.figure("tokenizer.encode.long_line", "one line of 1 MB, warm", "MB/s", ours("encode_warm", input=line),
                 {"the same in lines": (_rate(ours("encode_warm", "--max_mb=1")), None)}, goal=0.9)
    bench.figure("tokenizer.build.605k", "a vocabulary of 605 000 distinct words; builds for each GB of memory", "1/GB",
                 lambda: 1e9 / 2**20 / bench.run([bench.ours("bench_tokenizer"), "--work=build", "--input=" + words,
                                                  "--reps=1"])["peak_mib"],
                 {"1 GB": (lambda: 1.0, None)}, goal=1)


def two_threads(bench, ours):
    common.pin(2)
    for work in ("count", "encode_cold", "encode_warm", "build"):
        bench.figure("tokenizer.threads." + work, "%s with two threads" % work, "MB/s", ours(work, threads=2),
                     {"one thread": (_rate(ours(work, threads=1)), None)}, goal=1.85)
    common.pin(1)


def _rate(call):
    """The rate alone: the two sides have different input, so that their checks differ."""
    return lambda: call()[0]


if __name__ == "__main__":
    sys.exit(main())
