/*
 * tests/unit/train/test_weight_encoding.c - hparam weight_dtype=bfloat16: the numbers of the
 * original's encoding, its noise, initial values, other optimizers.
 */
#include "train/device/rules/eighth_power.h"

#include "tests/support/t.h"

#include "tests/unit/train/optim_steps.h"

/* Encoded and decoded by tensor2tensor 1.15.7 (EighthPowerEncoding) on TensorFlow 1.15, whose
 * square roots may be a unit in the last place off; the next encoded number is 2000 such units
 * away. */
static void test_numbers(void **state)
{
    enum { N = 13, NOISES = 4 };
    static const float weights[N] = {0.0F,        -0.0F,   1e-8F,  -3e-5F,    0.001F,
                                     -0.0123456F, 0.05F,   -0.25F, 0.333333F, 1.0F,
                                     -1.2345678F, -100.0F, 300.0F};
    static const float noises[NOISES] = {0.0F, 0.2F, 0.45F, 0.618034F};
    static const float expected[NOISES][N] = {
        {0.0F, 0.0F, 0.0F, -0x1.f78664p-16F, 0x1.05fc86p-10F, -0x1.945d8ap-7F, 0x1.995c8ap-5F,
         -0x1p-2F, 0x1.551d32p-2F, 1.0F, -0x1.3be41ap+0F, -0x1.905012p+6F, 0x1.2be56p+8F},
        {0.0F, 0.0F, 0.0F, -0x1.f78664p-16F, 0x1.05fc86p-10F, -0x1.945d8ap-7F, 0x1.995c8ap-5F,
         -0x1p-2F, 0x1.5561aap-2F, 1.0F, -0x1.3be41ap+0F, -0x1.8ff638p+6F, 0x1.2be56p+8F},
        {0.0F, 0.0F, 0.0F, -0x1.f73e4ep-16F, 0x1.0632dp-10F, -0x1.945d8ap-7F, 0x1.99a8fp-5F,
         -0x1p-2F, 0x1.5561aap-2F, 1.0F, -0x1.3c1eb8p+0F, -0x1.8ff638p+6F, 0x1.2c0f94p+8F},
        {0.0F, 0.0F, 0.0F, -0x1.f73e4ep-16F, 0x1.0632dp-10F, -0x1.94b0c8p-7F, 0x1.99a8fp-5F,
         -0x1p-2F, 0x1.5561aap-2F, 1.0F, -0x1.3c1eb8p+0F, -0x1.8ff638p+6F, 0x1.2c0f94p+8F}};

    (void) state;
    for (int k = 0; k < NOISES; k++)
        for (int i = 0; i < N; i++)
            if (!(fabsf(dev_eighth_power(weights[i], noises[k]) - expected[k][i]) <=
                  2.0F * FLT_EPSILON * fabsf(expected[k][i])))
                fail_msg("%a, noise %g: %a, not %a", (double) weights[i], (double) noises[k],
                         (double) dev_eighth_power(weights[i], noises[k]), (double) expected[k][i]);
}

/* What was stored is stored as it is, but for noise that is next to none: the power of the root is
 * not exact.  What is not finite stays so. */
static void test_stored_again(void **state)
{
    (void) state;
    for (int i = 1; i < 2000; i++) {
        float w = dev_eighth_power((float) i * (i % 2 ? 0.00371F : -0.00057F), 0.5F);

        for (int k = 1; k < 8; k++)
            assert_true(dev_eighth_power(w, (float) k / 8.0F) == w);
    }
    assert_true(isnan(dev_eighth_power(NAN, 0.5F)));
    assert_true(isinf(dev_eighth_power(-1e30F, 0.5F)) && dev_eighth_power(-1e30F, 0.5F) < 0.0F);
}

/* After an update: Adafactor's weights, rounded by the noise of the step (noise_from_step_num). */
static void test_updates(void **state)
{
    static const struct {
        int64_t step;
        float noise;
    } rows[] = {{0, 0x1.3c6ef4p-1F},  {1, 0x1.e3779cp-3F},     {2, 0x1.b54cdcp-1F},
                {999, 0x1.166f8p-5F}, {123456, 0x1.3e8a5p-1F}, {1000000006, 0x1.37d7p-4F}};
    static const char *const devices[] = {"reference", "cpu", "far"};

    (void) state;
    for (int d = 0; d < 3; d++) {
        struct t2_err err = T2_ERR_INIT;
        struct steps plain, encoded;

        assert_int_equal(steps_try(&plain, devices[d], 1, "optimizer=Adafactor", &err), T2_OK);
        assert_int_equal(steps_try(&encoded, devices[d], 1,
                                   "optimizer=Adafactor,weight_dtype=bfloat16", &err),
                         T2_OK);
        for (size_t r = 0; r < sizeof rows / sizeof *rows; r++) {
            plain.step = encoded.step = rows[r].step;
            (void) steps_run(&plain);
            (void) steps_run(&encoded);
            for (int i = 0; i < plain.params.n_variables; i++) {
                const struct gr_variable *v = &plain.params.variables[i];

                for (int64_t k = v->offset; k < v->offset + v->n; k++)
                    plain.x[k] = dev_eighth_power(plain.x[k], rows[r].noise);
                assert_memory_equal(encoded.x + v->offset, plain.x + v->offset,
                                    (size_t) v->n * sizeof(float));
            }
            steps_put(&plain);
        }
        steps_release(&plain);
        steps_release(&encoded);
    }
}

static void test_initial_values(void **state)
{
    struct t2_err err = T2_ERR_INIT;
    struct steps s, t;

    (void) state;
    steps_new(&s, "optimizer=Adafactor");
    steps_new(&t, "optimizer=Adafactor");
    for (int i = 0; i < s.params.n_variables; i++)
        s.params.variables[i].init = t.params.variables[i].init = GR_INIT_DEFAULT;
    t.params.encoded = true;
    assert_int_equal(gr_params_initialise(&s.params, "uniform", 1.0, 7, &err), T2_OK);
    assert_int_equal(gr_params_initialise(&t.params, "uniform", 1.0, 7, &err), T2_OK);
    steps_get(&s);
    steps_get(&t);
    for (int64_t i = 0; i < s.params.n_floats; i++)
        assert_true(t.x[i] == dev_eighth_power(s.x[i], 0.0F));
    assert_true(memcmp(s.x, t.x, (size_t) s.params.n_floats * sizeof(float)) != 0);
    steps_release(&s);
    steps_release(&t);
}

static void test_refused(void **state)
{
    struct t2_err err = T2_ERR_INIT;
    struct steps s;

    (void) state;
    assert_int_equal(steps_try(&s, "reference", 1, "optimizer=adam,weight_dtype=bfloat16", &err),
                     T2_EUNSUPPORTED);
    t_assert_contains(err.message, "is for optimizer Adafactor alone, not 'adam'");
    steps_release(&s);
    err = (struct t2_err) T2_ERR_INIT;
    assert_int_equal(steps_try(&s, "reference", 1, "weight_dtype=float16", &err), T2_EUNSUPPORTED);
    t_assert_contains(err.message, "use float32, or bfloat16 with optimizer Adafactor");
    steps_release(&s);
}

T_MAIN(cmocka_unit_test(test_numbers), cmocka_unit_test(test_stored_again),
       cmocka_unit_test(test_updates), cmocka_unit_test(test_initial_values),
       cmocka_unit_test(test_refused))
