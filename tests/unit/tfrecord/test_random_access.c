/*
 * tests/unit/tfrecord/test_random_access.c - record N of every kind of file, with and without an
 * index.
 */
#include <unistd.h>

#include "base/file.h"
#include "tests/unit/tfrecord/index_files.h"

enum { N_RECORDS = 3000 };

static void check_record(struct tfr_file *f, uint64_t i)
{
    struct t2_buf want = {0};
    struct t2_slice rec;

    xf_payload((size_t) i, &want);
    assert_int_equal(tfr_file_get(f, i, &rec, &err), T2_OK);
    assert_true(t2_slice_eq(rec, t2_buf_slice(&want)));
    t2_buf_release(&want);
}

static void test_any_order(void **state)
{
    uint64_t n;

    (void) state;
    for (int c = TFR_PLAIN; c <= TFR_BGZIP; c++) {
        for (int indexed = 0; indexed < 2; indexed++) {
            const char *path = t_tmp_path("data");
            char name[5000];
            struct tfr_file *f;
            struct t2_slice rec;
            snprintf(name, sizeof name, "%s-%d-%d", path, c, indexed);
            xf_write(name, N_RECORDS, (enum tfr_compression) c);
            if (indexed)
                assert_int_equal(xf_build(name, NULL, true, false, 1, &n), T2_OK);
            assert_int_equal(tfr_file_open(name, &f, &err), T2_OK);
            assert_string_equal(tfr_file_index_trouble(f), "");
            assert_int_equal(tfr_file_count(f), N_RECORDS);
            assert_int_equal(tfr_file_index(f)->n_records, N_RECORDS);
            for (size_t k = 0; k < 40; k++)
                check_record(f, t_hash64(k) % N_RECORDS);
            for (uint64_t i = 2000; i < 2600; i++) /* over the border of a block */
                check_record(f, i);
            check_record(f, 0);
            check_record(f, N_RECORDS - 1);
            assert_int_equal(tfr_file_get(f, N_RECORDS, &rec, &err), T2_ENOTFOUND);
            t_assert_contains(err.message, "has 3000 records: there is no record 3000");
            tfr_file_free(f);
        }
    }
}

/* A record of many blocks. */
static void test_long_record(void **state)
{
    const char *path = t_tmp_path("long");
    struct tfr_sink_options o = {.output = path, .compression = TFR_BGZIP};
    uint8_t *big = t2_alloc(500000, 1);
    struct tfr_sink *s = NULL;
    struct tfr_file *f;
    struct t2_slice rec;

    (void) state;
    for (size_t i = 0; i < 500000; i++)
        big[i] = (uint8_t) t_hash64(i);
    assert_int_equal(tfr_sink_new(&o, &s, &err), T2_OK);
    tfr_sink_add(s, "a", 1);
    tfr_sink_add(s, big, 500000);
    tfr_sink_add(s, NULL, 0);
    assert_int_equal(tfr_sink_commit(s, NULL, &err), T2_OK);
    assert_int_equal(tfr_file_open(path, &f, &err), T2_OK);
    assert_int_equal(tfr_file_get(f, 1, &rec, &err), T2_OK);
    assert_int_equal(rec.len_bytes, 500000);
    assert_memory_equal(rec.data, big, 500000);
    assert_int_equal(tfr_file_get(f, 2, &rec, &err), T2_OK);
    assert_int_equal(rec.len_bytes, 0);
    tfr_file_free(f);
    t2_free(big);
}

static void test_empty_file(void **state)
{
    const char *path = t_tmp_path("empty");
    struct tfr_file *f;
    struct t2_slice rec;

    (void) state;
    for (int c = TFR_PLAIN; c <= TFR_BGZIP; c++) {
        xf_write(path, 0, (enum tfr_compression) c);
        assert_int_equal(tfr_file_open(path, &f, &err), T2_OK);
        assert_int_equal(tfr_file_count(f), 0);
        assert_int_equal(tfr_file_get(f, 0, &rec, &err), T2_ENOTFOUND);
        tfr_file_free(f);
    }
}

static void flip(const char *path, size_t at)
{
    size_t n;
    char *bytes = t_read_file(path, &n);

    bytes[at] ^= 1;
    t_write_file(path, bytes, n);
    free(bytes);
}

/* An index is believed only as far as the file agrees. */
static void test_damage(void **state)
{
    const char *path = t_tmp_path("damage");
    struct tfr_file *f;
    struct t2_slice rec;
    uint64_t n;

    (void) state;
    for (int c = TFR_PLAIN; c <= TFR_BGZIP; c += TFR_BGZIP) {
        xf_write(path, N_RECORDS, (enum tfr_compression) c);
        assert_int_equal(xf_build(path, NULL, true, false, 1, &n), T2_OK);
        assert_int_equal(tfr_file_open(path, &f, &err), T2_OK);
        flip(path, c == TFR_PLAIN ? 20 : 5000); /* in place: what is open sees it */
        assert_int_equal(tfr_file_get(f, 0, &rec, &err), T2_EFORMAT);
        check_record(f, N_RECORDS - 1);
        t_write_file(path, "", 0);
        assert_int_equal(tfr_file_get(f, N_RECORDS - 2, &rec, &err),
                         c == TFR_PLAIN ? T2_EFORMAT : T2_OK); /* the block is still held */
        assert_int_equal(tfr_file_get(f, 0, &rec, &err), T2_EFORMAT);
        tfr_file_free(f);
    }
    xf_write(path, 10, TFR_PLAIN);
    assert_int_equal(tfr_file_open(path, &f, &err), T2_OK);
    t_assert_contains(tfr_file_index_trouble(f), "which has");
    check_record(f, 9);
    tfr_file_free(f);
    assert_int_equal(tfr_file_open("-", &f, &err), T2_EUNSUPPORTED);
    assert_int_equal(tfr_file_open("/no/such/file", &f, &err), T2_ENOTFOUND);
    assert_int_equal(tfr_file_open("/dev/null", &f, &err), T2_EUNSUPPORTED);
    t_write_file(path, "some text that is not a record", 30);
    assert_int_equal(tfr_file_open(path, &f, &err), T2_EFORMAT);
    t_assert_contains(err.message, "looks like text");
}

T_MAIN(cmocka_unit_test(test_any_order), cmocka_unit_test(test_long_record),
       cmocka_unit_test(test_empty_file), cmocka_unit_test(test_damage))
