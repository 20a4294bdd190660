#!/usr/bin/env python3
"""Proves what `t2t-vocab convert --to=tokenizer.json` says of T2T's subwords, with Hugging Face's tokenizers.

  PYTHON bench/check_t2t_to_hf.py --t2t_vocab=build/release/bin/t2t-vocab --data=../shared/data
         [--hostile=5000] [--lines=20000] [--regexes=300] [--seed=1] [--keep=DIR]

PYTHON is of an environment with tokenizers.  Each vocabulary of --data (Tensor2Tensor's and the official
Transformer's) is converted and loaded by tokenizers.  Every line of the corpora of --data and of hostile
texts is encoded by both: all ids must be equal, but for lines with code points that are no characters, which are
counted.  The ids are decoded by both: texts must be equal for lines whose ids spell no character by number beyond
those that the decoder knows; the others are counted.  Every character that Unicode has is encoded once.

t2t-vocab reads the new file too: its ids and its texts must be those of tokenizers, for all lines.  And regular
expressions at random, of the kind that it knows, must replace the same as normalizers of both.
"""
import argparse
import collections
import gzip
import io
import json
import os
import random
import subprocess
import sys
import tempfile
import unicodedata

from tokenizers import Tokenizer, __version__

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "tests", "support"))
sys.dont_write_bytecode = True
from record_bytes import field, frame  # noqa: E402

VOCABULARIES = [
    "t2t-vocab/vocab.translate_ende_wmt32k.32768.subwords",
    "t2t-vocab/vocab.translate_ende_wmt8k.8192.subwords",
    "t2t-vocab/mlperf.ende.subwords.vocab",
    "oracles/t2t_run/vocab.translate_multi30k_ende1k.subwords",
    "reference-runs/t2t-imdb.sorted/vocab.sentiment_imdb.8192.subwords",
    "reference-runs/official-download-small/vocab.ende.32768.gz",
    "reference-runs/t2t-cnndm/vocab.summarize_cnn_dailymail32k.32768.subwords",
]
CORPORA = ["multi30k-en-de", "wmt-newstest-ende", "opennmt-wmt-ende-10k"]
WORDS = ["don't", "_", "__a__", "\\", "\\u", "\\\\", "\\10;", "\\u_", "\\-", "\\/", "/-", "_-", "\\\u00e9", "<pad>", "<EOS>", "<pad>_", "3.14", "\u0664\u0665",
         "\u216b", "\u00bd", "e\u0301", "\u0301", "a\u0300\u0323", "\u65e5\u672c\u8a9e", "\uac00", "\u1100\u1161\u11a8", "\U0001f468\u200d\U0001f469",
         "\U0001f1e9\U0001f1ea", "\u00e9", "\u0e01\u0e33", "\r\n", "\n\u0301", "\r", "\t", "\x00", "\x01", "\x7f", "\u00a0", "\u3000", "\ufffd", "\ue000", "\ufeff",
         "\u0130", "\u01c5", "...", "!", "a", "A", "9", ";", "12;", "[UNK]", "##a"]
BLANKS = [" ", "  ", "   ", "\n", " \n", "\u00a0", "\u3000", "\t"]


def hostile(r, characters):
    parts = []
    for _ in range(r.randrange(1, 14)):
        kind = r.randrange(6)
        if kind == 0:
            parts.append("".join(r.choice(characters) for _ in range(r.randrange(1, 6))))
        elif kind == 1:
            parts.append("".join(chr(r.randrange(0x80 if r.randrange(2) else 0x800)) for _ in range(r.randrange(1, 6))))
        elif kind == 2:
            parts.append(r.choice(BLANKS))
        else:
            parts.append(r.choice(WORDS) + r.choice(["", "", " "]))
    return "".join(parts)


def corpus_lines(folder):
    for root, _, names in sorted(os.walk(folder)):
        for name in sorted(names):
            path = os.path.join(root, name)
            if name.endswith(".gz") and not name.endswith(".tar.gz"):
                data = gzip.open(path).read()
            elif name.endswith((".txt", ".en", ".de", ".tsv", ".jsonl")) and name != "README.txt":
                data = open(path, "rb").read()
            else:
                continue
            yield from io.StringIO(data.decode("utf-8", "replace"), newline="\n").read().split("\n")


def write_records(path, lines):
    with open(path, "wb") as f:
        for line in lines:
            f.write(frame(field(1, field(1, field(1, b"t") + field(2, field(1, field(1, line.encode())))))))


