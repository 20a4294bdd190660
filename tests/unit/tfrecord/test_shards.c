/*
 * Names of shards, and what is said when some are not there.
 */
#include "tfrecord/shards.h"

#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "base/alloc.h"
#include "tests/support/t.h"

static const char *dir; /* of the running test */

static void begin(const char *name)
{
    dir = t_tmp_path(name);
    assert_int_equal(mkdir(dir, 0700), 0);
}

static void touch(const char *name)
{
    char path[4200];

    snprintf(path, sizeof path, "%s/%s", dir, name);
    t_write_file(path, "", 0);
}

static void touch_shards(const char *stem, int n)
{
    char name[100];

    for (int i = 0; i < n; i++) {
        snprintf(name, sizeof name, "%s-%05d-of-%05d", stem, i, n);
        touch(name);
    }
}

static void assert_found(const char *stem, const char *split, int n)
{
    struct t2_strs paths = {0};
    struct t2_err err = T2_ERR_INIT;

    if (tfr_find_shards(dir, stem, split, &paths, &err) != T2_OK)
        fail_msg("%s", err.message);
    assert_int_equal(paths.n, n);
    for (int i = 0; i < n; i++) {
        char *want = tfr_shard_path(dir, stem, split, i, n);
        assert_string_equal(paths.items[i], want);
        t2_free(want);
    }
    t2_strs_release(&paths);
}

/* The message after "'<dir>': ". */
static const char *refusal(const char *stem, const char *split, enum t2_status st)
{
    static struct t2_err err;
    struct t2_strs paths = {0};
    char start[4200];

    err = (struct t2_err) T2_ERR_INIT;
    assert_int_equal(tfr_find_shards(dir, stem, split, &paths, &err), st);
    assert_int_equal(paths.n, 0);
    snprintf(start, sizeof start, "'%s': ", dir);
    assert_memory_equal(err.message, start, strlen(start));
    return err.message + strlen(start);
}

static void test_names(void **state)
{
    char *p = tfr_shard_path("d", "translate_ende_wmt32k", "train", 7, 100);
    (void) state;

    assert_string_equal(p, "d/translate_ende_wmt32k-train-00007-of-00100");
    t2_free(p);
    p = tfr_shard_path("d/", "x", NULL, 0, 1);
    assert_string_equal(p, "d/x-00000-of-00001");
    t2_free(p);
    p = tfr_shard_path("d", "x", NULL, 123456, 200000);
    assert_string_equal(p, "d/x-123456-of-200000");
    t2_free(p);
}

static void test_found(void **state)
{
    begin("found");
    (void) state;

    touch_shards("p-train", 12);
    touch_shards("p-dev", 1);
    touch_shards("p", 2);
    touch_shards("p-unshuffled-train", 3);
    touch("p-train-00000-of-00012.incomplete");
    touch("p-train-00000-of-00013.7"); /* Atari's epochs */
    touch("p-train-0000-of-0013");
    touch("p-train-000000-of-000013");
    touch("p-train-00014-of-00013"); /* beyond its own total */
    touch("p-train-00000-of-00013x");
    touch("p-train-1111111111111-of-00013");
    touch("p.manifest.json");
    assert_found("p", "train", 12);
    assert_found("p", "dev", 1);
    assert_found("p", NULL, 2);
    assert_found("p", "unshuffled-train", 3);
}

/* The official Transformer's. */
static void test_from_one(void **state)
{
    struct t2_strs paths = {0};
    struct t2_err err = T2_ERR_INIT;

    (void) state;
    begin("from_one");
    touch("a-train-00001-of-00003");
    touch("a-train-00003-of-00003");
    assert_string_equal(refusal("a", "train", T2_EFORMAT),
                        "1 of 3 shards are missing: 'a-train-00002-of-00003'");
    touch("a-train-00002-of-00003");
    assert_int_equal(tfr_find_shards(dir, "a", "train", &paths, &err), T2_OK);
    assert_int_equal(paths.n, 3);
    t_assert_contains(paths.items[0], "a-train-00001-of-00003");
    t_assert_contains(paths.items[2], "a-train-00003-of-00003");
    t2_strs_release(&paths);
    touch("a-train-00000-of-00003");
    assert_string_equal(refusal("a", "train", T2_EFORMAT),
                        "shards of two different sets: 'a-train-00000-of-00003' and "
                        "'a-train-00003-of-00003'; remove the old ones");
    touch("one-dev-00001-of-00001");
    assert_int_equal(tfr_find_shards(dir, "one", "dev", &paths, &err), T2_OK);
    assert_int_equal(paths.n, 1);
    t2_strs_release(&paths);
}

