/*
 * train/trained/way_file.c - t2t-decoder --decode_from_file: a file of lines.
 */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/alloc.h"
#include "base/file.h"
#include "base/log.h"
#include "base/str.h"
#include "base/text.h"
#include "train/decode/decode_file.h"
#include "train/eval/bleu.h"
#include "train/trained/decoder_flags.h"
#include "train/trained/report_decoding.h"
#include "train/trained/ways.h"

static enum t2_status score(const char *to, double *bleu, struct t2_err *err)
{
    const bool lower_case[] = {true, false};
    struct ev_bleu scores[2];

    T2_TRY(ev_bleu_files(to, tr_decoder_flags.decode_reference, lower_case, 2, scores, err));
    t2_info("BLEU_uncased = %6.2f, BLEU_cased = %6.2f", scores[0].score, scores[1].score);
    *bleu = scores[0].score;
    return T2_OK;
}

static void report_text(const struct dec_file_report *r, const char *to)
{
    char time[32];

    t2_info("%" PRIu64 " lines in %s: %.1f sentences/s, %.1f target tokens/s; written to '%s'",
            r->n_lines, t2_human_seconds(r->seconds, time, sizeof time),
            (double) r->n_lines / r->seconds, (double) r->n_target_ids / r->seconds, to);
}

enum t2_status tr_way_file(const struct tr_trained *t, struct dec_translator *translator,
                           const struct dec_parts *parts, struct t2_err *err)
{
    const struct dec_hparams *hp = parts->hp;
    bool from_stdin = strcmp(tr_decoder_flags.decode_from_file, "-") == 0;
    char *from = from_stdin ? t2_strdup("-") : t2_path_expand(tr_decoder_flags.decode_from_file),
         *to, *name;
    struct dec_file_report report;
    double bleu = 0;
    enum t2_status st;

    name = from_stdin ? from : dec_shard_name(from, hp);
    if (tr_decoder_flags.decode_to_file[0] == '\0')
        to = dec_output_name(name, t->state.model, t->state.hparams_set, t->state.problem, hp);
    else if (strcmp(tr_decoder_flags.decode_to_file, "-") == 0)
        to = t2_strdup("-");
    else
        to = dec_shard_name(tr_decoder_flags.decode_to_file, hp);
    if (strcmp(to, "-") != 0) {
        char *expanded = t2_path_expand(to);

        t2_free(to);
        to = expanded;
    }
    T2_GOTO(st, out, dec_file(translator, hp, name, to, tr_decoder_flags.max_memory, &report, err));
    if (dist_rank(parts->dist) > 0)
        goto out;
    report_text(&report, to);
    if (tr_decoder_flags.keep_timestamp && strcmp(to, "-") != 0)
        T2_GOTO(st, out, tr_trained_set_time(t, to, err));
    if (tr_decoder_flags.decode_reference[0])
        T2_GOTO(st, out, score(to, &bleu, err));
    if (tr_decoder_flags.json) {
        struct tr_decoded d = {.from = name,
                               .to = to,
                               .average = tr_decoder_flags.average_checkpoints};
        struct t2_buf json = {0};

        d.bleu = tr_decoder_flags.decode_reference[0] ? &bleu : NULL;
        tr_report_decoding(t, hp, &report, &d, &json);
        t2_buf_push(&json, '\n');
        (void) fwrite(json.data, 1, json.len_bytes, stdout); /* checked when stdout is closed */
        t2_buf_release(&json);
    }
out:
    t2_free(to);
    if (name != from)
        t2_free(name);
    t2_free(from);
    return st;
}
