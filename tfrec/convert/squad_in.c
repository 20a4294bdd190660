/*
 * tfrec/convert/squad_in.c - SQuAD's JSON as the records that BERT learns to answer from.
 *
 * Mirrors generate_tf_record_from_json_file of Model Garden's official/nlp/data/squad_lib.py, which
 * create_finetuning_data.py --fine_tuning_task_type=squad calls: a record for every window of a
 * text, also for those without the answer (which then is at [CLS]); questions whose answer does not
 * stand in the text are left out.  With version_2_with_negative a question of SQuAD 2.0 may have
 * none.
 */
#include <string.h>

#include "base/alloc.h"
#include "base/log.h"
#include "tfrec/convert/formats.h"
#include "tfrecord/example.h"
#include "tokenizer/question_rows.h"

enum { FIRST_ID = 1000000000 }; /* unique_ids of the original */
static const size_t nowhere = SIZE_MAX;

struct reader {
    struct rec_reader base;
    const char *path;
    bool with_negative;
    struct tok_questions questions;
    struct tok_wordpiece w;
    struct tok_row_form form;
    struct tok_asked asked;
    size_t next, window;    /* question; of the one before it */
    size_t first, last;     /* pieces of the answer, or nowhere */
    uint64_t n, n_left_out; /* rows; questions */
    int32_t *ids, *parts;   /* (length) each */
    int64_t *values;        /* 4 (length): ids, mask, segments, paragraph mask */
};

/* The row of window k.  Its marks, the question and [SEP] are no part of the paragraph, but [CLS]
 * is: paragraph_mask is XLNet's. */
static void put_row(struct reader *r, size_t k, struct t2_buf *out)
{
    const size_t n = (size_t) r->form.length, text_at = tok_window_place(&r->asked);
    size_t first, n_text = tok_window(&r->asked, k, &first);
    size_t filled = tok_window_row(&r->asked, k, &r->w, r->ids, r->parts);
    int64_t unique = FIRST_ID + (int64_t) r->n++, class_index = 0, begin, end, impossible;

    tok_window_answer(&r->asked, k, r->first, r->last, &begin, &end);
    impossible = begin == 0; /* a text begins behind [CLS] */
    for (size_t i = 0; i < n; i++) {
        bool is_there = i < filled;

        r->values[i] = is_there ? r->ids[i] : 0;
        r->values[n + i] = is_there;
        r->values[2 * n + i] = is_there ? r->parts[i] : 0;
        r->values[3 * n + i] = i == 0 || (i >= text_at && i < text_at + n_text);
    }
    tfr_example_build(
        out,
        (const struct tfr_feature[]){
            {.name = "class_index", .kind = TFR_INT64, .n = 1, .ints = &class_index},
            {.name = "end_positions", .kind = TFR_INT64, .n = 1, .ints = &end},
            {.name = "input_ids", .kind = TFR_INT64, .n = n, .ints = r->values},
            {.name = "input_mask", .kind = TFR_INT64, .n = n, .ints = r->values + n},
            {.name = "is_impossible", .kind = TFR_INT64, .n = 1, .ints = &impossible},
            {.name = "paragraph_mask", .kind = TFR_INT64, .n = n, .ints = r->values + 3 * n},
            {.name = "segment_ids", .kind = TFR_INT64, .n = n, .ints = r->values + 2 * n},
            {.name = "start_positions", .kind = TFR_INT64, .n = 1, .ints = &begin},
            {.name = "unique_ids", .kind = TFR_INT64, .n = 1, .ints = &unique},
        },
        9);
}

/* *is_row: the question has rows, as its answer stands in the text, or as it has none. */
static enum t2_status find_answer(struct reader *r, bool *is_row, struct t2_err *err)
{
    const struct tok_question *q = &r->questions.items[r->asked.number];

    if (q->is_impossible && r->with_negative) {
        *is_row = true;
        r->first = r->last = nowhere;
        return T2_OK;
    }
    if (q->is_impossible && t2_json_size(q->answers) == 0)
        return t2_fail(err, T2_EFORMAT,
                       "question '%s' has no answer, as in SQuAD 2.0: --version_2_with_negative "
                       "learns that",
                       q->id);
    return tok_asked_answer(&r->asked, &r->w, is_row, &r->first, &r->last, err);
}

static enum t2_status ask(struct reader *r, size_t number, bool *is_row, struct t2_err *err)
{
    enum t2_status st = tok_ask(&r->asked, &r->questions, number, &r->w, &r->form, err);

    if (st == T2_OK)
        st = find_answer(r, is_row, err);
    if (st != T2_OK)
        t2_wrap(err, "'%s'", r->path);
    return st;
}

static enum t2_status next(struct rec_reader *base, struct t2_buf *out, uint64_t *place,
                           struct t2_err *err)
{
    struct reader *r = (struct reader *) base;

    *place = 0;
    while (r->window == r->asked.n_windows) {
        bool is_row = false;

        if (r->next == r->questions.n)
            return T2_EOF;
        T2_TRY(ask(r, r->next++, &is_row, err));
        r->window = is_row ? 0 : r->asked.n_windows;
        r->n_left_out += !is_row;
    }
    put_row(r, r->window++, out);
    return T2_OK;
}

static void say(const struct rec_reader *base)
{
    const struct reader *r = (const struct reader *) base;

    if (r->n_left_out > 0)
        t2_warn("'%s': %llu question%s left out, as the answer does not stand in the text", r->path,
                (unsigned long long) r->n_left_out, r->n_left_out == 1 ? " is" : "s are");
}

static void free_reader(struct rec_reader *base)
{
    struct reader *r = (struct reader *) base;

    tok_asked_release(&r->asked);
    tok_questions_release(&r->questions);
    tok_wordpiece_release(&r->w);
    t2_free(r->ids);
    t2_free(r->parts);
    t2_free(r->values);
    t2_free(r);
}

static int32_t as_int32(int64_t n)
{
    return n > INT32_MAX ? INT32_MAX : n < -1 ? -1 : (int32_t) n;
}

static enum t2_status open_reader(const struct rec_convert *c, const char *path,
                                  struct rec_reader **out, struct t2_err *err)
{
    const struct tok_row_form form = {as_int32(c->max_seq_length), as_int32(c->doc_stride),
                                      as_int32(c->max_query_length)};
    struct reader *r;
    enum t2_status st;

    if (!*c->vocab_file)
        return t2_fail(err, T2_EUSAGE, "--from=squad: give --vocab_file, BERT's vocab.txt");
    if (c->inputs->n > 1)
        return t2_fail(err, T2_EUSAGE,
                       "--from=squad: one INPUT, as unique_ids are counted through it");
    T2_TRY(tok_row_form_check(&form, err));
    r = t2_alloc(1, sizeof *r);
    *r = (struct reader){.base = {.next = next, .free = free_reader, .say = say},
                         .path = path,
                         .with_negative = c->version_2_with_negative,
                         .form = form};
    r->ids = t2_alloc((size_t) form.length, sizeof *r->ids);
    r->parts = t2_alloc((size_t) form.length, sizeof *r->parts);
    r->values = t2_alloc((size_t) form.length, 4 * sizeof *r->values);
    st = tok_wordpiece_load(c->vocab_file, !c->do_lower_case, &r->w, err);
    if (st == T2_OK)
        st = tok_questions_load(path, &r->questions, err);
    if (st == T2_OK)
        *out = &r->base;
    else
        free_reader(&r->base);
    return st;
}

const struct rec_format rec_format_squad = {"squad", open_reader, NULL, NULL};
