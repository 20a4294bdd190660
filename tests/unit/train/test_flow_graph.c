/* Tests of train/exchange/flow_graph.c: a flow, computed by plain loops, gives the model's logits.
 */
#include "tests/unit/train/flow_models.h"

#include "tests/unit/train/flow_eval.h"

static struct fe_tensor of_ids(const int32_t *ids, int64_t rows, int64_t length)
{
    struct fe_tensor t = fe_new(2, (const int64_t[]){rows, length});

    for (int64_t i = 0; i < t.n; i++)
        t.x[i] = ids[i];
    return t;
}

static void same_logits(const char *model, const char *set, const char *hparams,
                        const struct mdl_problem *problem, double tolerance)
{
    static const char *const names[] = {"targets", "inputs", "images"};
    struct fe_tensor in[3] = {{0}}, out;
    struct t2_err err = T2_ERR_INIT;
    struct flow_model f;
    struct xch_check c;
    struct xch_flow flow;
    int64_t n;

    flow_open(&f, model, set, hparams, problem);
    if (xch_check_run(f.mdl, &c, &err) != T2_OK || xch_flow_of(&f.m, f.mdl, &flow, &err) != T2_OK)
        fail_msg("%s", err.message);
    if (c.targets)
        in[0] = of_ids(c.targets, c.rows, c.length);
    if (c.inputs)
        in[1] = of_ids(c.inputs, c.rows, c.length);
    if (c.images) {
        in[2] =
            fe_new(4, (const int64_t[]){c.rows, c.image.height, c.image.width, c.image.channels});
        for (int64_t i = 0; i < in[2].n; i++)
            in[2].x[i] = (double) c.images[i];
    }
    out = fe_run(&flow, names, in, 3);
    n = c.rows * (c.length ? c.length : 1) * c.columns;
    assert_int_equal(out.n, n);
    for (int64_t i = 0; i < n; i++)
        if (fabs(out.x[i] - (double) c.logits[i]) > tolerance)
            fail_msg("%s: logit %lld is %g, not %g", model, (long long) i, out.x[i],
                     (double) c.logits[i]);
    for (int i = 0; i < 3; i++)
        t2_free(in[i].x);
    t2_free(out.x);
    xch_flow_release(&flow);
    xch_check_release(&c);
    flow_close(&f);
}

static void test_transformer(void **state)
{
    struct mdl_problem alone = flow_texts;

    (void) state;
    same_logits("transformer", "transformer_tiny", flow_small, &flow_texts, 2e-5);
    same_logits("transformer", "transformer_tiny",
                "hidden_size=16,filter_size=24,num_heads=2,num_hidden_layers=1,pos=emb,"
                "max_length=20,attention_variables_3d=true,layer_preprocess_sequence=none,"
                "layer_postprocess_sequence=dan,symbol_modality_num_shards=4",
                &flow_texts, 2e-5);
    same_logits("universal_transformer", "universal_transformer_tiny",
                "hidden_size=16,filter_size=24,num_heads=2,num_rec_steps=2,"
                "recurrence_type=basic,transformer_ffn_type=fc",
                &flow_texts, 2e-5);
    alone.has_inputs = false;
    alone.inputs_vocab = 0;
    same_logits("transformer", "transformer_tiny", flow_small, &alone, 2e-5);
}

static void test_images(void **state)
{
    (void) state;
    same_logits("resnet", "resnet_18", "filter_sizes=[4,4,6,8,8],layer_sizes=[1,1,1,1]",
                &flow_images, 1e-4);
    same_logits("resnet", "resnet_50", "filter_sizes=[4,4,6,8,8],layer_sizes=[1,1,1,1]",
                &flow_images, 1e-4);
    same_logits("tpu_resnet", "tpu_resnet_50",
                "resnet_depth=10,se_ratio=0.25,use_resnetd_stem=true,resnetd_shortcut=true",
                &flow_images, 1e-4);
    same_logits("mg_resnet", "mg_resnet_imagenet", "resnet_depth=10,filter_sizes=[4,4,6,8,8]",
                &flow_images, 1e-4);
    same_logits("flowers_cnn", "flowers_cnn_batch_norm", "", &flow_images, 1e-3);
    same_logits("basic_fc_relu", "basic_fc_small", "", &flow_images, 1e-3);
}

static void test_refused(void **state)
{
    struct t2_err err = T2_ERR_INIT;
    struct flow_model f;
    struct xch_flow flow;

    (void) state;
    flow_open(&f, "transformer", "transformer_tiny",
              "self_attention_type=dot_product_relative,max_relative_position=4", &flow_texts);
    assert_int_equal(xch_flow_of(&f.m, f.mdl, &flow, &err), T2_EUNSUPPORTED);
    t_assert_contains(err.message, "there is no form of attention with relative positions");
    xch_flow_release(&flow);
    flow_close(&f);
}

T_MAIN(cmocka_unit_test(test_transformer), cmocka_unit_test(test_images),
       cmocka_unit_test(test_refused))
