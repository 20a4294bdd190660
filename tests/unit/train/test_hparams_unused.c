/*
 * tests/unit/train/test_hparams_unused.c - the table of hparams without a meaning: each once,
 * sorted, with a reason, as a document.  That it is complete is in test_hparams_reads.c.
 */
#include <string.h>

#include "base/str.h"
#include "tests/support/t.h"
#include "train/models/hparams.h"

static void test_document(void **state)
{
    struct t2_strs lines = {0};
    struct t2_buf text = {0};

    (void) state;
    mdl_hparams_markdown(&text);
    t_assert_contains(t2_buf_cstr(&text),
                      "\n| hparam without meaning here | because |\n|---|---|\n");
    t_assert_contains(t2_buf_cstr(&text), "| mlperf_mode | of a log for MLPerf |\n");
    t2_strs_split(&lines, t2_buf_cstr(&text), '\n');
    for (size_t i = 4; i + 1 < lines.n && lines.items[i][0]; i++)
        assert_true(strcmp(lines.items[i - 1], lines.items[i]) < 0);
    t2_strs_release(&lines);
    t2_buf_release(&text);
}

static void test_one(void **state)
{
    (void) state;
    assert_string_equal(mdl_hparams_unused("pad_batch"),
                        "of TPUs; batches have the rows they have");
    assert_null(mdl_hparams_unused("hidden_size"));
    assert_null(mdl_hparams_unused(""));
}

T_MAIN(cmocka_unit_test(test_document), cmocka_unit_test(test_one))
