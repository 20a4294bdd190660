/*
 * test_problem_tmpdir.c - files under fixed names; the token list.
 */
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "datagen/problem_registry.h"
#include "datagen/stream.h"
#include "tests/support/t.h"

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
    source = p->vocab_source(p, &options);
    t_assert_contains(source, "/vocab.txt");
    assert_int_equal(p->make_vocab(p, &options, DG_TARGETS, path, &err), T2_OK);
    text = t_read_file(path, &n);
    assert_string_equal(text, expected);
    free(text);
    options.tmp_dir = t_tmp_path("absent");
    assert_int_equal(p->make_vocab(p, &options, DG_TARGETS, path, &err), T2_ENOTFOUND);
    t2_free(source);
}

T_MAIN(cmocka_unit_test(test_files), cmocka_unit_test(test_token_list))
