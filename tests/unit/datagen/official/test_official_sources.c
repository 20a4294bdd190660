/*
 * test_official_sources.c - the table is well formed, and in the order of the original.
 */
#include "datagen/official/official_sources.h"

#include <stdio.h>
#include <string.h>

#include "base/file.h"
#include "base/str.h"
#include "tests/support/t.h"

static void check(enum dg_split split, size_t n, const char *const *archives)
{
    size_t got;
    const struct dg_official_source *s = dg_official_sources(split, &got);

    assert_int_equal(got, n);
    for (size_t i = 0; i < n; i++) {
        assert_string_equal(t2_path_base(s[i].archive->urls[0]), archives[i]);
        assert_true(t2_ends_with(s[i].inputs, ".en"));
        assert_true(t2_ends_with(s[i].targets, ".de"));
        assert_int_equal(strlen(s[i].inputs), strlen(s[i].targets));
        assert_true(!s[i].archive->sha256 || strlen(s[i].archive->sha256) == 64);
    }
}

static void test_tables(void **state)
{
    static const char *const train[] = {"training-parallel-nc-v12.tgz",
                                        "training-parallel-commoncrawl.tgz",
                                        "training-parallel-europarl-v7.tgz"};

    (void) state;
    check(DG_TRAIN, 3, train);
    check(DG_DEV, 1, (const char *const[]){"dev.tgz"});
    check(DG_TEST, 1, (const char *const[]){"newstest2014.tgz"});
}

T_MAIN(cmocka_unit_test(test_tables))
