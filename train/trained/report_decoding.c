/*
 * train/trained/report_decoding.c - see the header.
 */
#include "train/trained/report_decoding.h"

#include <stdio.h>

#include "base/json_writer.h"

void tr_report_decoding(const struct tr_trained *t, const struct dec_hparams *hp,
                        const struct dec_file_report *r, const struct tr_decoded *d)
{
    struct t2_buf out = {NULL, 0, 0};
    struct t2_json json;

    t2_json_init(&json, &out, 0);
    t2_json_object(&json);
    t2_json_kv_string(&json, "problem", t->state.problem);
    t2_json_kv_string(&json, "model", t->state.model);
    t2_json_kv_string(&json, "hparams_set", t->state.hparams_set);
    t2_json_kv_string(&json, "checkpoint_dir", t->dir);
    t2_json_kv_i64(&json, "step", t->state.step);
    t2_json_kv_i64(&json, "average_checkpoints", d->average);
    t2_json_kv_i64(&json, "beam_size", hp->beam_size);
    t2_json_key(&json, "alpha");
    t2_json_float9(&json, hp->alpha);
    t2_json_kv_string(&json, "decode_from_file", d->from);
    t2_json_kv_string(&json, "decode_to_file", d->to);
    t2_json_kv_u64(&json, "lines", r->n_lines);
    t2_json_kv_u64(&json, "empty_lines", r->n_empty);
    t2_json_kv_u64(&json, "cut_lines", r->n_cut);
    t2_json_kv_u64(&json, "target_tokens", r->n_target_ids);
    t2_json_key(&json, "seconds");
    t2_json_float9(&json, r->seconds);
    t2_json_key(&json, "sentences_per_second");
    t2_json_float9(&json, (double) r->n_lines / r->seconds);
    t2_json_key(&json, "target_tokens_per_second");
    t2_json_float9(&json, (double) r->n_target_ids / r->seconds);
    if (d->bleu) {
        t2_json_key(&json, "bleu_uncased");
        t2_json_float9(&json, *d->bleu);
    }
    t2_json_end_object(&json);
    (void) puts(t2_buf_cstr(&out)); /* the program checks when it closes stdout */
    t2_buf_release(&out);
}
