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

glob = tf.gfile.Glob
tf.gfile.Glob = lambda pattern: sorted(glob(pattern))
tf.logging.set_verbosity(tf.logging.ERROR)
tf.app.run(t2t_datagen.main)
