/* Tests of train/exchange/marian.c: the arrays of model.npz by name, shape and value; vocabularies;
 * what Marian has no place for. */
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/str.h"
#include "base/zip.h"
#include "tests/unit/train/exchanged.h"

enum { HEAD = 128 };

/* The bytes behind the header of an array, whose shape is this text. */
static struct t2_slice array(struct t2_zip *z, const char *name, const char *type,
                             const char *shape)
{
    char *member = t2_asprintf("%s.npy", name);
    struct t2_slice content = {NULL, 0};
    struct t2_err err = T2_ERR_INIT;
    char *head = NULL, *wanted;

    for (size_t i = 0; i < t2_zip_count(z); i++)
        if (strcmp(t2_zip_name(z, i), member) == 0 &&
            t2_zip_content(z, i, t_tmp_path("inflated"), &content, &err) != T2_OK)
            fail_msg("%s", err.message);
    if (content.len_bytes < HEAD)
        fail_msg("no array '%s'", name);
    assert_memory_equal(content.data, "\223NUMPY\1\0v\0", 10);
    head = t2_strndup((const char *) content.data + 10, HEAD - 10);
    wanted = t2_asprintf("{'descr': '%s', 'fortran_order': False, 'shape': %s, }", type, shape);
    if (strncmp(head, wanted, strlen(wanted)) != 0 || head[HEAD - 11] != '\n')
        fail_msg("'%s' begins with %s", name, head);
    t2_free(wanted);
    t2_free(head);
    t2_free(member);
    return (struct t2_slice){content.data + HEAD, content.len_bytes - HEAD};
}

static void check_arrays(const struct exchanged *e, struct t2_zip *z)
{
    const struct gr_param *p;
    struct t2_err err = T2_ERR_INIT;
    struct t2_slice s = array(z, "encoder_l1_ffn_W1", "<f4", "(16, 24)");
    float *ours;

    assert_int_equal(xch_parameter(&e->m, "transformer/body/encoder/layer_0/ffn/conv1/kernel",
                                   &ours, &p, &err),
                     T2_OK);
    assert_int_equal(s.len_bytes, 16 * 24 * sizeof(float));
    assert_memory_equal(s.data, ours, s.len_bytes);
    t2_free(ours);
    s = array(z, "decoder_l1_context_bo", "<f4", "(1, 16)");
    for (size_t i = 0; i < s.len_bytes; i++)
        assert_int_equal(s.data[i], 0);
    (void) array(z, "decoder_l1_self_Wq", "<f4", "(16, 16)");
    (void) array(z, "decoder_l1_ffn_ffn_ln_scale_pre", "<f4", "(1, 16)");
    (void) array(z, "encoder_Wemb", "<f4", "(258, 16)");
    (void) array(z, "decoder_Wemb", "<f4", "(258, 16)");
    (void) array(z, "decoder_ff_logit_out_W", "<f4", "(16, 258)");
    (void) array(z, "Wpos", "<f4", "(2048, 16)");
}

static void test_model(void **state)
{
    const char *dir = t_tmp_path("marian");
    char *path = t2_asprintf("%s/model.npz", dir), *vocabulary;
    struct t2_err err = T2_ERR_INIT;
    struct exchanged e;
    struct t2_zip *z;
    size_t n;

    (void) state;
    exchanged_open(&e, "");
    if (xch_write_marian(&e.m, dir, &err) != T2_OK || t2_zip_open(path, &z, &err) != T2_OK)
        fail_msg("%s", err.message);
    check_arrays(&e, z);
    t2_zip_free(z);
    t2_free(path);
    path = t2_asprintf("%s/vocab.trg.yml", dir);
    vocabulary = t_read_file(path, &n);
    assert_memory_equal(vocabulary, "\"<unk>\": 0\n\"</s>\": 1\n\"", 22);
    n = 0;
    for (const char *at = vocabulary; *at != '\0'; at++)
        n += *at == '\n';
    assert_int_equal(n, 258);
    free(vocabulary);
    t2_free(path);
    exchanged_close(&e);
}

static void test_refusals(void **state)
{
    struct t2_err err = T2_ERR_INIT;
    struct exchanged e;

    (void) state;
    exchanged_open(&e, ",pos=emb");
    assert_int_equal(xch_write_marian(&e.m, t_tmp_path("no"), &err), T2_EUNSUPPORTED);
    t_assert_contains(err.message, "Marian has no place for hparam pos=emb");
    exchanged_close(&e);
    exchanged_open(&e, ",layer_preprocess_sequence=none,layer_postprocess_sequence=dan");
    assert_int_equal(xch_write_marian(&e.m, t_tmp_path("no"), &err), T2_EUNSUPPORTED);
    t_assert_contains(err.message, "Marian has no place for hparam layer_preprocess_sequence");
    exchanged_close(&e);
}

T_MAIN(cmocka_unit_test(test_model), cmocka_unit_test(test_refusals))
