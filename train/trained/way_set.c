/*
 * train/trained/way_set.c - t2t-decoder without a flag that says what to decode: the samples of the
 * data set.
 */
#include <inttypes.h>
#include <stdio.h>

#include "base/alloc.h"
#include "base/file.h"
#include "base/log.h"
#include "base/str.h"
#include "base/text.h"
#include "train/trained/decode_set.h"
#include "train/trained/decoder_flags.h"
#include "train/trained/report_decoding.h"
#include "train/trained/ways.h"

/* Of files that are written: their time, and the line of --json. */
static enum t2_status finish(const struct tr_trained *t, const struct dec_hparams *hp,
                             const struct tr_set_options *o, const struct dec_file_report *r,
                             const char *stem, struct t2_err *err)
{
    char *to = stem ? t2_asprintf("%s.decodes", stem) : t2_strdup("");
    struct tr_decoded d = {.from = o->data_dir,
                           .to = to,
                           .average = tr_decoder_flags.average_checkpoints};
    struct t2_buf json = {0};
    char time[32];
    enum t2_status st = T2_OK;

    t2_info("%" PRIu64 " samples in %s: %.1f sentences/s, %.1f target tokens/s; %s%s%s", r->n_lines,
            t2_human_seconds(r->seconds, time, sizeof time), (double) r->n_lines / r->seconds,
            (double) r->n_target_ids / r->seconds, stem ? "written to '" : "nothing is written", to,
            stem ? "', .targets and .inputs" : "");
    if (r->n_cut > 0)
        t2_warn("%" PRIu64 " inputs were cut, as max_input_size says or --max_memory wants",
                r->n_cut);
    if (tr_decoder_flags.keep_timestamp && stem)
        st = tr_trained_set_time(t, to, err);
    if (tr_decoder_flags.json && st == T2_OK) {
        tr_report_decoding(t, hp, r, &d, &json);
        t2_buf_push(&json, '\n');
        (void) fwrite(json.data, 1, json.len_bytes, stdout); /* checked when stdout is closed */
    }
    t2_buf_release(&json);
    t2_free(to);
    return st;
}

enum t2_status tr_way_set(const struct tr_trained *t, struct dec_translator *translator,
                          const struct dec_parts *parts, struct t2_err *err)
{
    char *data_dir = t2_path_expand(tr_decoder_flags.data_dir), *stem = NULL;
    struct tr_set_options o = {.data_dir = data_dir,
                               .split = tr_decoder_flags.eval_use_test_set ? DG_TEST : DG_DEV,
                               .to = tr_decoder_flags.decode_to_file};
    struct dec_file_report report;
    enum t2_status st = tr_decode_set(t, translator, parts->hp, &o, &report, &stem, err);

    if (st == T2_OK && dist_rank(parts->dist) == 0)
        st = finish(t, parts->hp, &o, &report, stem, err);
    t2_free(stem);
    t2_free(data_dir);
    return st;
}
