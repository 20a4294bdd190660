/*
 * Tests of train/input/index.c: equal for any number of threads; damage names shard, record,
 * offset.
 */
#include "train/input/index.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "tests/unit/train/id_shards.h"
#include "tests/unit/train/image_shards.h"

static struct t2_err err;
static const struct in_recipe recipe = {.inputs_feature = "inputs",
                                        .targets_feature = "targets",
                                        .inputs_vocab = IDS_VOCAB,
                                        .targets_vocab = IDS_VOCAB};
static const struct in_scheme scheme = {.min_length = 5, .max_length = 30};

static struct in_index read_ok(const char *dir, uint64_t max_records, int n_threads)
{
    struct in_index x;

    if (in_index_read(dir, "ids", "train", &recipe, &scheme, max_records, n_threads, &x, &err) !=
        T2_OK)
        fail_msg("%s", err.message);
    return x;
}

static void read_fails(const char *dir, const struct in_recipe *r, enum t2_status status)
{
    struct in_index x;

    for (int n_threads = 1; n_threads <= 4; n_threads += 3)
        assert_int_equal(in_index_read(dir, "ids", "train", r, &scheme, 0, n_threads, &x, &err),
                         status);
    assert_null(x.places);
}

static void test_places_and_counts(void **state)
{
    const char *dir = t_tmp_path("index");
    struct ids_record *r = t2_alloc(1, sizeof *r);
    struct in_index one, many;
    uint64_t k = 0, n_long = 0, n_short = 0;

    (void) state;
    ids_write(dir, "train", 500, 7, 40);
    one = read_ok(dir, 0, 1);
    many = read_ok(dir, 0, 4);
    for (uint64_t i = 0; i < 500; i++) {
        size_t length;

        ids_make(i, 40, r);
        length = r->n_inputs > r->n_targets ? r->n_inputs : r->n_targets;
        n_long += length > 30;
        n_short += length < 5;
        if (length < 5 || length > 30)
            continue;
        assert_int_equal(one.places[k].inputs_length, r->n_inputs);
        assert_int_equal(one.places[k++].targets_length, r->n_targets);
    }
    assert_int_equal(one.n, k);
    assert_int_equal(one.n_records, 500);
    assert_int_equal(one.n_too_long, n_long);
    assert_int_equal(one.n_too_short, n_short);
    assert_int_equal(many.n, k);
    assert_memory_equal(one.places, many.places, k * sizeof *one.places);
    in_index_release(&one);
    in_index_release(&many);
    t2_free(r);
}

static void test_the_first_records_only(void **state)
{
    const char *dir = t_tmp_path("first");
    struct in_index all, some;

    (void) state;
    ids_write(dir, "train", 100, 3, 40);
    all = read_ok(dir, 0, 2);
    some = read_ok(dir, 50, 2);
    assert_int_equal(some.n_records, 50);
    assert_true(some.n > 0 && some.n < all.n);
    assert_memory_equal(all.places, some.places, some.n * sizeof *some.places);
    in_index_release(&all);
    in_index_release(&some);
}

/* Changes one byte of a file, or cuts it when value is -1. */
static void damage(const char *path, size_t at, int mask)
{
    size_t n;
    char *bytes = t_read_file(path, &n);

    assert_true(at < n);
    if (mask < 0) {
        n = at;
    } else {
        bytes[at] = (char) (bytes[at] ^ mask);
    }
    t_write_file(path, bytes, n);
    free(bytes);
}

static void test_damage(void **state)
{
    const char *dir = t_tmp_path("damage");
    char *path = tfr_shard_path(dir, "ids", "train", 1, 3);
    size_t n;
    char *bytes;

    (void) state;
    ids_write(dir, "train", 90, 3, 20);
    bytes = t_read_file(path, &n);
    free(bytes);
    for (size_t at = 0; at < n; at += n / 37) {
        ids_write(dir, "train", 90, 3, 20);
        damage(path, at, 0x10);
        read_fails(dir, &recipe, T2_EFORMAT);
        t_assert_contains(err.message, path);
        if (at > 100) {
            t_assert_contains(err.message, "record");
            t_assert_contains(err.message, "offset");
        }
        ids_write(dir, "train", 90, 3, 20);
        if (at == 0)
            continue; /* an empty file has no record: nothing is wrong with it */
        damage(path, at, -1);
        {
            struct in_index x;
            enum t2_status st =
                in_index_read(dir, "ids", "train", &recipe, &scheme, 0, 2, &x, &err);

            if (st == T2_OK) /* cut between two records: only a manifest can tell */
                in_index_release(&x);
            else
                t_assert_contains(err.message, path);
        }
    }
    t2_free(path);
}

