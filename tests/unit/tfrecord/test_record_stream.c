/*
 * test_record_stream.c - all records in order, for any number of threads; damage and failures at
 * their place.
 */
#include "tfrecord/record_stream.h"

#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "base/alloc.h"
#include "base/pool.h"
#include "tests/unit/tfrecord/record_files.h"
#include "tfrecord/framing.h"

enum { MANY = 12000 };

static struct t2_err err;

/* What was consumed, as a hash; records before it are not seen twice. */
struct seen {
    uint64_t n, hash, next, next_in_file;
    size_t file, n_batches;
    uint64_t stop_at; /* consume says T2_EOF after so many */
    uint64_t fail_at; /* work fails at this record */
};

struct result {
    uint64_t sum;
    bool used;
};

static enum t2_status work(void *context, const struct tfr_batch *b, void *result, int worker,
                           struct t2_err *e)
{
    const struct seen *s = context;
    struct result *r = result;

    assert_true(worker >= 0);
    r->used = true;
    r->sum = b->first;
    for (size_t i = 0; i < b->n; i++) {
        if (b->first + i == s->fail_at)
            return t2_fail(e, T2_EUNSUPPORTED, "record %d", (int) s->fail_at);
        struct t2_slice data = b->records[i].data;
        struct t2_slice frame = tfr_framed(&b->records[i]);
        assert_ptr_equal(frame.data + TFR_HEADER_BYTES, data.data);
        assert_int_equal(tfr_get_le64(frame.data), data.len_bytes);
        assert_true(tfr_header_ok(frame.data));
        if (data.len_bytes > 0)
            r->sum =
                t_hash64(r->sum ^ data.data[0] ^ (uint64_t) data.data[data.len_bytes - 1] << 8);
        r->sum = t_hash64(r->sum ^ b->records[i].offset << 20 ^ data.len_bytes);
    }
    return T2_OK;
}

static enum t2_status consume(void *context, const struct tfr_batch *b, void *result,
                              struct t2_err *e)
{
    struct seen *s = context;
    struct result *r = result;

    (void) e;
    assert_true(r->used);
    if (s->n_batches == 0 || b->file_number != s->file)
        s->next_in_file = 0;
    assert_true(s->n_batches == 0 || b->file_number == s->file || b->file_number == s->file + 1);
    assert_int_equal(b->first, s->next);
    assert_int_equal(b->first_in_file, s->next_in_file);
    s->file = b->file_number;
    s->next += b->n;
    s->next_in_file += b->n;
    s->n += b->n;
    s->hash = t_hash64(s->hash ^ r->sum);
    s->n_batches++;
    return s->stop_at > 0 && s->n >= s->stop_at ? T2_EOF : T2_OK;
}

static int n_released;

static void release(void *context, void *result)
{
    (void) context;
    assert_true(((struct result *) result)->used);
    n_released++;
}

static enum t2_status run(const struct tfr_inputs *in, struct seen *s, int n_threads)
{
    struct t2_pool *pool = t2_pool_new(n_threads);
    const struct tfr_stream stream = {.inputs = in,
                                      .what = "testing",
                                      .result_bytes = sizeof(struct result),
                                      .work = work,
                                      .consume = consume,
                                      .release = release,
                                      .context = s};
    enum t2_status st;

    err = (struct t2_err) T2_ERR_INIT;
    n_released = 0;
    st = tfr_stream_run(&stream, pool, &err);
    assert_true(n_released <= 4 * n_threads);
    t2_pool_free(pool);
    return st;
}

/* Files by content; paths are kept for the test. */
static void add(struct tfr_inputs *in, const char *name, const struct t2_buf *content)
{
    struct t2_strs args = {0};
    struct tfr_inputs one;

    t2_strs_push(&args, t_tmp_path(name));
    t_write_file(args.items[0], content->data, content->len_bytes);
    assert_int_equal(tfr_inputs_find(&args, &one, &err), T2_OK);
    in->files = t2_realloc(in->files, in->n + 1, sizeof *in->files);
    in->files[in->n++] = one.files[0];
    in->bytes += one.bytes;
    t2_free(one.files);
    t2_strs_release(&args);
}

static void many_records(struct t2_buf *b, size_t n)
{
    for (size_t i = 0; i < n; i++)
        rf_record(b, rf_payload(i % 7).data, rf_payload(i % 7).len_bytes);
}

