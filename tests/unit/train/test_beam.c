/*
 * tests/unit/train/test_beam.c - beam search against a plain one that sorts everything, against
 * looking at every sequence there is, and against numbers worked out by hand.
 */
#include "tests/support/t.h"
#include "tests/unit/train/fake_dec_model.h"

/* ---- the plain one: prefixes are lists, logits are asked for anew, all K * V are compared ---- */

enum { PLAIN_K = 8, PLAIN_LENGTH = 16, PLAIN_VOCAB = 100, PLAIN_BATCH = 8 };

/* float32, as the original's: of hopeless ones, 1e7 behind the others, that decides which are
 * equal. */
struct hypothesis {
    float score, log_prob;
    int32_t ids[PLAIN_LENGTH], n;
    bool ended;
};

struct plain {
    struct hypothesis alive[PLAIN_BATCH][PLAIN_K], finished[PLAIN_BATCH][PLAIN_K];
    int32_t steps;
    bool official; /* whose rules */
};

/* Stable: of equals the first stays first. */
static void sort(struct hypothesis *h, int32_t n)
{
    for (int32_t i = 1; i < n; i++) {
        struct hypothesis x = h[i];
        int32_t at = i;

        for (; at > 0 && h[at - 1].score < x.score; at--)
            h[at] = h[at - 1];
        h[at] = x;
    }
}

/* Would id be the end of `size` ids that h has had? */
static bool repeats(const struct hypothesis *h, int32_t id, int32_t size)
{
    for (int32_t i = 0; size > 0 && i + size <= h->n; i++) {
        bool same = h->ids[i + size - 1] == id;

        for (int32_t k = 0; k < size - 1; k++)
            same = same && h->ids[i + k] == h->ids[h->n - size + 1 + k];
        if (same && id != DEC_EOS)
            return true;
    }
    return false;
}

static void plain_grow(const struct fake *f, int32_t source, struct plain *p, int32_t K,
                       double alpha, int32_t ngram, const int32_t *prefix, int32_t n_prefix)
{
    static struct hypothesis all[PLAIN_K * PLAIN_VOCAB];
    static float x[FAKE_MAX_VOCAB];
    static double log_prob[FAKE_MAX_VOCAB];
    struct hypothesis top[2 * PLAIN_K], pool[3 * PLAIN_K], next[2 * PLAIN_K];
    int32_t V = f->vocab, n_top = 2 * K < K * V ? 2 * K : K * V;
    float penalty = powf((5.0F + (float) p->steps + 1.0F) / 6.0F, (float) alpha);

    for (int32_t k = 0; k < K; k++) {
        const struct hypothesis *h = &p->alive[source][k];
        uint64_t state = fake_start(f, source);

        for (int32_t i = 0; i < h->n; i++)
            state = fake_append(state, h->ids[i]);
        fake_logits(f, state, x);
        fake_log_softmax(x, V, log_prob);
        for (int32_t v = 0; v < V; v++) {
            struct hypothesis *c = &all[k * V + v];

            *c = *h;
            if (p->steps < n_prefix && prefix[source * n_prefix + p->steps] >= 0)
                log_prob[v] = v == prefix[source * n_prefix + p->steps] ? 0 : -1e9;
            c->log_prob += repeats(h, v, ngram) ? -1e9F : (float) log_prob[v];
            c->score = p->official ? c->log_prob : c->log_prob / penalty;
            c->log_prob = p->official ? c->log_prob : c->score * penalty;
            c->ids[c->n++] = v;
            c->ended = v == DEC_EOS &&
                       !(p->steps < n_prefix && prefix[source * n_prefix + p->steps] == DEC_EOS);
        }
    }
    sort(all, K * V);
    memcpy(top, all, sizeof *top * (size_t) n_top);
    for (int32_t i = 0; i < n_top; i++) {
        next[i] = top[i];
        next[i].score -= top[i].ended ? 1e7F : 0;
        next[i].log_prob -= top[i].ended ? 1e7F : 0;
    }
    sort(next, n_top);
    memcpy(p->alive[source], next, sizeof *next * (size_t) K);
    memcpy(pool, p->finished[source], sizeof *pool * (size_t) K);
    if (p->official)
        for (int32_t i = 0; i < n_top; i++)
            top[i].score /= penalty;
    for (int32_t i = 0; i < n_top; i++) {
        pool[K + i] = top[i];
        pool[K + i].score -= top[i].ended ? 0 : 1e7F;
    }
    sort(pool, K + n_top);
    memcpy(p->finished[source], pool, sizeof *pool * (size_t) K);
}

