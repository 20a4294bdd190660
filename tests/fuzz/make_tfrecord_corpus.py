#!/usr/bin/env python3
"""Writes the seeds of fuzz_tfrecord, fuzz_example, fuzz_damage: tests/fuzz/corpus/tfrecord/, example/, damage/.

usage: make_tfrecord_corpus.py [CORPUS_DIR]        same files every time
"""
import gzip
import os
import struct
import sys
import zlib


def crc32c(data):
    c = 0xFFFFFFFF
    for b in data:
        c ^= b
        for _ in range(8):
            c = c >> 1 ^ (0x82F63B78 if c & 1 else 0)
    return c ^ 0xFFFFFFFF


def masked(data):
    c = crc32c(data)
    return struct.pack("<I", ((c >> 15 | c << 17) + 0xA282EAD8) & 0xFFFFFFFF)


def record(data, length=None):
    n = struct.pack("<Q", len(data) if length is None else length)
    return n + masked(n) + data + masked(data)


def varint(n):
    n &= 2**64 - 1
    out = b""
    while n > 127:
        out += bytes([n & 127 | 128])
        n >>= 7
    return out + bytes([n])


def field(number, wire_type, body):
    return varint(number << 3 | wire_type) + body


def delimited(number, body):
    return field(number, 2, varint(len(body)) + body)


def entry(name, feature):
    return delimited(1, delimited(1, name) + delimited(2, feature))


def ints(*values):
    return delimited(3, delimited(1, b"".join(varint(v) for v in values)))


def example(*entries):
    return delimited(1, b"".join(entries))


TEXT = example(entry(b"inputs", ints(5, 300, 70000, 1)), entry(b"targets", ints(*range(120, 140))))
FLOATS = delimited(2, delimited(1, struct.pack("<3f", 1.5, -2.0, 0.0)))
BYTES = delimited(1, delimited(1, b"hello") + delimited(1, b""))
GROUP = field(9, 3, field(1, 0, varint(5))) + field(9, 4, b"")
EXAMPLES = {
    "empty": b"",
    "text": TEXT,
    "kinds": example(entry(b"a", ints(-1, 0, 2**63)), entry(b"b", BYTES), entry(b"c", FLOATS), entry(b"d", b"")),
    "empty-lists": example(entry(b"a", delimited(3, b"")), entry(b"b", delimited(1, b"")), entry(b"c", delimited(2, b""))),
    "unpacked": example(entry(b"a", delimited(3, field(1, 0, varint(7)) + delimited(1, b"\x01\x02") + field(1, 0, varint(-5)))),
                        entry(b"c", delimited(2, field(1, 5, b"\0\0\xc0\x3f") + delimited(1, b"\0\0\0\0")))),
    "unknown": field(15, 0, b"\x07") + GROUP + example(field(16, 1, b"12345678") + entry(b"a", field(18, 5, b"1234") + ints(3))),
    "joined": example(delimited(1, delimited(1, b"a") + delimited(2, ints(1) + BYTES + ints(2)) + delimited(2, ints(3, 4)))),
    "equal-names": example(entry(b"a", ints(1)), entry(b"a", BYTES), entry(b"a", FLOATS)),
    "many": example(*[entry(b"name%d" % (i % 30), ints(i)) for i in range(60)]),
    "long-numbers": example(entry(b"a", delimited(3, delimited(1, (b"\x81" * 9 + b"\x01") * 3 + b"\x85\x80\x80\x00")))),
    "utf8": example(entry("schlüssel/日本".encode(), ints(1))),
}
PLAIN = record(TEXT) + record(b"") + record(b"abc" * 100)
FILES = {
    "none": b"",
    "plain": PLAIN,
    "gzip": gzip.compress(PLAIN, mtime=0),
    "zlib": zlib.compress(PLAIN),
    "two-members": gzip.compress(PLAIN[:20], mtime=0) + gzip.compress(PLAIN[20:], mtime=0),
    "huge-length": record(b"x") + record(b"12345678", 2**40),
    "length-376": record(b"\0" * 376),
    "text": b"Hello, world, here I am\n",
}


def members():
    return [gzip.compress(record(d), mtime=0) for d in (TEXT, b"", b"abc" * 100, b"last")]


def flipped(data, at):
    return data[:at] + bytes([data[at] ^ 1]) + data[at + 1:]


DAMAGED = dict(FILES, **{
    "length": flipped(PLAIN, 1),
    "length-crc": flipped(PLAIN, 9),
    "data": flipped(PLAIN, 20),
    "cut": PLAIN[:-3],
    "cut-in-header": PLAIN + b"12345",
    "put-in": PLAIN[:30] + b"xxxxx" + PLAIN[30:],
    "taken-out": PLAIN[:30] + PLAIN[35:],
    "behind-text": b"This is not a record, but one follows. " + PLAIN,
    "nested": record(PLAIN + PLAIN[:40])[:-30],
    "members": b"".join(members()),
    "members-damaged": flipped(b"".join(members()), len(members()[0]) + 15),
    "gzip-cut": gzip.compress(PLAIN, mtime=0)[:-20],
    "gzip-checksum": flipped(gzip.compress(PLAIN, mtime=0), -6 % len(gzip.compress(PLAIN, mtime=0))),
    "gzip-header": flipped(gzip.compress(PLAIN, mtime=0), 0),
    "zlib-tail": zlib.compress(PLAIN) + b"tail",
})


def main():
    root = sys.argv[1] if len(sys.argv) > 1 else os.path.join(os.path.dirname(os.path.abspath(__file__)), "corpus")
    for folder, seeds in (("example", EXAMPLES), ("tfrecord", {})):
        os.makedirs(os.path.join(root, folder), exist_ok=True)
        for name, data in seeds.items():
            with open(os.path.join(root, folder, name), "wb") as f:
                f.write(data)
    os.makedirs(os.path.join(root, "damage"), exist_ok=True)
    for name, data in DAMAGED.items():  # the first byte: bit 0 puts CRCs right, 6 doubles
        for mode in (0, 6) if name in FILES else (0,):
            with open(os.path.join(root, "damage", "%s-%d" % (name, mode)), "wb") as f:
                f.write(bytes([mode]) + data)
    for name, data in FILES.items():  # the first byte chooses whether the target puts CRCs right
        for mode in (0, 1):
            with open(os.path.join(root, "tfrecord", "%s-%d" % (name, mode)), "wb") as f:
                f.write(bytes([mode]) + data)


main()
