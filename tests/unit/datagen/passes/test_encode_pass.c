/*
 * test_encode_pass.c - records, round robin, statistics.
 */
#include "datagen/passes/encode_pass.h"

#include <stdio.h>
#include <string.h>

#include "base/alloc.h"
#include "datagen/passes/scan_pass.h"
#include "datagen/problem_registry.h"
#include "datagen/stream.h"
#include "tests/unit/datagen/small_set.h"
#include "tfrecord/example.h"

enum { N_BINS = 3 };

static enum t2_status encode_problem(const struct dg_problem *p, int n_threads, uint64_t expected,
                                     struct dg_line_cache *kept, struct t2_buf bins_out[N_BINS],
                                     struct dg_encode *e, struct dg_drops *drops,
                                     struct t2_err *err)
{
    struct t2_out *const no_text[DG_N_SIDES] = {NULL, NULL};
    struct dg_options options = {.data_dir = "", .tmp_dir = t_tmp_path("."), .random_seed = 1};
    struct dg_vocab_spec bytes = {.kind = DG_VOCAB_BYTES};
    struct t2_strs scratch = {0};
    struct dg_vocab vocab, labels = {.kind = DG_VOCAB_CLASSES, .size = 5};
    enum t2_status st;

    for (int i = 0; i < N_BINS; i++)
        t2_strs_take(&scratch, t2_asprintf("%s.%d", t_tmp_path("scratch"), i));
    assert_int_equal(dg_vocab_load(NULL, &bytes, &vocab, err), T2_OK);
    assert_int_equal(dg_bins_new(&scratch, 1 << 20, &e->bins, err), T2_OK);
    e->problem = p;
    e->options = &options;
    e->vocabs[DG_INPUTS] = e->vocabs[DG_TARGETS] = &vocab;
    if (p->targets_vocab.kind == DG_VOCAB_CLASSES)
        e->vocabs[DG_TARGETS] = &labels;
    if (p->targets_vocab.kind == DG_VOCAB_TOKENS) {
        dg_vocab_release(&vocab);
        t_write_file(t_tmp_path("words"), "<pad>\n<EOS>\na\nb\n", 16);
        assert_int_equal(dg_vocab_load(t_tmp_path("words"), &p->targets_vocab, &vocab, err), T2_OK);
    }
    e->pool = t2_pool_new(n_threads);
    st = dg_encode_split(e, DG_TRAIN, 0, N_BINS, expected, kept, drops, no_text, err);
    for (int i = 0; i < N_BINS; i++) {
        struct dg_bin taken;
        assert_int_equal(dg_bins_take(e->bins, (size_t) i, &taken, err), T2_OK);
        t2_buf_append(&bins_out[i], taken.memory.data, taken.memory.len_bytes);
        dg_bin_release(&taken);
    }
    dg_bins_free(e->bins);
    t2_pool_free(e->pool);
    dg_vocab_release(&vocab);
    t2_strs_release(&scratch);
    return st;
}

static enum t2_status encode(int n_threads, uint64_t expected, struct t2_buf bins_out[N_BINS],
                             struct dg_encode *e, struct t2_err *err)
{
    struct dg_drops drops = {0};
    enum t2_status st = encode_problem(dg_find("text2text_tmpdir"), n_threads, expected, NULL,
                                       bins_out, e, &drops, err);

    assert_int_equal(drops.total, 0);
    return st;
}

static void release(struct t2_buf bins[N_BINS])
{
    for (int i = 0; i < N_BINS; i++)
        t2_buf_release(&bins[i]);
}

