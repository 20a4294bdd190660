#!/usr/bin/env python3
"""Compares T2T's small encoders and reserved tokens of vocabularies with Tensor2Tensor 1.15 itself.

  PYTHON bench/check_encoders.py [--build=build/release] [--rounds=3000] [--seed=1]

PYTHON is of an environment with tensor2tensor (Python 3.7); needs `make build/release/bench/bench_encoders`.
Integers, bytes (with EOS too), class labels (list of a file, one-hot), lists of words (read from a file; with and without a
word for others), DNA (chunks of 1 to 4, delimited): texts that fit, texts that nearly fit, random
characters, and random ids.  What Tensor2Tensor refuses must be refused, what it accepts must give the same ids and text.
Python's int has no limit, ids here have 32 bits: larger ones must be refused.  `t2t-vocab build --reserved` must write
the file that build_from_generator(reserved_tokens=...) writes, and texts with the tokens in them get the same ids.
"""
import argparse
import os
import random
import struct
import subprocess
import sys
import tempfile

os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")
import numpy as np  # noqa: E402
import tensorflow as tf  # noqa: E402

tf.compat.v1.logging.set_verbosity("ERROR")
from tensor2tensor.data_generators import dna_encoder, text_encoder  # noqa: E402

BLANKS = "  \t\x0b\x0c\x1c\x1f\x85\xa0\u1680\u2000\u2028\u2029\u202f\u205f\u3000"
NOT_BLANKS = "\u200b\ufeff\u180e\x00"
DIGITS = "0123456789\u0660\u0663\u06f5\u096f\uff11\U0001d7d9\xb2\xbd\u2460\u216b"


class ByteWithEos(text_encoder.ByteTextEncoder):
    def encode(self, s):
        return super(ByteWithEos, self).encode(s) + [text_encoder.EOS_ID]


class Ours:
    """Requests are collected and answered by one run."""

    def __init__(self, build):
        self.program, self.requests = os.path.join(build, "bench", "bench_encoders"), []

    def later(self, read, *parts):
        self.requests.append("\t".join(parts))
        return len(self.requests) - 1, read

    def encode(self, word, options, text):
        return self.later(lambda r: [int(x) for x in r.split()], "encode", word, options, text.encode("utf-8").hex())

    def decode(self, word, options, ids):
        return self.later(lambda r: bytes.fromhex(r).decode("utf-8"), "decode", word, options, " ".join(map(str, ids)))

    def answers(self):
        done = subprocess.run([self.program, "serve"], input=("\n".join(self.requests) + "\n").encode(), stdout=subprocess.PIPE, check=True)
        self.requests = []
        return done.stdout.decode().split("\n")


def attempt(f, *args):
    try:
        return f(*args)
    except (ValueError, KeyError, AssertionError, IndexError, struct.error, OverflowError, TypeError):
        return None


def characters(r, n):
    out = []
    while len(out) < n:
        c = r.choice([r.randrange(0x80), r.randrange(0x800), r.randrange(0x10000), r.randrange(0x110000)])
        if not 0xd800 <= c < 0xe000:
            out.append(chr(c))
    return "".join(out)


def words(r, make):
    return "".join(make(r) + "".join(r.choice(BLANKS) for _ in range(r.randrange(1, 3))) for _ in range(r.randrange(5)))


def integer(r):
    w = r.choice(["", "", "", "-", "+", "--", "\u2212"]) + "".join(r.choice(DIGITS[:10] if r.randrange(3) else DIGITS + "_") for _ in range(r.choice([1, 2, 5, 9, 10, 12])))
    return w if r.randrange(30) else w + r.choice(["_", ".", "x", "e1", "0x1", "\u200b", "\x00", "1__2", "_1"])