/* The original's: min over the K of score * flag, minus 1e7 where no flag is set. */
static float official_worst(const struct plain *p, int32_t b, int32_t K)
{
    float worst = HUGE_VALF;
    bool any = false;

    for (int32_t k = 0; k < K; k++) {
        any |= p->finished[b][k].ended;
        worst = fminf(worst, p->finished[b][k].ended ? p->finished[b][k].score : 0);
    }
    return worst - (any ? 0 : 1e7F);
}

/* Of T2T's with several best the lowest counts, of sources `from` to `to`. */
static bool plain_done(const struct plain *p, int32_t b, const struct dec_options *o, int32_t limit,
                       int32_t from, int32_t to)
{
    int32_t K = o->beam_size;
    float worst = p->official ? official_worst(p, b, K) : p->finished[b][0].score;

    for (int32_t i = from; i <= to && !p->official && o->n_best > 1; i++)
        worst = fminf(worst, p->finished[i][K - 1].score);
    return worst > p->alive[b][0].log_prob / powf((5.0F + (float) limit) / 6.0F, (float) o->alpha);
}

static void plain_begin(struct plain *p, int32_t b, int32_t K)
{
    for (int32_t k = 0; k < K; k++) {
        p->alive[b][k].log_prob = !k ? 0 : p->official ? -HUGE_VALF : -1e7F;
        p->finished[b][k].score = -1e7F;
    }
}

/* Each source as if it were alone. */
static void search_apart(const struct fake *f, int32_t batch, const struct dec_options *o,
                         const int32_t *prefix, int32_t n_prefix, struct plain *p)
{
    int32_t most = 0;

    for (int32_t b = 0; b < batch; b++) {
        int32_t limit = o->lengths ? o->lengths[b] : o->max_length;

        plain_begin(p, b, o->beam_size);
        p->steps = 0;
        while (p->steps < limit && !plain_done(p, b, o, limit, b, b)) {
            plain_grow(f, b, p, o->beam_size, o->alpha, o->no_repeat_ngram, prefix, n_prefix);
            p->steps++;
        }
        most = p->steps > most ? p->steps : most;
    }
    p->steps = most;
}

/* As the originals do: on with all until all are done. */
static void search_together(const struct fake *f, int32_t batch, const struct dec_options *o,
                            const int32_t *prefix, int32_t n_prefix, struct plain *p)
{
    bool done = false;

    for (int32_t b = 0; b < batch; b++)
        plain_begin(p, b, o->beam_size);
    while (p->steps < o->max_length && !done) {
        for (int32_t b = 0; b < batch; b++)
            plain_grow(f, b, p, o->beam_size, o->alpha, o->no_repeat_ngram, prefix, n_prefix);
        p->steps++;
        done = true;
        for (int32_t b = 0; b < batch; b++)
            done &= plain_done(p, b, o, o->max_length, 0, batch - 1);
    }
}

static void plain_search(const struct fake *f, int32_t batch, const struct dec_options *o,
                         const int32_t *prefix, int32_t n_prefix, struct plain *p)
{
    memset(p, 0, sizeof *p);
    p->official = o->rules == DEC_RULES_OFFICIAL;
    if (o->settle_together)
        search_together(f, batch, o, prefix, n_prefix, p);
    else
        search_apart(f, batch, o, prefix, n_prefix, p);
}

/* ---- comparing ---- */

static int n_ended, n_unended, n_early; /* so that the tests are seen to reach all endings */

