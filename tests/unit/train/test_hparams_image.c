/* Tests of train/models/hparams_image.c; complete sets are compared with the
 * original's in tests/oracle/test_recorded_hparams.c. */
#include <string.h>

#include "base/json_writer.h"
#include "tests/support/t.h"
#include "train/models/hparams.h"

static struct mdl_hparams *set(const char *name)
{
    struct t2_err err = T2_ERR_INIT;
    struct mdl_hparams *hp = NULL;

    assert_int_equal(mdl_hparams_new(name, &hp, &err), T2_OK);
    return hp;
}

/* Spec t2t-trainer.md §6.1. */
static void test_sets(void **state)
{
    static const struct {
        const char *set, *likelihood, *pos;
        int64_t hidden, filter, heads, layers, batch;
        double dropout;
        bool unconditional;
    } rows[] = {{"imagetransformer_cifar10_base", "cat", "timing", 512, 2048, 4, 12, 4, 0.3, true},
                {"imagetransformer_cifar10_base_dmol", "dmol", "emb", 256, 512, 8, 12, 8, 0.1,
                 true},
                {"imagetransformer_imagenet32_base", "cat", "timing", 512, 2048, 4, 12, 4, 0.1,
                 true},
                {"imagetransformer_base_8l_8h_big_cond_dr03_dan", "cat", "timing", 512, 2048, 8, 8,
                 4, 0.3, false},
                {"imagetransformerpp_base_14l_8h_big_uncond_dr03_dan_p", "dmol", "emb", 256, 512, 8,
                 14, 8, 0.2, true},
                {"imagetransformer_base_tpu", "cat", "timing", 512, 2048, 4, 12, 4, 0.3, false},
                {"imagetransformer_tiny", "cat", "timing", 64, 512, 8, 2, 1, 0.0, true}};

    (void) state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct mdl_hparams *hp = set(rows[i].set);

        assert_string_equal(mdl_hp_string(hp, "likelihood"), rows[i].likelihood);
        assert_string_equal(mdl_hp_string(hp, "pos"), rows[i].pos);
        assert_int_equal(mdl_hp_int(hp, "hidden_size"), rows[i].hidden);
        assert_int_equal(mdl_hp_int(hp, "filter_size"), rows[i].filter);
        assert_int_equal(mdl_hp_int(hp, "num_heads"), rows[i].heads);
        assert_int_equal(mdl_hp_int(hp, "num_decoder_layers"), rows[i].layers);
        if (i != 5)
            assert_int_equal(mdl_hp_int(hp, "batch_size"), rows[i].batch);
        assert_true(mdl_hp_float(hp, "layer_prepostprocess_dropout") == rows[i].dropout);
        assert_int_equal(mdl_hp_bool(hp, "unconditional"), rows[i].unconditional);
        assert_true(mdl_hp_float(hp, "initializer_gain") == 0.2);
        mdl_hparams_free(hp);
    }
}

/* In the original a bool that a set writes as 0 is one still. */
static void test_bool_as_number(void **state)
{
    struct mdl_hparams *hp = set("imagetransformer2d_base_8l_8_32_big");
    struct t2_err err = T2_ERR_INIT;
    struct t2_buf text = {0};
    struct t2_json j;

    (void) state;
    t2_json_init(&j, &text, 0);
    mdl_hparams_write_json(hp, &j);
    assert_non_null(strstr(t2_buf_cstr(&text), "\"unconditional\": 0"));
    assert_false(mdl_hp_bool(hp, "unconditional"));
    assert_int_equal(mdl_hparams_override(hp, "unconditional=true", &err), T2_OK);
    assert_true(mdl_hp_bool(hp, "unconditional"));
    t2_buf_clear(&text);
    t2_json_init(&j, &text, 0);
    mdl_hparams_write_json(hp, &j);
    assert_non_null(strstr(t2_buf_cstr(&text), "\"unconditional\": true"));
    t2_buf_release(&text);
    mdl_hparams_free(hp);
}

static void test_lists(void **state)
{
    struct mdl_hparams *hp = set("imagetransformer_base_8l_8h_big_cond_dr03_dan_dilated");
    size_t n;
    const int64_t *gaps = mdl_hp_ints(hp, "gap_sizes", &n);

    (void) state;
    assert_int_equal(n, 8);
    assert_int_equal(gaps[6], 128);
    assert_int_equal(mdl_hp_int(hp, "num_memory_blocks"), 1);
    mdl_hparams_free(hp);
}

T_MAIN(cmocka_unit_test(test_sets), cmocka_unit_test(test_bool_as_number),
       cmocka_unit_test(test_lists))
