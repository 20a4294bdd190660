/* Tests of train/exchange/hugging_face.c: names, shapes and factors of tensors, settings, refusals.
 */
#include <math.h>
#include <string.h>

#include "base/alloc.h"
#include "base/json.h"
#include "base/str.h"
#include "tests/unit/train/exchanged.h"

static const char post_norm[] = ",layer_preprocess_sequence=none,layer_postprocess_sequence=dan";

static struct ckpt_file *write_and_open(struct exchanged *e, const char *more, const char *dir)
{
    char *path = t2_asprintf("%s/model.safetensors", dir);
    struct t2_err err = T2_ERR_INIT;
    struct ckpt_file *f = NULL;

    exchanged_open(e, more);
    if (xch_write_hugging_face(&e->m, dir, &err) != T2_OK || ckpt_open(path, &f, &err) != T2_OK)
        fail_msg("%s", err.message);
    t2_free(path);
    return f;
}

static float at(const struct ckpt_file *f, const char *name, size_t i)
{
    const struct ckpt_tensor *t = ckpt_find(f, name);
    float x;

    if (!t)
        fail_msg("no tensor '%s'", name);
    assert_true((i + 1) * sizeof x <= t->n_bytes);
    memcpy(&x, (const char *) t->data + i * sizeof x, sizeof x);
    return x;
}

static float ours_at(const struct exchanged *e, const char *name, size_t i)
{
    const struct gr_param *p;
    struct t2_err err = T2_ERR_INIT;
    float *values, x;

    assert_int_equal(xch_parameter(&e->m, name, &values, &p, &err), T2_OK);
    x = values[i];
    t2_free(values);
    return x;
}

static void assert_times(float found, double factor, float ours)
{
    assert_true(fabs((double) found - factor * (double) ours) < 1e-6);
}

/* Their norms add 1e-5, ours 1e-6. */
static const double c = 3.16227766;

static void test_norms_before(void **state)
{
    const char *dir = t_tmp_path("pegasus");
    struct exchanged e;
    struct ckpt_file *f = write_and_open(&e, ",shared_embedding=true", dir);
    const struct ckpt_tensor *t = ckpt_find(f, "model.encoder.layers.0.fc1.weight");

    (void) state;
    assert_true(t && t->rank == 2 && t->dims[0] == 24 && t->dims[1] == 16);
    assert_true(at(f, "model.encoder.layers.0.fc1.weight", 16) /* [1][0] */
                == ours_at(&e, "transformer/body/encoder/layer_0/ffn/conv1/kernel", 1));
    assert_times(at(f, "model.decoder.layers.0.fc2.weight", 24), c,
                 ours_at(&e, "transformer/body/decoder/layer_0/ffn/conv2/kernel", 1));
    assert_times(at(f, "model.decoder.layers.0.encoder_attn.out_proj.weight", 16), c,
                 ours_at(&e,
                         "transformer/body/decoder/layer_0/encdec_attention/multihead_attention/"
                         "output_transform/kernel",
                         1));
    assert_true(at(f, "model.decoder.layers.0.encoder_attn.q_proj.bias", 3) == 0.0f);
    assert_true(at(f, "model.decoder.layer_norm.weight", 3) == 1.0f);
    /* sines come first, and cosines are 1 at position 0 */
    assert_times(at(f, "model.decoder.embed_positions.weight", 0), c, 0.0f);
    assert_times(at(f, "model.decoder.embed_positions.weight", 8), c, 1.0f);
    /* id 0 is embedded as zeros, and has a logit of its own */
    assert_true(at(f, "model.shared.weight", 5) == 0.0f);
    assert_true(at(f, "lm_head.weight", 5) != 0.0f);
    assert_times(at(f, "model.shared.weight", 21), c,
                 ours_at(&e, "transformer/symbol_modality_258_16/shared/weights", 21));
    assert_string_equal(ckpt_metadata(f, "format"), "pt");
    ckpt_close(f);
    exchanged_close(&e);
}

static void test_norms_behind(void **state)
{
    struct exchanged e;
    struct ckpt_file *f = write_and_open(&e, post_norm, t_tmp_path("marian"));

    (void) state;
    assert_null(ckpt_find(f, "model.shared.weight"));
    assert_null(ckpt_find(f, "model.encoder.layer_norm.weight"));
    assert_times(at(f, "model.encoder.layers.0.final_layer_norm.weight", 2), c, 1.0f);
    assert_times(at(f, "model.encoder.layers.0.fc1.weight", 16), 1.0 / c,
                 ours_at(&e, "transformer/body/encoder/layer_0/ffn/conv1/kernel", 1));
    assert_times(at(f, "lm_head.weight", 5), 1.0 / c,
                 ours_at(&e, "transformer/symbol_modality_258_16/softmax/weights", 5));
    ckpt_close(f);
    exchanged_close(&e);
}

static void check_config(const char *dir, const char *architecture, const char *type)
{
    char *path = t2_asprintf("%s/config.json", dir);
    struct t2_json_doc *doc = NULL;
    struct t2_err err = T2_ERR_INIT;
    const struct t2_json_value *root;

    assert_int_equal(t2_json_load(path, &doc, &err), T2_OK);
    root = t2_json_root(doc);
    assert_string_equal(t2_json_as_string(t2_json_item(t2_json_get(root, "architectures"), 0), ""),
                        architecture);
    assert_string_equal(t2_json_as_string(t2_json_get(root, "model_type"), ""), type);
    assert_int_equal(t2_json_as_i64(t2_json_get(root, "vocab_size"), 0), 258);
    assert_int_equal(t2_json_as_i64(t2_json_get(root, "decoder_start_token_id"), -1), 0);
    t2_json_free(doc);
    t2_free(path);
}

static void test_config(void **state)
{
    const char *before = t_tmp_path("before"), *behind = t_tmp_path("behind");
    struct exchanged e;

    (void) state;
    ckpt_close(write_and_open(&e, ",shared_embedding=true", before));
    exchanged_close(&e);
    check_config(before, "PegasusForConditionalGeneration", "pegasus");
    ckpt_close(write_and_open(&e, post_norm, behind));
    exchanged_close(&e);
    check_config(behind, "MarianMTModel", "marian");
}

static void refuses(const char *more, const char *message)
{
    struct t2_err err = T2_ERR_INIT;
    struct exchanged e;

    exchanged_open(&e, more);
    assert_int_equal(xch_write_hugging_face(&e.m, t_tmp_path("no"), &err), T2_EUNSUPPORTED);
    t_assert_contains(err.message, message);
    exchanged_close(&e);
}

static void test_refused(void **state)
{
    (void) state;
    refuses("", "one table of symbols for both sides");
    refuses(",shared_embedding=true,pos=emb", "transformers has no place for hparam pos=emb");
    refuses(",layer_preprocess_sequence=none", "layer_postprocess_sequence=da (only 'dan')");
}

T_MAIN(cmocka_unit_test(test_norms_before), cmocka_unit_test(test_norms_behind),
       cmocka_unit_test(test_config), cmocka_unit_test(test_refused))
