#!/usr/bin/env python3
"""Compressed files and indexes of tfrec, read by others.

  check_bgzip.py --tfrec=build/release/bin/tfrec [--seed=0]

Records of random sizes (empty ones, longer than a block, some that do not compress) are written by TensorFlow
when it is there, else by this script, then compressed by tfrec in every way and read back: by TensorFlow's
TFRecordDataset, by Python's gzip and zlib, by gzip -t, by bgzip and pysam where installed.  Record N through
the index must be record N.  FILE.idx must be what the `tfrecord` package's tfrecord2idx writes.  What is not
installed is named and left out.
"""
import argparse
import gzip
import os
import random
import shutil
import subprocess
import sys
import tempfile
import zlib

os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")
try:
    import tensorflow as tf
except ImportError:
    tf = None
    print("left out: TensorFlow is not here")

failures = 0


def check(what, good):
    global failures
    failures += not good
    print("%s  %s" % ("ok  " if good else "FAIL", what))


def make_payloads(rng):
    out = [b"", b"x"]
    for _ in range(3000):
        n = int(rng.expovariate(1 / 300))
        out.append(rng.randbytes(n) if rng.random() < 0.3 else bytes([rng.randrange(256)]) * n)
    out += [rng.randbytes(500000), bytes(1000000), b"", rng.randbytes(65280 - 16), b"end"]
    return out


def write_plain(payloads, path):
    if tf is not None:
        with tf.io.TFRecordWriter(path) as w:
            for p in payloads:
                w.write(p)
        return
    sys.path.insert(0, os.path.join(os.path.dirname(__file__), "..", "tests", "fuzz"))
    from make_tfrecord_corpus import record
    with open(path, "wb") as f:
        for p in payloads:
            f.write(record(p))


def read_by_tensorflow(path, kind):
    return [r.numpy() for r in tf.data.TFRecordDataset(path, compression_type=kind)]


def check_compression(tfrec, how, plain, payloads, rng):
    path = "%s.%s" % (plain, how)
    for j in (1, 2):
        subprocess.run([tfrec, "merge", "--quiet", "-j", str(j), "--compress=" + how, "-o",
                        "%s.j%d" % (path, j), plain], check=True)
    os.rename(path + ".j1", path)
    data = open(path, "rb").read()
    check("%s: the same bytes for -j 1 and -j 2" % how, data == open(path + ".j2", "rb").read())
    raw = open(plain, "rb").read()
    back = zlib.decompress(data) if how == "zlib" else gzip.decompress(data)
    check("%s: Python's %s reads it" % (how, "zlib" if how == "zlib" else "gzip"), back == raw)
    if how != "zlib":
        with open(path, "rb") as f:
            check("%s: gzip -t" % how, subprocess.run(["gzip", "-t"], stdin=f).returncode == 0)
    if tf is not None:
        kind = "ZLIB" if how == "zlib" else "GZIP"
        got = read_by_tensorflow(path, kind)
        check("%s: TensorFlow %s reads %d records as %s" % (how, tf.__version__, len(got), kind),
              got == payloads)
        if how != "bgzip":
            with tf.io.TFRecordWriter(path + ".tf", kind) as w:
                for p in payloads:
                    w.write(p)
            print("      TensorFlow writes %s bytes" %
                  ("the same" if open(path + ".tf", "rb").read() == data else "other"))
    for indexed in (False, True):
        if indexed:
            subprocess.run([tfrec, "index", "--binary", path], check=True, stdout=subprocess.DEVNULL)
        numbers = [rng.randrange(len(payloads)) for _ in range(20)] + [0, len(payloads) - 5]
        got = subprocess.run([tfrec, "get", "--raw"] + [str(n) for n in numbers] + [path],
                             check=True, stdout=subprocess.PIPE).stdout
        check("%s: records by number, index: %s" % (how, indexed),
              got == b"".join(payloads[n] for n in numbers))
    return path


def check_bgzf(path, plain):
    if shutil.which("bgzip"):
        back = subprocess.run(["bgzip", "-dc", path], check=True, stdout=subprocess.PIPE).stdout
        check("bgzip -d reads it", back == open(plain, "rb").read())
    else:
        print("left out: bgzip is not here")
    try:
        import pysam
    except ImportError:
        print("left out: pysam is not here")
        return
    with pysam.BGZFile(path, "r") as f:
        check("pysam's BGZFile reads it", f.read() == open(plain, "rb").read())


def check_idx(tfrec, plain):
    subprocess.run([tfrec, "index", plain], check=True, stdout=subprocess.DEVNULL)
    ours = open(plain + ".idx", "rb").read()
    try:
        from tfrecord.tools.tfrecord2idx import create_index
    except ImportError:
        print("left out: the tfrecord package is not here")
    else:
        create_index(plain, plain + ".theirs")
        check("idx: as tfrecord2idx of the tfrecord package", open(plain + ".theirs", "rb").read() == ours)
    try:
        import nvidia.dali  # noqa: F401
    except ImportError:
        print("left out: DALI is not here")
        return
    tool = shutil.which("tfrecord2idx", path=os.path.dirname(sys.executable)) or shutil.which("tfrecord2idx")
    if tool:
        subprocess.run([sys.executable, tool, plain, plain + ".dali"], check=True)
        check("idx: as DALI's tfrecord2idx", open(plain + ".dali", "rb").read() == ours)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--tfrec", required=True)
    parser.add_argument("--seed", type=int, default=0)
    args = parser.parse_args()
    tfrec = os.path.abspath(args.tfrec)
    rng = random.Random(args.seed)
    payloads = make_payloads(rng)
    with tempfile.TemporaryDirectory() as folder:
        plain = os.path.join(folder, "plain.tfrecord")
        write_plain(payloads, plain)
        for how in ("gzip", "zlib", "bgzip"):
            path = check_compression(tfrec, how, plain, payloads, rng)
        check_bgzf(path, plain)
        check_idx(tfrec, plain)
    print("%d failures" % failures)
    return failures > 0


if __name__ == "__main__":
    sys.exit(main())
