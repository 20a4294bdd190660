#!/usr/bin/env python3.7
"""Recordings of Tensor2Tensor's further models: fixtures/recordings/t2t_models.

    record_models.py ORACLES_MAKE --out DIR [--only=NAME,NAME]

For tests/oracle/test_recorded_transformer.c.  ORACLES_MAKE is the folder oracles/make of T2_DATA:
its t2t_transformer.py runs the original (environment in its first lines), this file adds the models'
variants, small shapes and three steps each.  Of the hparams those are kept that differ from the
set's.
"""
import glob
import json
import os
import sys

sys.path.insert(0, sys.argv.pop(1))
import t2t_transformer as recorder  # noqa: E402 - its folder is an argument
from tensor2tensor.layers import area_attention  # noqa: E402
from tensor2tensor.models import transformer  # noqa: E402
from tensor2tensor.utils import contrib  # noqa: E402
import tensorflow.compat.v1 as tf  # noqa: E402


def without_reconstruction():
    """rev_block's own backward pass looks for its variables in the optimizer's scope, "training", and fails in
    the original's trainer; the gradients are those of its forward pass."""
    layers = contrib.layers()
    whole = layers.rev_block

    def rev_block(*args, **more):
        return whole(*args, **dict(more, is_training=False))

    layers.rev_block = rev_block


def with_reals():
    """transformer_regressor's targets are the numbers of classes, as numbers."""
    kind, classes, one = transformer.TransformerRegressor, recorder.Classes, recorder.one
    whole, hparams = kind.model_fn, classes.hparams
    recorded = [""]

    lengths = {}

    def recording(name, a):
        recorded[0] = VARIANTS[name][2].get("model")
        lengths.setdefault("inputs", a.inputs)
        a.inputs = VARIANTS[name][2].get("inputs", lengths["inputs"])
        return one(name, a)

    def of_problem(self, defaults, model_hparams):
        hparams(self, defaults, model_hparams)
        if recorded[0] == "transformer_regressor":
            defaults.modality["targets"] = recorder.modalities.ModalityType.REAL_L2_LOSS
            defaults.vocab_size["targets"] = 1

    def model_fn(self, features):
        return whole(self, dict(features, targets=tf.to_float(features["targets"])))

    recorder.one, classes.hparams, kind.model_fn = recording, of_problem, model_fn


def with_areas_in_double():
    """The original takes squares and means of areas out of running sums: of an area of one position the deviation,
    sqrt(0 + 1e-6), is off by a tenth in float32.  Here those sums are float64 and rounded once."""
    class Double:
        to_float = staticmethod(lambda x: tf.cast(x, tf.float64))

        def __getattr__(self, name):
            return getattr(tf, name)

    whole = area_attention.compute_area_features
    area_attention.tf = Double()

    def features(x, *args, **more):
        return [tf.cast(y, tf.float32) if y.dtype == tf.float64 else y
                for y in whole(tf.cast(x, tf.float64), *args, **more)]

    area_attention.compute_area_features = features


def with_widths():
    """lstm.py asks for max_area_width with "1" where there is none, which HParams refuses beside a number."""
    kind = recorder.hparams_lib.hparam.HParams
    whole = kind.get
    kind.get = lambda self, key, default=None: whole(self, key, 1 if default == "1" else default)


