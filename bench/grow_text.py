#!/usr/bin/env python3
"""Real-looking parallel text of any size, the same on every machine, out of the small real texts in T2_DATA.

  python3 bench/grow_text.py --pairs 4500000 --out PREFIX      writes PREFIX.en and PREFIX.de
  python3 bench/grow_text.py --mb 2000 --out PREFIX            stops when both together have so many megabytes

The base: newstest and OpenNMT pairs as they are, Tatoeba's short sentences three to a line.  Copy 0 of the
base is the base; in copy k half of the rare words (up to 3 times in the base) are respelt, vowels and some
consonants turned by k, so distinct words grow with the text as they do in a real corpus, while the
frequent ones stay.  The lines of a copy come in an order of their own.  Standard library only.
"""
import argparse
import collections
import gzip
import os
import re
import sys
import zipfile
import zlib

ROOT = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..")
DATA = os.environ.get("T2_DATA") or os.path.join(ROOT, "..", "shared", "data")
WORD = re.compile(r"[A-Za-zÄÖÜäöüß]{4,}")
WHEELS = ("aeiou", "äöü", "bdgkpt", "lmnr", "fsvwz")
RARE = 3


def lines_of(path):
    opener = gzip.open if path.endswith(".gz") else open
    with opener(path, "rt", encoding="utf-8", newline="\n") as f:
        return [line.rstrip("\n") for line in f]


def base_pairs(data):
    pairs = []
    news = os.path.join(data, "wmt-newstest-ende")
    for name in sorted(n[:-6] for n in os.listdir(news) if n.endswith(".en.gz")):
        pairs += zip(lines_of(os.path.join(news, name + ".en.gz")), lines_of(os.path.join(news, name + ".de.gz")))
    opennmt = os.path.join(data, "opennmt-wmt-ende-10k")
    pairs += zip(lines_of(os.path.join(opennmt, "src-train.txt")), lines_of(os.path.join(opennmt, "tgt-train.txt")))
    with zipfile.ZipFile(os.path.join(data, "tatoeba-en-de", "deu-eng.zip")) as z:
        rows = [r.split("\t") for r in z.read("deu.txt").decode("utf-8").split("\n") if r.count("\t") >= 1]
    for i in range(0, len(rows) - 2, 3):
        pairs.append(tuple(" ".join(r[side] for r in rows[i:i + 3]) for side in (0, 1)))
    return pairs


def respelling(k):
    """A table for str.translate: each wheel turned, by amounts that no two k of thousands share."""
    table = {}
    for wheel in WHEELS:
        k, turn = divmod(k, len(wheel))
        for i, c in enumerate(wheel):
            to = wheel[(i + turn) % len(wheel)]
            table[ord(c)] = to
            table[ord(c.upper())] = to.upper()
    return table


def copies(pairs):
    """(en lines, de lines) of copy 0, 1, 2 ..."""
    sides = [[p[side] for p in pairs] for side in (0, 1)]
    counts = [collections.Counter(w for line in side for w in WORD.findall(line)) for side in sides]
    rare = [sorted(w for w, n in c.items() if n <= RARE) for c in counts]
    k = 0
    while True:
        table = respelling(k)
        out = []
        for side in (0, 1):
            new = {w: w.translate(table) for w in rare[side] if k and zlib.crc32(w.encode()) + k & 1}
            order = sorted(range(len(pairs)), key=lambda i: zlib.crc32(b"%d %d" % (i, k)))
            respell = lambda m: new.get(m.group(), m.group())
            out.append([WORD.sub(respell, sides[side][i]) for i in order])
        yield out
        k += 1


def main():
    p = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    p.add_argument("--pairs", type=int, default=0)
    p.add_argument("--mb", type=float, default=0)
    p.add_argument("--out", required=True)
    a = p.parse_args()
    if not a.pairs and not a.mb:
        p.error("--pairs or --mb")
    try:
        pairs = base_pairs(DATA)
    except OSError as e:
        sys.exit("grow_text.py: %s (T2_DATA names the folder of the data)" % e)
    n = size = 0
    with open(a.out + ".en", "wb") as en, open(a.out + ".de", "wb") as de:
        for lines in copies(pairs):
            take = len(pairs) if not a.pairs else min(len(pairs), a.pairs - n)
            for f, side in ((en, lines[0]), (de, lines[1])):
                data = ("\n".join(side[:take]) + "\n").encode()
                size += len(data)
                f.write(data)
            n += take
            if n == a.pairs or (a.mb and size >= a.mb * 1e6):
                break
    print("%d pairs, %.1f MB" % (n, size / 1e6))


if __name__ == "__main__":
    main()
