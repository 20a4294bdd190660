"""T2T's own wiki_revision on dumps of plain XML: t2t_revisions.py PROBLEM DATA_DIR TMP_DIR [its flags].  All tasks, one after the other.

The original reads 7z by a program, and its text as Python 2 strings (under Python 3 it fails at the first page); here files
are read plain, and bytes stand as characters 0 to 255 until they become text, as they did.
"""
import random
import sys

import tensorflow.compat.v1 as tf
from absl import flags
from tensor2tensor.data_generators import text_encoder, wiki_revision, wiki_revision_utils


class OldString(object):
    """A file whose strings are bytes."""

    def __init__(self, path):
        self.file = open(path, "rb")

    def read(self, n):
        return self.file.read(n).decode("latin-1")


def pages(files, tmp_dir, max_page_size_exp):
    for path in files:
        for page in wiki_revision_utils.file_page_generator(OldString(path), 2**max_page_size_exp):
            yield page


def main():
    name, data_dir, tmp_dir = sys.argv[1:4]
    flags.FLAGS(sys.argv[:1] + sys.argv[4:])
    to_unicode = text_encoder.to_unicode_utf8
    text_encoder.to_unicode_utf8 = lambda s: to_unicode(s.encode("latin-1"))
    wiki_revision_utils.corpus_page_generator = pages
    kinds = {"wiki_revision": wiki_revision.WikiRevision,
             "wiki_revision_packed1k": wiki_revision.WikiRevisionPacked1k,
             "wiki_revision_packed256": wiki_revision.WikiRevisionPacked256}
    tf.gfile.Open.size = tf.gfile.GFile.size
    n = flags.FLAGS.wiki_revision_num_train_shards + flags.FLAGS.wiki_revision_num_dev_shards
    for task in range(n):  # without a task it stops after the first
        random.seed(1)
        kinds[name](False, False).generate_data(data_dir, tmp_dir, task)


main()
