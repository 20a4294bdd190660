/*
 * Tests of train/decode/draw_id.c: frequencies are those of the softmax, cut off and sharpened as
 * asked, and a draw is a function of seed, sentence and position.
 */
#include "train/decode/draw_id.h"

#include <math.h>
#include <string.h>

#include "tests/support/t.h"

enum { V = 5, N = 20000 };
static const float logits[V] = {0.0F, 1.0F, 2.0F, 2.0F, -1.0F};
static struct t2_err err;

static void count(const struct dec_sampling *s, int counts[V])
{
    memset(counts, 0, V * sizeof *counts);
    for (uint64_t i = 0; i < N; i++) {
        struct t2_rng r;
        float log_prob;
        int32_t id = -1;

        dec_sample_stream(&r, s, t_hash64(i), 3);
        assert_true(dec_row_sample(s, logits, V, &r, &id, &log_prob));
        assert_true(id >= 0 && id < V);
        counts[id]++;
        {
            double sum = 0;

            for (int k = 0; k < V; k++)
                sum += exp((double) logits[k]);
            assert_true(fabs((double) log_prob - ((double) logits[id] - log(sum))) < 1e-5);
        }
    }
}

/* Within five standard deviations of p. */
static void near(const int counts[V], const double p[V])
{
    for (int i = 0; i < V; i++)
        assert_true(fabs(counts[i] - N * p[i]) <= 5 * sqrt(N * p[i] * (1 - p[i])));
}

static void softmax(const double x[V], double p[V])
{
    double sum = 0;

    for (int i = 0; i < V; i++)
        sum += p[i] = exp(x[i]);
    for (int i = 0; i < V; i++)
        p[i] /= sum;
}

static void test_frequencies(void **state)
{
    static const struct {
        double temperature;
        int64_t keep;
        double x[V]; /* what the softmax is of */
    } rows[] = {
        {1.0, -1, {0, 1, 2, 2, -1}},
        {0.5, -1, {0, 2, 4, 4, -2}},
        {1.0, 3, {-1e6, 1, 2, 2, -1e6}},
        {1.0, V, {0, 1, 2, 2, -1}},
        /* equals at the threshold are left out, here all that could stay: as likely as others */
        {1.0, 1, {0, 0, 0, 0, 0}}};

    (void) state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        const struct dec_sampling s = {true, rows[i].temperature, rows[i].keep, 7};
        double p[V];
        int counts[V];

        softmax(rows[i].x, p);
        count(&s, counts);
        near(counts, p);
    }
}

static void test_a_draw_is_named(void **state)
{
    const struct dec_sampling s = {true, 1.0, -1, 7}, other = {true, 1.0, -1, 8};
    int by_seed = 0, by_sentence = 0, by_position = 0;

    (void) state;
    for (uint64_t i = 0; i < 200; i++) {
        struct t2_rng r;
        int32_t ids[5];
        float log_prob;

        for (int k = 0; k < 5; k++) {
            dec_sample_stream(&r, k == 2 ? &other : &s, k == 3 ? i + 1000 : i, k == 4 ? 1 : 0);
            assert_true(dec_row_sample(&s, logits, V, &r, &ids[k], &log_prob));
        }
        assert_int_equal(ids[0], ids[1]);
        by_seed += ids[0] != ids[2];
        by_sentence += ids[0] != ids[3];
        by_position += ids[0] != ids[4];
    }
    assert_true(by_seed > 50 && by_sentence > 50 && by_position > 50);
}

static void test_not_finite(void **state)
{
    const struct dec_sampling s = {true, 1.0, 2, 7};
    float bad[V] = {0, 1, NAN, 0, 0}, log_prob;
    struct t2_rng r;
    int32_t id;

    (void) state;
    dec_sample_stream(&r, &s, 1, 0);
    assert_false(dec_row_sample(&s, bad, V, &r, &id, &log_prob));
    bad[2] = INFINITY;
    assert_false(dec_row_sample(&s, bad, V, &r, &id, &log_prob));
}

static void test_hparams(void **state)
{
    static const struct {
        const char *clauses;
        enum t2_status status;
        const char *says;
        bool random;
    } rows[] = {{"", T2_OK, "", false},
                {"sampling_method=random", T2_OK, "", true},
                {"sampling_method=random,sampling_temp=0", T2_OK, "", false},
                {"sampling_method=random_per_example", T2_EUNSUPPORTED, "not supported", false},
                {"sampling_method=beam", T2_EUSAGE, "neither argmax nor random", false},
                {"sampling_temp=-1", T2_EUSAGE, "must not be negative", false},
                {"sampling_keep_top_k=0", T2_EUSAGE, "-1 (no limit) or positive", false}};

    (void) state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct mdl_hparams *hp = NULL;
        struct dec_sampling s;

        assert_int_equal(mdl_hparams_new("transformer_tiny", &hp, &err), T2_OK);
        assert_int_equal(mdl_hparams_override(hp, rows[i].clauses, &err), T2_OK);
        assert_int_equal(dec_sampling_of(hp, 1, &s, &err), rows[i].status);
        if (rows[i].status != T2_OK)
            t_assert_contains(err.message, rows[i].says);
        else
            assert_int_equal(s.random, rows[i].random);
        mdl_hparams_free(hp);
    }
}

T_MAIN(cmocka_unit_test(test_frequencies), cmocka_unit_test(test_a_draw_is_named),
       cmocka_unit_test(test_not_finite), cmocka_unit_test(test_hparams))
