#!/usr/bin/env python3
"""Pictures: decode + random resized crop 224 + flip + normalise to float32; ours and the peers of peer_jpeg.py.

  make bench-jpeg [PEERS=DIR]          or: python3 bench/bench_jpeg.py [--quick] [--only TEXT]

train: 120 ImageNet photographs in memory, one core: TensorFlow's arithmetic (resnet_train_normalized: windows
as sample_distorted_bounding_box, fast DCT, bicubic), the Model Garden's (bilinear) and torchvision's
(accurate DCT, Pillow's antialiased bilinear).  records: a TFRecord of 1200 of them, CRCs checked, in
shuffled batches of 64, two cores.  The peers crop as kornia-rs, torchvision, DALI, tf.data do: the same
areas and ratios, their own resizing.
"""
import base64
import glob
import json
import os
import subprocess
import sys

import common

TRAIN = {"kornia-rs": "kornia_rs", "torchvision": "torchvision", "simplejpeg-fast": "simplejpeg", "dali": "nvidia.dali", "tf": "tensorflow"}
RECORDS = {"dali": ("torch", "nvidia.dali", 1.9), "torch-dataloader": ("torch", "torchvision", 2.4), "tf": ("tf2", "tensorflow", None)}


def records_file(bench, paths, count):
    """A TFRecord file of the pictures, over and over, made by tfrec."""
    rows, out = bench.temporary("rows.jsonl"), bench.temporary("pictures.tfrecord")
    with open(rows, "w", encoding="ascii") as f:
        for i in range(count):
            with open(paths[i % len(paths)], "rb") as p:
                encoded = base64.b64encode(p.read()).decode()
            f.write(json.dumps({"image/encoded": {"base64": encoded}, "image/class/label": [i % 1000 + 1]}) + "\n")
    subprocess.run([bench.ours("tfrec"), "convert", "-o", out, rows, "--quiet"], check=True)
    os.unlink(rows)
    return out


def main():
    args = common.arguments("jpeg", __doc__)
    images = os.path.join(args.data, "imagenet-sample")
    paths = sorted(glob.glob(os.path.join(images, "**", "*.JPEG"), recursive=True))
    if not paths:
        sys.exit("bench: error: no imagenet-sample in '%s'" % args.data)
    bench = common.Bench("jpeg", args)
    names = bench.temporary("paths.txt")
    with open(names, "w", encoding="utf-8") as f:
        f.write("".join(p + "\n" for p in paths))
    size = ["--passes=1", "--reps=1"] if args.quick else ["--passes=3", "--reps=3"]
    peer_size = ["--passes", "1", "--reps", "1"] if args.quick else ["--passes", "3", "--reps", "3"]
    peers = {}
    for name, module in TRAIN.items():
        where = "tf2" if name == "tf" else "torch"
        call = None
        if bench.has(where, module):
            call = bench.peer_script(where, "peer_jpeg.py", "--peer", name, "--work", "train", "--images", images,
                                     "--threads", args.threads, *peer_size)
        peers[name] = (call, "same files, crops of the same areas and ratios; pixels are each library's own")
    for pipeline in ("resnet_train_normalized", "garden_train", "torchvision_train"):
        bench.figure("jpeg.train." + pipeline, "decode, random resized crop 224, flip, normalise to float32", "img/s",
                     ours=bench.program("bench_jpeg", "--work=train", "--list=" + names, "--pipeline=" + pipeline,
                                        "--num_threads=%d" % args.threads, *size),
                     goal={"kornia-rs": 1.6}, peers=peers)
    threads = max(2, args.threads)
    count = 128 if args.quick else 1200
    made = records_file(bench, paths, count)
    args.threads = threads
    common.pin(threads)
    peers, goals = {}, {}
    for name, (where, module, goal) in RECORDS.items():
        call = None
        if bench.has(where, module):
            call = bench.peer_script(where, "peer_jpeg.py", "--peer", name, "--work", "records", "--records", made,
                                     "--count", count, "--threads", threads, *peer_size,
                                     *(["--index", made + ".dali"] if name == "dali" else []))
        peers[name] = (call, "same records; order and crops are each one's own")
        goals[name] = goal
    bench.figure("jpeg.records", "TFRecord to shuffled batches of 64, decoded and augmented", "img/s",
                 ours=bench.program("bench_jpeg", "--work=records", "--records=" + made, "--num_threads=%d" % threads, *size),
                 goal=goals, peers=peers)
    return bench.finish()


if __name__ == "__main__":
    sys.exit(main())
