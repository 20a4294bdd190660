"""Runs the real t2t-datagen without a network: folders are listed in order, and what bAbI asks of `requests`
comes from the file in TMP_DIR.  Run with the python of an environment that has tensor2tensor 1.15.7."""
import os
import sys

plain = os.listdir
os.listdir = lambda *a: sorted(plain(*a))
walk = os.walk


def sorted_walk(top, *a, **k):
    for root, folders, files in walk(top, *a, **k):
        folders.sort()
        yield root, folders, sorted(files)


os.walk = sorted_walk

import gzip  # noqa: E402
import io  # noqa: E402
import requests  # noqa: E402

if any("sva_" in a for a in sys.argv):  # the original gives bytes to csv, which Python 3 refuses
    unzip = gzip.open
    gzip.open = lambda path, *a: io.TextIOWrapper(unzip(path, "rb"), encoding="utf-8", newline="")


class Answer(object):
    def __init__(self, path):
        with open(path, "rb") as f:
            self.content = f.read()


tmp = [a.split("=", 1)[1] for a in sys.argv if a.startswith("--tmp_dir=")][0]
requests.get = lambda url, **_: Answer(os.path.join(tmp, url.rsplit("/", 1)[1]))

import tensorflow.compat.v1 as tf  # noqa: E402
from tensor2tensor.bin import t2t_datagen  # noqa: E402

gfile_open = tf.gfile.Open
# The originals of PixelRNN's and VQA's images open them as text, which Python 3 refuses.
tf.gfile.Open = lambda path, mode="r": gfile_open(path, "rb" if path.endswith((".png", ".jpg")) else mode)
if any("vqav2" in a for a in sys.argv):
    import base64
    import io
    from tensor2tensor.data_generators import vqa
    decode = base64.b64decode
    base64.decodestring = lambda text: decode(text.encode())
    vqa.open = lambda path, _: io.open(path, newline="")
    if any("rcnn" not in a and "vqav2" in a for a in sys.argv):  # images lie in the folders of COCO
        vqa.ImageVqav2Tokens10kLabels3k._VQA_V2_TRAIN_DATASETS = [("train2014", "v2_train2014_annotations.json")]
        vqa.ImageVqav2Tokens10kLabels3k._VQA_V2_DEV_DATASETS = [("val2014", "v2_val2014_annotations.json")]

if any("lsun" in a for a in sys.argv):  # its second split fails in the graph of the first
    from tensor2tensor.data_generators import image_lsun
    convert = image_lsun.ImageLsunBedrooms.read_and_convert_to_png

    def in_own_graph(self, tmp_dir, split_name):
        with tf.Graph().as_default():
            for case in convert(self, tmp_dir, split_name):
                yield case

    image_lsun.ImageLsunBedrooms.read_and_convert_to_png = in_own_graph

if any("fsns" in a for a in sys.argv):  # what it would download lies in TMP_DIR/fsns
    import shutil
    from tensor2tensor.data_generators import generator_utils

    def copied(directory, filename, uri):
        path = os.path.join(directory, filename)
        there = os.path.join(tmp, "fsns", filename if "charset" in filename else uri.rsplit("/", 1)[1])
        if not os.path.exists(path):
            shutil.copyfile(there, path)
        return path

    generator_utils.maybe_download = copied

glob = tf.gfile.Glob
tf.gfile.Glob = lambda pattern: sorted(glob(pattern))
tf.logging.set_verbosity(tf.logging.ERROR)
tf.app.run(t2t_datagen.main)
