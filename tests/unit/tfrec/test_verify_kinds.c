/*
 * Kinds of features over pieces: the first record says which is right, unless a schema does.
 */
#include "tfrec/verify_kinds.h"

#include <stdio.h>

#include "tests/support/t.h"

static void see(struct rec_kinds *k, const char *name, enum tfr_kind kind, uint64_t record)
{
    struct tfr_view view = {.name = t2_slice_of(name), .kind = kind};
    struct tfr_example ex = {.views = &view, .n = 1};

    rec_kinds_see(k, &ex, record, 10 * record, 100);
}

static void test_pieces(void **state)
{
    struct rec_known_kinds *known = rec_known_new(NULL);
    struct rec_findings found = {.limit = 100};
    struct rec_kinds k = {.entries = NULL};
    (void) state;

    see(&k, "a", TFR_INT64, 0);
    see(&k, "b", TFR_BYTES, 1);
    see(&k, "a", TFR_FLOAT, 2);
    see(&k, "b", TFR_NONE, 3);
    rec_kinds_settle(known, &k, 0, &found);
    assert_int_equal(k.n, 0);
    assert_int_equal(found.n, 1);
    assert_int_equal(found.items[0].record, 2);
    assert_string_equal(found.items[0].field, "features.feature['a']");
    t_assert_contains(found.items[0].words, "kind float, but int64 in the first record");
    for (uint64_t i = 0; i < 10; i++)
        see(&k, "b", TFR_INT64, i);
    rec_kinds_settle(known, &k, 1, &found);
    assert_int_equal(found.n, 4); /* three of a file are named */
    assert_int_equal(found.counts[REC_PAYLOAD_ERROR], 11);
    t_assert_contains(found.items[1].words, "1 of an earlier file");
    assert_false(rec_known_too_many(known));
    rec_findings_release(&found);
    rec_kinds_release(&k);
    rec_known_free(known);
}

static void test_too_many(void **state)
{
    struct rec_known_kinds *known = rec_known_new(NULL);
    struct rec_findings found = {.limit = 100};
    struct rec_kinds k = {.entries = NULL};
    char name[32];
    (void) state;

    for (unsigned i = 0; i < REC_MAX_FEATURES + 2; i++) {
        snprintf(name, sizeof name, "f%u", i);
        see(&k, name, TFR_INT64, i);
    }
    assert_int_equal(k.n, REC_MAX_FEATURES);
    rec_kinds_settle(known, &k, 0, &found);
    assert_true(rec_known_too_many(known));
    assert_int_equal(found.n, 0);
    rec_kinds_release(&k);
    rec_known_free(known);
}

T_MAIN(cmocka_unit_test(test_pieces), cmocka_unit_test(test_too_many))
