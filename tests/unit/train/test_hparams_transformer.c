/* Tests of train/models/hparams_transformer.c against spec t2t-trainer.md §3.11; complete sets are
 * compared with recorded ones in tests/oracle/test_recorded_hparams.c. */
#include <string.h>

#include "base/alloc.h"
#include "base/json_writer.h"
#include "tests/support/t.h"
#include "train/models/hparams.h"

static struct mdl_hparams *new_set(const char *name)
{
    struct t2_err err = T2_ERR_INIT;
    struct mdl_hparams *hp = NULL;

    assert_int_equal(mdl_hparams_new(name, &hp, &err), T2_OK);
    return hp;
}

static char *json_of(const struct mdl_hparams *hp)
{
    struct t2_buf b = {0};
    struct t2_json j;

    t2_json_init(&j, &b, 0);
    mdl_hparams_write_json(hp, &j);
    return t2_buf_detach(&b);
}

/* Every set is its base with the differences that the specification lists, and nothing else. */
static void test_differences(void **state)
{
    static const struct {
        const char *set, *base, *differences;
    } rows[] = {
        {"transformer_base", "transformer_base_v3", ""},
        {"transformer_base_v3", "transformer_base_v2",
         "optimizer_adam_beta2=0.997,learning_rate_constant=2,"
         "learning_rate_schedule=constant*linear_warmup*rsqrt_decay*rsqrt_hidden_size"},
        {"transformer_big", "transformer_base",
         "hidden_size=1024,filter_size=4096,num_heads=16,batch_size=2048,"
         "layer_prepostprocess_dropout=0.3"},
        {"transformer_big_single_gpu", "transformer_base",
         "hidden_size=1024,filter_size=4096,num_heads=16,batch_size=2048,"
         "learning_rate_warmup_steps=16000"},
        {"transformer_base_single_gpu", "transformer_base",
         "batch_size=1024,learning_rate_schedule=constant*linear_warmup*rsqrt_decay,"
         "learning_rate_constant=0.1,learning_rate_warmup_steps=16000"},
        {"transformer_tiny", "transformer_base",
         "num_hidden_layers=2,hidden_size=128,filter_size=512,num_heads=4"},
        {"transformer_small", "transformer_base",
         "num_hidden_layers=2,hidden_size=256,filter_size=1024,num_heads=4"},
        {"transformer_test", "transformer_base",
         "num_hidden_layers=2,hidden_size=16,filter_size=8,num_heads=2"},
        {"transformer_base_multistep8", "transformer_base",
         "optimizer=multistep_adam,optimizer_multistep_accumulate_steps=8"},
        {"transformer_clean", "transformer_base_v2",
         "label_smoothing=0,layer_prepostprocess_dropout=0,attention_dropout=0,relu_dropout=0,"
         "max_length=0"},
        {"transformer_lm_tpu_1", "transformer_lm_tpu_0", "hidden_size=2048,filter_size=8192"},
        {"transformer_packed_tpu", "transformer_tpu", ""},
        {"transformer_librispeech_tpu", "transformer_librispeech_tpu_v2", ""},
    };

    (void) state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct t2_err err = T2_ERR_INIT;
        struct mdl_hparams *hp = new_set(rows[i].set), *base = new_set(rows[i].base);
        char *actual, *expected;

        assert_int_equal(mdl_hparams_override(base, rows[i].differences, &err), T2_OK);
        actual = json_of(hp);
        expected = json_of(base);
        assert_string_equal(actual, expected);
        t2_free(actual);
        t2_free(expected);
        mdl_hparams_free(hp);
        mdl_hparams_free(base);
    }
}

static void test_memory_sets_add_keys(void **state)
{
    struct mdl_hparams *hp = new_set("transformer_cifar10_memory_v0");

    (void) state;
    assert_string_equal(mdl_hp_string(hp, "memory_type"), "transformer_xl");
    assert_true(mdl_hp_bool(hp, "unconditional"));
    assert_int_equal(mdl_hp_int(hp, "num_memory_items"), 384);
    assert_int_equal(mdl_hp_int(hp, "max_relative_position"),
                     mdl_hp_int(hp, "num_memory_items") +
                         mdl_hp_int(hp, "split_targets_chunk_length"));
    assert_string_equal(mdl_hp_string(hp, "pos"), "None");
    mdl_hparams_free(hp);
}

T_MAIN(cmocka_unit_test(test_differences), cmocka_unit_test(test_memory_sets_add_keys))