/* With a limit the sound records are kept, and only they; what is passed over is named. */
static void test_damage_that_is_passed_over(void **state)
{
    const char *dir = t_tmp_path("over");
    char *path = tfr_shard_path(dir, "ids", "train", 1, 3);
    struct in_recipe lenient = recipe;
    struct in_index whole, x, again;
    uint64_t at[3];
    size_t k = 0;

    (void) state;
    ids_write(dir, "train", 90, 3, 20);
    whole = read_ok(dir, 0, 1);
    for (uint64_t i = 0; i < whole.n && k < 3; i++)
        if (whole.places[i].at >> IN_OFFSET_BITS == 1) /* of the second shard, every third */
            at[k++] = i + 2;
    assert_int_equal(k, 3);
    for (size_t i = 0; i < 3; i++)
        at[i] = at[0] + 3 * i;
    for (size_t i = 0; i < 3; i++) { /* data, length CRC, length */
        uint64_t offset = whole.places[at[i]].at & (((uint64_t) 1 << IN_OFFSET_BITS) - 1);

        damage(path, (size_t) offset + (size_t[]){14, 9, 0}[i], 0x10);
    }
    lenient.max_corrupt = 2;
    read_fails(dir, &lenient, T2_EFORMAT);
    t_assert_contains(err.message,
                      "more than 2 damaged records (--max_corrupt), the first of them");
    t_assert_contains(err.message, "ids-train-00001-of-00003': record ");
    lenient.max_corrupt = 3;
    for (int n_threads = 1; n_threads <= 4; n_threads += 3) {
        size_t left_out = 0;

        assert_int_equal(in_index_read(dir, "ids", "train", &lenient, &scheme, 0, n_threads, &x,
                                       &err),
                         T2_OK);
        assert_int_equal(x.n_records, 87);
        assert_int_equal(x.n, whole.n - 3);
        assert_int_equal(x.corrupt.n_records, 3);
        assert_int_equal(x.corrupt.places.n, 3);
        for (uint64_t i = 0; i < whole.n; i++) {
            if (left_out < 3 && i == at[left_out]) {
                char name[64];

                snprintf(name, sizeof name, "at offset %" PRIu64 ": ",
                         whole.places[i].at & (((uint64_t) 1 << IN_OFFSET_BITS) - 1));
                t_assert_contains(x.corrupt.places.items[left_out], name);
                left_out++;
                continue;
            }
            assert_memory_equal(&x.places[i - left_out], &whole.places[i], sizeof *x.places);
        }
        in_index_release(&x);
    }
    /* other damage, another CRC; none, zero */
    assert_int_equal(whole.corrupt.crc, 0);
    assert_int_equal(in_index_read(dir, "ids", "train", &lenient, &scheme, 0, 1, &x, &err), T2_OK);
    lenient.max_corrupt = 4;
    damage(path, (size_t) (whole.places[at[0] + 1].at & 0xffffffff) + 14, 0x10);
    assert_int_equal(in_index_read(dir, "ids", "train", &lenient, &scheme, 0, 2, &again, &err),
                     T2_OK);
    assert_int_equal(again.corrupt.n_records, 4);
    assert_int_not_equal(x.corrupt.crc, again.corrupt.crc);
    in_index_release(&x);
    in_index_release(&again);
    in_index_release(&whole);
    t2_free(path);
}

/* The limit is one for all shards, and also of records that are sound and no samples; a file that
 * is none of records has no number of them. */
static void test_what_counts_as_damage(void **state)
{
    const char *dir = t_tmp_path("counts");
    char *path = tfr_shard_path(dir, "ids", "train", 1, 2);
    struct in_recipe small = recipe;
    struct in_index x;
    size_t n;
    char *bytes;

    (void) state;
    ids_write(dir, "train", 50, 2, 20);
    small.targets_vocab = 40; /* records 38 to 49 have greater ids */
    small.max_corrupt = 11;
    read_fails(dir, &small, T2_EFORMAT);
    t_assert_contains(err.message, "more than 11 damaged records");
    t_assert_contains(err.message, "targets[0] is 40, but the vocabulary has 40 entries");
    small.max_corrupt = 12;
    assert_int_equal(in_index_read(dir, "ids", "train", &small, &scheme, 0, 2, &x, &err), T2_OK);
    assert_int_equal(x.n_records, 38);
    in_index_release(&x);

    small = recipe;
    small.max_corrupt = 5;
    bytes = t_read_file(path, &n);
    t_write_file(path, bytes, n - 3); /* a torn end */
    assert_int_equal(in_index_read(dir, "ids", "train", &small, &scheme, 0, 2, &x, &err), T2_OK);
    assert_int_equal(x.n_records, 49);
    assert_int_equal(x.corrupt.n_records, 1);
    t_assert_contains(x.corrupt.places.items[0], "cut short");
    in_index_release(&x);
    memset(bytes, 'x', n);
    t_write_file(path, bytes, n);
    read_fails(dir, &small, T2_EFORMAT);
    t_assert_contains(err.message, "not a TFRecord file");
    free(bytes);
    t2_free(path);
}