static void compare(const struct fake *f, int32_t batch, const struct dec_options *o,
                    const struct dec_result *r, const struct plain *p)
{
    assert_int_equal(r->steps, p->steps);
    n_early += p->steps < o->max_length;
    for (int32_t b = 0; b < batch; b++) {
        bool any = false;

        for (int32_t k = 0; k < o->beam_size; k++)
            any |= p->finished[b][k].ended;
        n_ended += any;
        n_unended += !any;
        for (int32_t k = 0; k < o->n_best; k++) {
            const struct hypothesis *h = any ? &p->finished[b][k] : &p->alive[b][k];
            int32_t at = b * o->n_best + k;
            double score = (double) (any ? h->score : h->log_prob);

            if (fabs(r->scores[at] - score) > 2e-4 + 1e-6 * fabs(score))
                fail_msg("seed %llu, source %d, beam %d: score %.9g, expected %.9g",
                         (unsigned long long) f->seed, b, k, r->scores[at], score);
            if (any && !h->ended) /* a place that nothing has taken yet */
                assert_int_equal(r->lengths[at], 0);
            assert_int_equal(r->lengths[at], h->n);
            for (int32_t i = 0; i < o->max_length; i++)
                assert_int_equal(r->ids[at * o->max_length + i], i < h->n ? h->ids[i] : 0);
        }
    }
}

static void check(struct fake *f, int32_t batch, const struct dec_options *o, const int32_t *prefix,
                  int32_t n_prefix)
{
    static struct plain p;
    struct dec_model model = fake_model(f, o);
    struct dec_result r;
    struct t2_err err = T2_ERR_INIT;

    assert_int_equal(dec_search(&model, batch, o, prefix, n_prefix, &r, &err), T2_OK);
    plain_search(f, batch, o, prefix, n_prefix, &p);
    compare(f, batch, o, &r, &p);
    dec_result_release(&r);
}

/* Searches of all sizes, with the smallest number of beams. */
static void check_like_plain(uint64_t n_seeds, int32_t least_beams, uint64_t per_alpha,
                             enum dec_rules rules)
{
    static const double alphas[] = {0.6, 0, 1};

    n_ended = n_unended = n_early = 0;
    for (uint64_t seed = 0; seed < n_seeds; seed++) {
        int32_t K = least_beams + (int32_t) (seed % (uint64_t) (9 - least_beams));
        int32_t batch = 1 + (int32_t) (seed % 5);
        int32_t lengths[5];
        int32_t vocab = seed % 3 == 0 ? 3 : seed % 3 == 1 ? 20 : PLAIN_VOCAB;
        struct fake *f = fake_new(vocab, batch, K, seed);
        struct dec_options o = {.beam_size = K,
                                .alpha = alphas[seed / per_alpha % 3],
                                .rules = rules};

        f->spread = 1 + (float) (seed % 4);
        f->eos_bonus = (float) (seed % 9) - 4;
        o.max_length = 1 + (int32_t) (seed * 5 % PLAIN_LENGTH);
        o.n_best = 1;
        check(f, batch, &o, NULL, 0);
        o.n_best = K;
        check(f, batch, &o, NULL, 0);
        o.settle_together = true;
        check(f, batch, &o, NULL, 0);
        o.settle_together = false;
        for (int32_t b = 0; b < batch; b++)
            lengths[b] = 1 + (b * 7 + (int32_t) seed) % o.max_length;
        o.lengths = lengths;
        check(f, batch, &o, NULL, 0);
        free(f);
    }
    assert_true(n_ended > 20 && n_unended > 5 && n_early > 10);
}

static void test_like_plain(void **state)
{
    (void) state;
    check_like_plain(40, 2, 1, DEC_RULES_T2T);
}

/* One beam is a search like any other, and what is returned does not change when it ends. */
static void test_official_like_plain(void **state)
{
    (void) state;
    check_like_plain(48, 1, 3, DEC_RULES_OFFICIAL);
}

static void test_prefix(void **state)
{
    static const int32_t prefix[] = {7, 0, 3, 5, DEC_EOS, 4, -1, -1, 6};

    (void) state;
    for (uint64_t seed = 0; seed < 12; seed++) {
        struct fake *f = fake_new(20, 3, 4, seed);
        struct dec_options o = {.beam_size = 4, .alpha = 0.6, .max_length = 9, .n_best = 1};

        f->eos_bonus = 1;
        check(f, 3, &o, prefix, 3);
        free(f);
    }
}