def encode(a, vocab, records):
    out = subprocess.run([a.t2t_vocab, "encode", "--quiet", "--vocab=" + vocab, "--feature=t", records],
                         stdout=subprocess.PIPE, check=True).stdout.decode().split("\n")[:-1]
    return [[int(x) for x in line.split()] for line in out]


def decode(a, vocab, ids):
    """One text an id list, escaped as t2t-vocab decode --as=json writes it."""
    text = "".join(" ".join(map(str, x)) + "\n" for x in ids)
    out = subprocess.run([a.t2t_vocab, "decode", "--quiet", "--as=json", "--vocab=" + vocab], input=text.encode(),
                         stdout=subprocess.PIPE, check=True).stdout.decode().split("\n")[:-1]
    return [json.loads(x) for x in out]


def is_known(c):
    return c < 0x250 or 0x2000 <= c < 0x20D0


def differing(what, lines, theirs, ours):
    bad = [i for i in range(len(lines)) if theirs[i] != ours[i]]
    for i in bad[:3]:
        print("   ", what, ascii(lines[i][:200]), ascii(theirs[i][:100]), ascii(ours[i][:100]))
    return len(bad) + abs(len(theirs) - len(ours))


def check(a, vocab, lines, records, n_corpus, folder):
    new = os.path.join(folder, "new.json")
    if vocab.endswith(".gz"):
        plain = os.path.join(folder, "plain")
        open(plain, "wb").write(gzip.open(vocab).read())
        vocab = plain
    subprocess.run([a.t2t_vocab, "convert", "--quiet", "--lossy", "--to=tokenizer.json", "-o", new, vocab], check=True,
                   stderr=subprocess.DEVNULL)
    t = Tokenizer.from_file(new)
    old = encode(a, vocab, records)
    assert len(old) == len(lines), (len(old), len(lines))
    got = [x.ids for x in t.encode_batch(lines)]
    shown = n_ids = n_no_character = 0
    for line, x, y in zip(lines, old, got):
        if x == y:
            continue
        if any(unicodedata.category(c) == "Cn" or ord(c) >= 0xF0000 for c in line):
            n_no_character += 1
            continue
        n_ids += 1
        if shown < 3:
            shown += 1
            print("    ids differ:", ascii(line[:200]), x[:12], y[:12])
    texts, back = decode(a, vocab, old), t.decode_batch(old, skip_special_tokens=False)
    ours = encode(a, new, records)
    n_read = differing("t2t-vocab reads other ids:", lines, got, ours)
    n_read += differing("t2t-vocab reads another text:", lines, back, decode(a, new, old))
    entries = json.load(open(new))["model"]["vocab"]
    alphabet = set("".join(entries)) - {"\n"}
    n_text = n_spelled = n_spelled_corpus = 0
    for i, (line, x, y) in enumerate(zip(lines, texts, back)):
        if x == y:
            continue
        if any(c not in alphabet and (c == "\x00" or not is_known(ord(c))) for c in line):
            n_spelled += 1
            n_spelled_corpus += i < n_corpus
            continue
        n_text += 1
        if n_text <= 3:
            print("    texts differ:", ascii(line[:200]), ascii(x[:100]), ascii(y[:100]))
    print(f"{os.path.basename(vocab)}: {os.path.getsize(new) / 1e6:.1f} MB; {len(lines)} lines, {n_ids} with other ids, "
          f"{n_text} with other text, {n_read} that t2t-vocab reads differently; not counted: {n_no_character} with code points that are no characters, "
          f"{n_spelled} with characters that stay spelled by number ({n_spelled_corpus} of the corpora)", flush=True)
    return n_ids + n_text + n_read


# ---- regular expressions ----

LETTERS = ["a", "b", " ", "_", "\n", "\u00e9", "\u65e5", "\U0001f600"]


def one(r):
    kind = r.randrange(8)
    if kind == 0:
        return "."
    if kind < 4:
        x = r.choice(LETTERS)
        return x if r.randrange(2) else "\\x{%x}" % ord(x)
    some = sorted(r.sample(LETTERS, r.randrange(1, 4)))
    return "[" + r.choice(["", "^"]) + "".join(some) + r.choice(["", "a-b", "\\x{80}-\\x{ff}"]) + "]"


