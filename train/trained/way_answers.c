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

/* In per cent. */
static double mean(double sum, size_t n)
{
    return 100.0 * sum / (double) n;
}

static void say(const struct tr_answer_report *r, bool with_negative)
{
    const struct ev_answer_sums *s = &r->scores;

    if (s->n > 0)
        t2_info("exact match %.2f %%, F1 %.2f %%, of %zu questions whose answers are known",
                mean(s->exact, s->n), mean(s->f1, s->n), s->n);
    if (r->answered.n > 0)
        t2_info("of %zu with an answer: exact match %.2f %%, F1 %.2f %%", r->answered.n,
                mean(r->answered.exact, r->answered.n), mean(r->answered.f1, r->answered.n));
    if (r->unanswered.n > 0)
        t2_info("of %zu without one: %.2f %%", r->unanswered.n,
                mean(r->unanswered.exact, r->unanswered.n));
    if (with_negative && s->n > 0)
        t2_info("with null_score_diff_threshold=%g F1 would be %.2f %%, with %g the exact match "
                "%.2f %%",
                r->best_f1.threshold, mean(r->best_f1.sum, s->n), r->best_exact.threshold,
                mean(r->best_exact.sum, s->n));
    t2_info("%" PRIu64 " questions in %" PRIu64 " rows in %.1f s, %.1f rows a second",
            r->n_questions, r->n_rows, r->seconds, (double) r->n_rows / fmax(r->seconds, 1e-9));
}

static void put_part(struct t2_json *j, const char *part, const struct ev_answer_sums *s)
{
    char key[32];

    if (s->n == 0)
        return;
    snprintf(key, sizeof key, "%sexact", part);
    t2_json_kv_double(j, key, mean(s->exact, s->n));
    snprintf(key, sizeof key, "%sf1", part);
    t2_json_kv_double(j, key, mean(s->f1, s->n));
    snprintf(key, sizeof key, "%stotal", part);
    t2_json_kv_u64(j, key, s->n);
}

/* The names, and per cent, of SQuAD 2.0's evaluate-v2.0.py. */
static void put_negative(struct t2_json *j, const struct tr_answer_report *r)
{
    put_part(j, "", &r->scores);
    put_part(j, "HasAns_", &r->answered);
    put_part(j, "NoAns_", &r->unanswered);
    t2_json_kv_double(j, "best_exact", mean(r->best_exact.sum, r->scores.n));
    t2_json_kv_double(j, "best_exact_thresh", r->best_exact.threshold);
    t2_json_kv_double(j, "best_f1", mean(r->best_f1.sum, r->scores.n));
    t2_json_kv_double(j, "best_f1_thresh", r->best_f1.threshold);
}

/* The names of the original's metrics. */
static void say_json(const struct tr_answer_report *r, bool with_negative)
{
    struct t2_buf line = {0};
    struct t2_json j;
    double n = (double) r->scores.n;

    t2_json_init(&j, &line, 0);
    t2_json_object(&j);
    if (with_negative) {
        put_negative(&j, r);
    } else {
        t2_json_kv_double(&j, "exact_match", r->scores.exact / n);
        t2_json_kv_double(&j, "final_f1", r->scores.f1 / n);
    }
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
                                        .rules = {.n_best = hp->n_best_size,
                                                  .most_pieces = hp->max_answer_length,
                                                  .with_negative = hp->version_2_with_negative,
                                                  .null_threshold = hp->null_score_diff_threshold},
                                        .batch_size = dec_image_batch(hp)};
    struct tr_answer_report r;
    enum t2_status st = tr_answer_questions(t, &o, &r, err);

    if (st == T2_OK) {
        say(&r, hp->version_2_with_negative);
        t2_info("answers are in '%s', the %" PRId64 " likeliest of each question beside it", to,
                o.rules.n_best);
        if (tr_decoder_flags.json)
            say_json(&r, hp->version_2_with_negative);
    }
    t2_free(from);
    t2_free(to);
    return st;
}