class Checker:
    def __init__(self, a):
        self.a, self.ours, self.bad, self.n = a, Ours(a.build), 0, 0
        self.open = []
        self.r = random.Random(a.seed)
        self.folder = tempfile.mkdtemp()

    def same(self, what, asked, ours, theirs):
        self.open.append((what, asked, ours, theirs))

    def compare(self, what, asked, ours, theirs):
        self.n += 1
        if ours != theirs:
            self.bad += 1
            if self.bad <= 20:
                print("%s: %r\n   ours   %r\n   theirs %r" % (what, asked, ours, theirs))

    def report(self, name):
        answers = self.ours.answers() if self.ours.requests else []
        for what, asked, ours, theirs in self.open:
            if isinstance(ours, tuple):
                answer = answers[ours[0]]
                ours = None if answer.startswith("error") else ours[1](answer)
            self.compare(what, asked, ours, theirs)
        self.open = []
        print("%-24s %d compared, %d different so far" % (name, self.n, self.bad), flush=True)

    def path(self, name):
        return os.path.join(self.folder, name)

    def many(self, name, word, options, theirs, text, ids, fix=lambda ids: ids):
        for _ in range(self.a.rounds):
            t = text(self.r)
            want = attempt(theirs.encode, t)
            if want is not None and np.isscalar(want):
                want = [int(want)]
            if want is not None and any(not -2**31 <= x < 2**31 for x in want):
                want = None
            self.same(name + " encode", t, self.ours.encode(word, options, t), want)
            x = ids(self.r)
            want = attempt(theirs.decode, x)
            if want is not None:
                self.same(name + " decode", x, self.ours.decode(word, options, x), want)
        self.report(name)

    def integers(self):
        self.many("integers", "integers", "", text_encoder.TextEncoder(), lambda r: words(r, integer) if r.randrange(8) else characters(r, 4),
                  lambda r: [r.choice([0, 1, 2, 3, 99, -1, -2**31, 2**31 - 1, r.randrange(1000)]) for _ in range(r.randrange(5))])

    def bytes(self):
        for word, theirs in (("bytes", text_encoder.ByteTextEncoder()), ("bytes_eos", ByteWithEos())):
            self.many(word, word, "", theirs, lambda r: characters(r, r.randrange(12)),
                      lambda r: [r.choice([r.randrange(258), r.randrange(0xc0, 258), r.randrange(0x82, 0xc2)]) for _ in range(r.randrange(12))])

    def labels(self):
        lines = ["cat", " dog ", "cat", "a b", "", "\u00e4\u00f6", "\u2003x\x85", "'q'", "in\rside", "\u200bz", "last"]
        path = self.path("labels")
        with open(path, "w", encoding="utf-8", newline="") as f:
            f.write("\r\n".join(lines))
        asked = lambda r: r.choice(lines + [x.strip() for x in lines] + ["inside", "ca", "cat\n", "CAT", characters(r, 2)])  # noqa: E731
        theirs = text_encoder.ClassLabelEncoder(class_labels_fname=path)
        self.many("class labels", "labels:" + path, "", theirs, asked, lambda r: [r.randrange(theirs.vocab_size)])
        hot = text_encoder.OneHotClassLabelEncoder(class_labels_fname=path)
        self.many("one-hot", "one_hot:" + path, "", hot, asked, lambda r: [r.choice([0, 0, 1, 2]) for _ in range(hot.vocab_size)])

    def tokens(self):
        listed = ["<pad>", "<EOS>", "<UNK>", "a", "b", "  c ", "a", "two words", "", "\u00e9", "\u3000d\u2028", "e\rf", "\u200bg", "ID_3", "last"]
        path = self.path("words")
        with open(path, "w", encoding="utf-8", newline="") as f:
            f.write("\n".join(listed) + self.r.choice(["", "\n"]))
        some = ["a", "b", "c", "d", "\u00e9", "ef", "\u200bg", "<UNK>", "<pad>", "last", "ID_3", "two", "g"]
        sentence = lambda r: words(r, lambda r: r.choice(some) if r.randrange(8) else characters(r, 2))  # noqa: E731
        some_known = ["a", "b", "c", "d", "\u00e9", "<UNK>"]
        for oov in (None, "<UNK>", "b", "\u00e9"):
            options = "oov=" + oov.encode("utf-8").hex() if oov else "oov"
            theirs = text_encoder.TokenTextEncoder(path, replace_oov=oov)
            self.many("tokens " + options, "tokens:" + path, options, theirs, lambda r: sentence(r) if r.randrange(2) else words(r, lambda r: r.choice(some_known)),
                      lambda r: [r.randrange(-2, theirs.vocab_size + 3) for _ in range(r.randrange(6))])

    def dna(self):
        for size in (1, 2, 3, 4):
            for word, kind in (("dna", dna_encoder.DNAEncoder), ("delimited_dna", dna_encoder.DelimitedDNAEncoder)):
                theirs = kind(chunk_size=size)
                letters = "ACTGN" * 6 + ("," * 5 if word != "dna" else "")
                self.many("%s:%d" % (word, size), "%s:%d" % (word, size), "", theirs,
                          lambda r: "".join(r.choice(letters if r.randrange(40) else "0,actgn \u00e9\x00") for _ in range(r.randrange(14))),
                          lambda r: [r.randrange(theirs.vocab_size) for _ in range(r.randrange(6))])

    def reserved(self):
        vocab = os.path.join(self.a.build, "bin", "t2t-vocab")
        corpus = ["the cat <sep> sat", "HELLO world <2de> a_b HELLO", "x\\y <pad> <EOS> <sep>", "don't \u00e9t\u00e9 the the \u6771\u4eac"] * 5
        path = self.path("corpus")
        with open(path, "w", encoding="utf-8") as f:
            f.write("\n".join(corpus) + "\n")
        lists = [["<sep>"], ["<sep>", "<2de>"], ["HELLO", "the", "e"], ["a_b", "x\\y", "\u6771", "<sep>", "\u20ac"], ["the cat"]]
        texts = corpus + ["<sep>", "HELLO", "the", "<pad>_", "\\u", "a_b", "x\\y", "HELLO_", "<EOS>the<sep>HELLO", "\u20ac 5", "the cat", "<2de>x", "_", "e e", "\u6771"]
        texts += ["".join(self.r.choice(["HELLO", "<sep>", "the", "_", "\\", "<", ">", "e", "a_b", "\u6771", "\u20ac", "5", " "]) for _ in range(8)) for _ in range(500)]
        lines = self.path("lines")
        with open(lines, "w", encoding="utf-8") as f:
            f.write("\n".join(texts) + "\n")
        for k, more in enumerate(lists):
            ours, theirs = self.path("ours%d" % k), self.path("theirs%d" % k)
            e = text_encoder.SubwordTextEncoder.build_from_generator(corpus, 100, reserved_tokens=text_encoder.RESERVED_TOKENS + more)
            e.store_to_file(theirs)
            subprocess.run([vocab, "build", "--quiet", "--target_size=100", "--reserved=" + ",".join(more), "-o", ours, path], check=True)
            with open(ours, "rb") as f, open(theirs, "rb") as g:
                self.same("reserved %r: file" % more, more, f.read(), g.read())
            e = text_encoder.SubwordTextEncoder(theirs)
            out = subprocess.run([vocab, "encode", "--vocab=" + ours, lines], check=True, stdout=subprocess.PIPE).stdout.decode().split("\n")
            for t, x in zip(texts, out):
                self.same("reserved %r" % more, t, [int(i) for i in x.split()], e.encode(t))
        self.report("reserved tokens")


def main():
    p = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    p.add_argument("--build", default="build/release")
    p.add_argument("--rounds", type=int, default=3000)
    p.add_argument("--seed", type=int, default=1)
    a = p.parse_args()
    c = Checker(a)
    for f in (c.integers, c.bytes, c.labels, c.tokens, c.dna, c.reserved):
        f()
    return 1 if c.bad else 0


if __name__ == "__main__":
    sys.exit(main())