static void test_ids_of_another_vocabulary(void **state)
{
    const char *dir = t_tmp_path("vocab");
    struct in_recipe small = recipe;

    (void) state;
    ids_write(dir, "train", 200, 2, 20);
    small.targets_vocab = 40;
    read_fails(dir, &small, T2_EFORMAT);
    t_assert_contains(err.message, "ids-train-00000-of-00002': record 38 at offset ");
    t_assert_contains(err.message, "targets[0] is 40, but the vocabulary has 40 entries");
}

static void test_shards_missing_or_compressed(void **state)
{
    const char *dir = t_tmp_path("missing");
    /* gzip of nothing */
    static const unsigned char empty_gzip[] = {0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 3,
                                               3,    0,    0, 0, 0, 0, 0, 0, 0, 0};
    char *path = tfr_shard_path(dir, "ids", "train", 1, 2);

    (void) state;
    assert_int_equal(t2_make_dirs(dir, &err), T2_OK);
    read_fails(dir, &recipe, T2_ENOTFOUND);
    ids_write(dir, "train", 20, 2, 20);
    t_write_file(path, empty_gzip, sizeof empty_gzip);
    read_fails(dir, &recipe, T2_EUNSUPPORTED);
    t_assert_contains(err.message, "compressed");
    assert_int_equal(unlink(path), 0);
    read_fails(dir, &recipe, T2_EFORMAT);
    t_assert_contains(err.message, "00001-of-00002");
    t2_free(path);
}

/* An image whose header is sound and whose pixels end early: found when damage is passed over. */
static void test_images_that_do_not_decode(void **state)
{
    enum { N = 5, BAD = 3 };
    const char *dir = t_tmp_path("bad_images");
    char *path = tfr_shard_path(dir, "image_cifar10", "train", 0, 1);
    struct in_image_recipe images;
    struct in_recipe r = {.targets_feature = "targets", .targets_vocab = 10, .images = &images};
    struct t2_buf records[N] = {{0}}, file = {0};
    struct mdl_hparams *hp = NULL;
    struct in_scheme all = {.max_length = 1};
    struct in_index x;

    (void) state;
    assert_int_equal(t2_make_dirs(dir, &err), T2_OK);
    assert_int_equal(mdl_hparams_new("transformer_tiny", &hp, &err), T2_OK);
    assert_int_equal(in_image_recipe_of("image_cifar10", hp, &images, &err), T2_OK);
    for (uint64_t i = 0; i < N; i++)
        images_record_of(i, 32, 32, 3, 0, &records[i]);
    t_png(32, 32, 3, BAD, &file);
    file.len_bytes = file.len_bytes * 2 / 3;
    images_record(&file, 1, &records[BAD]);
    images_write_records(path, records, N);

    assert_int_equal(in_index_read(dir, "image_cifar10", "train", &r, &all, 0, 2, &x, &err), T2_OK);
    assert_int_equal(x.n, N);
    in_index_release(&x);
    r.max_corrupt = 1;
    assert_int_equal(in_index_read(dir, "image_cifar10", "train", &r, &all, 0, 2, &x, &err), T2_OK);
    assert_int_equal(x.n, N - 1);
    assert_int_equal(x.corrupt.n_records, 1);
    t_assert_contains(x.corrupt.places.items[0], "record 3 at offset");
    in_index_release(&x);

    images_record(&file, 1, &records[0]);
    images_write_records(path, records, N);
    assert_int_equal(in_index_read(dir, "image_cifar10", "train", &r, &all, 0, 2, &x, &err),
                     T2_EFORMAT);
    t_assert_contains(err.message, "more than 1 damaged records (--max_corrupt)");
    for (int i = 0; i < N; i++)
        t2_buf_release(&records[i]);
    t2_buf_release(&file);
    mdl_hparams_free(hp);
    t2_free(path);
}

T_MAIN(cmocka_unit_test(test_places_and_counts), cmocka_unit_test(test_the_first_records_only),
       cmocka_unit_test(test_damage), cmocka_unit_test(test_damage_that_is_passed_over),
       cmocka_unit_test(test_what_counts_as_damage),
       cmocka_unit_test(test_ids_of_another_vocabulary),
       cmocka_unit_test(test_shards_missing_or_compressed),
       cmocka_unit_test(test_images_that_do_not_decode))
