#!/usr/bin/env python3
"""Images: decode + random resized crop 224 + flip + normalise to float32; ours and the peers of peer_jpeg.py.

  make bench-jpeg [PEERS=DIR]          or: python3 bench/bench_jpeg.py [--quick] [--only TEXT]

train: 120 ImageNet photographs in memory, one core: TensorFlow's arithmetic (resnet_train_normalized: windows
as sample_distorted_bounding_box, fast DCT, bicubic), the Model Garden's (bilinear) and torchvision's
(accurate DCT, Pillow's antialiased bilinear).  records: a TFRecord of 1200 of them, CRCs checked, in
shuffled batches of 64, two cores.  convert: a folder of classes with 1200 of them to TFRecords by
jpeg-to-tfrecord, two cores; peers are `cat` of all files into one, which is what the disk and the kernel take,
and a loop of TensorFlow that asks for sizes only.  The peers crop as kornia-rs, torchvision, DALI, tf.data do: the same
areas and ratios, their own resizing.
"""
import base64
import glob
import json
import os
import shutil
import subprocess
import sys
import time

import common

TRAIN = {"kornia-rs": "kornia_rs", "torchvision": "torchvision", "simplejpeg-fast": "simplejpeg", "dali": "nvidia.dali", "tf": "tensorflow"}
RECORDS = {"dali": ("torch", "nvidia.dali", 1.9), "torch-dataloader": ("torch", "torchvision", 2.4), "tf": ("tf2", "tensorflow", None)}


def records_file(bench, paths, count):
    """A TFRecord file of the images, over and over, made by tfrec."""
    rows, out = bench.temporary("rows.jsonl"), bench.temporary("images.tfrecord")
    with open(rows, "w", encoding="ascii") as f:
        for i in range(count):
            with open(paths[i % len(paths)], "rb") as p:
                encoded = base64.b64encode(p.read()).decode()
            f.write(json.dumps({"image/encoded": {"base64": encoded}, "image/class/label": [i % 1000 + 1]}) + "\n")
    subprocess.run([bench.ours("tfrec"), "convert", "-o", out, rows, "--quiet"], check=True)
    os.unlink(rows)
    return out


def dali_index(path):
    """DALI's index of a TFRecord file: offset and length of each record with its frame."""
    at, index = 0, path + ".dali"
    with open(path, "rb") as f, open(index, "w", encoding="ascii") as out:
        while head := f.read(8):
            n = int.from_bytes(head, "little") + 16
            out.write("%d %d\n" % (at, n))
            at += n
            f.seek(at)
    return index


TF_CONVERT = """
import glob, json, os, sys, time
import tensorflow as tf
def ints(x): return tf.train.Feature(int64_list=tf.train.Int64List(value=[x]))
def text(x): return tf.train.Feature(bytes_list=tf.train.BytesList(value=[x]))
begin = time.perf_counter()
paths = sorted(glob.glob(os.path.join(sys.argv[1], "*", "*")))
labels = {c: i + 1 for i, c in enumerate(sorted(os.listdir(sys.argv[1])))}
with tf.io.TFRecordWriter(sys.argv[2]) as out:
    for p in paths:
        data = open(p, "rb").read()
        h, w, _ = tf.io.extract_jpeg_shape(data).numpy()
        c = os.path.basename(os.path.dirname(p))
        out.write(tf.train.Example(features=tf.train.Features(feature={
            "image/encoded": text(data), "image/height": ints(int(h)), "image/width": ints(int(w)), "image/format": text(b"JPEG"),
            "image/class/label": ints(labels[c]), "image/class/synset": text(c.encode())})).SerializeToString())
print(json.dumps({"value": len(paths) / (time.perf_counter() - begin)}))
"""


def class_folders(bench, paths, count):
    """A folder with ten classes of the images, over and over."""
    folder = bench.temporary("folders")
    for i in range(count):
        to = os.path.join(folder, "class%d" % (i % 10))
        os.makedirs(to, exist_ok=True)
        shutil.copyfile(paths[i % len(paths)], os.path.join(to, "%05d.jpg" % i))
    return folder


def convert(bench, folder, count, threads):
    """Calls that make records of a folder, images a second: ours, cat, TensorFlow."""
    out = bench.temporary("converted")

    def timed(command, **kind):
        shutil.rmtree(out, ignore_errors=True)
        os.makedirs(out)
        begin = time.perf_counter()
        subprocess.run(command, check=True, stdout=subprocess.DEVNULL, **kind)
        return count / (time.perf_counter() - begin)

    def ours():
        return timed([bench.ours("jpeg-to-tfrecord"), "--quiet", "--image_dir=" + folder, "--output_dir=" + out,
                      "--num_threads=%d" % threads])

    def cat():
        return timed("cat '%s'/*/* >'%s/all'; sync '%s/all'" % (folder, out, out), shell=True)

    def tensorflow():
        return bench.run([bench.python("tf2"), "-c", TF_CONVERT, folder, out + ".tf"])["value"]

    return ours, cat, tensorflow if bench.has("tf2", "tensorflow") else None


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
                                     *(["--index", dali_index(made)] if name == "dali" else []))
        peers[name] = (call, "same records; order and crops are each one's own")
        goals[name] = goal
    bench.figure("jpeg.records", "TFRecord to shuffled batches of 64, decoded and augmented", "img/s",
                 ours=bench.program("bench_jpeg", "--work=records", "--records=" + made, "--num_threads=%d" % threads, *size),
                 goal=goals, peers=peers)
    ours, cat, tensorflow = convert(bench, class_folders(bench, paths, count), count, threads)
    bench.figure("jpeg.convert", "a folder of classes to TFRecords, sizes from headers", "img/s", ours=ours,
                 goal={"cat": 0.8}, peers={"cat": (cat, "reads the same files, writes one file and syncs it"),
                                           "tf": (tensorflow, "same fields, one thread")})
    return bench.finish()


if __name__ == "__main__":
    sys.exit(main())
