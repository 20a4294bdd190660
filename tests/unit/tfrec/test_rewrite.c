/* What the output flags mean, and copies of inputs that can be read only once. */
#include "tfrec/rewrite.h"

#include <stdlib.h>
#include <unistd.h>

#include "base/alloc.h"
#include "tests/support/t.h"
#include "tfrecord/reader.h"
#include "tfrecord/writer.h"

static void given(const char *output, const char *compress, const char *tmp_dir)
{
    rec_rewrite_given = (struct rec_rewrite_flags){.output = output,
                                                   .compress = compress,
                                                   .tmp_dir = tmp_dir,
                                                   .max_memory = 1000};
}

static void test_flags(void **state)
{
    struct t2_err err = T2_ERR_INIT;
    struct tfr_sink *sink = NULL;
    char *dir;
    (void) state;

    given(NULL, "none", NULL);
    assert_int_equal(rec_rewrite_open(0, &sink, &err), T2_EUSAGE);
    assert_null(sink);
    given("x", "rar", NULL);
    assert_int_equal(rec_rewrite_check_output(&err), T2_EUSAGE);
    t_assert_contains(err.message, "--compress='rar': none, gzip, zlib or bgzip");
    assert_int_equal(rec_rewrite_check_memory(1000, &err), T2_OK);
    assert_int_equal(rec_rewrite_check_memory(1001, &err), T2_EUSAGE);
    given("there/x@3", "none", NULL);
    dir = rec_rewrite_tmp_dir();
    assert_string_equal(dir, "there");
    t2_free(dir);
    given("there/x", "none", "other");
    dir = rec_rewrite_tmp_dir();
    assert_string_equal(dir, "other");
    t2_free(dir);
    given("-", "none", NULL);
    assert_int_equal(setenv("TMPDIR", "from-system", 1), 0);
    dir = rec_rewrite_tmp_dir();
    assert_string_equal(dir, "from-system");
    t2_free(dir);
    assert_int_equal(unsetenv("TMPDIR"), 0);
}

static void test_writes(void **state)
{
    char *path = t2_strdup(t_tmp_path("out"));
    struct t2_err err = T2_ERR_INIT;
    struct tfr_sink *sink = NULL;
    uint64_t n = 0;
    (void) state;

    given(path, "gzip", NULL);
    assert_int_equal(rec_rewrite_open(TFR_UNKNOWN_COUNT, &sink, &err), T2_OK);
    assert_int_equal(rec_rewrite_put(sink, t2_slice_of("abc"), &err), T2_OK);
    assert_int_equal(rec_rewrite_close(sink, T2_OK, &err), T2_OK);
    assert_int_equal(tfr_count(path, &n, &err), T2_OK);
    assert_int_equal(n, 1);
    assert_int_equal(unlink(path), 0);
    assert_int_equal(rec_rewrite_open(TFR_UNKNOWN_COUNT, &sink, &err), T2_OK);
    assert_int_equal(rec_rewrite_close(sink, T2_EFORMAT, &err), T2_EFORMAT);
    assert_int_equal(access(path, F_OK), -1);
    t2_free(path);
}

/* The standard input is copied, a regular file stays what it is. */
static void test_pipes(void **state)
{
    struct tfr_input_file files[] = {{.path = t2_strdup("-")},
                                     {.path = t2_strdup(t_tmp_path("regular"))}};
    struct tfr_inputs in = {files, 2, 0};
    struct rec_held *held = NULL;
    struct t2_err err = T2_ERR_INIT;
    struct t2_buf frames = {NULL, 0, 0};
    int ends[2];
    (void) state;

    tfr_frame(&frames, "abc", 3);
    t_write_file(files[1].path, frames.data, frames.len_bytes);
    in.bytes = files[1].bytes = frames.len_bytes;
    assert_int_equal(pipe(ends), 0);
    assert_int_equal(dup2(ends[0], STDIN_FILENO), STDIN_FILENO);
    assert_int_equal(write(ends[1], frames.data, frames.len_bytes), frames.len_bytes);
    assert_int_equal(close(ends[1]), 0);
    assert_int_equal(rec_known_bytes(&in), 0);
    assert_int_equal(rec_hold_pipes(&in, t_tmp_path(""), &held, &err), T2_OK);
    for (int twice = 0; twice < 2; twice++) {
        uint64_t n = 0;
        assert_int_equal(tfr_count(files[0].path, &n, &err), T2_OK);
        assert_int_equal(n, 1);
    }
    assert_int_equal(rec_known_bytes(&in), 2 * frames.len_bytes);
    assert_string_equal(rec_held_name(files[0].path), "-");
    assert_string_equal(rec_held_name(files[1].path), files[1].path);
    rec_held_free(held);
    t2_free(files[0].path);
    t2_free(files[1].path);
    t2_buf_release(&frames);
}

T_MAIN(cmocka_unit_test(test_writes), cmocka_unit_test(test_pipes), cmocka_unit_test(test_flags))