SMALL = ["--hidden=4", "--filter=6", "--heads=2", "--layers=1", "--vocab=11", "--batch=3", "--inputs=5", "--targets=6"]
COMMON = recorder.WARM + ",symbol_modality_num_shards=1"
STEPS = COMMON + ",num_rec_steps=3"
LSTM = COMMON + ",num_hidden_layers="
UT = "universal_transformer"
ATTENTION = "lstm_seq2seq_attention"
BOTH_WAYS = "lstm_seq2seq_attention_bidirectional_encoder"
EVOLVED = COMMON + ",num_encoder_layers=1,num_decoder_layers=1"
ACT = "adaptive_universal_transformer"
REVNET = "transformer_revnet"
MOE = "attention_lm_moe"
AREAS = COMMON + ",num_area_layers=1,max_area_width="
VARIANTS = {
    "ut": (UT + "_small", STEPS, {"model": UT}),
    "ut_sinusoid": (UT + "_step_sinusoid_timing_tiny", STEPS, {"model": UT}),
    "ut_two_layers": (UT + "_small", STEPS + ",num_inrecurrence_layers=2", {"model": UT}),
    "ut_no_position_signal": (UT + "_small", STEPS + ",add_position_timing_signal=false",
                              {"model": UT, "language_model": True}),
    "ut_mix_before": (UT + "_mix_before_ut_base", STEPS + ",num_mixedin_layers=1", {"model": UT}),
    "ut_mix_after": (UT + "_mix_after_ut_base", STEPS + ",num_mixedin_layers=1", {"model": UT, "language_model": True}),
    "ut_relative": (UT + "_small", STEPS + ",self_attention_type=dot_product_relative,"
                    "max_relative_position=3,add_step_timing_signal=false",
                    {"model": UT, "language_model": True}),
    "ut_packed": (UT + "_small", STEPS, {"model": UT, "packed": True}),
    "ut_encoder": (UT + "_small", STEPS, {"model": UT + "_encoder", "classes": 5}),
    "attention_lm": ("attention_lm_small", COMMON, {"model": "attention_lm", "language_model": True}),
    "attention_lm_masked": ("attention_lm_translation", COMMON, {"model": "attention_lm", "prepend": True}),
    "attention_lm_full": ("attention_lm_translation_full_attention", COMMON, {"model": "attention_lm", "prepend": True}),
    "scorer": ("transformer_tiny", COMMON, {"model": "transformer_scorer"}),
    "lstm": ("lstm_seq2seq", LSTM + "1", {"model": "lstm_seq2seq"}),
    "lstm_two_layers": ("lstm_seq2seq", LSTM + "2", {"model": "lstm_seq2seq"}),
    "lstm_alone": ("lstm_seq2seq", LSTM + "1", {"model": "lstm_seq2seq", "language_model": True}),
    "lstm_bidirectional": ("lstm_seq2seq", LSTM + "2", {"model": "lstm_seq2seq_bidirectional_encoder"}),
    "lstm_encoder": ("lstm_seq2seq", LSTM + "2", {"model": "lstm_encoder", "classes": 5}),
    "lstm_luong": ("lstm_luong_attention", LSTM + "1,attention_layer_size=4,num_heads=1", {"model": ATTENTION}),
    "lstm_luong_multi": ("lstm_luong_attention_multi", LSTM + "2,attention_layer_size=3", {"model": ATTENTION}),
    "lstm_bahdanau": ("lstm_bahdanau_attention", LSTM + "2,attention_layer_size=4,num_heads=1", {"model": ATTENTION}),
    "lstm_bahdanau_multi": ("lstm_bahdanau_attention_multi", LSTM + "1,attention_layer_size=5", {"model": ATTENTION}),
    "lstm_both_ways_luong": ("lstm_luong_attention", LSTM + "2,attention_layer_size=4,num_heads=1", {"model": BOTH_WAYS}),
    "lstm_both_ways_bahdanau": ("lstm_bahdanau_attention_multi", LSTM + "1,attention_layer_size=3", {"model": BOTH_WAYS}),
    "evolved": ("evolved_transformer_tiny", EVOLVED, {"model": "evolved_transformer"}),
    "evolved_base": ("evolved_transformer_base", COMMON + ",num_encoder_layers=2,num_decoder_layers=2",
                     {"model": "evolved_transformer"}),
    "evolved_alone": ("evolved_transformer_tiny", EVOLVED, {"model": "evolved_transformer", "language_model": True}),
    "evolved_packed": ("evolved_transformer_tiny", EVOLVED, {"model": "evolved_transformer", "packed": True}),
    "revnet": (REVNET + "_base", COMMON + ",hidden_size=8", {"model": REVNET}),
    "revnet_two_layers": (REVNET + "_base", COMMON + ",hidden_size=8,num_hidden_layers=2", {"model": REVNET}),
    "attention_lm_moe": (MOE + "_small", COMMON, {"model": MOE, "language_model": True}),
    "attention_lm_moe_sepconv": (MOE + "_base_long_seq", COMMON + ",max_length=256",
                                 {"model": MOE, "language_model": True}),
    "attention_lm_moe_letters": (MOE + "_base", COMMON + ",attention_layers=hf",
                                 {"model": MOE, "language_model": True}),
    "attention_lm_moe_masked": (MOE + "_translation", COMMON, {"model": MOE, "prepend": True}),
    "regressor": ("transformer_tiny", COMMON + ",hidden_size=16", {"model": "transformer_regressor", "classes": 5}),
    "act": (ACT + "_small", COMMON + ",act_max_steps=4", {"model": UT}),
    "act_accumulated": (ACT + "_small", COMMON + ",act_max_steps=3,act_type=accumulated",
                        {"model": UT, "language_model": True}),
    "act_layers": (ACT + "_mix_before_ut_base", COMMON + ",act_max_steps=3,num_inrecurrence_layers=2,"
                   "num_mixedin_layers=1,act_loss_weight=0.5", {"model": UT}),
    "act_no_loss": (ACT + "_tall_actlossw0", COMMON + ",act_max_steps=3", {"model": UT}),
    "act_encoder": (ACT + "_small", COMMON + ",act_max_steps=3", {"model": UT + "_encoder", "classes": 5}),
    "area_concat": ("transformer_tiny", AREAS + "3,area_key_mode=concat,area_value_mode=sum", {}),
    "area_mean": ("transformer_tiny", AREAS + "2,area_key_mode=mean,area_value_mode=mean", {}),
    "area_max": ("transformer_tiny", AREAS + "4,area_key_mode=max_concat,area_value_mode=max", {}),
    "area_key_max": ("transformer_tiny", AREAS + "3,area_key_mode=max,area_value_mode=max", {}),
    "area_sample": ("transformer_tiny", AREAS + "3,area_key_mode=sample,area_value_mode=sum", {"mode": recorder.EVAL}),
    "area_sample_concat": ("transformer_tiny", AREAS + "3,area_key_mode=sample_concat,area_value_mode=mean",
                           {"mode": recorder.EVAL}),
    "area_sample_sum": ("transformer_tiny", AREAS + "2,max_area_height=2,memory_height=2,area_key_mode=sample_sum,"
                        "area_value_mode=mean", {"inputs": 6, "mode": recorder.EVAL}),
    "area_sum_grid": ("transformer_tiny", AREAS + "2,max_area_height=2,memory_height=2,area_key_mode=sum,"
                      "area_value_mode=sum", {"inputs": 6}),
    "area_alone": ("transformer_tiny", AREAS + "3,area_key_mode=sum,area_value_mode=mean", {"language_model": True}),
    "area_lstm": ("lstm_area_attention_base", LSTM + "1,attention_layer_size=4,num_heads=1", {"model": ATTENTION}),
    "area_lstm_concat": ("lstm_area_attention_base", LSTM + "1,attention_layer_size=3,num_heads=2,max_area_width=3,"
                         "area_key_mode=concat,area_value_mode=mean", {"model": ATTENTION}),
    "text_cnn": ("text_cnn_base", COMMON + ",num_filters=3", {"model": "text_cnn", "classes": 5}),
}
for _, _, settings in VARIANTS.values():
    settings["steps"] = 3
