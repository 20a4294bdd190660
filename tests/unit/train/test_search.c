/*
 * tests/unit/train/test_search.c - the search as a whole: threads, memory, owning the result.
 */
#include "base/alloc.h"
#include "tests/support/t.h"
#include "tests/unit/train/fake_dec_model.h"

/* One and several threads give the same bytes. */
static void test_threads(void **state)
{
    struct fake *f = fake_new(1200, 16, 8, 3);

    (void) state;
    f->eos_bonus = 2;
    for (int greedy = 0; greedy < 2; greedy++) {
        struct dec_result r[2];

        f->rows = 128;
        f->beam = greedy ? 1 : 8;
        for (int threads = 0; threads < 2; threads++) {
            struct dec_options o = {.beam_size = greedy ? 1 : 8, .alpha = 0.6, .max_length = 12};
            struct dec_model model = fake_model(f, &o);
            struct t2_err err = T2_ERR_INIT;

            o.n_best = o.beam_size;
            f->num_threads = threads ? 4 : 1;
            assert_int_equal(dec_search(&model, greedy ? 128 : 16, &o, NULL, 0, &r[threads], &err),
                             T2_OK);
        }
        assert_int_equal(r[0].steps, r[1].steps);
        assert_memory_equal(r[0].ids, r[1].ids, 128 * 12 * sizeof *r[0].ids);
        assert_memory_equal(r[0].lengths, r[1].lengths, 128 * sizeof *r[0].lengths);
        assert_memory_equal(r[0].scores, r[1].scores, 128 * sizeof *r[0].scores);
        dec_result_release(&r[0]);
        dec_result_release(&r[1]);
    }
    free(f);
}

static void search_once(struct fake *f, const struct dec_options *o)
{
    struct dec_model model = fake_model(f, o);
    struct t2_err err = T2_ERR_INIT;
    struct dec_result r;

    assert_int_equal(dec_search(&model, 2, o, NULL, 0, &r, &err), T2_OK);
    dec_result_release(&r);
}

static void test_memory(void **state)
{
    struct fake *f = fake_new(30, 2, 4, 1);
    struct dec_options o = {.beam_size = 4, .max_length = 5, .n_best = 4};
    struct t2_err err = T2_ERR_INIT;
    struct dec_result r;
    int n_failed = 0;

    (void) state;
    search_once(f, &o); /* the fake model has its memory from here on */
    for (uint64_t n = 1;; n++) {
        struct dec_model model = fake_model(f, &o);
        enum t2_status st;

        t2_alloc_fail_after(n);
        st = dec_search(&model, 2, &o, NULL, 0, &r, &err);
        t2_alloc_fail_after(0);
        dec_result_release(&r);
        if (st == T2_OK)
            break;
        assert_int_equal(st, T2_ENOMEM);
        t_assert_contains(err.message, "up to 5 ids");
        n_failed++;
    }
    assert_int_equal(n_failed, 5);
    dec_result_release(&r); /* again: nothing */
    free(f);
}

/* The beam of one hypothesis is greedy: the score is not divided by a length penalty. */
static void test_beam_of_one(void **state)
{
    struct fake *f = fake_new(30, 2, 1, 1);
    struct dec_options o = {.beam_size = 1, .alpha = 1, .max_length = 6, .n_best = 1};
    struct dec_model model = fake_model(f, &o);
    struct t2_err err = T2_ERR_INIT;
    struct dec_result with, without;

    (void) state;
    assert_int_equal(dec_search(&model, 2, &o, NULL, 0, &with, &err), T2_OK);
    o.alpha = 0;
    model = fake_model(f, &o);
    assert_int_equal(dec_search(&model, 2, &o, NULL, 0, &without, &err), T2_OK);
    assert_true(with.scores[0] == without.scores[0]);
    dec_result_release(&with);
    dec_result_release(&without);
    free(f);
}

