#!/usr/bin/env python3
"""Record files: read, count, parse, build, write, checksum; ours and the peers of peer_tfrecord.py.

  make bench-tfrecord [PEERS=DIR]          or: python3 bench/bench_tfrecord.py [--quick] [--only TEXT]

text: Examples of two int64 lists, ~144 B (records of a real data set over and over, or made ones when
there is no T2_DATA); images: ~112 KB of noise and a label.  Both sides check both CRCs of a record.  protobuf-c++ is Google's library with
arenas, google-crc32c the C++ library (of the Python wheel), both called from peer_protobuf.cc.
"""
import glob
import os
import shutil
import subprocess
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
# tf.train.Example, for Google's protobuf in C++ (peer_protobuf.cc).
PROTO = """syntax = "proto3"; package tensorflow; option cc_enable_arenas = true;
message BytesList { repeated bytes value = 1; }
message FloatList { repeated float value = 1 [packed = true]; }
message Int64List { repeated int64 value = 1 [packed = true]; }
message Feature { oneof kind { BytesList bytes_list = 1; FloatList float_list = 2; Int64List int64_list = 3; } }
message Features { map<string, Feature> feature = 1; }
message Example { Features features = 1; }
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
        subprocess.run(command + (["--input=" + sample] if sample else []), check=True)
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
    """{name: (call, identity)} of the peers of peer_tfrecord.py that are there; none for a figure that --only leaves out."""
    found = {}
    figures = {"write": ("write", "frame"), "batch": ("parse.text.batch",)}.get(work, (work,))
    kind = "images" if path.endswith("img.tfrecord") else "text"
    if not any(bench.args.only in "tfrecord.%s" % (f if "." in f else f + "." + kind) for f in figures):
        return found
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


def native(bench):
    """The program of peer_protobuf.cc, compiled outside the checkout; None without protoc, its library, or libcrc32c."""
    python = bench.python("torch")
    libraries = glob.glob(os.path.join(os.path.dirname(python or ""), "..", "lib", "*", "site-packages", "google_crc32c.libs",
                                       "libcrc32c*.so*")) if python else []
    os.environ.setdefault("CRC32C_LIBRARY", os.path.abspath(libraries[0]) if libraries else "libcrc32c.so.1")
    if not shutil.which("protoc"):
        return None
    folder, program = bench.temporary("native"), bench.temporary("peer_protobuf")
    os.makedirs(folder, exist_ok=True)
    with open(os.path.join(folder, "example.proto"), "w", encoding="ascii") as f:
        f.write(PROTO)
    try:
        subprocess.run(["protoc", "--cpp_out=.", "example.proto"], cwd=folder, check=True)
        subprocess.run(["c++", "-O3", "-march=native", "-DNDEBUG", "-std=c++17", "-I", folder, "-o", program,
                        os.path.join(common.HERE, "peer_protobuf.cc"), os.path.join(folder, "example.pb.cc"), "-lprotobuf",
                        "-lpthread", "-ldl"], check=True, stderr=subprocess.DEVNULL)
        bench.run([program, "--work=crc", "--size=100", "--mb=1", "--reps=1"])
    except (OSError, subprocess.CalledProcessError, common.Refused):
        return None
    return program


def native_peer(bench, program, name, *flags):
    """{name: (call, identity)}; the check of each pair is compared."""
    if program is None:
        return {}

    def call():
        out = bench.run([program] + list(flags))
        return out["value"], out["check"]
    return {name: (call, "same number of records (or bytes), same sum of sizes (or checksums) in every pair")}


def page_cache(bench, path, records):
    """What read(2) of the same file gives right now, as records a second."""
    def call():
        top = bench.ceiling("read", path)
        if "read" not in top:
            raise common.Refused("no ceiling program")
        return top["read"] * 1e9 / os.path.getsize(path) * records, None
    return {"page-cache": (call, "the same file, read into a buffer, unverified")}


def main():
    args = common.arguments("tfrecord", __doc__)
    bench = common.Bench("tfrecord", args)
    text, img = inputs(bench, args)
    out = bench.temporary("out.tfrecord")
    program = native(bench)

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
    batch = dict(peers(bench, "batch", text, "tf", "dali"),
                 **native_peer(bench, program, "protobuf-c++", "--work=batch", "--input=" + text))
    bench.figure("tfrecord.parse.text.batch", "read, both CRCs, then both int64 lists as ragged batches of 512", "rec/s",
                 ours("batch", text), batch, goal={"tf": 18, "protobuf-c++": 6}, ceiling="memcpy,read", path=text)
    few = "--limit=200000"
    bench.figure("tfrecord.frame.text", "ids to Example to framed record, in memory", "rec/s", ours("frame", text, few),
                 native_peer(bench, program, "protobuf-c++", "--work=frame", "--input=" + text, few), goal=10)
    bench.figure("tfrecord.frame.text", "the same, the peer into a file in the page cache", "rec/s", ours("frame", text, few),
                 peers(bench, "write", text, "tf"), goal=90)
    bench.figure("tfrecord.write.text", "ids to Example to a record file (ours with fsync)", "rec/s",
                 ours("write", text, "--output=" + out, "--limit=500000"), peers(bench, "write", text, "tf", "tfrecord"))
    bench.figure("tfrecord.read.images", "every record of ~112 KB, both CRCs checked", "rec/s", ours("read", img),
                 peers(bench, "read", img, "tf", "dali"), goal={"dali": 2},
                 ceiling="memcpy,read", path=img)
    n_images = bench.run([bench.ours("bench_tfrecord"), "--work=digest", "--input=" + img])["records"]
    bench.figure("tfrecord.read.images", "every record of ~112 KB, both CRCs checked", "rec/s", ours("read", img),
                 page_cache(bench, img, n_images), goal=0.8, ceiling=None)
    for size, goal in ((200, 3), (4096, 2.5), (1 << 20, 2.5)):
        flags = ["--work=crc", "--size=%d" % size, "--mb=%d" % (200 if args.quick else 1000)]
        bench.figure("tfrecord.crc32c.%d" % size, "CRC-32C of %d bytes in cache, again and again" % size, "GB/s",
                     bench.program("bench_tfrecord", *flags), native_peer(bench, program, "google-crc32c", *flags), goal=goal)
    return bench.finish()


if __name__ == "__main__":
    sys.exit(main())