/* Ties: only the flat order decides.  Logits are equal by construction, so float32 and double agree
 * about what is equal within a step with one alive hypothesis. */
static void test_ties(void **state)
{
    struct fake *f = fake_new(50, 1, 4, 9);
    struct dec_options o = {.beam_size = 4, .alpha = 0.6, .max_length = 1, .n_best = 4};
    struct dec_model model = fake_model(f, &o);
    struct dec_result r;
    struct t2_err err = T2_ERR_INIT;
    static const int32_t want[] = {0, 2, 3, 4};

    (void) state;
    f->spread = 0;
    f->eos_bonus = -50;
    assert_int_equal(dec_search(&model, 1, &o, NULL, 0, &r, &err), T2_OK);
    for (int k = 0; k < 4; k++)
        assert_int_equal(r.ids[k], want[k]);
    dec_result_release(&r);
    free(f);
}

/* ---- every sequence there is ---- */

static void best_of_all(const struct fake *f, uint64_t state, int32_t *ids, int32_t n,
                        int32_t limit, double log_prob, double alpha, struct hypothesis *best)
{
    float x[8];
    double lp[8];

    if (n == limit)
        return;
    fake_logits(f, state, x);
    fake_log_softmax(x, f->vocab, lp);
    for (int32_t v = 0; v < f->vocab; v++) {
        ids[n] = v;
        if (v == DEC_EOS) {
            float score = (float) ((log_prob + lp[v]) / pow((5.0 + n + 1) / 6.0, alpha));

            if (score > best->score) {
                best->score = score;
                best->n = n + 1;
                memcpy(best->ids, ids, sizeof *ids * (size_t) (n + 1));
            }
        } else {
            best_of_all(f, fake_append(state, v), ids, n + 1, limit, log_prob + lp[v], alpha, best);
        }
    }
}

/* A beam as wide as the tree misses nothing: 27 unended of length 3 have 108 continuations, and 2K
 * are looked at. */
static void test_like_brute_force(void **state)
{
    (void) state;
    for (uint64_t seed = 0; seed < 30; seed++) {
        struct fake *f = fake_new(4, 2, 81, seed);
        struct dec_options o = {.beam_size = 81, .alpha = 0.8, .max_length = 4, .n_best = 1};
        struct dec_model model = fake_model(f, &o);
        struct dec_result r;
        struct t2_err err = T2_ERR_INIT;

        assert_int_equal(dec_search(&model, 2, &o, NULL, 0, &r, &err), T2_OK);
        for (int32_t b = 0; b < 2; b++) {
            struct hypothesis best = {.score = -HUGE_VALF};
            int32_t ids[8];

            best_of_all(f, fake_start(f, b), ids, 0, 4, 0, 0.8, &best);
            assert_int_equal(r.lengths[b], best.n);
            assert_memory_equal(r.ids + b * 4, best.ids, sizeof *ids * (size_t) best.n);
            assert_true(fabs(r.scores[b] - (double) best.score) < 1e-5);
        }
        dec_result_release(&r);
        free(f);
    }
}

/* ---- by hand ---- */

/* ids: 0, EOS = 1, 2 = A, 3 = B.  First: A .6, B .4.  After A: A .5, EOS .3, B .2; after B: EOS .9.
 * Greedy begins with A; the best sentence is B EOS: .4 * .9 = .36 against A EOS .6 * .3 = .18. */
static enum t2_status hand_choose(void *context, int32_t step, const int32_t *ids,
                                  const struct dev_ask *asks, struct dev_candidate *best,
                                  struct t2_err *err)
{
    static const float first[] = {1e-9f, 1e-9f, .6f, .4f}, after_a[] = {1e-9f, .3f, .5f, .2f},
                       after_b[] = {1e-9f, .9f, .05f, .05f};
    static float x[2][4];

    (void) err;
    for (int r = 0; r < 2; r++) {
        const float *p = step == 0 ? first : ids[r] == 2 ? after_a : after_b;

        for (int v = 0; v < 4; v++)
            x[r][v] = logf(p[v]);
    }
    fake_choose_from(op_device("cpu", 1), context, x[0], 2, 4, asks, best);
    return T2_OK;
}

