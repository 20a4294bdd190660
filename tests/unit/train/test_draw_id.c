/*
 * Tests of train/decode/draw_id.c: frequencies are those of the softmax, cut off and sharpened as
 * asked, and a draw is a function of seed, sentence and position.
 */
#include "train/decode/draw_id.h"

#include <math.h>
#include <string.h>

#include "tests/unit/train/fake_dec_model.h"

enum { V = 5, N = 20000 };
static const float logits[V] = {0.0F, 1.0F, 2.0F, 2.0F, -1.0F};
static struct t2_err err;

/* As the model of a search draws, for N rows at once. */
static void draw(const struct dec_sampling *s, const struct dev_ask *asks, int32_t n,
                 struct dev_candidate *drawn)
{
    const struct dec_options o = {.beam_size = 1, .sampling = s};
    struct mdl_choice choice = dec_choice(&o);
    static float rows[N * V];

    for (int32_t i = 0; i < n; i++)
        memcpy(rows + (ptrdiff_t) i * V, logits, sizeof logits);
    fake_choose_from(op_device("cpu", 1), &choice, rows, n, V, asks, drawn);
}

static void count(const struct dec_sampling *s, int counts[V])
{
    static struct dev_ask asks[N];
    static struct dev_candidate drawn[N];
    double sum = 0;

    memset(counts, 0, V * sizeof *counts);
    for (int k = 0; k < V; k++)
        sum += exp((double) logits[k]);
    for (uint64_t i = 0; i < N; i++)
        asks[i] = (struct dev_ask){.draw = dec_draw(s, t_hash64(i), 3), .wanted = 1};
    draw(s, asks, N, drawn);
    for (int i = 0; i < N; i++) {
        int32_t id = drawn[i].id;

        assert_true(id >= 0 && id < V);
        counts[id]++;
        assert_true(fabs((double) drawn[i].score - ((double) logits[id] - log(sum))) < 1e-5);
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
        double top_p;
        double x[V]; /* what the softmax is of */
    } rows[] = {
        {1.0, -1, 1.0, {0, 1, 2, 2, -1}},
        {0.5, -1, 1.0, {0, 2, 4, 4, -2}},
        {1.0, 3, 1.0, {-1e6, 1, 2, 2, -1e6}},
        {1.0, V, 1.0, {0, 1, 2, 2, -1}},
        /* equals at the threshold are left out, here all that could stay: as likely as others */
        {1.0, 1, 1.0, {0, 0, 0, 0, 0}},
        /* 0.39 and 0.39 reach it, 0.14 does so for the next, and a cold model has less to cut */
        {1.0, -1, 0.7, {-1e6, -1e6, 2, 2, -1e6}},
        {1.0, -1, 0.8, {-1e6, 1, 2, 2, -1e6}},
        {0.5, -1, 0.8, {-1e6, -1e6, 4, 4, -1e6}},
        /* of what top k has left */
        {1.0, 3, 0.9, {-1e6, 1, 2, 2, -1e6}},
        {1.0, 3, 0.8, {-1e6, -1e6, 2, 2, -1e6}}};

    (void) state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        const struct dec_sampling s = {true, rows[i].temperature, rows[i].keep, rows[i].top_p, 7};
        double p[V];
        int counts[V];

        softmax(rows[i].x, p);
        count(&s, counts);
        near(counts, p);
    }
}

static void test_a_draw_is_named(void **state)
{
    const struct dec_sampling s = {true, 1.0, -1, 1.0, 7}, other = {true, 1.0, -1, 1.0, 8};
    int by_seed = 0, by_sentence = 0, by_position = 0;

    (void) state;
    for (uint64_t i = 0; i < 200; i++) {
        struct dev_candidate ids[5];
        struct dev_ask asks[5];

        for (int k = 0; k < 5; k++)
            asks[k] = (struct dev_ask){.draw = dec_draw(k == 2 ? &other : &s, k == 3 ? i + 1000 : i,
                                                        k == 4 ? 1 : 0),
                                       .wanted = 1};
        draw(&s, asks, 5, ids);
        assert_int_equal(ids[0].id, ids[1].id);
        by_seed += ids[0].id != ids[2].id;
        by_sentence += ids[0].id != ids[3].id;
        by_position += ids[0].id != ids[4].id;
    }
    assert_true(by_seed > 50 && by_sentence > 50 && by_position > 50);
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
                {"sampling_keep_top_p=0", T2_EUSAGE, "must be above 0", false},
                {"sampling_keep_top_p=1.5", T2_EUSAGE, "must be above 0", false},
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
       cmocka_unit_test(test_hparams))
