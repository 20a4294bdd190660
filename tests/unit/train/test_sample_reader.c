/*
 * Tests of train/input/sample_reader.c: random access over more shards than stay open; shards that
 * change.
 */
#include "train/input/sample_reader.h"

#include <unistd.h>

#include "tests/unit/train/id_shards.h"

static struct t2_err err;
static const struct in_recipe recipe = {.inputs_feature = "inputs",
                                        .targets_feature = "targets",
                                        .inputs_vocab = IDS_VOCAB,
                                        .targets_vocab = IDS_VOCAB};
static const struct in_scheme scheme = {.min_length = 0, .max_length = 4000};

static struct in_index index_of(const char *dir)
{
    struct in_index x;

    if (in_index_read(dir, "ids", "train", &recipe, &scheme, 0, 2, &x, &err) != T2_OK)
        fail_msg("%s", err.message);
    return x;
}

static void test_any_order(void **state)
{
    const char *dir = t_tmp_path("any");
    struct ids_record *r = t2_alloc(1, sizeof *r);
    struct in_sample_reader *reader;
    const struct in_sample *s;
    size_t begin;
    struct in_index x;

    (void) state;
    ids_write(dir, "train", 400, 150, 3000); /* long ones need a second read */
    x = index_of(dir);
    assert_int_equal(x.n, 400);
    reader = in_sample_reader_new(&x, &recipe);
    for (uint64_t k = 0; k < 1000; k++) {
        uint64_t i = t_hash64(k) % 400;

        ids_make(i, 3000, r);
        if (in_sample_read(reader, &x.places[i], &s, &begin, &err) != T2_OK)
            fail_msg("%s", err.message);
        assert_int_equal(s->inputs_length, r->n_inputs);
        assert_int_equal(s->targets_length, r->n_targets);
        assert_memory_equal(s->inputs, r->inputs, r->n_inputs * 4);
        assert_memory_equal(s->targets, r->targets, r->n_targets * 4);
    }
    in_sample_reader_free(reader);
    in_index_release(&x);
    t2_free(r);
}

static void test_shards_that_change(void **state)
{
    const char *dir = t_tmp_path("changed");
    char *path = tfr_shard_path(dir, "ids", "train", 0, 1);
    struct in_index x;
    struct in_sample_reader *reader;
    const struct in_sample *s;
    size_t begin;

    (void) state;
    ids_write(dir, "train", 50, 1, 20);
    x = index_of(dir);

    reader = in_sample_reader_new(&x, &recipe);
    ids_write(dir, "train", 50, 1, 20); /* another file of the same name */
    assert_int_equal(in_sample_read(reader, &x.places[3], &s, &begin, &err), T2_EFORMAT);
    t_assert_contains(err.message, "was changed while training reads it");
    t_assert_contains(err.message, path);
    in_sample_reader_free(reader);

    assert_int_equal(unlink(path), 0);
    reader = in_sample_reader_new(&x, &recipe);
    assert_int_equal(in_sample_read(reader, &x.places[3], &s, &begin, &err), T2_ENOTFOUND);
    t_assert_contains(err.message, path);
    in_sample_reader_free(reader);
    in_sample_reader_free(NULL);
    in_index_release(&x);
    t2_free(path);
}

T_MAIN(cmocka_unit_test(test_any_order), cmocka_unit_test(test_shards_that_change))