def sequence(r, depth):
    out = ""
    for _ in range(r.randrange(1, 4)):
        kind = r.randrange(7)
        if kind == 0 and depth < 2:
            out += "(?:" + regex(r, depth + 1) + ")"
        elif kind < 4:
            out += r.choice(["(?=", "(?!", "(?<=", "(?<!"]) + "".join(one(r) for _ in range(r.randrange(1, 3))) + ")"
        else:
            out += one(r) if r.randrange(12) else r.choice(["\\A", "\\z"])
    return out


def regex(r, depth=0):
    return "|".join(sequence(r, depth) for _ in range(r.choice([1, 1, 2, 3])))


def check_regexes(a, r, folder):
    """Every character of the texts and of the replacement is a token, so that ids say what was replaced."""
    path, records = os.path.join(folder, "regex.json"), os.path.join(folder, "texts.tfrecord")
    lines = ["".join(r.choice(LETTERS) for _ in range(r.randrange(1, 12))) for _ in range(200)]
    write_records(records, lines)
    vocab = {c: i for i, c in enumerate(LETTERS + ["#", "?"])}
    bad = n = n_unknown = 0
    while n < a.regexes:
        pattern = regex(r)
        step = {"type": "Replace", "pattern": {"Regex": pattern}, "content": r.choice(["#", "##", ""])}
        json.dump({"version": "1.0", "truncation": None, "padding": None, "added_tokens": [], "normalizer": step, "pre_tokenizer": None,
                   "post_processor": None, "decoder": None,
                   "model": {"type": "WordPiece", "unk_token": "?", "continuing_subword_prefix": "", "max_input_chars_per_word": 1000, "vocab": vocab}},
                  open(path, "w"))
        said = subprocess.run([a.t2t_vocab, "show", path], stdout=subprocess.DEVNULL, stderr=subprocess.PIPE).stderr.decode()
        if "Replace with a regular expression" in said:
            n_unknown += 1  # it may be empty at the start, or is too large
            continue
        n += 1
        t = Tokenizer.from_file(path)
        bad += differing("replaced differently: " + ascii(pattern), lines, [t.encode(x).ids for x in lines], encode(a, path, records))
    print(f"{n} regular expressions on {len(lines)} texts each: {bad} replaced differently; {n_unknown} others are not known to t2t-vocab", flush=True)
    return bad


def main():
    p = argparse.ArgumentParser()
    p.add_argument("--t2t_vocab", required=True)
    p.add_argument("--data", required=True)
    p.add_argument("--hostile", type=int, default=5000)
    p.add_argument("--lines", type=int, default=20000, help="of each corpus")
    p.add_argument("--regexes", type=int, default=300)
    p.add_argument("--seed", type=int, default=1)
    p.add_argument("--keep")
    a = p.parse_args()
    r = random.Random(a.seed)
    folder = a.keep or tempfile.mkdtemp()
    os.makedirs(folder, exist_ok=True)
    characters = [chr(c) for c in range(0x110000) if unicodedata.category(chr(c)) not in ("Cn", "Cs") and c < 0xF0000]
    lines, counts = [], collections.OrderedDict()
    for name in CORPORA:
        some = list(corpus_lines(os.path.join(a.data, name)))
        counts[name] = min(len(some), a.lines)
        lines += some if len(some) <= a.lines else r.sample(some, a.lines)
    n_corpus = len(lines)
    lines += [hostile(r, characters) for _ in range(a.hostile)]
    lines += ["", " ", "\n", "x" * 500, "ab" * 2000, " " * 300, "\u00e9" * 300, "_" * 99, "\\" * 99, "\u0301" * 50]
    lines += ["x" + chr(c) for c in (0x378, 0x10FFFF, 0xF0000)]
    counts["hostile"] = len(lines) - n_corpus
    # every character, with a letter before and behind
    lines += ["".join(f"a{c}b {c}" for c in characters[i:i + 64]) for i in range(0, len(characters), 64)]
    counts["every character"] = len(characters)
    print("tokenizers", __version__, "; lines:", ", ".join(f"{n} {c}" for n, c in counts.items()))
    records = os.path.join(folder, "lines.tfrecord")
    write_records(records, lines)
    bad = check_regexes(a, r, folder)
    for v in VOCABULARIES:
        path = os.path.join(a.data, v)
        if os.path.exists(path):
            bad += check(a, path, lines, records, n_corpus, folder)
        else:
            print(v, "is not there")
    sys.exit(bad > 0)


if __name__ == "__main__":
    main()
