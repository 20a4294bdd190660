/*
 * Files against their manifest: count, bytes, hash.
 */
#include "base/hash.h"
#include "tests/unit/tfrec/damaged_files.h"

static const struct rec_verify_options options = {.limit = 10};

/* Errors after a comparison with a manifest that says so many records and bytes, and that hash. */
static uint64_t errors_with(int records, size_t n_bytes, const char *sha256, bool hash)
{
    struct t2_buf text = {NULL, 0, 0};
    struct t2_pool *pool = t2_pool_new(2);
    struct t2_err err = T2_ERR_INIT;
    struct tfr_inputs in;
    struct rec_verified v;

    t2_buf_printf(
        &text,
        "{\"format\":\"t2t.c data set\",\"format_version\":1,\"problem\":\"x\","
        "\"features\":[],\"splits\":{\"train\":{\"records\":%d,\"shards\":[{\"file\":\"x\","
        "\"records\":%d,\"bytes\":%zu,\"sha256\":\"%s\"}]}}}",
        records, records, n_bytes, sha256);
    df_inputs(&in, df_write("x.manifest.json", &text), NULL);
    df_verify(&in, &options, 1, &v);
    assert_int_equal(rec_verify_manifests(&in, hash, pool, &v, &err), T2_OK);
    uint64_t n = rec_verified_errors(&v, false);
    rec_verified_release(&v);
    tfr_inputs_release(&in);
    t2_pool_free(pool);
    return n;
}

static void test_manifest(void **state)
{
    struct t2_buf b = {NULL, 0, 0};
    char sha256[T2_SHA256_HEX], other[T2_SHA256_HEX];
    (void) state;

    df_records(&b, 5);
    size_t n = b.len_bytes;
    t2_sha256_of(b.data, n, sha256);
    t2_sha256_of("x", 1, other);
    (void) df_write("x", &b);
    assert_int_equal(errors_with(5, n, sha256, true), 0);
    assert_int_equal(errors_with(6, n, sha256, true), 1);
    assert_int_equal(errors_with(5, n + 1, sha256, true), 1);
    assert_int_equal(errors_with(5, n, other, true), 1);
    assert_int_equal(errors_with(5, n, other, false), 0);
    assert_int_equal(errors_with(4, n - 1, other, true), 3);
}

T_MAIN(cmocka_unit_test(test_manifest))
