/*
 * tests/unit/train/test_vocabulary_map.c - lines of source symbols and target symbols; what a
 * source may have by them.
 */
#include <stdio.h>
#include <string.h>

#include "tests/support/t.h"
#include "train/decode/vocabulary_map.h"

static struct tok_encoder *tokens(const char *text)
{
    struct tok_encoder *e;
    struct t2_err err = T2_ERR_INIT;

    assert_int_equal(tok_parse("vocabulary", text, strlen(text), &e, &err), T2_OK);
    return e;
}

static enum t2_status load(const char *text, struct dec_vocabulary_map **map, struct t2_err *err)
{
    struct tok_encoder *sources = tokens("<pad>\n<EOS>\nthe\nred\nhouse\nUNK\n");
    struct tok_encoder *targets = tokens("<pad>\n<EOS>\ndas\ndie\nrote\nHaus\n");
    char path[512];
    enum t2_status st;

    snprintf(path, sizeof path, "%s", t_tmp_path("vmap"));
    t_write_file(path, text, strlen(text));
    st = dec_vocabulary_map_load(path, sources, targets, map, err);
    tok_free(sources);
    tok_free(targets);
    return st;
}

static void check_ids(const struct dec_vocabulary_map *map, const int32_t *source, size_t n,
                      const int32_t *expected, size_t n_expected)
{
    struct tok_ids ids = {NULL, 0, 0};

    tok_ids_push(&ids, 77); /* what is there stays */
    dec_vocabulary_map_ids(map, source, n, &ids);
    assert_int_equal(ids.n, 1 + n_expected);
    assert_int_equal(ids.items[0], 77);
    assert_memory_equal(ids.items + 1, expected, n_expected * sizeof *expected);
    assert_true(n_expected <= dec_vocabulary_map_most(map, n));
    tok_ids_release(&ids);
}

static void test_lists(void **state)
{
    static const int32_t source[] = {2, 3, 4, 1}, turned[] = {4, 3};
    static const int32_t all[] = {1, 2, 3, 4, 5}, some[] = {1, 3, 5}, none[] = {1, 3};
    struct dec_vocabulary_map *map;
    struct t2_err err = T2_ERR_INIT;

    (void) state;
    assert_int_equal(load("\tdie <pad>\nthe\tdas die\nred house\trote Haus\n\nhouse\tHaus\nhouse\t"
                          "Haus unheard-of\nunheard\tdas\nred\t\n",
                          &map, &err),
                     T2_OK);
    check_ids(map, source, 4, all, 5);  /* red house: rote */
    check_ids(map, turned, 2, some, 3); /* house red */
    check_ids(map, turned + 1, 1, none, 2);
    check_ids(map, turned, 0, none, 2);
    assert_int_equal(dec_vocabulary_map_most(map, 0), 2);
    /* of one symbol at most two ids, the lines of house together; of two symbols two */
    assert_int_equal(dec_vocabulary_map_most(map, 3), 2 + 3 * 2 + 3 * 2);
    dec_vocabulary_map_free(map);
    dec_vocabulary_map_free(NULL);
}

/* Symbols of a kind without plain ones are numbers. */
static void test_numbers(void **state)
{
    static const int32_t source[] = {99}, expected[] = {1, 100, 257};
    struct tok_encoder *bytes = tok_bytes_new();
    struct dec_vocabulary_map *map;
    struct t2_err err = T2_ERR_INIT;
    char path[512];

    (void) state;
    snprintf(path, sizeof path, "%s", t_tmp_path("numbers"));
    t_write_file(path, "99\t100 257 258 x\n", 17);
    assert_int_equal(dec_vocabulary_map_load(path, bytes, bytes, &map, &err), T2_OK);
    check_ids(map, source, 1, expected, 3);
    dec_vocabulary_map_free(map);
    tok_free(bytes);
}

static void check_error(const char *text, const char *part)
{
    struct dec_vocabulary_map *map;
    struct t2_err err = T2_ERR_INIT;

    assert_int_equal(load(text, &map, &err), T2_EFORMAT);
    t_assert_contains(err.message, part);
    assert_null(map);
}

static void test_errors(void **state)
{
    (void) state;
    check_error("the\tdas\nthe das\n", "line 2: no tab");
    check_error("the\tdas\xff\n", "line 1: byte 8: not UTF-8 (0xff)");
    check_error("a b c d e f g h i\tdas\n", "line 1: more than 8 symbols");
    check_error("unheard\tdas\n", "no line is of symbols of both vocabularies (1 lines");
    check_error("", "no line is of symbols");
}

T_MAIN(cmocka_unit_test(test_lists), cmocka_unit_test(test_numbers), cmocka_unit_test(test_errors))
