#!/usr/bin/env python3
"""Writes the seeds of fuzz_index: tests/fuzz/corpus/index/.

usage: make_index_corpus.py [CORPUS_DIR]        same files every time
"""
import os
import struct
import sys


def crc32c(data):
    c = 0xFFFFFFFF
    for b in data:
        c ^= b
        for _ in range(8):
            c = c >> 1 ^ (0x82F63B78 if c & 1 else 0)
    return c ^ 0xFFFFFFFF


def padded(data):
    return data + bytes(-len(data) % 8)


def index(sizes, compression=0, blocks=(), columns=(), data_bytes=None):
    offsets = [sum(sizes[:i]) for i in range(len(sizes) + 1)]
    out = b"tfri-idx" + struct.pack("<II", 1, compression)
    out += struct.pack("<%dQ" % len(offsets), *offsets)
    for block in blocks:
        out += struct.pack("<QQ", *block)
    columns_at = len(out)
    for name, kind, counts, values in columns:
        out += padded(struct.pack("<%dI" % len(counts), *counts))
        out += padded(struct.pack("<%d%s" % (len(values), {2: "f", 3: "q"}.get(kind, "B")), *values))
    names_at = len(out)
    for name, kind, counts, values in columns:
        out += struct.pack("<II", kind, len(name)) + padded(name)
    total = offsets[-1] if data_bytes is None else data_bytes
    out += struct.pack("<QQQQQQqIIQ", len(sizes), len(blocks), columns_at, names_at, len(columns),
                       total, 1, 0, 0, len(out) + 80)
    return out + struct.pack("<I", crc32c(out)) + b"tfri"


def main():
    folder = sys.argv[1] if len(sys.argv) > 1 else os.path.join(os.path.dirname(__file__), "corpus")
    folder = os.path.join(folder, "index")
    os.makedirs(folder, exist_ok=True)
    label = (b"label", 3, [1, 1, 0xFFFFFFFF], [7, -8, 0])
    weight = (b"weight", 2, [1, 2, 0], [0.5, -1.5, 0])
    text = (b"image/encoded", 1, [1, 1, 1], [])
    none = (b"none", 0, [0xFFFFFFFF] * 3, [])
    sizes = [23, 16, 56]
    seeds = {
        "empty": b"b" + index([]),
        "plain": b"b" + index(sizes),
        "columns": b"b" + index(sizes, columns=[label, weight, text, none]),
        "gzip": b"b" + index(sizes, 1, data_bytes=70),
        "bgzip": b"b" + index(sizes, 3, [(0, 0), (40, 50), (98, 95)], [label], 98),
        "cut": b"b" + index(sizes)[:-8],
        "sealed_plain": b"s" + index(sizes),
        "sealed_columns": b"s" + index(sizes, columns=[label, weight, text, none]),
        "sealed_bgzip": b"s" + index(sizes, 3, [(0, 0), (40, 50), (98, 95)], [label], 98),
        "sealed_many": b"s" + index([16] * 3, 0, columns=[label] * 5),
        "text": b"t0 23\n23 16\n39 56\n",
        "text_no_end": b"t0 23\n23 16",
        "text_returns": b"t0 23\r\n23 16\r\n",
        "text_gap": b"t0 23\n24 16\n",
        "text_large": b"t0 18446744073709551600\n18446744073709551600 16\n",
    }
    for name, data in seeds.items():
        with open(os.path.join(folder, name), "wb") as f:
            f.write(data)


if __name__ == "__main__":
    main()
