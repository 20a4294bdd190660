/*
 * test_revision_report.c - the report's numbers as Python writes them; whole ones equal T2T's own
 * (bench/compare_t2t_revisions.sh).
 */
#include "datagen/problems/revision_report.h"

#include "tests/support/t.h"

static void check_float(double x, const char *expected)
{
    struct t2_buf text = {0};

    dg_put_python_float(x, &text);
    assert_string_equal(t2_buf_cstr(&text), expected);
    t2_buf_release(&text);
}

static void test_floats(void **state)
{
    (void) state;
    check_float(0, "0.0");
    check_float(0.04, "0.04");
    check_float(1.5, "1.5");
    check_float(2, "2.0");
    check_float(1.0 / 3, "0.3333333333333333");
    check_float(0.1 + 0.2, "0.30000000000000004");
    check_float(1e9, "1000000000.0");
    check_float(1e-7, "1e-07");
}

static void test_report(void **state)
{
    const struct dg_revision_spec w = DG_REVISION_SPEC_INIT;
    struct dg_revision_report r = {.spec = &w, .pages = 3, .revisions = 7, .revisions_admitted = 5};
    struct t2_buf text = {0};

    (void) state;
    dg_revision_report_put(&r, &text);
    t_assert_contains(t2_buf_cstr(&text),
                      "Flags for job:\nDev shards: 1\nTrain shards: 50\nRevision skip factor: 1.5\n"
                      "Max page size: 2**26\nIntroduce errors: True\nMax edit ratio: 0.0\n"
                      "Percent Identical Examples: 0.04\n\n"
                      "corpus files: 0\n\tnames: []\n\tpages per input file: 0.0\n\n"
                      "pages processed: 3\n\trevisions per page: 2.33, total: 7\n"
                      "\trevisions admitted per page: 1.67, percent of total: 71.43\n\n");
    t_assert_contains(t2_buf_cstr(&text), "\tratio identity (actual, desired): 0.000, 0.04\n\n");
    t2_buf_clear(&text);
    t2_strs_push(&r.files, "a.7z");
    t2_strs_push(&r.files, "b.7z");
    dg_revision_report_put(&r, &text);
    t_assert_contains(t2_buf_cstr(&text),
                      "corpus files: 2\n\tnames: ['a.7z', 'b.7z']\n\tpages per input file: 1.5\n");
    t2_strs_release(&r.files);
    t2_buf_release(&text);
}

T_MAIN(cmocka_unit_test(test_floats), cmocka_unit_test(test_report))
