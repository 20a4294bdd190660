#!/usr/bin/env python3
"""Bits per dimension of an Image Transformer on CIFAR-10, after the same steps as Tensor2Tensor's own.

  check_bits_per_dim.py [--steps=300] [--seeds=2] [--train=1000] [--test=100] [--set=imagetransformer_cifar10_base]
                        [--hparams=...] [--data=DIR] [--build=DIR] [--keep=DIR]

Run by a Python that has tensor2tensor 1.15.7 (TensorFlow 1.15) and Pillow.  Pictures of cifar10-jpeg-records become the
archive that the problem downloads, t2t-datagen makes its records, and both trainers read these: --problem is
image_cifar10_plain_gen_rev, the same set, hparams and number of steps, one thread each, both at once where there are two
cores.  Then each evaluates the first --test test pictures.  Seeds differ between the two in what they mean, so that a pair of runs is two draws; what is
compared is the mean over --seeds runs of each.  Prints a line of JSON for each run and one for the means; exits with 1 where
ours are more than 1 % above the original's.
"""
import argparse
import concurrent.futures
import json
import math
import os
import pickle
import re
import shutil
import subprocess
import sys
import tarfile
import tempfile
import time

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
PROBLEM = "image_cifar10_plain_gen_rev"
# Small, and with a rate that brings something within few steps; dropout as the set has it.
HPARAMS = ("hidden_size=64,filter_size=128,num_heads=2,num_decoder_layers=2,batch_size=4,learning_rate=0.1,"
           "learning_rate_warmup_steps=100")
MOST_ABOVE = 0.01
# Its summary of targets as an image is of their embeddings, which TensorFlow refuses; three channels of them will do, and no
# number depends on it.
T2T = """
import sys
sys.argv[0] = "t2t-trainer"
import tensorflow.compat.v1 as tf
from tensor2tensor.bin import t2t_trainer
whole = tf.summary.image
tf.summary.image = lambda name, x, *args, **more: whole(name, x[..., :3], *args, **more)
tf.logging.set_verbosity(tf.logging.INFO)
tf.app.run(t2t_trainer.main)
"""


def pictures(records, n):
    """The first n: rows of 3072 numbers, channel by channel as the archive has them, and labels."""
    import io

    import numpy as np
    import tensorflow.compat.v1 as tf
    from PIL import Image

    rows, labels = [], []
    for record in tf.python_io.tf_record_iterator(records):
        if len(rows) == n:
            break
        feature = tf.train.Example.FromString(record).features.feature
        image = Image.open(io.BytesIO(feature["image/encoded"].bytes_list.value[0])).convert("RGB")
        rows.append(np.asarray(image).transpose(2, 0, 1).reshape(-1))
        labels.append(int(feature["image/class/label"].int64_list.value[0]))
    return np.stack(rows).astype(np.uint8), labels


def make_archive(data, to, n_train, n_test):
    source = os.path.join(data, "cifar10-jpeg-records")
    rows, labels = pictures(os.path.join(source, "cifar10-train.tfrecord"), n_train)
    batches = {"test_batch": pictures(os.path.join(source, "cifar10-test.tfrecord"), n_test)}
    for i in range(5):
        begin, end = n_train * i // 5, n_train * (i + 1) // 5
        batches["data_batch_%d" % (i + 1)] = rows[begin:end], labels[begin:end]
    folder = os.path.join(to, "cifar-10-batches-py")
    os.makedirs(folder)
    for name, (images, classes) in batches.items():
        with open(os.path.join(folder, name), "wb") as f:
            pickle.dump({"data": images, "labels": classes}, f, protocol=2)
    with tarfile.open(os.path.join(to, "cifar-10-python.tar.gz"), "w:gz") as archive:
        archive.add(folder, "cifar-10-batches-py")


def flags(a, folder, seed):
    return ["--problem=" + PROBLEM, "--data_dir=" + os.path.join(a.work, "data"), "--output_dir=" + folder, "--model=imagetransformer",
            "--hparams_set=" + a.set, "--hparams=" + a.hparams, "--train_steps=%d" % a.steps, "--local_eval_frequency=%d" % a.steps,
            "--eval_steps=%d" % a.eval_steps, "--random_seed=%d" % seed]