/* Sample k is in bin k mod 3, at place k div 3. */
static void test_round_robin(void **state)
{
    struct t2_buf bins[N_BINS] = {{0}};
    struct dg_encode e = {0};
    struct t2_err err = T2_ERR_INIT;
    struct tfr_example ex = {0};
    struct t2_slice record;
    const struct tfr_view *view;
    const struct dg_feature_stats *stats;
    int64_t ids[32];

    (void) state;
    ds_write_tmpdir(8);
    assert_int_equal(encode(1, 8, bins, &e, &err), T2_OK);
    assert_int_equal(e.n_records[DG_TRAIN], 8);
    assert_int_equal(bins[0].len_bytes, bins[1].len_bytes);
    assert_int_equal(bins[2].len_bytes, bins[1].len_bytes / 3 * 2);
    /* the second record of bin 2 is sample 5 */
    record.len_bytes = bins[2].len_bytes / 2 - 16;
    record.data = bins[2].data + bins[2].len_bytes / 2 + 12;
    assert_int_equal(tfr_example_parse(&ex, record, &err), T2_OK);
    view = tfr_example_find(&ex, "inputs");
    assert_int_equal(view->n, strlen("a small test 5") + 1);
    tfr_view_ints(view, ids);
    assert_int_equal(ids[13], '5' + 2);
    assert_int_equal(ids[14], TOK_EOS);
    tfr_example_release(&ex);
    stats = dg_stats_of(&e.stats, "inputs", TFR_INT64);
    assert_int_equal(stats->min_length, 15);
    assert_int_equal(stats->max_length, 15);
    assert_int_equal(stats->n_values, 8 * 15);
    assert_int_equal(stats->min_value, TOK_EOS);
    assert_int_equal(dg_stats_of(&e.stats, "targets", TFR_INT64)->max_value, 't' + 2);
    release(bins);
}

/* Text that the scan has kept gives the same as text that is read; what cannot be encoded is named
 * all the same. */
static void test_kept(void **state)
{
    struct t2_buf read[N_BINS] = {{0}}, from_kept[N_BINS] = {{0}};
    struct dg_options options = {.data_dir = "", .tmp_dir = t_tmp_path("."), .random_seed = 1};
    struct t2_pool *pool = t2_pool_new(2);
    struct dg_encode a = {0}, b = {0};
    struct dg_drops drops = {0};
    struct dg_scan scan = {.limits = {.keep_bytes = 1 << 20}};
    struct t2_err err = T2_ERR_INIT;
    const struct dg_problem *p = dg_find("text2text_tmpdir");

    (void) state;
    ds_write_tmpdir(7000);
    assert_int_equal(dg_scan_split(p, &options, DG_TRAIN, false, pool, &scan, &err), T2_OK);
    assert_int_equal(encode(1, 7000, read, &a, &err), T2_OK);
    assert_true(dg_line_cache_has_all(&scan.kept[DG_TRAIN]));
    assert_int_equal(encode_problem(p, 3, 7000, &scan.kept[DG_TRAIN], from_kept, &b, &drops, &err),
                     T2_OK);
    assert_false(dg_line_cache_has_all(&scan.kept[DG_TRAIN]));
    for (int i = 0; i < N_BINS; i++) {
        assert_int_equal(read[i].len_bytes, from_kept[i].len_bytes);
        assert_memory_equal(read[i].data, from_kept[i].data, read[i].len_bytes);
    }
    assert_int_equal(a.n_bytes, b.n_bytes);
    assert_memory_equal(&a.stats, &b.stats, sizeof a.stats);
    release(read);
    release(from_kept);
    dg_scan_release(&scan);
    t2_pool_free(pool);
}

static void test_threads(void **state)
{
    struct t2_buf one[N_BINS] = {{0}}, four[N_BINS] = {{0}};
    struct dg_encode a = {0}, b = {0};
    struct t2_err err = T2_ERR_INIT;

    (void) state;
    ds_write_tmpdir(7000);
    assert_int_equal(encode(1, 7000, one, &a, &err), T2_OK);
    assert_int_equal(encode(4, 7000, four, &b, &err), T2_OK);
    for (int i = 0; i < N_BINS; i++)
        assert_true(t2_slice_eq(t2_buf_slice(&one[i]), t2_buf_slice(&four[i])));
    assert_int_equal(a.stats.n, 2);
    assert_memory_equal(a.stats.items, b.stats.items, 2 * sizeof *a.stats.items);
    release(one);
    release(four);
}

static void test_file_that_changes(void **state)
{
    struct t2_buf bins[N_BINS] = {{0}};
    struct dg_encode e = {0};
    struct t2_err err = T2_ERR_INIT;

    (void) state;
    ds_write_tmpdir(10);
    assert_int_equal(encode(2, 11, bins, &e, &err), T2_EIO);
    t_assert_contains(err.message, "had 11 samples, now it has 10: an input changed");
    release(bins);
}

/* ---- other forms of records ---- */

/* Samples "ab" or "abcd" with context, label k, in shards 2, 2, 1, 1, ... when in_shards. */
struct made_stream {
    struct dg_stream base;
    int64_t k, n, label;
    bool in_shards;
};

