/*
 * tests/unit/train/test_greedy.c - greedy decoding against choosing the best id over and over.
 */
#include "tests/support/t.h"
#include "tests/unit/train/fake_dec_model.h"

enum { MAX_LENGTH = 20 };

/* The ids of one source and their log-probability; returns how many. */
static int32_t plain_greedy(const struct fake *f, int32_t source, int32_t limit,
                            const int32_t *prefix, int32_t n_prefix, int32_t *ids, double *score)
{
    static float x[FAKE_MAX_VOCAB];
    static double log_prob[FAKE_MAX_VOCAB];
    uint64_t state = fake_start(f, source);
    int32_t n = 0;

    *score = 0;
    while (n < limit) {
        bool forced = n < n_prefix && prefix[n] >= 0;
        int32_t best = 0;

        fake_logits(f, state, x);
        fake_log_softmax(x, f->vocab, log_prob);
        for (int32_t v = 1; v < f->vocab; v++)
            best = x[v] > x[best] ? v : best;
        if (forced)
            best = prefix[n];
        else
            *score += log_prob[best];
        ids[n++] = best;
        state = fake_append(state, best);
        if (best == DEC_EOS && !forced)
            break;
    }
    return n;
}

static void check(int32_t vocab, int32_t batch, uint64_t seed, float eos_bonus,
                  const int32_t *prefix, int32_t n_prefix)
{
    struct fake *f = fake_new(vocab, batch, 1, seed);
    struct dec_options options = {.beam_size = 1, .max_length = MAX_LENGTH, .n_best = 1};
    struct dec_model model = fake_model(f, &options);
    struct dec_result r;
    struct t2_err err = T2_ERR_INIT;
    int32_t longest = 0;

    f->eos_bonus = eos_bonus;
    assert_int_equal(dec_search(&model, batch, &options, prefix, n_prefix, &r, &err), T2_OK);
    for (int32_t b = 0; b < batch; b++) {
        int32_t want[MAX_LENGTH] = {0}, n;
        double score;

        n = plain_greedy(f, b, MAX_LENGTH, prefix ? prefix + b * n_prefix : NULL, n_prefix, want,
                         &score);
        assert_int_equal(r.lengths[b], n);
        assert_memory_equal(r.ids + b * MAX_LENGTH, want, sizeof want);
        assert_true(fabs(r.scores[b] - score) < 1e-4);
        longest = n > longest ? n : longest;
    }
    assert_int_equal(r.steps, longest); /* stops when all have ended */
    assert_int_equal(f->n_steps, longest);
    assert_int_equal(f->n_reorders, 0);
    dec_result_release(&r);
    free(f);
}

static void test_like_plain(void **state)
{
    (void) state;
    for (uint64_t seed = 0; seed < 30; seed++) {
        check(5, 1, seed, 0, NULL, 0);
        check(60, 7, seed, 2, NULL, 0);
        check(1000, 3, seed, 3, NULL, 0);
    }
}

static void test_prefix(void **state)
{
    static const int32_t prefix[] = {7, 0, 3, -1, 5, 9, 4, DEC_EOS, 4};

    (void) state;
    for (uint64_t seed = 0; seed < 10; seed++)
        check(20, 3, seed, 2, prefix, 3);
}

static void test_hand_made(void **state)
{
    struct fake *f = fake_new(3, 1, 1, 1);
    struct dec_options options = {.beam_size = 1, .max_length = 0, .n_best = 1};
    struct dec_model model = fake_model(f, &options);
    struct dec_result r;
    struct t2_err err = T2_ERR_INIT;

    (void) state;
    assert_int_equal(dec_search(&model, 1, &options, NULL, 0, &r, &err), T2_OK);
    assert_int_equal(r.steps, 0);
    assert_int_equal(r.lengths[0], 0);
    dec_result_release(&r);
    f->spread = 0; /* all ids are equally likely: the lowest */
    options.max_length = 2;
    model = fake_model(f, &options);
    assert_int_equal(dec_search(&model, 1, &options, NULL, 0, &r, &err), T2_OK);
    assert_int_equal(r.ids[0], 0);
    assert_int_equal(r.ids[1], 0);
    assert_int_equal(r.lengths[0], 2);
    assert_true(fabs(r.scores[0] + 2 * log(3)) < 1e-6);
    dec_result_release(&r);
    free(f);
}

