/*
 * test_problem_translate_small.c - Multi30k and Tatoeba out of files as they are published.
 */
#include "datagen/problem_registry.h"
#include "tests/support/problem_check.h"

static void put_gz(const char *name, const char *text)
{
    struct t2_buf gz = {0};

    pc_gzip(&gz, text, strlen(text));
    pc_put("tmp", name, gz.data, gz.len_bytes);
    t2_buf_release(&gz);
}

static struct dg_stream *opened(const char *name, enum dg_split split,
                                const struct dg_options *options)
{
    const struct dg_problem *p = dg_find(name);
    struct t2_err err = T2_ERR_INIT;
    struct dg_stream *s = NULL;

    if (p->prepare(p, options, &err) != T2_OK || p->open(p, options, split, &s, &err) != T2_OK)
        fail_msg("%s", err.message);
    return s;
}

static void expect(struct dg_stream *s, const char *inputs, const char *targets)
{
    struct dg_sample sample = {0};
    struct t2_err err = T2_ERR_INIT;

    assert_int_equal(s->next(s, &sample, &err), T2_OK);
    assert_true(t2_slice_eq(sample.inputs, t2_slice_of(inputs)));
    assert_true(t2_slice_eq(sample.targets, t2_slice_of(targets)));
}

static void test_multi30k(void **state)
{
    struct dg_options options = pc_options("tmp");
    struct dg_sample sample = {0};
    struct t2_err err = T2_ERR_INIT;
    struct dg_stream *s;

    (void) state;
    put_gz("multi30k.train.en.gz", "A dog.\nA cat.\n");
    put_gz("multi30k.train.de.gz", "Ein Hund.\nEine Katze.\n");
    put_gz("multi30k.val.en.gz", "A cow.\n");
    put_gz("multi30k.val.de.gz", "Eine Kuh.\n");
    put_gz("multi30k.test_2016_flickr.en.gz", "A horse.\n");
    put_gz("multi30k.test_2016_flickr.de.gz", "Ein Pferd.\n");
    s = opened("translate_multi30k_ende", DG_TRAIN, &options);
    expect(s, "A dog.", "Ein Hund.");
    expect(s, "A cat.", "Eine Katze.");
    assert_int_equal(s->next(s, &sample, &err), T2_EOF);
    dg_stream_free(s);
    s = opened("translate_multi30k_ende", DG_DEV, &options);
    expect(s, "A cow.", "Eine Kuh.");
    dg_stream_free(s);
    s = opened("translate_multi30k_ende", DG_TEST, &options);
    expect(s, "A horse.", "Ein Pferd.");
    dg_stream_free(s);
}

/* Every sentence is in one split, with all its translations; a third column is not text. */
static void test_tatoeba(void **state)
{
    struct dg_options options = pc_options("tmp");
    struct t2_buf text = {0};
    size_t n_of[DG_N_SPLITS] = {0, 0, 0};

    (void) state;
    for (int i = 0; i < 3000; i++)
        t2_buf_printf(&text, "Go %d.\tGeh %d.\tCC-BY 2.0 (France)\nGo %d.\tLos %d.\n", i, i, i, i);
    pc_put("tmp", "deu.txt", text.data, text.len_bytes);
    t2_buf_release(&text);
    for (int split = 0; split < DG_N_SPLITS; split++) {
        struct dg_stream *s = opened("translate_tatoeba_ende", (enum dg_split) split, &options);
        struct dg_sample sample = {0};
        struct t2_err err = T2_ERR_INIT;

        while (s->next(s, &sample, &err) == T2_OK) {
            char *go =
                t2_strndup((const char *) sample.inputs.data + 3, sample.inputs.len_bytes - 3);
            bool second = n_of[split]++ % 2;

            assert_null(memchr(sample.targets.data, '\t', sample.targets.len_bytes));
            assert_memory_equal(sample.targets.data, second ? "Los " : "Geh ", 4);
            assert_memory_equal(sample.targets.data + 4, go, strlen(go));
            t2_free(go);
        }
        assert_int_equal(err.status, T2_OK);
        dg_stream_free(s);
    }
    assert_int_equal(n_of[DG_TRAIN] + n_of[DG_DEV] + n_of[DG_TEST], 6000);
    assert_in_range(n_of[DG_DEV], 30, 100);
    assert_in_range(n_of[DG_TEST], 30, 100);
}

T_MAIN(cmocka_unit_test(test_multi30k), cmocka_unit_test(test_tatoeba))