static enum t2_status made_next(struct dg_stream *base, struct dg_sample *sample,
                                struct t2_err *err)
{
    struct made_stream *s = (struct made_stream *) base;

    (void) err;
    if (s->k == s->n)
        return T2_EOF;
    sample->inputs = t2_slice_of("ab");
    sample->context = t2_slice_of("cd");
    sample->targets = t2_slice_of(s->k % 2 ? "abc" : "de");
    s->label = s->k;
    sample->numbers[DG_TARGETS] = &s->label;
    sample->n_numbers[DG_TARGETS] = s->in_shards ? 0 : 1;
    sample->shard = s->in_shards ? 2 - (int32_t) (s->k / 2 % 2) : 0;
    s->k++;
    return T2_OK;
}

static void made_free(struct dg_stream *base)
{
    t2_free(base);
}

static enum t2_status made_open(const struct dg_problem *p, const struct dg_options *options,
                                enum dg_split split, struct dg_stream **stream, struct t2_err *err)
{
    struct made_stream *s = t2_alloc(1, sizeof *s);

    (void) options;
    (void) split;
    (void) err;
    s->base.next = made_next;
    s->base.free = made_free;
    s->base.is_clean = true;
    s->n = 4;
    s->in_shards = p->chopping.length > 0;
    *stream = &s->base;
    return T2_OK;
}

/* Values of a feature of the record that begins at `frame`, as text. */
static const char *values(const uint8_t *frame, const char *name)
{
    static char text[128];
    struct tfr_example ex = {0};
    struct t2_err err = T2_ERR_INIT;
    struct t2_slice record = {frame + 12, frame[0]};
    const struct tfr_view *view;
    int64_t ints[32];
    size_t at = 0;

    assert_int_equal(tfr_example_parse(&ex, record, &err), T2_OK);
    view = tfr_example_find(&ex, name);
    assert_true(view && view->n <= 32);
    tfr_view_ints(view, ints);
    text[0] = '\0';
    for (size_t i = 0; i < view->n; i++)
        at += (size_t) snprintf(text + at, sizeof text - at, "%s%d", i ? " " : "", (int) ints[i]);
    tfr_example_release(&ex);
    return text;
}

static enum t2_status mark_and_drop(const struct dg_problem *p, const struct dg_texts *texts,
                                    struct dg_record *r, struct t2_err *err)
{
    (void) p;
    (void) err;
    assert_int_equal(texts->text[DG_CONTEXT].len_bytes, 2);
    assert_non_null(texts->encoders[DG_INPUTS]);
    dg_feature_push(dg_record_add(r, "idx", TFR_INT64), 9);
    if (dg_record_find(r, "targets")->ints[0] == 1)
        r->drop = "label 1";
    return T2_OK;
}

/* inputs, "$", context, EOS; label; what finish adds and leaves out. */
static void test_joined_and_class(void **state)
{
    struct dg_problem p = {.name = "x",
                           .open = made_open,
                           .has_inputs = true,
                           .targets_vocab = {.kind = DG_VOCAB_CLASSES},
                           .text.context = DG_CONTEXT_JOINED,
                           .record.finish = mark_and_drop};
    struct t2_buf bins[N_BINS] = {{0}};
    struct dg_drops drops = {0};
    struct dg_encode e = {0};
    struct t2_err err = T2_ERR_INIT;

    (void) state;
    assert_int_equal(encode_problem(&p, 2, 4, NULL, bins, &e, &drops, &err), T2_OK);
    assert_int_equal(e.n_records[DG_TRAIN], 3);
    assert_int_equal(drops.total, 1);
    assert_string_equal(drops.items[0].reason, "label 1");
    assert_string_equal(values(bins[0].data, "inputs"), "99 100 38 101 102 1");
    assert_string_equal(values(bins[0].data, "targets"), "0");
    assert_string_equal(values(bins[1].data, "targets"), "2");
    assert_string_equal(values(bins[2].data, "idx"), "9");
    dg_drops_release(&drops);
    release(bins);
}