static enum t2_status hand_reorder(void *context, const int32_t *from, struct t2_err *err)
{
    (void) context; /* the model looks at the last id only */
    (void) from;
    (void) err;
    return T2_OK;
}

static void test_by_hand(void **state)
{
    struct dec_options o = {.beam_size = 2, .alpha = 0, .max_length = 3, .n_best = 2};
    struct mdl_choice choice = dec_choice(&o);
    struct dec_model model = {.context = &choice,
                              .vocab = 4,
                              .choose = hand_choose,
                              .reorder = hand_reorder};
    struct dec_result r;
    struct t2_err err = T2_ERR_INIT;

    (void) state;
    assert_int_equal(dec_search(&model, 1, &o, NULL, 0, &r, &err), T2_OK);
    assert_int_equal(r.lengths[0], 2);
    assert_int_equal(r.ids[0], 3);
    assert_int_equal(r.ids[1], 1);
    assert_int_equal(r.ids[2], 0);
    assert_true(fabs(r.scores[0] - log(.36)) < 1e-6);
    assert_int_equal(r.lengths[1], 2);
    assert_int_equal(r.ids[3], 2);
    assert_int_equal(r.ids[4], 1);
    assert_true(fabs(r.scores[1] - log(.18)) < 1e-6);
    dec_result_release(&r);
    /* with a length penalty: log(.36) / (7/6)^.6 */
    o.alpha = 0.6;
    o.n_best = 1;
    assert_int_equal(dec_search(&model, 1, &o, NULL, 0, &r, &err), T2_OK);
    assert_true(fabs(r.scores[0] - log(.36) / pow(7.0 / 6.0, 0.6)) < 1e-6);
    assert_int_equal(r.steps, 2); /* nothing alive can beat it */
    dec_result_release(&r);
    /* whatever has ended goes before what has not, even an EOS of 1e-9 */
    o.max_length = 1;
    assert_int_equal(dec_search(&model, 1, &o, NULL, 0, &r, &err), T2_OK);
    assert_int_equal(r.ids[0], 1);
    assert_true(fabs(r.scores[0] - log(1e-9)) < 1e-5);
    dec_result_release(&r);
}

static void test_errors(void **state)
{
    struct fake *f = fake_new(30, 2, 3, 1);
    struct dec_options o = {.beam_size = 3, .alpha = 0.6, .max_length = 9, .n_best = 3};
    struct dec_model model = fake_model(f, &o);
    struct dec_result r;
    struct t2_err err = T2_ERR_INIT;

    (void) state;
    f->eos_bonus = -100;
    f->nan_at_step = 4;
    assert_int_equal(dec_search(&model, 2, &o, NULL, 0, &r, &err), T2_EFORMAT);
    t_assert_contains(err.message, "step 4");
    dec_result_release(&r);
    f->nan_at_step = -1;
    f->fail_at_step = 1;
    model = fake_model(f, &o);
    assert_int_equal(dec_search(&model, 2, &o, NULL, 0, &r, &err), T2_EINTERRUPTED);
    dec_result_release(&r);
    free(f);
}

/* Small vocabularies, whose ids would repeat soon. */
static void test_no_repeated_ngrams(void **state)
{
    (void) state;
    for (uint64_t seed = 0; seed < 60; seed++) {
        struct dec_options o = {.beam_size = 2 + (int32_t) (seed % 3),
                                .alpha = 0.6,
                                .max_length = 12,
                                .n_best = 1,
                                .rules = seed % 2 ? DEC_RULES_OFFICIAL : DEC_RULES_T2T,
                                .no_repeat_ngram = 1 + (int32_t) (seed % 2)};
        struct fake *f = fake_new(seed % 4 ? 40 : 100, 3, o.beam_size, seed);

        f->spread = 6;
        f->eos_bonus = -3;
        check(f, 3, &o, NULL, 0);
        free(f);
    }
}

T_MAIN(cmocka_unit_test(test_no_repeated_ngrams), cmocka_unit_test(test_like_plain),
       cmocka_unit_test(test_official_like_plain), cmocka_unit_test(test_prefix),
       cmocka_unit_test(test_ties), cmocka_unit_test(test_like_brute_force),
       cmocka_unit_test(test_by_hand), cmocka_unit_test(test_errors))
