#!/usr/bin/env python3.7
"""Recordings of Tensor2Tensor's further models, for tests/oracle/test_recorded_models.c.

    record_models.py ORACLES_MAKE --out DIR [--only=NAME,NAME]

ORACLES_MAKE is the folder oracles/make of T2_DATA: its t2t_transformer.py does the work, this file only adds the models'
variants.  Environment as there (its first lines).  The tests read DIR as T2_DATA/oracles/t2t_models.
"""
import sys

sys.path.insert(0, sys.argv.pop(1))
import t2t_transformer as recorder  # noqa: E402 - its folder is an argument

WARM = recorder.WARM
SMALL = WARM + ",num_rec_steps=3"
UT = "universal_transformer"
VARIANTS = {
    "ut": ("universal_transformer_small", SMALL, {"model": UT}),
    "ut_sinusoid": ("universal_transformer_step_sinusoid_timing_tiny", SMALL, {"model": UT}),
    "ut_two_layers": ("universal_transformer_small", SMALL + ",num_inrecurrence_layers=2", {"model": UT}),
    "ut_no_position_signal": ("universal_transformer_small", SMALL + ",add_position_timing_signal=false", {"model": UT}),
    "ut_no_step_signal": ("universal_transformer_small", SMALL + ",add_step_timing_signal=false", {"model": UT}),
    "ut_mix_before": ("universal_transformer_mix_before_ut_base", SMALL, {"model": UT}),
    "ut_mix_after": ("universal_transformer_mix_after_ut_base", SMALL, {"model": UT}),
    "ut_relative": ("universal_transformer_small", SMALL + ",self_attention_type=dot_product_relative,max_relative_position=4",
                    {"model": UT}),
    "ut_packed": ("universal_transformer_small", SMALL, {"model": UT, "packed": True}),
    "ut_language_model": ("universal_transformer_small", SMALL, {"model": UT, "language_model": True}),
    "ut_eval": ("universal_transformer_small", SMALL, {"model": UT, "mode": recorder.EVAL}),
    "ut_encoder": ("universal_transformer_small", SMALL, {"model": UT + "_encoder", "classes": 5}),
    "attention_lm": ("attention_lm_base", WARM, {"model": "attention_lm", "language_model": True}),
    "attention_lm_translation": ("attention_lm_translation", WARM, {"model": "attention_lm", "prepend": True}),
    "attention_lm_full": ("attention_lm_translation_full_attention", WARM, {"model": "attention_lm", "prepend": True}),
}
recorder.VARIANTS = VARIANTS
recorder.STEPS_KEPT = set(VARIANTS)

if __name__ == "__main__":
    recorder.main()
