/*
 * tests/unit/datagen/problems/test_translate.c - from archives to samples: compiling, blocks,
 * drawing, vocabulary.
 */
#include "datagen/problems/translate.h"

#include <stdlib.h>

#include "base/mt19937.h"
#include "datagen/source/drop_report.h"
#include "tests/unit/datagen/problems/parallel_archives.h"

static const char *const mono[][2] = {{"m.en0", "m.de0"}, {"m.en1", "m.de1"}, {NULL, NULL}};

static const struct dg_translate plain = {.train = t_train, .dev = t_dev};
static const struct dg_translate named = {.train = t_train, .dev = t_dev, .compiled = "named_"};
static const struct dg_translate blocks = {.train = t_train, .dev = t_dev, .synthetic = mono};
static const struct dg_translate drawn = {.train = t_train,
                                          .dev = t_dev,
                                          .n_sampled = 3,
                                          .n_expected = 6};
static const struct dg_source_file *const files[] = {&t_pairs, &t_tables, &t_extra, NULL};

/* clang-format off */
#define PROBLEM(name_, spec, ...)                                                                  \
    static const struct dg_problem name_ = {                                                       \
        .name = #name_, .summary = "a test", .has_inputs = true, .shared_vocab = true,             \
        .targets_vocab = {__VA_ARGS__}, .n_shards = {1, 1, 0}, .sources = files,                   \
        .prepare = dg_translate_prepare, .open = dg_translate_open,                                \
        .vocab.open_text = dg_translate_open_vocab_text, .context = &(spec)}
/* clang-format on */
PROBLEM(of_plain, plain, .kind = DG_VOCAB_SUBWORDS, .approx_size = 100);
PROBLEM(of_named, named, .kind = DG_VOCAB_BYTES);
PROBLEM(of_blocks, blocks, .kind = DG_VOCAB_BYTES);
PROBLEM(of_drawn, drawn, .kind = DG_VOCAB_BYTES);

/* "inputs=targets;" of every sample. */
static const char *samples(struct dg_stream *s, struct t2_buf *out)
{
    struct t2_err err = T2_ERR_INIT;
    struct dg_sample sample = {0};
    enum t2_status st;

    t2_buf_clear(out);
    while ((st = s->next(s, &sample, &err)) == T2_OK) {
        t2_buf_append(out, sample.inputs.data, sample.inputs.len_bytes);
        t2_buf_push(out, '=');
        t2_buf_append(out, sample.targets.data, sample.targets.len_bytes);
        t2_buf_push(out, ';');
        memset(&sample, 0, sizeof sample);
    }
    if (st != T2_EOF)
        t2_buf_printf(out, "!%s", err.message);
    return t2_buf_cstr(out);
}

static const char *split(const struct dg_problem *p, const struct dg_options *options,
                         enum dg_split which, struct t2_buf *out)
{
    struct t2_err err = T2_ERR_INIT;
    struct dg_stream *s = NULL;

    assert_int_equal(p->open(p, options, which, &s, &err), T2_OK);
    s->hash_on = true;
    (void) samples(s, out);
    dg_stream_free(s);
    return t2_buf_cstr(out);
}

static void test_samples(void **state)
{
    struct dg_options options = t_archives("samples");
    struct t2_err err = T2_ERR_INIT;
    struct t2_buf out = {0};

    (void) state;
    assert_int_equal(of_plain.prepare(&of_plain, &options, &err), T2_OK);
    assert_false(t_has(&options, "of_plain-compiled-train.lang1"));
    assert_string_equal(split(&of_plain, &options, DG_TRAIN, &out),
                        "one=eins;two=zwei;four=vier;three=drei;");
    assert_true(t_has(&options, "of_plain-compiled-train.lang1"));
    assert_string_equal(split(&of_plain, &options, DG_DEV, &out), "d1=d2;");
    assert_string_equal(split(&of_named, &options, DG_DEV, &out), "d1=d2;");
    assert_true(t_has(&options, "named_dev.lang2"));
    /* what is compiled is taken as it is */
    t_put(&options, "of_plain-compiled-dev.lang1", "mine\n");
    t_put(&options, "of_plain-compiled-dev.lang2", "meins\n");
    assert_string_equal(split(&of_plain, &options, DG_DEV, &out), "mine=meins;");
    t2_buf_release(&out);
}

