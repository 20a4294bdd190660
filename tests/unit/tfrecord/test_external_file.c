/* Temporary files: bytes come back, no name is left, the disk is asked. */
#include "tfrecord/external_file.h"

#include <limits.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/uio.h>

#include "base/file.h"
#include "tests/support/t.h"

static void test_there_and_back(void **state)
{
    const char *dir = t_tmp_path("there");
    struct tfr_external_file *f = NULL;
    struct t2_err err = T2_ERR_INIT;
    struct t2_strs names = {NULL, 0, 0};
    char back[6] = "";
    (void) state;

    assert_int_equal(mkdir(dir, 0700), 0);
    assert_int_equal(tfr_external_file_new(dir, &f, &err), T2_OK);
    assert_int_equal(tfr_external_file_append(f, "abc", 3, &err), T2_OK);
    assert_int_equal(tfr_external_file_append(f, "defgh", 5, &err), T2_OK);
    assert_int_equal(tfr_external_file_bytes(f), 8);
    assert_int_equal(tfr_external_file_read(f, 2, back, 5, &err), T2_OK);
    assert_string_equal(back, "cdefg");
    assert_int_equal(tfr_external_file_read(f, 6, back, 5, &err), T2_EIO);
    t_assert_contains(err.message, "cannot read a temporary file in");
    tfr_external_file_forget(f, 0, 4);
    assert_int_equal(tfr_external_file_read(f, 6, back, 2, &err), T2_OK);
    assert_int_equal(t2_list_dir(dir, &names, &err), T2_OK);
    assert_int_equal(names.n, 0);
    t2_strs_release(&names);
    tfr_external_file_free(f);
}

/* More pieces than one call of the system takes. */
static void test_pieces(void **state)
{
    enum { N = 2 * IOV_MAX + 7 };
    static uint8_t bytes[3 * N], back[3 * N];
    static struct iovec pieces[N];
    struct tfr_external_file *f = NULL;
    struct t2_err err = T2_ERR_INIT;
    size_t at = 0;
    (void) state;

    for (size_t i = 0; i < N; i++) {
        pieces[i] = (struct iovec){bytes + at, 1 + i % 3};
        for (size_t k = 0; k < pieces[i].iov_len; k++)
            bytes[at++] = (uint8_t) t_hash64(i + k);
    }
    assert_int_equal(tfr_external_file_new(t_tmp_path(""), &f, &err), T2_OK);
    assert_int_equal(tfr_external_file_append(f, "ab", 2, &err), T2_OK);
    assert_int_equal(tfr_external_file_appendv(f, pieces, 0, &err), T2_OK);
    assert_int_equal(tfr_external_file_appendv(f, pieces, N, &err), T2_OK);
    assert_int_equal(tfr_external_file_bytes(f), at + 2);
    assert_int_equal(tfr_external_file_read(f, 2, back, at, &err), T2_OK);
    assert_memory_equal(back, bytes, at);
    tfr_external_file_free(f);
}

static void test_fails(void **state)
{
    struct tfr_external_file *f = NULL;
    struct t2_err err = T2_ERR_INIT;
    (void) state;

    assert_int_equal(tfr_external_file_new(t_tmp_path("absent"), &f, &err), T2_ENOTFOUND);
    assert_null(f);
    tfr_external_file_free(f);
    assert_int_equal(tfr_external_need(t_tmp_path(""), UINT64_MAX, "the test", &err), T2_EIO);
    t_assert_contains(err.message, "the test needs about");
    assert_int_equal(tfr_external_need(t_tmp_path(""), 1, "the test", &err), T2_OK);
}

T_MAIN(cmocka_unit_test(test_there_and_back), cmocka_unit_test(test_pieces),
       cmocka_unit_test(test_fails))