recorder.VARIANTS = VARIANTS
# keys that all move by one vector change no weight: dense_1/bias has noise for a gradient, which Adam divides by noise
recorder.STEPS_KEPT = {name for name in VARIANTS if name not in ("area_concat", "area_max", "area_sum_grid", "area_alone",
                                                                 "area_lstm_concat")}

KEPT = ["variant", "model", "hparams_set", "overrides", "mode", "vocab_size", "target_space_id", "loss_numerator",
        "loss_denominator", "losses", "steps", "loss_after_3_steps", "loss_after_5_steps", "made_with"]


def shorten(path):
    with open(path) as f:
        about = json.load(f)
    if isinstance(about, list):
        sys.exit("failed: %s" % about)
    original = recorder.trainer_lib.create_hparams(about["hparams_set"]).values()
    short = {key: about[key] for key in KEPT if key in about}
    short["hparams"] = {k: v for k, v in about["hparams"].items() if k not in original or original[k] != v}
    with open(path, "w") as f:
        json.dump(short, f, indent=1, sort_keys=True)
        f.write("\n")


if __name__ == "__main__":
    sys.argv[1:1] = SMALL
    without_reconstruction()
    with_reals()
    with_areas_in_double()
    with_widths()
    recorder.main()
    for path in glob.glob(os.path.join(recorder.oc.arguments("", **{name: "" for name in (
            "hidden filter heads layers vocab batch inputs targets only".split())}).out, "*.json")):
        shorten(path)
