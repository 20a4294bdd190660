#!/usr/bin/env python3
"""Record files: read, count, parse, build, write, checksum; ours and the peers of peer_tfrecord.py.

  make bench-tfrecord [PEERS=DIR]          or: python3 bench/bench_tfrecord.py [--quick] [--only TEXT]

text: Examples of two int64 lists, ~144 B (records of a real data set over and over, or made ones when
there is no T2_DATA); images: ~112 KB of noise and a label.  Both sides check both CRCs of a record.
"""
import os
import sys

import common

# Peers of peer_tfrecord.py: (environment, module that it needs).
PEERS = {"tf": ("tf2", "tensorflow"), "tfrecord": ("torch", "tfrecord"), "protobuf": ("torch", "google.protobuf, google_crc32c"),
         "array-record": ("torch", "array_record"), "dali": ("torch", "nvidia.dali")}
# Payload digests by the peer's own reader.  argv: file, number of records.
DIGESTS = {
    "tf": """
import hashlib, json, os, sys
os.environ["TF_CPP_MIN_LOG_LEVEL"] = "3"
import tensorflow as tf
h, n = hashlib.sha256(), 0
for r in tf.data.TFRecordDataset(sys.argv[1]).take(int(sys.argv[2])):
    h.update(r.numpy()); n += 1
print(json.dumps({"records": n, "sha256": h.hexdigest()}))
""",
    "tfrecord": """
import hashlib, itertools, json, sys
from tfrecord.reader import tfrecord_iterator
h, n = hashlib.sha256(), 0
for r in itertools.islice(tfrecord_iterator(sys.argv[1]), int(sys.argv[2])):
    h.update(bytes(r)); n += 1
print(json.dumps({"records": n, "sha256": h.hexdigest()}))
""",
}
CRC = {
    "google-crc32c": ("torch", "import google_crc32c as m; f = m.value"),
    "crc32c": ("torch", "import crc32c as m; f = m.crc32c"),
}
CRC_PROGRAM = """
import json, sys, time
%s
data = bytes(i * 131 & 255 for i in range(int(sys.argv[1])))
reps = max(1, int(sys.argv[2]) * 1000000 // len(data))
rates = []
for _ in range(5):
    t = time.perf_counter()
    for _ in range(reps):
        f(data)
    rates.append(len(data) * reps / (time.perf_counter() - t) * 1e-9)
print(json.dumps({"value": sorted(rates)[2], "check": None}))
"""
IDENTITY_RECORDS = 20000


def inputs(bench, args):
    """Makes text.tfrecord and img.tfrecord; returns their paths."""
    text, img = bench.temporary("text.tfrecord"), bench.temporary("img.tfrecord")
    folder = os.path.join(args.data, "tfrecord-samples")
    names = sorted(os.listdir(folder)) if os.path.isdir(folder) else []
    source = next((os.path.join(folder, n) for n in names if n.startswith("t2t-") and "translate" in n), "")
    mb = 20 if args.quick else 200
    for path, work, sample in ((text, "make", source), (img, "make_images", "")):
        command = [bench.ours("bench_tfrecord"), "--work=" + work, "--output=" + path, "--mb=%d" % mb]
        common.subprocess.run(command + (["--input=" + sample] if sample else []), check=True)
    return text, img


def same_payload(bench, peer, path):
    """How the peer was shown to read what we read; None when it cannot be."""
    if peer not in DIGESTS:
        return None
    python, program = bench.python(PEERS[peer][0]), DIGESTS[peer]
    n = str(IDENTITY_RECORDS)
    theirs = bench.run([python, "-c", program, path, n])
    ours = bench.run([bench.ours("bench_tfrecord"), "--work=digest", "--input=" + path, "--limit=" + n])
    if (theirs["records"], theirs["sha256"]) != (ours["records"], ours["sha256"]):
        raise common.Refused("%s reads other payloads than we do" % peer)
    return "SHA-256 of the payloads of %d records equal" % ours["records"]


def peers(bench, work, path, *wanted):
    """{name: (call, identity)} of the peers of peer_tfrecord.py that are there."""
    found = {}
    for name in wanted:
        environment, module = PEERS[name]
        call = bench.peer_script(environment, "peer_tfrecord.py", "--peer", name, "--work", work, "--input", path,
                                 "--reps", 2 if bench.args.quick else 3, "--threads", bench.args.threads)
        if call is None or not bench.has(environment, module):
            continue
        try:
            found[name] = (call, same_payload(bench, name, path) or "same file; the peer's own count")
        except (common.Refused, OSError) as e:
            print("bench: error: %s: %s" % (name, e), file=sys.stderr)
            bench.failed += 1
    return found


def crc_peers(bench, size, mb):
    found = {}
    for name, (environment, program) in CRC.items():
        if bench.has(environment, name.replace("-", "_")):
            def call(environment=environment, program=program):
                out = bench.run([bench.python(environment), "-c", CRC_PROGRAM % program, str(size), str(mb)])
                return out["value"], None
            found[name] = (call, "same bytes; the peer is called from Python, which costs it most at 200 bytes")
    return found


def main():
    args = common.arguments("tfrecord", __doc__)
    bench = common.Bench("tfrecord", args)
    text, img = inputs(bench, args)
    out = bench.temporary("out.tfrecord")

    def ours(work, path, *more):
        return bench.program("bench_tfrecord", "--work=" + work, "--input=" + path, *more)

    bench.figure("tfrecord.read.text", "every record of ~144 B, both CRCs checked", "rec/s", ours("read", text),
                 peers(bench, "read", text, "tf", "tfrecord", "protobuf", "array-record"),
                 goal={"tf": 60, "array-record": 7}, ceiling="memcpy,read", path=text)
    bench.figure("tfrecord.count.text", "number of records, lengths and their CRCs checked", "rec/s", ours("count", text),
                 ceiling="memcpy,read", path=text)
    bench.figure("tfrecord.parse.text", "read, then both int64 lists of each Example as int64 in memory", "rec/s",
                 ours("parse", text),
                 peers(bench, "parse", text, "tf", "tfrecord", "protobuf"),
                 ceiling="memcpy,read", path=text)
    bench.figure("tfrecord.parse.text.batch", "the same, the peer in batches of 512", "rec/s", ours("parse", text),
                 peers(bench, "batch", text, "tf", "dali"), goal={"tf": 18},
                 ceiling="memcpy,read", path=text)
    bench.figure("tfrecord.frame.text", "ids to Example to framed record, in memory", "rec/s",
                 ours("frame", text, "--limit=50000"))
    bench.figure("tfrecord.write.text", "ids to Example to a record file (ours with fsync)", "rec/s",
                 ours("write", text, "--output=" + out, "--limit=500000"),
                 peers(bench, "write", text, "tf", "tfrecord"), goal={"tf": 90})
    bench.figure("tfrecord.read.images", "every record of ~112 KB, both CRCs checked", "rec/s", ours("read", img),
                 peers(bench, "read", img, "tf", "dali"), goal={"dali": 2},
                 ceiling="memcpy,read", path=img)
    for size, goal in ((200, 3), (4096, 2.5), (1 << 20, None)):
        mb = 200 if args.quick else 1000
        bench.figure("tfrecord.crc32c.%d" % size, "CRC-32C of %d bytes in cache, again and again" % size, "GB/s",
                     bench.program("bench_tfrecord", "--work=crc", "--size=%d" % size, "--mb=%d" % mb),
                     crc_peers(bench, size, mb), goal={"google-crc32c": goal})
    return bench.finish()


if __name__ == "__main__":
    sys.exit(main())
