/*
 * Tests of train/models/model_keys.c: every model with every registered set ends in a plan, or in a
 * sentence that says what to take instead.
 */
#include "train/models/model_keys.h"

#include "tests/unit/train/hostile_runs.h"

/* Sizes of text models, where the set has them, made small. */
static void shrunk(const char *set, bool small_images, char text[TEXT_BYTES])
{
    static const char *const small[][2] = {{"hidden_size", "16"},       {"filter_size", "16"},
                                           {"num_heads", "2"},          {"num_hidden_layers", "2"},
                                           {"num_encoder_layers", "1"}, {"num_decoder_layers", "1"},
                                           {"batch_size", "4096"},      {"max_length", "64"},
                                           {"num_block_repeat", "1"},   {"num_rec_steps", "2"}};
    struct t2_err err = T2_ERR_INIT;
    struct mdl_hparams *hp = NULL;
    size_t n = 0;

    assert_int_equal(mdl_hparams_new(set, &hp, &err), T2_OK);
    text[0] = '\0';
    for (size_t i = 0; i < sizeof small / sizeof *small; i++)
        if (mdl_hp_has(hp, small[i][0]))
            n += (size_t) snprintf(text + n, TEXT_BYTES - n, "%s%s=%s", n ? "," : "", small[i][0],
                                   strcmp(small[i][0], "batch_size") == 0 &&
                                           mdl_hp_has(hp, "image_pipeline")
                                       ? "2"
                                       : small[i][1]);
    if (small_images)
        snprintf(text + n, TEXT_BYTES - n, ",image_size=32");
    mdl_hparams_free(hp);
}

static void test_every_model_with_every_set(void **state)
{
    size_t n_sets = mdl_hparams_count();
    char(*texts)[TEXT_BYTES] = t2_alloc(2 * n_sets, sizeof *texts); /* of a set; of small images */

    (void) state;
    assert_int_equal(N_SMALL_MODELS, mdl_count());
    for (size_t s = 0; s < n_sets; s++) {
        shrunk(mdl_hparams_name(s), false, texts[2 * s]);
        shrunk(mdl_hparams_name(s), true, texts[2 * s + 1]);
    }
    n_cases = 0;
    for (size_t m = 0; m < N_SMALL_MODELS; m++) {
        assert_string_equal(small_models[m].model, mdl_name(m)); /* all, and sorted */
        for (size_t s = 0; s < n_sets; s++) {
            bool small_images = strcmp(small_models[m].problem, "image_cifar10") == 0;

            add(&small_models[m], mdl_hparams_name(s), texts[2 * s + small_images]);
        }
    }
    t2_free(texts);
    for (int i = 0; i < n_cases; i++)
        cases[i].only_plan = true;
    check_cases();
    assert_true(shared->n_plans > 60);
}

static void test_the_sentence(void **state)
{
    struct t2_err err = T2_ERR_INIT;
    struct mdl_hparams *hp = NULL;

    (void) state;
    assert_int_equal(mdl_hparams_new("resnet_50", &hp, &err), T2_OK);
    assert_int_equal(mdl_check_keys_of("transformer", hp, "transformer_base", &err), T2_EUSAGE);
    t_assert_contains(err.message, "model 'transformer' reads hparam ");
    t_assert_contains(err.message, "which hparams set 'resnet_50' has not");
    t_assert_contains(err.message, "such as --hparams_set=transformer_base, or the model of that "
                                   "set, --model=resnet");
    mdl_hparams_free(hp);
    assert_int_equal(mdl_hparams_new("transformer_relative_big", &hp, &err), T2_OK);
    assert_int_equal(mdl_check_keys_of("transformer", hp, "transformer_base", &err), T2_OK);
    mdl_hparams_free(hp);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_the_sentence),
                                       cmocka_unit_test(test_every_model_with_every_set)};

    return cmocka_run_group_tests(tests, set_up, tear_down);
}
