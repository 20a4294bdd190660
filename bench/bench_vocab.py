#!/usr/bin/env python3
"""The tokenizer: counting words, building a vocabulary, encoding; ours and the peers of peer_tokenize.py.

  make bench-vocab [PEERS=DIR]          or: python3 bench/bench_vocab.py [--quick] [--only TEXT]

The text: distinct lines of the data sets in T2_DATA (English and German), as peer_tokenize.py makes it, or,
without them, lines of made words.  Other algorithms (t2t and official apart) give other ids: what is compared
is the time for the same text.
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


def same_ids(bench, vocab, text):
    """How the original's ids were shown to be ours; raises when they are not."""
    import hashlib
    python = bench.python("tf1")
    if python is None:
        return None
    theirs = bench.run([python, "-c", T2T_IDS, vocab, text, str(IDENTITY_LINES)])
    rows = subprocess.run([bench.ours("bench_vocab"), "--work=ids", "--input=" + text, "--vocab=" + vocab],
                          check=True, stdout=subprocess.PIPE).stdout.split(b"\n")[:theirs["lines"]]
    if hashlib.sha256(b"".join(r + b"\n" for r in rows)).hexdigest() != theirs["sha256"]:
        raise common.Refused("t2t gives other ids than we do")
    return "ids of %d lines equal" % theirs["lines"]


def peers(bench, work, text, wanted, *flags):
    """{name: (call, None)} of the peers that are there; wanted is name -> (environment, identity)."""
    found = {}
    for name, (environment, identity) in wanted.items():
        call = bench.peer_script(environment, "peer_tokenize.py", "--peer", name, "--work", work, "--input", text,
                                 "--threads", bench.args.threads, "--reps", 2 if bench.args.quick else 3, *flags)
        if call is not None:
            found[name] = (call, identity)
    return found


def main():
    args = common.arguments("vocab", __doc__)
    bench = common.Bench("vocab", args)
    text, vocab = corpus(bench, args), bench.temporary("vocab.32k")
    mb = "2" if args.quick else "0"
    own = "recorded vocabularies of the original equal byte for byte (make check-data)"
    other = "the same text; another algorithm"

    def ours(work, *more):
        return bench.program("bench_vocab", "--work=" + work, "--input=" + text, "--num_threads=%d" % args.threads,
                             "--reps=3", *more)

    ours("build", "--reps=1", "--output=" + vocab)()
    bench.figure("vocab.count", "words of all lines with their counts", "MB/s", ours("count", "--max_mb=" + mb),
                 peers(bench, "count", text, {"t2t": ("tf1", own), "official": ("tfm", other)}, "--max_mb", mb),
                 goal={"t2t": 40})
    bench.figure("vocab.build.32k", "counting and the vocabulary of 32768", "MB/s", ours("build"),
                 peers(bench, "train", text, {"youtokentome": ("torch", other), "hf-bpe": ("torch", other)},
                       "--vocab", "32768"), goal={"youtokentome": 1.5})
    bench.figure("vocab.build.32k.part", "the same of the first 4 MB, for the originals", "MB/s",
                 ours("build", "--max_mb=4"),
                 peers(bench, "train", text, {"t2t": ("tf1", own), "official": ("tfm", other)},
                       "--vocab", "32768", "--train_mb", "4"), goal={"t2t": 100})
    encode = {}
    try:
        encode = {"t2t": ("tf1", same_ids(bench, vocab, text)), "tf-text": ("tf2", other)}
    except (common.Refused, OSError, subprocess.CalledProcessError) as e:
        print("bench: error: %s" % e, file=sys.stderr)
        bench.failed += 1
    cold = peers(bench, "encode", text, encode, "--vocab_file", vocab, "--max_mb", "4")
    cold.update(peers(bench, "encode", text, {n: ("tok", other) for n in CACHED}))
    bench.figure("vocab.encode.cold", "distinct lines to ids, the word cache empty at first", "MB/s",
                 ours("encode_cold", "--vocab=" + vocab), cold,
                 goal={"t2t": 45, "tf-text": 7, "fast-gigatoken-lines": 2, "fast-gigatoken-file": 2})
    bench.figure("vocab.encode.plain", "the same without a cache", "MB/s", ours("encode_plain", "--vocab=" + vocab))
    warm = {}
    for name in CACHED:
        call = bench.peer_script("tok", "peer_tokenize.py", "--peer", name, "--input", text, "--threads", args.threads,
                                 key="repeat")
        if call is not None:
            warm[name] = (call, other)
    bench.figure("vocab.encode.warm", "the same lines again, every word in the cache", "MB/s",
                 ours("encode_warm", "--vocab=" + vocab), warm,
                 goal={"fast-gigatoken-lines": 2, "fast-gigatoken-file": 2})
    bench.figure("vocab.decode", "ids to text", "MB/s", ours("decode", "--vocab=" + vocab))
    return bench.finish()


if __name__ == "__main__":
    sys.exit(main())