/* Beams beyond EOS: the same, with 0 behind it. */
static void test_beams_beyond_eos(void **state)
{
    struct fake *f = fake_new(20, 3, 4, 1);
    struct dec_options o = {.beam_size = 4, .alpha = 0.6, .max_length = 12, .n_best = 4};
    struct dec_model model = fake_model(f, &o);
    struct t2_err err = T2_ERR_INIT;
    struct dec_result cut, whole;
    int n_longer = 0;

    (void) state;
    f->eos_bonus = 3;
    assert_int_equal(dec_search(&model, 3, &o, NULL, 0, &cut, &err), T2_OK);
    o.beyond_eos = true;
    model = fake_model(f, &o);
    assert_int_equal(dec_search(&model, 3, &o, NULL, 0, &whole, &err), T2_OK);
    assert_memory_equal(whole.ids, cut.ids, 3 * 4 * 12 * sizeof *cut.ids);
    assert_memory_equal(whole.scores, cut.scores, 3 * 4 * sizeof *cut.scores);
    for (int i = 0; i < 12; i++) {
        assert_int_equal(whole.lengths[i], cut.lengths[i] ? whole.steps : 0);
        n_longer += cut.lengths[i] > 0 && whole.lengths[i] > cut.lengths[i];
    }
    assert_true(n_longer > 0);
    dec_result_release(&cut);
    dec_result_release(&whole);
    free(f);
}

enum { SOURCES = 60, PLACES = 8, LONGEST = 12 };

/* Places that are filled again give what a place for each source gives, to the bit, and compute not
 * a row more: these are in fewer steps than in batches. */
static void check_refilled(struct dec_options o, const int32_t *prefix)
{
    struct fake *f = fake_new(40, SOURCES, o.beam_size, 5);
    struct t2_err err = T2_ERR_INIT;
    struct dec_model model;
    struct dec_result all, some;
    int32_t lengths[SOURCES];
    size_t n = (size_t) SOURCES * (size_t) o.n_best;
    int64_t n_computed;

    for (int32_t i = 0; i < SOURCES; i++)
        lengths[i] = 3 + (int32_t) (t_hash64((uint64_t) i) % (LONGEST - 2));
    o.lengths = lengths;
    o.max_length = LONGEST;
    f->eos_bonus = 2;
    model = fake_model(f, &o);
    assert_int_equal(dec_search(&model, SOURCES, &o, prefix, 2, &all, &err), T2_OK);
    assert_int_equal(f->n_refills, 0);
    n_computed = f->n_computed;
    o.places = PLACES;
    f->rows = PLACES * o.beam_size;
    for (o.refill = 1; o.refill <= PLACES; o.refill += 3) {
        model = fake_model(f, &o);
        assert_int_equal(dec_search(&model, SOURCES, &o, prefix, 2, &some, &err), T2_OK);
        assert_memory_equal(some.ids, all.ids, n * LONGEST * sizeof *all.ids);
        assert_memory_equal(some.lengths, all.lengths, n * sizeof *all.lengths);
        assert_memory_equal(some.scores, all.scores, n * sizeof *all.scores);
        assert_int_equal(f->n_computed, n_computed);
        assert_int_equal(f->n_refills, (SOURCES - PLACES + o.refill - 1) / o.refill);
        if (o.refill == 1) /* no place is free before the last source has one */
            assert_true((int64_t) some.steps * f->rows <=
                        n_computed + (int64_t) LONGEST * (f->rows - o.beam_size));
        dec_result_release(&some);
    }
    dec_result_release(&all);
    free(f);
}

static void test_refill(void **state)
{
    static const struct dec_sampling sampling = {
        .random = true, .temperature = 1, .keep_top_k = 5, .keep_top_p = 1, .seed = 9};
    struct dec_options drawn = {.beam_size = 1, .n_best = 1, .sampling = &sampling};
    uint64_t sentences[SOURCES];
    int32_t prefix[2 * SOURCES];

    (void) state;
    for (int32_t i = 0; i < SOURCES; i++) {
        sentences[i] = t_hash64(100 + (uint64_t) i);
        prefix[2 * i] = 4 + i % 9;
        prefix[2 * i + 1] = i % 3 ? 7 : -1;
    }
    drawn.sentences = sentences;
    check_refilled(drawn, NULL);
    for (int32_t K = 1; K <= 4; K += 3)
        for (int i = 0; i < 4; i++)
            check_refilled((struct dec_options){.beam_size = K,
                                                .alpha = 0.6,
                                                .n_best = i == 1 ? K : 1,
                                                .rules =
                                                    i == 2 ? DEC_RULES_OFFICIAL : DEC_RULES_T2T,
                                                .no_repeat_ngram = i == 3 ? 2 : 0},
                           i == 1 ? prefix : NULL);
}

T_MAIN(cmocka_unit_test(test_refill), cmocka_unit_test(test_beams_beyond_eos),
       cmocka_unit_test(test_threads), cmocka_unit_test(test_memory),
       cmocka_unit_test(test_beam_of_one))
