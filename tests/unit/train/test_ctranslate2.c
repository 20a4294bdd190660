/* Tests of train/exchange/ctranslate2.c: the bytes of model.bin are read as CTranslate2 does; what
 * it has no place for. */
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/json.h"
#include "base/str.h"
#include "tests/unit/train/exchanged.h"

/* The file while it is read. */
struct at {
    const uint8_t *p, *end;
};

static uint64_t take(struct at *a, int n)
{
    uint64_t v = 0;

    assert_true(a->end - a->p >= n);
    for (int i = 0; i < n; i++)
        v |= (uint64_t) a->p[i] << 8 * i;
    a->p += n;
    return v;
}

static const char *take_name(struct at *a)
{
    uint64_t n = take(a, 2);
    const char *name = (const char *) a->p;

    assert_true((uint64_t) (a->end - a->p) >= n && name[n - 1] == '\0' && strlen(name) == n - 1);
    a->p += n;
    return name;
}

static void check_transposed(const struct exchanged *e, const float *theirs)
{
    const struct gr_param *p;
    struct t2_err err = T2_ERR_INIT;
    float *ours, x;

    assert_int_equal(xch_parameter(&e->m, "transformer/body/encoder/layer_0/ffn/conv1/kernel",
                                   &ours, &p, &err),
                     T2_OK);
    memcpy(&x, theirs + 16, sizeof x); /* [1][0] */
    assert_true(x == ours[1]);
    t2_free(ours);
}

static void test_model(void **state)
{
    const char *dir = t_tmp_path("ct2");
    char *path = t2_asprintf("%s/model.bin", dir), *bytes;
    struct t2_err err = T2_ERR_INIT;
    struct exchanged e;
    struct at a;
    size_t n;
    uint64_t n_variables;
    int n_seen = 0;

    (void) state;
    exchanged_open(&e, "");
    if (xch_write_ctranslate2(&e.m, dir, &err) != T2_OK)
        fail_msg("%s", err.message);
    bytes = t_read_file(path, &n);
    a = (struct at){(const uint8_t *) bytes, (const uint8_t *) bytes + n};
    assert_int_equal(take(&a, 4), 6);
    assert_string_equal(take_name(&a), "TransformerSpec");
    assert_int_equal(take(&a, 4), 7);
    n_variables = take(&a, 4);
    for (uint64_t i = 0; i < n_variables; i++) {
        const char *name = take_name(&a);
        uint64_t rank = take(&a, 1), dims[4] = {1, 1, 1, 1}, type, n_bytes, n_items = 1;

        for (uint64_t k = 0; k < rank; k++)
            n_items *= dims[k] = take(&a, 4);
        type = take(&a, 1);
        n_bytes = take(&a, 4);
        assert_int_equal(n_bytes, n_items * (type == 0 ? 4 : type));
        if (strcmp(name, "decoder/layer_0/attention/linear_1/weight") == 0)
            n_seen += dims[0] == 32 && dims[1] == 16;
        if (strcmp(name, "decoder/projection/weight") == 0)
            n_seen += dims[0] == 258 && dims[1] == 16;
        if (strcmp(name, "encoder/layer_0/ffn/linear_0/weight") == 0) {
            n_seen += dims[0] == 24 && dims[1] == 16;
            check_transposed(&e, (const float *) (const void *) a.p);
        }
        a.p += n_bytes;
    }
    assert_int_equal(n_seen, 3);
    assert_int_equal(take(&a, 4), 0);
    assert_true(a.p == a.end);
    free(bytes);
    t2_free(path);
    exchanged_close(&e);
}

static void test_vocabulary(void **state)
{
    const char *dir = t_tmp_path("vocabulary");
    char *path = t2_asprintf("%s/target_vocabulary.json", dir);
    struct t2_json_doc *doc = NULL;
    struct t2_err err = T2_ERR_INIT;
    struct exchanged e;

    (void) state;
    exchanged_open(&e, "");
    assert_int_equal(xch_write_ctranslate2(&e.m, dir, &err), T2_OK);
    assert_int_equal(t2_json_load(path, &doc, &err), T2_OK);
    assert_int_equal(t2_json_size(t2_json_root(doc)), 258);
    assert_string_equal(t2_json_as_string(t2_json_item(t2_json_root(doc), 1), ""), "<EOS>");
    assert_string_equal(t2_json_as_string(t2_json_item(t2_json_root(doc), 99), ""), "99");
    t2_json_free(doc);
    t2_free(path);
    exchanged_close(&e);
}

static void test_refused(void **state)
{
    struct t2_err err = T2_ERR_INIT;
    struct exchanged e;

    (void) state;
    exchanged_open(&e, ",pos=emb");
    assert_int_equal(xch_write_ctranslate2(&e.m, t_tmp_path("no"), &err), T2_EUNSUPPORTED);
    t_assert_contains(err.message, "no place for hparam pos=emb");
    exchanged_close(&e);
}

T_MAIN(cmocka_unit_test(test_model), cmocka_unit_test(test_vocabulary),
       cmocka_unit_test(test_refused))