static void test_files_are_noted(void **state)
{
    struct dg_options options = t_archives("noted");
    struct t2_err err = T2_ERR_INIT;
    struct dg_stream *s = NULL;
    struct dg_input_sizes sizes = {0};

    (void) state;
    assert_int_equal(of_plain.open(&of_plain, &options, DG_TRAIN, &s, &err), T2_OK);
    s->hash_on = true;
    assert_int_equal(s->describe(s, &sizes, &err), T2_OK);
    t_assert_contains(t2_buf_cstr(&sizes.text),
                      "d/train.en, d/train.de of pairs.tgz: to be unpacked");
    (void) samples(s, &sizes.text);
    assert_int_equal(s->files.n, 2);
    assert_int_equal(s->files.items[0].lines, 4);
    assert_non_null(s->left_out);
    assert_int_equal(s->left_out->total, 1);
    assert_string_equal(s->left_out->items[0].reason, "an empty side");
    assert_string_equal(s->left_out->items[0].examples[0].text, "leer");
    t2_buf_clear(&sizes.text);
    assert_int_equal(s->describe(s, &sizes, &err), T2_OK);
    t_assert_contains(t2_buf_cstr(&sizes.text), "of_plain-compiled-train.lang1");
    dg_stream_free(s);
    dg_input_sizes_release(&sizes);
}

static void test_blocks(void **state)
{
    struct dg_options options = t_archives("blocks");
    struct t2_buf out = {0};

    (void) state;
    t_assert_contains(split(&of_blocks, &options, DG_TRAIN, &out), "m.en0");
    t_put(&options, "m.en0", "s0\n");
    t_put(&options, "m.de0", "t0\n");
    t_put(&options, "m.en1", "s1\n");
    t_put(&options, "m.de1", "t1\n");
    assert_string_equal(split(&of_blocks, &options, DG_TRAIN, &out),
                        "s0=t0;one=eins;two=zwei;four=vier;three=drei;"
                        "s1=t1;one=eins;two=zwei;four=vier;three=drei;");
    assert_string_equal(split(&of_blocks, &options, DG_DEV, &out), "d1=d2;");
    t2_buf_release(&out);
}

/*
 * random.seed(S); the original's two passes, by Python:
 * take x when not random.random() > 3/6, until three are taken.
 */
static void test_drawing(void **state)
{
    struct dg_options options = t_archives("drawing");
    struct t2_err err = T2_ERR_INIT;
    struct t2_mt after, expected;
    struct t2_buf out = {0};

    (void) state;
    options.random_seed = 1; /* 0.13 0.85 0.76 0.26 | 0.50 0.45 0.65 0.79 */
    assert_string_equal(split(&of_drawn, &options, DG_TRAIN, &out),
                        "one=eins;three=drei;one=eins;");
    t2_mt_seed_python(&after, 1);
    assert_int_equal(dg_translate_before_shuffle(&of_drawn, &options, &after, &err), T2_OK);
    t2_mt_seed_python(&expected, 1);
    for (int i = 0; i < 6; i++) /* the sixth, 0.45, is one too many */
        (void) t2_mt_random(&expected);
    assert_int_equal(t2_mt_u32(&after), t2_mt_u32(&expected));
    assert_string_equal(split(&of_drawn, &options, DG_DEV, &out), "d1=d2;");
    t2_buf_release(&out);
}

/* Raw files of pairs, in the order of the table; compiled text in place of columns. */
static void test_vocab_text(void **state)
{
    struct dg_options options = t_archives("vocab");
    struct t2_err err = T2_ERR_INIT;
    struct dg_stream *s = NULL;
    struct t2_buf out = {0};

    (void) state;
    assert_int_equal(dg_translate_open_vocab_text(&of_plain, &options, DG_TARGETS, &s, &err),
                     T2_OK);
    assert_string_equal(samples(s, &out), "=one;=two ;=;=eins;=zwei;=leer;"
                                          "=one;=two;=four;=three;=eins;=zwei;=vier;=drei;");
    dg_stream_free(s);
    t2_buf_release(&out);
}

T_MAIN(cmocka_unit_test(test_samples), cmocka_unit_test(test_files_are_noted),
       cmocka_unit_test(test_blocks), cmocka_unit_test(test_drawing),
       cmocka_unit_test(test_vocab_text))
