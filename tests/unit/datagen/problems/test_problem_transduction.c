/*
 * test_problem_transduction.c - the rows that T2T 1.15.7 draws after random.seed(429459): CRC-32 of
 * the first 100; and that the shuffle goes on behind them.
 */
#include "base/gzip.h"
#include "base/mt19937.h"
#include "datagen/stream.h"
#include "tests/unit/datagen/small_set.h"

static void check(const char *name, uint32_t expected)
{
    const struct dg_problem *p = dg_find(name);
    struct dg_options options = {.data_dir = "", .tmp_dir = "", .random_seed = 429459};
    struct t2_err err = T2_ERR_INIT;
    struct dg_stream *s = NULL;
    struct dg_sample sample = {0};
    struct t2_buf text = {0};

    assert_int_equal(p->open(p, &options, DG_TRAIN, &s, &err), T2_OK);
    for (int i = 0; i < 100; i++) {
        assert_int_equal(s->next(s, &sample, &err), T2_OK);
        t2_buf_append(&text, sample.inputs.data, sample.inputs.len_bytes);
        t2_buf_push(&text, '|');
        t2_buf_append(&text, sample.targets.data, sample.targets.len_bytes);
        t2_buf_push(&text, '\n');
    }
    assert_int_equal(t2_crc32(0, text.data, text.len_bytes), expected);
    t2_buf_release(&text);
    dg_stream_free(s);
}

static void test_rows(void **state)
{
    (void) state;
    check("copy_sequence_small", 0xe60c09e9);
    check("reverse_sequence", 0x25c1e99f);
    check("flip_bi_gram_sequence", 0xa997e4a8);
}

/* The draws of all samples, seen in the next one. */
static void test_before_shuffle(void **state)
{
    const struct dg_problem *p = dg_find("copy_sequence_small");
    struct dg_options options = {.data_dir = "", .tmp_dir = "", .random_seed = 429459};
    struct t2_err err = T2_ERR_INIT;
    struct t2_mt mt;

    (void) state;
    t2_mt_seed_python(&mt, 429459);
    assert_int_equal(p->sharding.before_shuffle(p, &options, &mt, &err), T2_OK);
    assert_int_equal(t2_mt_u32(&mt), UINT32_C(1415455017));
}

static void test_vocabulary(void **state)
{
    const struct dg_problem *p = dg_find("reverse_sequence_small");
    struct dg_options options = {.data_dir = "", .tmp_dir = "", .random_seed = 1};
    struct t2_err err = T2_ERR_INIT;
    char *text;
    size_t n;

    (void) state;
    assert_int_equal(p->vocab.make(p, &options, DG_TARGETS, t_tmp_path("vocab"), &err), T2_OK);
    text = t_read_file(t_tmp_path("vocab"), &n);
    assert_memory_equal(text, "<pad>\n<EOS>\nsym_1\nsym_10\nsym_11\n", 32);
    t_assert_contains(text, "\nsym_64\nsym_7\nsym_8\nsym_9\n");
    free(text);
    assert_int_not_equal(p->vocab.make(p, &options, DG_TARGETS, "/dev/null/vocab", &err), T2_OK);
}

T_MAIN(cmocka_unit_test(test_rows), cmocka_unit_test(test_before_shuffle),
       cmocka_unit_test(test_vocabulary))