static void test_nothing(void **state)
{
    begin("nothing");
    (void) state;

    assert_string_equal(refusal("p", "train", T2_ENOTFOUND),
                        "no shards 'p-train-NNNNN-of-MMMMM': the folder is empty");
    touch_shards("q-train", 10);
    touch_shards("q-dev", 2);
    touch("vocab");
    assert_string_equal(refusal("p", "train", T2_ENOTFOUND),
                        "no shards 'p-train-NNNNN-of-MMMMM'; the folder has 'q-dev-*-of-00002', "
                        "'q-train-*-of-00010', 'vocab'");
    for (char c = 'a'; c < 'h'; c++)
        touch((char[]){c, '\0'});
    assert_string_equal(
        refusal("p", NULL, T2_ENOTFOUND),
        "no shards 'p-NNNNN-of-MMMMM'; the folder has 'a', 'b', 'c', 'd', 'e' and 5 "
        "more");
    touch("p-train-00000-of-00002.incomplete");
    assert_string_equal(
        refusal("p", "train", T2_ENOTFOUND),
        "no complete shards 'p-train-NNNNN-of-MMMMM'; writing them was not finished "
        "('p-train-00000-of-00002.incomplete'): run the same command again");
}

static void test_no_folder(void **state)
{
    struct t2_strs paths = {0};
    struct t2_err err = T2_ERR_INIT;
    (void) state;

    assert_int_equal(tfr_find_shards("/no/such/folder", "p", "train", &paths, &err), T2_ENOTFOUND);
    t_assert_contains(err.message, "/no/such/folder");
}

static void test_missing(void **state)
{
    char path[4200];
    begin("missing");
    (void) state;

    touch_shards("p-train", 9);
    snprintf(path, sizeof path, "%s/p-train-00003-of-00009", dir);
    assert_int_equal(remove(path), 0);
    assert_string_equal(refusal("p", "train", T2_EFORMAT),
                        "1 of 9 shards are missing: 'p-train-00003-of-00009'");
    for (int i = 0; i < 8; i++) {
        snprintf(path, sizeof path, "%s/p-train-%05d-of-00009", dir, i);
        (void) remove(path);
    }
    assert_string_equal(refusal("p", "train", T2_EFORMAT),
                        "8 of 9 shards are missing: 'p-train-00000-of-00009', "
                        "'p-train-00001-of-00009', 'p-train-00002-of-00009', "
                        "'p-train-00003-of-00009', 'p-train-00004-of-00009' and 3 more");
}

static void test_mixed(void **state)
{
    begin("mixed");
    (void) state;

    touch_shards("p-train", 2);
    touch_shards("p-train", 10);
    assert_string_equal(refusal("p", "train", T2_EFORMAT),
                        "shards of two different sets: 'p-train-00000-of-00002' and "
                        "'p-train-00000-of-00010'; remove the old ones");
}

static void test_other_total(void **state)
{
    struct t2_err err = T2_ERR_INIT;
    char *name = NULL;
    begin("other");
    (void) state;

    touch_shards("p-train", 2);
    touch_shards("p-test", 3);
    assert_int_equal(tfr_find_other_shards(dir, "p-train", 2, &name, &err), T2_OK);
    assert_null(name);
    assert_int_equal(tfr_find_other_shards(dir, "p-train", 3, &name, &err), T2_OK);
    t_assert_contains(name, "-of-00002");
    t2_free(name);
    assert_int_equal(tfr_find_other_shards("/no/such/folder", "p-train", 3, &name, &err), T2_OK);
    assert_null(name);
}

static void test_stem(void **state)
{
    (void) state;
    assert_int_equal(tfr_shard_stem_length("x-train-00003-of-00010"), 7);
    assert_int_equal(tfr_shard_stem_length("x-train-3-of-10"), 15);
    assert_int_equal(tfr_shard_stem_length("-00003-of-00010"), 15);
    assert_int_equal(tfr_shard_stem_length(""), 0);
}

T_MAIN(cmocka_unit_test(test_names), cmocka_unit_test(test_found), cmocka_unit_test(test_from_one),
       cmocka_unit_test(test_nothing), cmocka_unit_test(test_no_folder),
       cmocka_unit_test(test_missing), cmocka_unit_test(test_mixed),
       cmocka_unit_test(test_other_total), cmocka_unit_test(test_stem))
