/*
 * test_problem_wiki_revision.c - which dumps make which shards, flags, what is not UTF-8; whole
 * sets equal T2T's own (bench/compare_t2t_revisions.sh).
 */
#include "datagen/problems/problem_wiki_revision.h"

#include "tests/unit/datagen/problems/page_dumps.h"
#include "tests/unit/datagen/small_set.h"

#define A "the old man and the sea went to the town by the river\n"
#define B "the old man and his sea went to the town by the river\n"

static void write_dump(const char *name, const char *dump)
{
    t_write_file(t_tmp_path(name), dump, strlen(dump));
}

static enum t2_status generate(const struct dg_revision_spec *spec, const char *dir,
                               enum dg_invalid invalid, struct dg_manifest **m, struct t2_err *err)
{
    struct t2_pool *pool = t2_pool_new(2);
    struct dg_generate g = ds_settings(dir, pool);
    struct dg_report report = {0};
    struct dg_problem *p = NULL;
    enum t2_status st = dg_revision_problem_new(dg_find("wiki_revision"), spec, &p, err);

    g.options.invalid = invalid;
    if (st == T2_OK)
        st = dg_generate(p, &g, &report, err);
    *m = report.manifest;
    report.manifest = NULL;
    dg_report_release(&report);
    dg_revision_problem_free(p);
    t2_pool_free(pool);
    return st;
}

static struct dg_revision_spec two_shards(void)
{
    struct dg_revision_spec w = DG_REVISION_SPEC_INIT;

    w.num_train_shards = 2;
    w.introduce_errors = false;
    return w;
}

static void test_shards(void **state)
{
    struct dg_revision_spec w = two_shards();
    struct dg_manifest *m = NULL;
    struct t2_err err = T2_ERR_INIT;

    (void) state;
    assert_true(dg_is_revision_problem(dg_find("wiki_revision_packed1k")));
    assert_false(dg_is_revision_problem(dg_find("translate_ende_numbers")));
    assert_int_equal(generate(&w, "d", DG_INVALID_FAIL, &m, &err), T2_ENOTFOUND);
    t_assert_contains(err.message, "*pages-meta-history*");
    t_assert_contains(err.message, "--wiki_revision_data_prefix");
    /* dump 0 and 3 are of shard 0 */
    write_dump("x-pages-meta-history1.xml", DUMP(PAGE("A", "1", REVISION(A) REVISION(B))));
    write_dump("x-pages-meta-history2.xml",
               DUMP(PAGE("A", "1", REVISION(A)) PAGE("B", "2", REVISION(A) REVISION("new\n" B))));
    write_dump("x-pages-meta-history3.xml",
               DUMP(PAGE("A", "1", REVISION(A)) PAGE("B", "2", REVISION(A) REVISION(B A))));
    write_dump("x-pages-meta-history4.xml",
               DUMP(PAGE("T:A", "1", REVISION(A)) PAGE("B", "2", REVISION(A) REVISION("x\n" B))));
    assert_int_equal(generate(&w, "d", DG_INVALID_FAIL, &m, &err), T2_OK);
    assert_int_equal(m->splits[DG_TRAIN].n_shards, 2);
    assert_true(m->splits[DG_TRAIN].shards[0].n_records > 0);
    assert_true(m->splits[DG_DEV].shards[0].n_records > 0);
    assert_true(t2_exists(t_tmp_path("d/stats_wiki_revision-train-00001-of-00002")));
    assert_true(t2_exists(t_tmp_path("d/vocab.wiki_revision.strip.32768")));
    dg_manifest_free(m);
}

static void test_invalid(void **state)
{
    struct dg_revision_spec w = two_shards();
    struct dg_manifest *m = NULL;
    struct t2_err err = T2_ERR_INIT;
    char *prefix = t2_strdup(t_tmp_path("bad"));

    (void) state;
    w.data_prefix = prefix;
    write_dump("bad1", DUMP(PAGE("A", "1", REVISION(A) REVISION("x\xff " B) REVISION("x\n" B))));
    write_dump("bad2", DUMP(PAGE("A", "1", REVISION(A) REVISION(B))));
    write_dump("bad3", DUMP(PAGE("A", "1", REVISION(A) REVISION(B))));
    w.revision_skip_factor = 1;
    assert_int_equal(generate(&w, "f", DG_INVALID_FAIL, &m, &err), T2_EFORMAT);
    t_assert_contains(err.message, "bad1': page at offset 39 of the text: byte 0xFF");
    assert_int_equal(generate(&w, "r", DG_INVALID_REPLACE, &m, &err), T2_OK);
    assert_int_equal(m->n_dropped, 0);
    dg_manifest_free(m);
    assert_int_equal(generate(&w, "o", DG_INVALID_DROP, &m, &err), T2_OK);
    assert_int_equal(m->n_dropped, 1);
    dg_manifest_free(m);
    t2_free(prefix);
}

static void check_refused(struct dg_revision_spec w, const char *part)
{
    struct dg_problem *p = NULL;
    struct t2_err err = T2_ERR_INIT;

    assert_int_equal(dg_revision_problem_new(dg_find("wiki_revision"), &w, &p, &err), T2_EUSAGE);
    t_assert_contains(err.message, part);
}

static void test_flags(void **state)
{
    struct dg_revision_spec w = DG_REVISION_SPEC_INIT;

    (void) state;
    w.num_train_shards = 0;
    check_refused(w, "--wiki_revision_num_train_shards=0: must be 1 to 100000");
    w.num_train_shards = 1;
    w.num_dev_shards = -1;
    check_refused(w, "num_dev_shards");
    w.num_dev_shards = 1;
    w.max_page_size_exp = 40;
    check_refused(w, "--wiki_revision_max_page_size_exp=40: must be 10 to 31");
    w.max_page_size_exp = 20;
    w.percent_identical_examples = 4;
    check_refused(w, "percent_identical_examples=4: must be 0 to 1");
    w.percent_identical_examples = 0;
    w.max_equal_to_diff_ratio = -1;
    check_refused(w, "max_equal_to_diff_ratio");
    w.max_equal_to_diff_ratio = 0;
    w.revision_skip_factor = -1;
    check_refused(w, "revision_skip_factor");
    w.revision_skip_factor = 1;
    w.max_examples_per_shard = -1;
    check_refused(w, "max_examples_per_shard");
}

T_MAIN(cmocka_unit_test(test_shards), cmocka_unit_test(test_invalid), cmocka_unit_test(test_flags))
