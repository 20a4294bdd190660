/*
 * train/trained/way_answers.c - t2t-decoder for a model that finds answers in texts.
 */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/alloc.h"
#include "base/file.h"
#include "base/json_writer.h"
#include "base/log.h"
#include "train/trained/answer_questions.h"
#include "train/trained/decoder_flags.h"
#include "train/trained/ways.h"

static void say(const struct tr_answer_report *r)
{
    const struct ev_answer_sums *s = &r->scores;
    double n = fmax((double) s->n, 1.0);

    if (s->n > 0)
        t2_info("exact match %.2f %%, F1 %.2f %%, of %zu questions whose answers are known",
                100.0 * s->exact / n, 100.0 * s->f1 / n, s->n);
    t2_info("%" PRIu64 " questions in %" PRIu64 " rows in %.1f s, %.1f rows a second",
            r->n_questions, r->n_rows, r->seconds, (double) r->n_rows / fmax(r->seconds, 1e-9));
}

/* The names of the original's metrics. */
static void say_json(const struct tr_answer_report *r)
{
    struct t2_buf line = {0};
    struct t2_json j;
    double n = (double) r->scores.n;

    t2_json_init(&j, &line, 0);
    t2_json_object(&j);
    t2_json_kv_double(&j, "exact_match", r->scores.exact / n);
    t2_json_kv_double(&j, "final_f1", r->scores.f1 / n);
    t2_json_kv_u64(&j, "questions", r->n_questions);
    t2_json_kv_u64(&j, "rows", r->n_rows);
    t2_json_kv_double(&j, "seconds", r->seconds);
    t2_json_end_object(&j);
    t2_buf_push(&line, '\n');
    (void) fwrite(line.data, 1, line.len_bytes, stdout);
    t2_buf_release(&line);
}

enum t2_status tr_way_answers(const struct tr_trained *t, const struct dec_parts *parts,
                              struct t2_err *err)
{
    const struct dec_hparams *hp = parts->hp;
    char *from = t2_path_expand(tr_decoder_flags.decode_from_file);
    char *to = tr_decoder_flags.decode_to_file[0] ? t2_path_expand(tr_decoder_flags.decode_to_file)
                                                  : t2_strdup("predictions.json");
    const struct tr_answer_options o = {.from = from,
                                        .to = to,
                                        .vocab_file = hp->vocab_file,
                                        .cased = !hp->do_lower_case,
                                        .stride = (int32_t) hp->doc_stride,
                                        .most_question = (int32_t) hp->query_length,
                                        .rules = {hp->n_best_size, hp->max_answer_length},
                                        .batch_size = dec_image_batch(hp)};
    struct tr_answer_report r;
    enum t2_status st = tr_answer_questions(t, &o, &r, err);

    if (st == T2_OK) {
        say(&r);
        t2_info("answers are in '%s', the %" PRId64 " likeliest of each question beside it", to,
                o.rules.n_best);
        if (tr_decoder_flags.json)
            say_json(&r);
    }
    t2_free(from);
    t2_free(to);
    return st;
}