def run(command, log, core=0):
    cores = sorted(os.sched_getaffinity(0))
    core = str(cores[core % len(cores)])
    env = dict(os.environ, TF_CPP_MIN_LOG_LEVEL="2", CUDA_VISIBLE_DEVICES="", OMP_NUM_THREADS="1")
    with open(log, "w") as f:
        if subprocess.call(["taskset", "-c", core, *command], stdout=f, stderr=f, env=env) != 0:
            with open(log) as said:
                raise SystemExit("%s failed:\n%s" % (command[0], said.read()[-3000:]))


def ours(a, seed):
    folder = os.path.join(a.work, "ours-%d" % seed)
    run([os.path.join(a.build, "bin", "t2t-trainer"), *flags(a, folder, seed), "--num_threads=1"], folder + ".log")
    with open(os.path.join(folder, "metrics.jsonl")) as f:
        lines = [x for x in map(json.loads, f) if x["kind"] == "eval" and x["step"] == a.steps]
    return lines[-1]["bits_per_dim"]


def theirs(a, seed):
    folder = os.path.join(a.work, "t2t-%d" % seed)
    run([sys.executable, "-c", T2T, *flags(a, folder, seed), "--schedule=continuous_train_and_eval"], folder + ".log", 1)
    with open(folder + ".log") as f:
        found = re.findall(r"Saving dict for global step %d:.*?/neg_log_perplexity = (-?[0-9.]+)" % a.steps, f.read())
    return -float(found[-1]) / math.log(2)


def main():
    p = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    p.add_argument("--steps", type=int, default=300)
    p.add_argument("--seeds", type=int, default=2)
    p.add_argument("--train", type=int, default=1000, help="pictures")
    p.add_argument("--test", type=int, default=100)
    p.add_argument("--set", default="imagetransformer_cifar10_base")
    p.add_argument("--hparams", default=HPARAMS)
    p.add_argument("--data", default=os.environ.get("T2_DATA", os.path.join(ROOT, "../shared/data")))
    p.add_argument("--build", default=os.environ.get("T2_BUILD", os.path.join(ROOT, "build/release")))
    p.add_argument("--keep", help="a fresh folder for the runs, which stays")
    a = p.parse_args()
    batch = int(re.search(r"\bbatch_size=(\d+)", a.hparams).group(1))
    a.eval_steps = a.test // batch
    if a.eval_steps * batch != a.test:
        raise SystemExit("--test must be a multiple of batch_size")
    a.work = a.keep or tempfile.mkdtemp()
    try:
        tmp = os.path.join(a.work, "tmp")
        # the original's evaluation asks for one batch more, and fails where there is none
        make_archive(a.data, tmp, a.train, a.test + batch)
        run([os.path.join(a.build, "bin", "t2t-datagen"), "--problem=image_cifar10_plain_gen", "--offline",
             "--data_dir=" + os.path.join(a.work, "data"), "--tmp_dir=" + tmp], os.path.join(a.work, "datagen.log"))
        bits = {"ours": [], "t2t": []}
        def timed(who, train, seed):
            begin = time.time()
            bits[who].append(train(a, seed))
            print(json.dumps({"who": who, "seed": seed, "steps": a.steps, "bits_per_dim": round(bits[who][-1], 5),
                              "seconds": round(time.time() - begin)}), flush=True)

        with concurrent.futures.ThreadPoolExecutor(min(2, len(os.sched_getaffinity(0)))) as both:
            for seed in range(1, a.seeds + 1):
                for done in [both.submit(timed, *x, seed) for x in (("ours", ours), ("t2t", theirs))]:
                    done.result()
        means = {who: sum(values) / len(values) for who, values in bits.items()}
        above = means["ours"] / means["t2t"] - 1
        print(json.dumps({"figure": "bits_per_dim", "hparams_set": a.set, "hparams": a.hparams, "steps": a.steps, "train": a.train,
                          "test": a.test, "seeds": a.seeds, "ours": round(means["ours"], 5), "t2t": round(means["t2t"], 5),
                          "above": round(above, 5)}))
    finally:
        if not a.keep:
            shutil.rmtree(a.work)
    return 1 if above > MOST_ABOVE else 0


if __name__ == "__main__":
    sys.exit(main())