/* What comes behind EOS: as long as the batch goes on, or to the end; the score stays. */
static void test_beyond_eos(void **state)
{
    struct fake *f = fake_new(9, 6, 1, 4);
    struct dec_options o = {.beam_size = 1, .max_length = MAX_LENGTH, .n_best = 1};
    struct dec_result cut, whole;
    struct t2_err err = T2_ERR_INIT;
    struct dec_model model = fake_model(f, &o);
    int n_shorter = 0;

    (void) state;
    f->eos_bonus = 2;
    assert_int_equal(dec_search(&model, 6, &o, NULL, 0, &cut, &err), T2_OK);
    assert_true(cut.steps < MAX_LENGTH);
    for (int to_the_end = 0; to_the_end < 2; to_the_end++) {
        o.beyond_eos = true;
        o.to_the_end = to_the_end;
        model = fake_model(f, &o);
        assert_int_equal(dec_search(&model, 6, &o, NULL, 0, &whole, &err), T2_OK);
        assert_int_equal(whole.steps, to_the_end ? MAX_LENGTH : cut.steps);
        for (int b = 0; b < 6; b++) {
            uint64_t state_of = fake_start(f, b);

            assert_int_equal(whole.lengths[b], whole.steps);
            assert_true(whole.scores[b] == cut.scores[b]);
            assert_memory_equal(whole.ids + b * MAX_LENGTH, cut.ids + b * MAX_LENGTH,
                                (size_t) cut.lengths[b] * sizeof *cut.ids);
            n_shorter += cut.lengths[b] < cut.steps;
            for (int i = 0; i < whole.steps; i++) { /* ids behind EOS follow from it */
                float x[FAKE_MAX_VOCAB];
                int32_t best = 0;

                fake_logits(f, state_of, x);
                for (int32_t v = 1; v < 9; v++)
                    best = x[v] > x[best] ? v : best;
                assert_int_equal(whole.ids[b * MAX_LENGTH + i], best);
                state_of = fake_append(state_of, best);
            }
        }
        dec_result_release(&whole);
    }
    assert_true(n_shorter > 0);
    dec_result_release(&cut);
    free(f);
}

static void test_errors(void **state)
{
    struct fake *f = fake_new(30, 4, 1, 1);
    struct dec_options options = {.beam_size = 1, .max_length = 9, .n_best = 1};
    struct dec_model model = fake_model(f, &options);
    struct dec_result r;
    struct t2_err err = T2_ERR_INIT;

    (void) state;
    f->eos_bonus = -100;
    f->nan_at_step = 3;
    assert_int_equal(dec_search(&model, 4, &options, NULL, 0, &r, &err), T2_EFORMAT);
    t_assert_contains(err.message, "step 3");
    dec_result_release(&r);
    f->nan_at_step = -1;
    f->fail_at_step = 2;
    model = fake_model(f, &options);
    assert_int_equal(dec_search(&model, 4, &options, NULL, 0, &r, &err), T2_EINTERRUPTED);
    dec_result_release(&r);
    free(f);
}

/* What would be repeated without it is not. */
static void test_no_repeated_ngrams(void **state)
{
    int n_changed = 0;

    (void) state;
    for (uint64_t seed = 0; seed < 20; seed++) {
        struct dec_result free_of_it, r;
        struct t2_err err = T2_ERR_INIT;

        for (int32_t size = 0; size < 3; size += 2) {
            struct dec_options o = {.beam_size = 1,
                                    .max_length = MAX_LENGTH,
                                    .n_best = 1,
                                    .no_repeat_ngram = size};
            struct fake *f = fake_new(5, 1, 1, seed);
            struct dec_model model = fake_model(f, &o);

            f->eos_bonus = -9;
            assert_int_equal(dec_search(&model, 1, &o, NULL, 0, size ? &r : &free_of_it, &err),
                             T2_OK);
            free(f);
        }
        for (int32_t a = 0; a + 1 < r.lengths[0]; a++)
            for (int32_t b = 0; b < a; b++)
                assert_false(r.ids[a] == r.ids[b] && r.ids[a + 1] == r.ids[b + 1]);
        n_changed += memcmp(r.ids, free_of_it.ids, MAX_LENGTH * sizeof *r.ids) != 0;
        dec_result_release(&r);
        dec_result_release(&free_of_it);
    }
    assert_true(n_changed > 5);
}

/* What stands in the prefix may be said again, once. */
static void test_prefix_may_be_repeated(void **state)
{
    static const int32_t prefix[] = {2, 3, 2, 3, 2, 3};
    struct dec_options o = {.beam_size = 1,
                            .max_length = MAX_LENGTH,
                            .n_best = 1,
                            .no_repeat_ngram = 2};
    bool said = false;

    (void) state;
    for (uint64_t seed = 0; seed < 20; seed++) {
        struct fake *f = fake_new(5, 1, 1, seed);
        struct dec_model model = fake_model(f, &o);
        struct t2_err err = T2_ERR_INIT;
        struct dec_result r;
        int n = 0;

        f->eos_bonus = -9;
        assert_int_equal(dec_search(&model, 1, &o, prefix, 6, &r, &err), T2_OK);
        assert_memory_equal(r.ids, prefix, sizeof prefix);
        for (int32_t i = 6; i + 1 < r.lengths[0]; i++)
            n += r.ids[i] == 2 && r.ids[i + 1] == 3;
        assert_true(n <= 1);
        said = said || n == 1;
        dec_result_release(&r);
        free(f);
    }
    assert_true(said);
}

T_MAIN(cmocka_unit_test(test_prefix_may_be_repeated), cmocka_unit_test(test_no_repeated_ngrams),
       cmocka_unit_test(test_like_plain), cmocka_unit_test(test_prefix),
       cmocka_unit_test(test_hand_made), cmocka_unit_test(test_beyond_eos),
       cmocka_unit_test(test_errors))