/* Plain, empty, gzip, one record, many. */
static void make_files(struct tfr_inputs *in, const char *prefix)
{
    struct t2_buf b = {0}, packed = {0};
    char name[100];

    many_records(&b, MANY);
    snprintf(name, sizeof name, "%s_many", prefix);
    add(in, name, &b);
    rf_gzip(&packed, t2_buf_slice(&b));
    snprintf(name, sizeof name, "%s_packed", prefix);
    add(in, name, &packed);
    t2_buf_clear(&b);
    snprintf(name, sizeof name, "%s_empty", prefix);
    add(in, name, &b);
    many_records(&b, 1);
    snprintf(name, sizeof name, "%s_one", prefix);
    add(in, name, &b);
    t2_buf_release(&b);
    t2_buf_release(&packed);
}

static void test_order(void **state)
{
    struct tfr_inputs in = {0};
    struct seen first = {.fail_at = UINT64_MAX};

    (void) state;
    make_files(&in, "order");
    assert_int_equal(run(&in, &first, 1), T2_OK);
    assert_int_equal(first.n, 2 * MANY + 1);
    assert_int_equal(first.file, 3);
    assert_true(first.n_batches > 4);
    for (int n = 2; n <= 4; n++) {
        struct seen s = {.fail_at = UINT64_MAX};
        assert_int_equal(run(&in, &s, n), T2_OK);
        assert_memory_equal(&s, &first, sizeof s);
    }
    tfr_inputs_release(&in);
}

static void test_enough(void **state)
{
    struct tfr_inputs in = {0};

    (void) state;
    make_files(&in, "enough");
    for (int n = 1; n <= 2; n++) {
        struct seen s = {.fail_at = UINT64_MAX, .stop_at = 1};
        assert_int_equal(run(&in, &s, n), T2_OK);
        assert_int_equal(s.n_batches, 1);
    }
    tfr_inputs_release(&in);
}

static void test_failure_in_order(void **state)
{
    struct tfr_inputs in = {0};

    (void) state;
    make_files(&in, "failure");
    for (int n = 1; n <= 3; n++) {
        struct seen s = {.fail_at = MANY + 100};
        assert_int_equal(run(&in, &s, n), T2_EUNSUPPORTED);
        assert_string_equal(err.message, "record 12100");
        assert_int_equal(s.n, MANY); /* not one more, not one fewer */
    }
    tfr_inputs_release(&in);
}

/* One byte wrong in record 8345: those before are consumed, then the message names it. */
static void test_damage(void **state)
{
    struct t2_buf b = {0}, packed = {0};
    size_t at;

    (void) state;
    many_records(&b, 8345);
    at = b.len_bytes;
    many_records(&b, 1000);
    for (int kind = 0; kind < 4; kind++) { /* data or length, plain or compressed */
        struct tfr_inputs in = {0};
        char name[100], wanted[200];
        size_t hit = kind % 2 == 0 ? at + 16 + 12 : at;
        b.data[hit] ^= 1;
        t2_buf_clear(&packed);
        rf_gzip(&packed, t2_buf_slice(&b));
        snprintf(name, sizeof name, "damage%d", kind);
        add(&in, name, kind < 2 ? &b : &packed);
        b.data[hit] ^= 1;
        for (int n = 1; n <= 3; n++) {
            struct seen s = {.fail_at = UINT64_MAX};
            assert_int_equal(run(&in, &s, n), T2_EFORMAT);
            snprintf(wanted, sizeof wanted, "damage%d': record %d at offset", kind,
                     kind % 2 == 0 ? 8346 : 8345);
            t_assert_contains(err.message, wanted);
            assert_int_equal(s.n, kind % 2 == 0 ? 8346 : 8345);
        }
        tfr_inputs_release(&in);
    }
    t2_buf_release(&b);
    t2_buf_release(&packed);
}

static void test_missing_file(void **state)
{
    struct tfr_inputs in = {0};
    struct seen s = {.fail_at = UINT64_MAX};

    (void) state;
    make_files(&in, "missing");
    assert_int_equal(remove(in.files[1].path), 0);
    assert_int_equal(run(&in, &s, 2), T2_ENOTFOUND);
    assert_int_equal(s.n, MANY);
    t_assert_contains(err.message, "missing_packed");
    tfr_inputs_release(&in);
}

static void test_nothing(void **state)
{
    const struct tfr_inputs in = {0};
    struct seen s = {.fail_at = UINT64_MAX};

    (void) state;
    assert_int_equal(run(&in, &s, 2), T2_OK);
    assert_int_equal(s.n_batches, 0);
}

T_MAIN(cmocka_unit_test(test_order), cmocka_unit_test(test_enough),
       cmocka_unit_test(test_failure_in_order), cmocka_unit_test(test_damage),
       cmocka_unit_test(test_missing_file), cmocka_unit_test(test_nothing))
