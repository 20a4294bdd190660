/*
 * Tests of train/input/sentence_maker.c: batches of Model Garden's records of BERT, padded to the
 * longest, for any number of ranks; what is wrong with a record is said.
 */
#include <stdio.h>
#include <string.h>

#include "base/alloc.h"
#include "base/file.h"
#include "tests/support/record_writer.h"
#include "tests/support/t.h"
#include "tfrecord/example.h"
#include "train/input/input.h"

enum { N = 13, L = 9, P = 3, V = 40 };

static struct t2_err err;

/* A record as the original's programs write it. */
struct row {
    int64_t ids[L], mask[L], types[L], label, positions[P], masked[P], next, begin, end;
    float weights[P];
    size_t n; /* of the lists of ids */
};

/* Row i has i % 6 + 3 ids and i % 3 masked ones. */
static struct row row_of(int i)
{
    struct row r = {.label = i % 4, .next = i % 2, .begin = i % 3, .n = L};
    int filled = i % 6 + 3;

    r.end = filled - 1;

    for (int k = 0; k < filled; k++) {
        r.ids[k] = 5 + (i + k) % 30;
        r.mask[k] = 1;
        r.types[k] = k > filled / 2;
    }
    for (int k = 0; k < i % 3; k++) {
        r.positions[k] = k + 1;
        r.masked[k] = 7 + i;
        r.weights[k] = 1.0F;
    }
    return r;
}

static void add(struct t_writer *w, const struct row *r)
{
    const struct tfr_feature f[] = {
        {.name = "end_positions", .kind = TFR_INT64, .ints = &r->end, .n = 1},
        {.name = "input_ids", .kind = TFR_INT64, .ints = r->ids, .n = r->n},
        {.name = "input_mask", .kind = TFR_INT64, .ints = r->mask, .n = L},
        {.name = "label_ids", .kind = TFR_INT64, .ints = &r->label, .n = 1},
        {.name = "masked_lm_ids", .kind = TFR_INT64, .ints = r->masked, .n = P},
        {.name = "masked_lm_positions", .kind = TFR_INT64, .ints = r->positions, .n = P},
        {.name = "masked_lm_weights", .kind = TFR_FLOAT, .floats = r->weights, .n = P},
        {.name = "next_sentence_labels", .kind = TFR_INT64, .ints = &r->next, .n = 1},
        {.name = "segment_ids", .kind = TFR_INT64, .ints = r->types, .n = L},
        {.name = "start_positions", .kind = TFR_INT64, .ints = &r->begin, .n = 1}};
    struct t2_buf record = {0};

    tfr_example_build(&record, f, sizeof f / sizeof *f);
    t_writer_add(w, record.data, record.len_bytes);
    t2_buf_release(&record);
}

/* N rows, or one that is not as it should be; the folder is owned by the caller. */
static char *shards(const struct row *odd)
{
    const char *path = t_tmp_path("rows-train-00000-of-00001");
    struct t_writer *w = NULL;

    assert_int_equal(t_writer_new(path, &w, &err), T2_OK);
    for (int i = 0; i < (odd ? 1 : N); i++) {
        struct row r = row_of(i);

        add(w, odd ? odd : &r);
    }
    assert_int_equal(t_writer_commit(w, &err), T2_OK);
    return t2_path_dir(path);
}

/* Of rows whose lists have `length` ids, 0: as many as there are. */
static enum t2_status open_rows(const char *dir, enum mdl_sentences kind, int rank, int n_ranks,
                                int length, struct in_input **in)
{
    static const char *const features[] = {[MDL_SENTENCES_LABELLED] = "label_ids",
                                           [MDL_SENTENCES_MASKED] = "masked_lm_ids",
                                           [MDL_SENTENCES_ANSWERED] = "start_positions"};
    bool masked = kind == MDL_SENTENCES_MASKED;
    const struct in_options o = {.data_dir = dir,
                                 .dataset = "rows",
                                 .split = "train",
                                 .inputs_feature = "input_ids",
                                 .inputs_vocab = V,
                                 .targets_feature = features[kind],
                                 .targets_vocab = kind == MDL_SENTENCES_LABELLED ? 4 : V,
                                 .sentences = kind,
                                 .types_vocab = 2,
                                 .sentence_label = masked,
                                 .seed = 5,
                                 .global_batch_size = true,
                                 .rank = rank,
                                 .n_ranks = n_ranks};
    struct mdl_hparams *hp = NULL;
    char overrides[64];
    enum t2_status st;

    assert_int_equal(mdl_hparams_new("mg_bert_base", &hp, &err), T2_OK);
    snprintf(overrides, sizeof overrides, "batch_size=5,max_input_seq_length=%d", length);
    assert_int_equal(mdl_hparams_override(hp, overrides, &err), T2_OK);
    st = in_new(&o, hp, in, &err);
    mdl_hparams_free(hp);
    return st;
}

static enum t2_status open_input(const char *dir, enum mdl_sentences kind, int rank, int n_ranks,
                                 struct in_input **in)
{
    return open_rows(dir, kind, rank, n_ranks, L, in);
}

