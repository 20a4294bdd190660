/*
 * tests/unit/datagen/problems/test_problem_agreement.c - parts of a drawn order; refusals.
 */
#include "base/mt19937.h"
#include "tests/unit/datagen/problems/samples.h"

static void put_gz(const char *text)
{
    const struct t_member member = {"table", text, NULL, NULL};

    (void) s_options();
    t_write_archive(t_tmp_path("tmp/agr_50_mostcommon_10K.tsv.gz"), "raw", "gzip", NULL, &member,
                    1);
}

static void put_table(int n, const char *verb)
{
    struct t2_buf text = {0};

    t2_buf_puts(&text, "x\tsentence\tverb_pos\tverb_index\tn_intervening\tn_diff_intervening\n");
    for (int i = 0; i < n; i++)
        t2_buf_printf(&text, "\"q\"\tw%d  is  here\t%s\t2\t%d\t1\n", i, i % 2 ? "VBP" : verb,
                      i % 3);
    put_gz(t2_buf_cstr(&text));
    t2_buf_release(&text);
}

static void test_splits(void **state)
{
    struct t2_mt mt;
    uint32_t order[100];
    struct t2_buf expected = {0};
    char *got;
    struct dg_options o = s_options();

    (void) state;
    put_table(100, "VBZ");
    t2_mt_seed_python(&mt, 1);
    for (uint32_t i = 0; i < 100; i++)
        order[i] = i;
    t2_mt_shuffle_u32(&mt, order, 100);
    for (int i = 0; i < 9; i++)
        t2_buf_printf(&expected, "w%d>%d\n", (int) order[i], (int) order[i] % 2);
    got = s_samples_with("sva_number_prediction", DG_TRAIN, &o);
    assert_string_equal(got, t2_buf_cstr(&expected));
    t2_free(got);
    t2_buf_clear(&expected);
    t2_buf_printf(&expected, ">w%d is\n", (int) order[9]);
    s_check("sva_language_modeling", DG_DEV, t2_buf_cstr(&expected));
    t2_buf_clear(&expected);
    for (int i = 10; i < 100; i++) {
        if (order[i] % 3 == 1)
            t2_buf_printf(&expected, "w%d>%d\n", (int) order[i], (int) order[i] % 2);
    }
    s_check("sva_number_prediction", DG_TEST, t2_buf_cstr(&expected));
    t2_buf_release(&expected);
}

static void test_refusals(void **state)
{
    (void) state;
    put_table(3, "NN");
    s_check_contains("sva_number_prediction", DG_TRAIN, "line 2: verb_pos must be VBZ or VBP");
    put_gz("sentence\tverb_index\n");
    s_check_contains("sva_number_prediction", DG_TRAIN, "has no column 'verb_pos'");
}

T_MAIN(cmocka_unit_test(test_splits), cmocka_unit_test(test_refusals))