static void test_context_feature_and_prefix(void **state)
{
    struct dg_problem p = {.name = "x",
                           .open = made_open,
                           .has_inputs = true,
                           .targets_vocab = {.kind = DG_VOCAB_CLASSES},
                           .text.prefix = {"> ", NULL},
                           .text.no_eos = {true, false},
                           .text.context = DG_CONTEXT_FEATURE};
    struct t2_buf bins[N_BINS] = {{0}};
    struct dg_drops drops = {0};
    struct dg_encode e = {0};
    struct t2_err err = T2_ERR_INIT;

    (void) state;
    assert_int_equal(encode_problem(&p, 1, 4, NULL, bins, &e, &drops, &err), T2_OK);
    assert_string_equal(values(bins[1].data, "inputs"), "64 34 99 100");
    assert_string_equal(values(bins[1].data, "context"), "64 34 101 102");
    assert_string_equal(values(bins[1].data, "targets"), "1");
    release(bins);
}

/* Rows of a shard are joined and cut; the rest of a shard is filled up, or left out. */
static void test_chop(void **state)
{
    struct dg_problem p = {.name = "x",
                           .open = made_open,
                           .targets_vocab = {.kind = DG_VOCAB_BYTES},
                           .chopping.length = 3};
    struct t2_buf bins[N_BINS] = {{0}}, fewer[N_BINS] = {{0}};
    struct dg_drops drops = {0};
    struct dg_encode e = {0}, e2 = {0};
    struct t2_err err = T2_ERR_INIT;

    (void) state;
    assert_int_equal(encode_problem(&p, 2, 4, NULL, bins, &e, &drops, &err), T2_OK);
    assert_int_equal(e.n_records[DG_TRAIN], 4);
    assert_string_equal(values(bins[1].data, "targets"), "102 103 99");
    assert_string_equal(values(bins[1].data + bins[1].len_bytes / 2, "targets"), "100 101 0");
    assert_int_equal(bins[0].len_bytes, bins[1].len_bytes);
    assert_int_equal(dg_stats_of(&e.stats, "targets", TFR_INT64)->n_values, 12);
    p.chopping.drops_rest = true;
    assert_int_equal(encode_problem(&p, 1, 4, NULL, fewer, &e2, &drops, &err), T2_OK);
    assert_int_equal(e2.n_records[DG_TRAIN], 2);
    assert_int_equal(2 * fewer[0].len_bytes, bins[0].len_bytes);
    release(bins);
    release(fewer);
}

/* ---- columns at once and sample by sample -----------------------------------------------------
 */

/* Rows of words a and b; what stands in `faults` is put in place of one text each. */
struct row_fault {
    size_t row;
    int side;
    const char *text;
};
struct row_stream {
    struct dg_stream base;
    const struct row_fault *faults;
    size_t at;
};
enum { N_ROWS = 9 };

static enum t2_status row_next(struct dg_stream *base, struct dg_sample *sample, struct t2_err *err)
{
    struct row_stream *s = (struct row_stream *) base;
    struct t2_slice *texts[DG_N_SIDES] = {&sample->inputs, &sample->targets};

    (void) err;
    if (s->at == N_ROWS)
        return T2_EOF;
    sample->inputs = t2_slice_of(s->at % 2 ? "a b" : "a");
    sample->targets = t2_slice_of(s->at % 3 ? "b" : "");
    for (const struct row_fault *f = s->faults; f->text; f++) {
        if (f->row == s->at)
            *texts[f->side] = t2_slice_of(f->text);
    }
    sample->inputs_origin = (struct dg_origin){"rows", ++s->at, 0};
    return T2_OK;
}

static enum t2_status row_open(const struct dg_problem *p, const struct dg_options *options,
                               enum dg_split split, struct dg_stream **stream, struct t2_err *err)
{
    struct row_stream *s = t2_alloc(1, sizeof *s);

    (void) options;
    (void) split;
    (void) err;
    s->base.next = row_next;
    s->base.free = made_free;
    s->base.is_clean = true;
    s->faults = p->context;
    *stream = &s->base;
    return T2_OK;
}

static enum t2_status refuse_three(const struct dg_problem *p, const struct dg_texts *texts,
                                   struct dg_record *r, struct t2_err *err)
{
    (void) p;
    (void) texts;
    return dg_record_find(r, "inputs")->n > 3 ? t2_fail(err, T2_EFORMAT, "three words are too many")
                                              : T2_OK;
}

static struct dg_problem rows_with(const struct row_fault *faults)
{
    return (struct dg_problem){.name = "rows",
                               .has_inputs = true,
                               .shared_vocab = true,
                               .targets_vocab = {.kind = DG_VOCAB_TOKENS},
                               .open = row_open,
                               .context = faults};
}

