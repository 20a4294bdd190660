/*
 * Tests of train/models/hparams_reads.c: every hparam of every registered set has a reader, or is
 * in the table of those without a meaning (hparams_unused.c); one that is set and not read is
 * named.
 *
 * A new hparam that nobody reads fails here.
 */
#define ONE_CASE_OF 1 /* each run says what it reads */
#include "tests/unit/train/hostile_runs.h"
#include "train/ckpt/checkpoint.h"
#include "train/decode/draw_id.h"
#include "train/runs/run_tasks.h"

static struct t2_err err;

/* What takes the branches that the models' own sets do not take. */
static const struct {
    const char *model, *hparams;
} branches[] = {
    {"transformer", "optimizer=momentum"},
    {"transformer", "optimizer=Adafactor"},
    {"transformer", "optimizer=multistep_adam,optimizer_multistep_accumulate_steps=2"},
    {"transformer", "optimizer=keras_adagrad"},
    {"transformer", "optimizer=keras_rms_prop"},
    {"transformer", "optimizer=keras_nadam"},
    {"transformer", "optimizer=lars"},
    {"transformer", "optimizer=keras_adam_w"},
    {"transformer", "sample_order=reference"},
    {"transformer", "learning_rate_schedule=legacy,learning_rate_decay_scheme=exp"},
    {"transformer", "learning_rate_schedule=legacy,learning_rate_decay_scheme=cosine"},
    {"transformer", "learning_rate_schedule=constant*exp_decay"},
    {"transformer", "self_attention_type=dot_product_relative,max_relative_position=4"},
    {"transformer", "self_attention_type=dot_product_relative_v2,max_relative_position=4"},
    {"transformer", "ffn_layer=conv_relu_conv"},
    {"transformer", "ffn_layer=parameter_attention"},
    {"transformer", "num_area_layers=1,max_area_width=2,area_key_mode=mean,area_value_mode=sum"},
    {"transformer", "optimizer=nadam"},
    {"transformer", "optimizer=adamax"},
    {"transformer", "learning_rate_schedule=model_garden"},
    {"transformer",
     "learning_rate_schedule=model_garden,learning_rate_warmup=linear,learning_rate_main=stepwise"},
    {"transformer", "learning_rate_schedule=model_garden,learning_rate_warmup=polynomial,learning_"
                    "rate_main=exponential"},
    {"transformer", "learning_rate_schedule=model_garden,learning_rate_main=polynomial"},
    {"transformer", "learning_rate_schedule=model_garden,learning_rate_main=cosine"},
    {"transformer", "learning_rate_schedule=model_garden,learning_rate_main=power_linear"},
    {"transformer", "learning_rate_schedule=model_garden,learning_rate_main=power_with_offset"},
    {"resnet", "use_td=weight,targeting_rate=0.5,keep_prob=0.5"},
    {"mg_resnet", "resnet_depth=50"},
    {"tpu_resnet", "learning_rate_schedule=tpu_resnet_lars"},
    {"mg_resnet", "learning_rate_schedule=constant*piecewise"},
};

static const struct {
    const char *model, *set, *hparams;
} own_sets[] = {
    {"imagetransformer", "imagetransformer_base_8l_8h_big_cond_dr03_dan_dilated",
     "batch_size=1,hidden_size=8,num_heads=2,filter_size=8,image_size=8,block_length=16,"
     "num_decoder_layers=1,gap_sizes=[2]"},
    {"resnet", "resnet_cifar_32_td_weight_05_05", "batch_size=2"},
    {"mg_resnet", "mg_resnet_rs_imagenet",
     "batch_size=2,filter_sizes=[2,2,2,2,2],resnet_depth=18,image_size=32"},
    {"evolved_transformer", "evolved_transformer_tpu_basic",
     "hidden_size=16,num_heads=2,filter_size=24,num_hidden_layers=1,batch_size=100,max_length=32"},
    {"universal_transformer", "universal_transformer_mix_before_ut_base",
     "hidden_size=16,num_heads=2,filter_size=24,batch_size=100,max_length=32"},
    {"universal_transformer", "adaptive_universal_transformer_tiny",
     "hidden_size=16,num_heads=2,filter_size=24,batch_size=100,max_length=32,act_max_steps=2"},
    {"universal_transformer", "universal_transformer_position_step_timing_tiny", ""},
};

static void run_all(void)
{
    for (size_t m = 0; m < N_SMALL_MODELS; m++) {
        n_cases = 0;
        add(&small_models[m], small_models[m].set, "");
        assert_true(plans(&cases[0]));
    }
    for (size_t b = 0; b < sizeof branches / sizeof *branches; b++)
        for (size_t m = 0; m < N_SMALL_MODELS; m++)
            if (strcmp(small_models[m].model, branches[b].model) == 0) {
                n_cases = 0;
                add(&small_models[m], small_models[m].set, branches[b].hparams);
                (void) plans(&cases[0]); /* a refusal is a reader, too */
            }
    /* what is None or nothing but in its own sets */
    for (size_t i = 0; i < sizeof own_sets / sizeof *own_sets; i++) {
        n_cases = 0;
        for (size_t m = 0; m < N_SMALL_MODELS; m++)
            if (strcmp(small_models[m].model, own_sets[i].model) == 0)
                add(&small_models[m], own_sets[i].set, own_sets[i].hparams);
        (void) plans(&cases[0]);
    }
}

