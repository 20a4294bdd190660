"""Compares shards and vocabularies that two programs made: same_records.py OURS THEIRS PROBLEM VOCABULARY...
Records in order, features by name (tools of TensorFlow are not needed).  Prints one line, exits 1 when they differ."""
import glob
import os
import struct
import sys


def varint(b, at):
    r = s = 0
    while True:
        x = b[at]
        at += 1
        r |= (x & 127) << s
        if x < 128:
            return r, at
        s += 7


def fields(b):
    at = 0
    while at < len(b):
        tag, at = varint(b, at)
        assert tag & 7 == 2, tag
        n, at = varint(b, at)
        yield tag >> 3, b[at:at + n]
        at += n


def example(b):
    pairs = []
    for _, features in fields(b):
        for _, entry in fields(features):
            e = dict(fields(entry))
            pairs.append((e[1], e[2]))
    return tuple(sorted(pairs))


def records(path):
    raw = open(path, "rb").read()
    at, out = 0, []
    while at < len(raw):
        n = struct.unpack_from("<Q", raw, at)[0]
        out.append(example(raw[at + 12:at + 12 + n]))
        at += 16 + n
    return out


def pixels(all_records):
    """PNG files as what is in them: their bytes are each encoder's own."""
    sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "tests", "support"))
    from image_runs import png
    out = []
    for record in all_records:
        features = []
        for name, feature in record:
            at = feature.find(b"\x89PNG\r\n") if name == b"image/encoded" else -1
            features.append((name, feature if at < 0 else repr(png(feature[at:])).encode()))
        out.append(tuple(features))
    return out


def main():
    ours, theirs, problem, vocabularies = sys.argv[1], sys.argv[2], sys.argv[3], sys.argv[4:]
    a = sorted(map(os.path.basename, glob.glob(os.path.join(ours, problem + "-*-of-*"))))
    b = sorted(map(os.path.basename, glob.glob(os.path.join(theirs, problem + "-*-of-*"))))
    n, bad = 0, []
    if a != b or not a:
        bad.append("shards %d and %d" % (len(a), len(b)))
    for name in set(a) & set(b):
        x, y = records(os.path.join(ours, name)), records(os.path.join(theirs, name))
        n += len(y)
        if x != y and pixels(x) != pixels(y):
            bad.append("%s (%d and %d records, %s)" % (name, len(x), len(y),
                       "same multiset" if sorted(x) == sorted(y) else "different ones"))
    for name in vocabularies:
        if open(os.path.join(ours, name), "rb").read() != open(os.path.join(theirs, name), "rb").read():
            bad.append(name)
    print("%-50s %6d records  %s" % (problem, n, "equal" if not bad else "DIFFERENT: " + "; ".join(sorted(bad)[:3])))
    sys.exit(1 if bad else 0)


main()
