#!/usr/bin/env python3.7
"""Recordings of Tensor2Tensor's Transformer with memory across chunks: fixtures/recordings/t2t_memory.

    record_memory.py ORACLES_MAKE --out DIR [--only=NAME,NAME]

For tests/oracle/test_recorded_memory.c.  ORACLES_MAKE is the folder oracles/make of T2_DATA, whose
oracle_common.py gives variables their values.  The original's model (tensor2tensor 1.15.7 on tensorflow
1.15.5, Python 3.7) runs eagerly, in training mode without dropout, on consecutive chunks: of each its logits,
loss and gradients; variables stay as they are.  The last two chunks are of other sequences.  (As a graph the
original writes its memory without waiting for those that read it: what they get is a matter of chance.)
"""
import os
import sys

sys.path.insert(0, sys.argv.pop(1))
os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")
import numpy as np  # noqa: E402
import tensorflow.compat.v1 as tf  # noqa: E402

import oracle_common as oc  # noqa: E402 - its folder is an argument
from tensor2tensor import models  # noqa: E402,F401 - registers them
from tensor2tensor.data_generators import problem as problem_lib  # noqa: E402
from tensor2tensor.layers import common_layers  # noqa: E402
from tensor2tensor.layers import modalities  # noqa: E402
from tensor2tensor.utils import registry  # noqa: E402
from tensor2tensor.utils import trainer_lib  # noqa: E402

tf.logging.set_verbosity(tf.logging.ERROR)
tf.enable_eager_execution()
common_layers.should_generate_summaries = lambda: False
ROWS, CHUNK, VOCAB = 3, 4, 11
SET = "transformer_wikitext103_l4k_memory_v0"
SMALL = ("hidden_size=8,filter_size=6,num_heads=2,num_hidden_layers=2,max_length=16,batch_size=48,split_targets_chunk_length=4,"
         "split_targets_max_chunks=4,split_targets_strided_training=false,max_relative_position=5,layer_prepostprocess_dropout=0.0,"
         "attention_dropout=0.0,relu_dropout=0.0")
VARIANTS = {
    "memory": SMALL + ",num_memory_items=4",
    "memory_long": SMALL + ",num_memory_items=10",
    "memory_short": SMALL + ",num_memory_items=3",
    "memory_default": SMALL + ",num_memory_items=0,recurrent_memory_batch_size=4",
    "memory_absolute": SMALL + ",num_memory_items=6,self_attention_type=dot_product,pos=timing",
}


class TargetsOnly(problem_lib.Problem):

    def hparams(self, defaults, unused_model_hparams):
        defaults.modality = {"targets": modalities.ModalityType.SYMBOL}
        defaults.vocab_size = {"targets": VOCAB}


def chunks_of(seed):
    """Four chunks of three rows that end in the third, then the first chunk of two other rows."""
    r = np.random.RandomState(seed)
    whole = np.zeros((ROWS, 4 * CHUNK), np.int32)
    for row, n in enumerate((15, 9, 12)):
        whole[row, :n - 1] = r.randint(2, VOCAB, n - 1)
        whole[row, n - 1] = 1
    found = [(i, whole[:, i * CHUNK:(i + 1) * CHUNK]) for i in range(4)]
    found.append((0, r.randint(2, VOCAB, (ROWS - 1, CHUNK)).astype(np.int32)))
    found.append((1, r.randint(2, VOCAB, (ROWS - 1, CHUNK)).astype(np.int32)))
    return found


def name_of(v):
    return v.name.split(":")[0]


def record(name, a):
    tf.reset_default_graph()
    tf.set_random_seed(1)
    hparams = trainer_lib.create_hparams(SET)
    hparams.parse(VARIANTS[name])
    hparams.add_hparam("data_dir", "")
    hparams.add_hparam("train_steps", 1000)
    p_hparams = TargetsOnly(False, False).get_hparams(hparams)
    hparams.problem_hparams = p_hparams
    out = {}
    losses = []
    model = registry.model("transformer_memory")(hparams, tf.estimator.ModeKeys.TRAIN, p_hparams)

    def run(ids, chunk):
        return model({"targets": tf.constant(ids)[:, :, None, None], "chunk_number": tf.fill(list(ids.shape) + [1, 1], chunk)})

    def forget():
        for memory in model.recurrent_memory_by_layer.values():
            memory.previous_segment.assign(tf.zeros_like(memory.previous_segment))
            memory.previous_vals.assign(tf.zeros_like(memory.previous_vals))
            memory.previous_bias.assign(tf.zeros_like(memory.previous_bias) - 1e9)

    run(chunks_of(a.seed)[0][1], 0)  # creates the variables
    tvars = model._eager_var_store.trainable_variables()
    for v in tvars:
        v.assign(oc.value_for(v.name, v.shape.as_list(), a.seed))
        out["var/" + name_of(v)] = v.numpy()
    forget()
    for i, (chunk, ids) in enumerate(chunks_of(a.seed)):
        with tf.GradientTape() as tape:
            logits, loss = run(ids, chunk)
        grads = tape.gradient(loss["training"], tvars)
        out["chunk%d/targets" % i] = ids
        out["chunk%d/logits" % i] = np.reshape(logits.numpy(), [len(ids), CHUNK, VOCAB])
        losses.append(loss["training"].numpy())
        for v, g in zip(tvars, grads):
            out["chunk%d/grad/%s" % (i, name_of(v))] = tf.convert_to_tensor(g).numpy()
    oc.save_tensors(os.path.join(a.out, name + ".safetensors"), out)
    oc.save_json(os.path.join(a.out, name + ".json"), {
        "hparams_set": SET, "hparams": VARIANTS[name], "vocab_size": VOCAB, "chunks": [c for c, _ in chunks_of(a.seed)],
        "losses": losses, "made_with": oc.versions("tensor2tensor", "tensorflow")})
    print(name, losses)


if __name__ == "__main__":
    arguments = oc.arguments(__doc__, only="")
    for variant in VARIANTS:
        if not arguments.only or variant in arguments.only.split(","):
            record(variant, arguments)
