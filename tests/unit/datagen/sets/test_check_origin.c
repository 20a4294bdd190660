/*
 * test_check_origin.c - shards of another vocabulary are found.
 */
#include "datagen/sets/check_origin.h"

#include "tests/unit/datagen/small_set.h"

/* 400 pairs of words that are made of syllables; `from` says which pairs. */
static void write_text(unsigned from)
{
    static const char *const files[] = {"inputs.train.txt", "targets.train.txt", "inputs.eval.txt",
                                        "targets.eval.txt"};

    for (unsigned f = 0; f < 4; f++) {
        struct t2_buf lines = {0};

        for (unsigned i = 0; i < 400; i++) {
            for (unsigned k = 0; k < 6; k++) {
                uint64_t h = t_hash64(from + f % 2 * 1000 + i * 10 + k);

                t2_buf_printf(&lines, "%c%c%c%c%s", (char) ('a' + h % 9), (char) ('a' + h / 16 % 7),
                              (char) ('a' + h / 256 % 9), (char) ('a' + h / 4096 % 5),
                              k < 5 ? " " : "\n");
            }
        }
        t_write_file(t_tmp_path(files[f]), lines.data, lines.len_bytes);
        t2_buf_release(&lines);
    }
}

static struct dg_manifest *make(const char *dir, unsigned from)
{
    struct t2_pool *pool = t2_pool_new(1);
    struct dg_generate g = ds_settings(dir, pool);
    struct dg_report report = {0};
    struct t2_err err = T2_ERR_INIT;
    struct dg_problem p = *dg_find("text2text_tmpdir");
    struct dg_manifest *m;

    p.targets_vocab.approx_size = 200; /* less than there are words */
    write_text(from);
    g.n_shards[DG_TRAIN] = 4;
    assert_int_equal(dg_generate(&p, &g, &report, &err), T2_OK);
    m = report.manifest;
    report.manifest = NULL;
    dg_report_release(&report);
    t2_pool_free(pool);
    return m;
}

static void test_one_of_others(void **state)
{
    static const char shard[] = "text2text_tmpdir-train-00002-of-00004";
    struct dg_manifest *m = make("ours", 0), *other = make("theirs", 500000);
    struct t2_strs errors = {0};
    struct t2_err err = T2_ERR_INIT;
    char *from = t2_asprintf("%s/%s", t_tmp_path("theirs"), shard), *bytes;
    size_t n;

    (void) state;
    assert_int_equal(dg_check_origin(m, t_tmp_path("ours"), &errors, &err), T2_OK);
    assert_int_equal(errors.n, 0);
    bytes = t_read_file(from, &n);
    t2_free(from);
    from = t2_asprintf("%s/%s", t_tmp_path("ours"), shard);
    t_write_file(from, bytes, n);
    assert_int_equal(dg_check_origin(m, t_tmp_path("ours"), &errors, &err), T2_OK);
    assert_int_equal(errors.n, 2); /* inputs and targets */
    t_assert_contains(errors.items[0], shard);
    t_assert_contains(errors.items[0], "its inputs are not of the vocabulary 'vocab.text2text");
    t2_strs_release(&errors);
    t2_free(from);
    free(bytes);
    dg_manifest_free(m);
    dg_manifest_free(other);
}

T_MAIN(cmocka_unit_test(test_one_of_others))