static void check_row(const struct mdl_batch *b, int32_t at, int i, enum mdl_sentences kind)
{
    struct row r = row_of(i);

    for (int32_t k = 0; k < b->inputs_length; k++) {
        assert_int_equal(b->inputs[at * b->inputs_length + k], r.ids[k]);
        assert_int_equal(b->types[at * b->inputs_length + k], r.types[k]);
    }
    if (kind == MDL_SENTENCES_LABELLED) {
        assert_int_equal(b->targets[at], r.label);
        return;
    }
    if (kind == MDL_SENTENCES_ANSWERED) {
        assert_int_equal(b->targets_length, 2);
        assert_int_equal(b->targets[2 * at], r.begin);
        assert_int_equal(b->targets[2 * at + 1], r.end);
        return;
    }
    assert_int_equal(b->sentence_labels[at], r.next);
    for (int32_t k = 0; k < b->targets_length; k++) {
        assert_int_equal(b->targets[at * b->targets_length + k], r.masked[k]);
        assert_int_equal(b->masked_positions[at * b->targets_length + k], r.positions[k]);
    }
}

static void check_batches(enum mdl_sentences kind, int n_ranks)
{
    char *dir = shards(NULL);

    for (int rank = 0; rank < n_ranks; rank++) {
        struct in_input *in = NULL;
        struct mdl_batch b;
        uint64_t samples;
        int first = 0;

        if (open_input(dir, kind, rank, n_ranks, &in) != T2_OK)
            fail_msg("%s", err.message);
        for (; in_next(in, &b, &samples, &err) == T2_OK; first += b.all_rows) {
            /* of answers as long as records are: padding is in their softmax, too */
            int longest = kind == MDL_SENTENCES_ANSWERED ? L : 1;

            for (int i = first; i < first + b.all_rows; i++)
                longest = i % 6 + 3 > longest ? i % 6 + 3 : longest;
            assert_int_equal(b.inputs_length, longest);
            for (int32_t at = 0; at < b.batch; at++)
                check_row(&b, at, first + b.first_row + at, kind);
        }
        assert_int_equal(first, N);
        in_free(in);
    }
    t2_free(dir);
}

static void test_batches(void **state)
{
    (void) state;
    for (int n_ranks = 1; n_ranks < 4; n_ranks++) {
        check_batches(MDL_SENTENCES_LABELLED, n_ranks);
        check_batches(MDL_SENTENCES_MASKED, n_ranks);
        check_batches(MDL_SENTENCES_ANSWERED, n_ranks);
    }
}

static void refused(const struct row *odd, enum mdl_sentences kind, const char *text)
{
    char *dir = shards(odd);
    struct in_input *in = NULL;

    assert_int_equal(open_input(dir, kind, 0, 1, &in), T2_EFORMAT);
    if (!strstr(err.message, text) || !strstr(err.message, "record 0"))
        fail_msg("'%s' does not say '%s'", err.message, text);
    err = (struct t2_err) T2_ERR_INIT;
    t2_free(dir);
}

static void test_refusals(void **state)
{
    struct row r = row_of(2); /* 5 ids, 2 masked */
    struct in_input *in = NULL;
    char *dir;

    (void) state;
    r.mask[1] = 0;
    refused(&r, MDL_SENTENCES_LABELLED, "the mask must be 1 as far as there are ids");
    r = row_of(2);
    r.ids[6] = 3;
    refused(&r, MDL_SENTENCES_LABELLED, "the mask must be 1 as far as there are ids");
    r = row_of(2);
    r.types[0] = 2;
    refused(&r, MDL_SENTENCES_LABELLED, "segment_ids[0] is 2");
    r = row_of(2);
    r.ids[0] = V;
    refused(&r, MDL_SENTENCES_LABELLED, "input_ids[0] is 40");
    r = row_of(2);
    r.n = L - 1;
    refused(&r, MDL_SENTENCES_LABELLED, "'input_ids' has 8 values, not 9");
    r = (struct row){.n = L};
    refused(&r, MDL_SENTENCES_LABELLED, "are all padding");
    r = row_of(2);
    r.label = 4;
    refused(&r, MDL_SENTENCES_LABELLED, "label_ids[0] is 4");
    r = row_of(2);
    r.weights[1] = 0.5F;
    refused(&r, MDL_SENTENCES_MASKED, "masked_lm_weights[1] is 0.5");
    r = row_of(2);
    r.masked[0] = 0;
    refused(&r, MDL_SENTENCES_MASKED, "weights must be 1 as far as there are ids");
    r = row_of(2);
    r.positions[0] = 5;
    refused(&r, MDL_SENTENCES_MASKED, "masked_lm_positions[0] is 5, but there are 5 ids");
    r = row_of(2);
    r.next = 2;
    refused(&r, MDL_SENTENCES_MASKED, "next_sentence_labels[0] is 2");
    r = row_of(2);
    r.end = 5;
    refused(&r, MDL_SENTENCES_ANSWERED, "end_positions[0] is 5, but there are 5 ids");
    r = row_of(2);
    r.begin = -1;
    refused(&r, MDL_SENTENCES_ANSWERED, "start_positions[0] is -1");
    dir = shards(NULL);
    assert_int_equal(open_rows(dir, MDL_SENTENCES_ANSWERED, 0, 1, 0, &in), T2_EUSAGE);
    assert_non_null(strstr(err.message, "need hparam max_input_seq_length"));
    t2_free(dir);
}

T_MAIN(cmocka_unit_test(test_batches), cmocka_unit_test(test_refusals))