/* Two problems, which are the two sides of one here. */
static void read_tasks(void)
{
    static const struct in_task tasks[2] = {{"ids", "train", NULL, "targets", 200, 200, 200, 0},
                                            {"ids", "train", NULL, "targets", 200, 200, 201, 0}};
    const struct in_options o = {.data_dir = data_dir,
                                 .dataset = "ids",
                                 .split = "train",
                                 .targets_feature = "targets",
                                 .training = true,
                                 .n_tasks = 2,
                                 .tasks = tasks};
    struct in_options evaluation = o;
    struct tr_data_set d = {.n_others = 1};
    struct mdl_hparams *hp = NULL;
    struct in_input *in;

    assert_int_equal(mdl_hparams_new("transformer_tiny", &hp, &err), T2_OK);
    mdl_hp_set_bool(hp, "multiproblem_reweight_label_loss", true);
    assert_int_equal(tr_tasks_settle(&d, hp, &err), T2_OK);
    evaluation.training = false;
    for (int i = 0; i < 2; i++) {
        if (in_new(i == 0 ? &o : &evaluation, hp, &in, &err) != T2_OK)
            fail_msg("%s", err.message);
        in_free(in);
    }
    mdl_hparams_free(hp);
}

static void decode_once(void)
{
    struct mdl_hparams *hp = NULL;
    struct dec_sampling s;

    assert_int_equal(mdl_hparams_new("transformer_tiny", &hp, &err), T2_OK);
    assert_int_equal(dec_sampling_of(hp, 1, &s, &err), T2_OK);
    mdl_hparams_free(hp);
}

/* Every key of a set; returns how many have neither a reader nor a place in the table. */
static int check_set(const char *set, struct t2_strs *said)
{
    struct mdl_hparams *hp = NULL;
    struct t2_json_doc *doc = NULL;
    struct t2_buf text = {0};
    struct t2_json json;
    int n_bad = 0;

    assert_int_equal(mdl_hparams_new(set, &hp, &err), T2_OK);
    t2_json_init(&json, &text, 0);
    mdl_hparams_write_json(hp, &json);
    assert_int_equal(t2_json_parse(t2_buf_cstr(&text), text.len_bytes, "hp", &doc, &err), T2_OK);
    for (size_t i = 0; i < t2_json_size(t2_json_root(doc)); i++) {
        const struct t2_json_value *value;
        const char *key = t2_json_member(t2_json_root(doc), i, &value);
        const char *why = mdl_hparams_unused(key);
        bool read = mdl_hparams_was_read(key), named = why;

        if (read != named || t2_strs_contains(said, key))
            continue;
        t2_strs_push(said, key);
        fprintf(stderr, "%s, of set %s: %s\n", key, set,
                read ? "is in the table of those without a meaning (hparams_unused.c), but "
                       "something reads it"
                     : "nobody reads it");
        n_bad++;
    }
    t2_json_free(doc);
    t2_buf_release(&text);
    mdl_hparams_free(hp);
    return n_bad;
}

static void test_every_key_has_a_reader(void **state)
{
    struct t2_strs said = {0};
    int n_bad = 0;

    (void) state;
    mdl_hparams_forget_reads();
    runs_evaluate = true;
    run_all();
    read_tasks();
    decode_once();
    for (size_t s = 0; s < mdl_hparams_count(); s++)
        n_bad += check_set(mdl_hparams_name(s), &said);
    t2_strs_release(&said);
    assert_int_equal(n_bad, 0);
}

/* The rule itself: a key of a set that no code knows is found. */
static void test_what_nobody_reads_is_found(void **state)
{
    struct mdl_hparams *hp = NULL;
    struct t2_strs names = {0};

    (void) state;
    mdl_hparams_forget_reads();
    assert_int_equal(mdl_hparams_new("transformer_tiny", &hp, &err), T2_OK);
    assert_int_equal(mdl_hparams_unread(hp, NULL, &names, &err), T2_OK);
    assert_int_equal(names.n, 0); /* all are as the set says */
    assert_int_equal(mdl_hparams_override(hp, "kernel_height=5,num_heads=2,sampling_temp=0.5",
                                          &err),
                     T2_OK);
    (void) mdl_hp_int(hp, "num_heads");
    assert_int_equal(mdl_hparams_unread(hp, NULL, &names, &err), T2_OK);
    assert_int_equal(names.n, 1);
    assert_string_equal(names.items[0], "kernel_height");
    t2_strs_release(&names);
    mdl_hparams_free(hp);
}

/* What would change the result in the original is refused, each with its way out. */
static void test_refused(void **state)
{
    static const char *const clauses[] = {"warm_start_from_second=a", "pretrained_model_dir=b",
                                          "overload_eval_metric_name=c",
                                          "eval_run_autoregressive=true"};

    (void) state;
    for (size_t i = 0; i < sizeof clauses / sizeof *clauses; i++) {
        struct mdl_hparams *hp = NULL;

        assert_int_equal(mdl_hparams_new("transformer_tiny", &hp, &err), T2_OK);
        assert_int_equal(mdl_hparams_check(hp, &err), T2_OK);
        assert_int_equal(mdl_hparams_override(hp, clauses[i], &err), T2_OK);
        assert_int_equal(mdl_hparams_check(hp, &err), T2_EUNSUPPORTED);
        t_assert_contains(err.message, "is not supported (other than '");
        mdl_hparams_free(hp);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_what_nobody_reads_is_found),
                                       cmocka_unit_test(test_refused),
                                       cmocka_unit_test(test_every_key_has_a_reader)};

    return cmocka_run_group_tests(tests, set_up, tear_down);
}
