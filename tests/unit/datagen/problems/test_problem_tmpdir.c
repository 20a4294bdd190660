/*
 * test_problem_tmpdir.c - files under fixed names; the token list.
 */
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "datagen/problem_registry.h"
#include "datagen/stream.h"
#include "tests/unit/datagen/small_set.h"
#include "tfrecord/example.h"
#include "tfrecord/reader.h"

static void put(const char *name, const char *text)
{
    t_write_file(t_tmp_path(name), text, strlen(text));
}

static void check_first(enum dg_split split, const char *inputs, const char *targets)
{
    const struct dg_problem *p = dg_find("text2text_tmpdir");
    struct dg_options options = {.data_dir = "",
                                 .tmp_dir = t_tmp_path("."),
                                 .random_seed = 1,
                                 .max_cases = 0};
    struct dg_sample sample = {0};
    struct t2_err err = T2_ERR_INIT;
    struct dg_stream *s = NULL;

    assert_int_equal(p->open(p, &options, split, &s, &err), T2_OK);
    assert_int_equal(s->next(s, &sample, &err), T2_OK);
    assert_int_equal(sample.inputs.len_bytes, strlen(inputs));
    assert_memory_equal(sample.inputs.data, inputs, strlen(inputs));
    assert_int_equal(sample.targets.len_bytes, strlen(targets));
    assert_memory_equal(sample.targets.data, targets, strlen(targets));
    dg_stream_free(s);
}

/* Its first record, features in the order of their names, equals "name=1 2 3|name=..." */
static void check_record(const char *path, const char *expected)
{
    struct tfr_reader *r = NULL;
    struct tfr_example ex = {0};
    struct t2_slice record;
    struct t2_err err = T2_ERR_INIT;
    struct t2_buf text = {0};

    assert_int_equal(tfr_reader_new(path, &r, &err), T2_OK);
    assert_int_equal(tfr_reader_next(r, &record, &err), T2_OK);
    assert_int_equal(tfr_example_parse(&ex, record, &err), T2_OK);
    for (size_t i = 0; i < ex.n; i++) {
        const struct tfr_view *v = &ex.views[i];
        int64_t ids[16];
        assert_true(v->n <= 16);
        tfr_view_ints(v, ids);
        t2_buf_printf(&text, "%s%.*s=", i ? "|" : "", (int) v->name.len_bytes,
                      (const char *) v->name.data);
        for (size_t k = 0; k < v->n; k++)
            t2_buf_printf(&text, "%s%d", k ? " " : "", (int) ids[k]);
    }
    assert_string_equal(t2_buf_cstr(&text), expected);
    t2_buf_release(&text);
    tfr_example_release(&ex);
    tfr_reader_free(r);
}

static void test_files(void **state)
{
    (void) state;
    put("inputs.train.txt", "\xef\xbb\xbf"
                            "a\n"); /* the mark is text, as in the original */
    put("targets.train.txt", "b\n");
    put("inputs.eval.txt", "c\n");
    put("targets.eval.txt", "d\n");
    check_first(DG_TRAIN,
                "\xef\xbb\xbf"
                "a",
                "b");
    check_first(DG_DEV, "c", "d");
    check_first(DG_TEST, "c", "d");
}

static void test_token_list(void **state)
{
    static const char expected[] = "<pad>\n<EOS>\n<UNK>\ncat\n\n<UNK>\ndog house\nlast\n";
    const struct dg_problem *p = dg_find("text2text_tmpdir_tokens");
    struct dg_options options = {.data_dir = "",
                                 .tmp_dir = t_tmp_path("."),
                                 .random_seed = 1,
                                 .max_cases = 0};
    const char *path = t_tmp_path("vocab.tokens");
    struct t2_err err = T2_ERR_INIT;
    char *source, *text;
    size_t n;

    (void) state;
    put("vocab.txt", "  cat \r\n\n<pad>\n<UNK>\ndog\r house\n<EOS>\nlast");
    source = p->vocab.source(p, &options);
    t_assert_contains(source, "/vocab.txt");
    assert_int_equal(p->vocab.make(p, &options, DG_TARGETS, path, &err), T2_OK);
    text = t_read_file(path, &n);
    assert_string_equal(text, expected);
    free(text);
    options.tmp_dir = t_tmp_path("absent");
    assert_int_equal(p->vocab.make(p, &options, DG_TARGETS, path, &err), T2_ENOTFOUND);
    t2_free(source);
}

/* Unknown words of the inputs get numbers behind the vocabulary, in order; those of the targets
 * only when they are in the inputs.  The recorded run of the original is in
 * tests/e2e/datagen_reference_runs_slow.sh. */
static void test_copyable(void **state)
{
    static const char train_in[] = "a zebra b yak zebra <UNK>\n", train_out[] = "yak b gnu zebra\n";
    static const char expected[] = "inputs=3 2 4 2 2 2 1|inputs_extend=3 5 4 6 5 2 1|targets=2 4 2 "
                                   "2 1|targets_extend=6 4 2 5 1";
    const struct dg_problem *p = dg_find("text2text_copyable_tokens");
    struct t2_pool *pool = t2_pool_new(1);
    struct dg_generate g = ds_settings("data", pool);
    struct dg_report report = {0};
    struct t2_err err = T2_ERR_INIT;

    (void) state;
    put("vocab.txt", "a\nb\n");
    put("inputs.train.txt", train_in);
    put("targets.train.txt", train_out);
    put("inputs.eval.txt", "a\n");
    put("targets.eval.txt", "b\n");
    g.n_shards[DG_TRAIN] = 1;
    if (dg_generate(p, &g, &report, &err) != T2_OK)
        fail_msg("%s", err.message);
    check_record(t_tmp_path("data/text2text_copyable_tokens-train-00000-of-00001"), expected);
    dg_report_release(&report);
    t2_pool_free(pool);
}

T_MAIN(cmocka_unit_test(test_files), cmocka_unit_test(test_token_list),
       cmocka_unit_test(test_copyable))