/* Whichever column is encoded first, and whichever way: the first sample that fails is named. */
static void test_first_failure(void **state)
{
    static const struct row_fault targets_first[] = {{6, DG_INPUTS, "inputs"},
                                                     {4, DG_TARGETS, "targets"},
                                                     {5, DG_TARGETS, "late"},
                                                     {0, 0, NULL}};
    static const struct row_fault inputs_first[] = {{4, DG_INPUTS, "inputs"},
                                                    {6, DG_TARGETS, "targets"},
                                                    {0, 0, NULL}};
    static const struct row_fault not_lines[] = {{0, DG_INPUTS, "a\nb"},
                                                 {6, DG_INPUTS, "inputs"},
                                                 {4, DG_TARGETS, "targets"},
                                                 {0, 0, NULL}};
    static const struct row_fault refused[] = {{2, DG_INPUTS, "a a a"},
                                               {6, DG_INPUTS, "inputs"},
                                               {4, DG_TARGETS, "targets"},
                                               {0, 0, NULL}};
    static const struct {
        const struct row_fault *faults;
        const char *where, *what;
    } cases[] = {{targets_first, "'rows': line 5: ", "'targets'"},
                 {inputs_first, "'rows': line 5: ", "'inputs'"},
                 {not_lines, "'rows': line 5: ", "'targets'"},
                 {refused, "'rows': line 3: ", "three words are too many"}};

    (void) state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct dg_problem p = rows_with(cases[i].faults);
        struct t2_buf bins[N_BINS] = {{0}};
        struct dg_drops drops = {0};
        struct dg_encode e = {0};
        struct t2_err err = T2_ERR_INIT;

        p.record.finish = cases[i].faults == refused ? refuse_three : NULL;
        assert_int_equal(encode_problem(&p, 1, N_ROWS, NULL, bins, &e, &drops, &err), T2_EFORMAT);
        t_assert_contains(err.message, cases[i].where);
        t_assert_contains(err.message, cases[i].what);
        release(bins);
    }
}

static enum t2_status add_nothing(const struct dg_problem *p, const struct dg_texts *texts,
                                  struct dg_record *r, struct t2_err *err)
{
    (void) p;
    (void) texts;
    (void) r;
    (void) err;
    return T2_OK;
}

/* Columns of lines and of samples, records of ids and of features: the same bytes and counts. */
static void test_every_way_gives_the_same(void **state)
{
    static const struct row_fault none[] = {{0, 0, NULL}};
    struct t2_buf bins[4][N_BINS] = {{{0}}};
    struct dg_encode e[4] = {{0}};

    (void) state;
    for (size_t way = 0; way < 4; way++) {
        struct dg_problem p = rows_with(none);
        struct dg_drops drops = {0};
        struct t2_err err = T2_ERR_INIT;

        p.text.prefix[DG_INPUTS] = p.text.prefix[DG_TARGETS] = way & 1 ? "" : NULL;
        p.record.finish = way & 2 ? add_nothing : NULL;
        assert_int_equal(encode_problem(&p, 2, N_ROWS, NULL, bins[way], &e[way], &drops, &err),
                         T2_OK);
        assert_int_equal(e[way].n_records[DG_TRAIN], N_ROWS);
        assert_int_equal(e[way].n_bytes, e[0].n_bytes);
        assert_int_equal(e[way].stats.n, 2);
        assert_memory_equal(e[way].stats.items, e[0].stats.items, 2 * sizeof *e[0].stats.items);
        for (int i = 0; i < N_BINS; i++)
            assert_true(t2_slice_eq(t2_buf_slice(&bins[way][i]), t2_buf_slice(&bins[0][i])));
    }
    assert_string_equal(values(bins[1][1].data, "inputs"), "2 3 1");
    assert_string_equal(values(bins[1][1].data, "targets"), "3 1");
    for (size_t way = 0; way < 4; way++)
        release(bins[way]);
}

T_MAIN(cmocka_unit_test(test_round_robin), cmocka_unit_test(test_kept),
       cmocka_unit_test(test_threads), cmocka_unit_test(test_file_that_changes),
       cmocka_unit_test(test_joined_and_class), cmocka_unit_test(test_context_feature_and_prefix),
       cmocka_unit_test(test_chop), cmocka_unit_test(test_first_failure),
       cmocka_unit_test(test_every_way_gives_the_same))
