/*
 * tests/unit/train/test_ensemble.c - several models search as one: the mean of their logits against
 * sums in double, on every device; the order of the models; models that do not belong together.
 */
#include <math.h>
#include <string.h>

#include "base/alloc.h"
#include "tests/support/op_device.h"
#include "tests/unit/train/small_translator.h"

enum { BATCH = 2, BEAM = 2, ROWS = BATCH * BEAM, LENGTH = 3, STEPS = 4, V = 258 };

/* A Transformer of other sizes and values than the first. */
static struct mdl *make_model(struct dev *dev, const char *overrides, uint64_t seed)
{
    const struct mdl_problem problem = {.has_inputs = true,
                                        .inputs_vocab = V,
                                        .targets_vocab = V,
                                        .loss_multiplier = 1.0};
    struct mdl_hparams *hp;
    struct mdl *m;
    struct t2_err err = T2_ERR_INIT;

    if (mdl_hparams_new("transformer_tiny", &hp, &err) != T2_OK ||
        mdl_hparams_override(hp, overrides, &err) != T2_OK)
        fail_msg("%s", err.message);
    mdl_hparams_for_eval(hp);
    if (mdl_new("transformer", dev, hp, &problem, MDL_EVAL, &m, &err) != T2_OK ||
        mdl_initialise(m, seed, &err) != T2_OK)
        fail_msg("%s", err.message);
    mdl_hparams_free(hp);
    return m;
}

#define SMALL "hidden_size=16,filter_size=24,num_heads=2,num_hidden_layers=1"
#define OTHER "hidden_size=24,filter_size=16,num_heads=3,num_hidden_layers=2"

static struct mdl_decoder *make_decoder(struct mdl *m)
{
    const struct mdl_choice all = {.n = V};
    struct mdl_decoder *d;
    struct t2_err err = T2_ERR_INIT;

    if (mdl_decoder_new(m, NULL, &d, &err) != T2_OK)
        fail_msg("%s", err.message);
    mdl_decoder_set_choice(d, &all);
    return d;
}

/* Logarithms of probabilities of the mean of three rows. */
static void mean_of(const float *const logits[3], int64_t row, double *p)
{
    double most = -INFINITY, sum = 0;

    for (int i = 0; i < V; i++) {
        p[i] = 0;
        for (int k = 0; k < 3; k++)
            p[i] += (double) logits[k][row * V + i] / 3;
        most = fmax(most, p[i]);
    }
    for (int i = 0; i < V; i++)
        sum += exp(p[i] - most);
    for (int i = 0; i < V; i++)
        p[i] -= most + log(sum);
}

static void check_mean(const char *first, const char *second)
{
    static const struct mdl_search_shape shape = {BATCH, BEAM, LENGTH, STEPS, 0, 0};
    static const int32_t inputs[BATCH * LENGTH] = {5, 9, 1, 77, 1, 0};
    static const int32_t from[ROWS] = {1, 0, 2, 2};
    struct dev *a = op_device(first, 1), *b = op_device(second, 1);
    struct mdl *m[3] = {make_model(a, SMALL, 7), make_model(b, OTHER, 8), make_model(a, SMALL, 9)};
    struct mdl_decoder *together[3], *alone[3];
    struct dev_candidate *best = t2_alloc((size_t) ROWS * V, sizeof *best);
    struct t2_err err = T2_ERR_INIT;
    int32_t ids[ROWS] = {0};
    struct dev_ask asks[ROWS];

    for (int r = 0; r < ROWS; r++)
        asks[r] = (struct dev_ask){.penalty = 1, .wanted = 1};
    for (int k = 0; k < 3; k++) {
        together[k] = make_decoder(m[k]);
        alone[k] = make_decoder(m[k]);
        assert_int_equal(mdl_decoder_begin(together[k], &shape, inputs, &err), T2_OK);
        assert_int_equal(mdl_decoder_begin(alone[k], &shape, inputs, &err), T2_OK);
    }
    for (int32_t step = 0; step < STEPS; step++) {
        const float *logits[3];

        if (mdl_decoder_choose_mean(together, 3, step, ids, asks, best, &err) != T2_OK)
            fail_msg("%s", err.message);
        for (int k = 0; k < 3; k++)
            assert_int_equal(mdl_decoder_step(alone[k], step, ids, &logits[k], &err), T2_OK);
        for (int r = 0; r < ROWS; r++) {
            double p[V];

            mean_of(logits, r, p);
            for (int i = 0; i < V; i++) {
                const struct dev_candidate *c = &best[r * V + i];

                if (fabs((double) c->score - p[c->id]) > 1e-5)
                    fail_msg("step %d, row %d, id %d: %.9g, not %.9g", (int) step, r, (int) c->id,
                             (double) c->score, p[c->id]);
                assert_true(i == 0 || c->score <= c[-1].score);
            }
            ids[r] = best[r * V + r].id; /* not all the same */
        }
        for (int k = 0; k < 3; k++) {
            assert_int_equal(mdl_decoder_reorder(together[k], from, &err), T2_OK);
            assert_int_equal(mdl_decoder_reorder(alone[k], from, &err), T2_OK);
        }
    }
    for (int k = 0; k < 3; k++) {
        mdl_decoder_free(together[k]);
        mdl_decoder_free(alone[k]);
        mdl_free(m[k]);
    }
    t2_free(best);
}

static void test_mean(void **state)
{
    (void) state;
    check_mean("cpu", "cpu");
    check_mean("reference", "cpu");
    check_mean("far", "reference");
}

/* ---- translators ---- */

static enum t2_status translate_with(struct small_translator *s, struct mdl *const *others, int n,
                                     struct dec_hypothesis *out, struct t2_err *err)
{
    const struct dec_parts parts = {.m = s->m,
                                    .inputs = s->bytes,
                                    .targets = s->bytes,
                                    .hp = &s->hp,
                                    .others = others,
                                    .n_others = n};
    struct tok_ids ids = {NULL, 0, 0};
    struct dec_translator *t;
    size_t n_cut;
    enum t2_status st = dec_translator_new(&parts, &t, err);

    *out = (struct dec_hypothesis){.score = 0};
    if (st != T2_OK)
        return st;
    assert_int_equal(dec_encode(t, t2_slice_of("a text"), &ids, &n_cut, err), T2_OK);
    st = dec_translate(t, &ids, 1, out, err);
    assert_true(dec_planned_bytes(t).host > 0);
    tok_ids_release(&ids);
    dec_translator_free(t);
    return st;
}

static void test_order(void **state)
{
    struct small_translator one, two;
    struct dec_hypothesis a, b, c;
    struct t2_err err = T2_ERR_INIT;

    (void) state;
    small_open(&one, "beam_size=3,extra_length=5", 0, 1);
    small_open_as(&two, "beam_size=3,extra_length=5", 0, 1, ",num_encoder_layers=2", true);
    assert_int_equal(translate_with(&one, NULL, 0, &a, &err), T2_OK);
    assert_int_equal(translate_with(&one, &one.m, 1, &b, &err), T2_OK); /* of itself: itself */
    assert_string_equal(t2_buf_cstr(&a.text), t2_buf_cstr(&b.text));
    assert_true(a.score == b.score);
    t2_buf_release(&b.text);
    assert_int_equal(translate_with(&one, &two.m, 1, &b, &err), T2_OK);
    assert_int_equal(translate_with(&two, &one.m, 1, &c, &err), T2_OK);
    assert_string_equal(t2_buf_cstr(&b.text), t2_buf_cstr(&c.text));
    assert_true(b.score == c.score && a.score != b.score);
    t2_buf_release(&a.text);
    t2_buf_release(&b.text);
    t2_buf_release(&c.text);
    small_close(&two);
    small_close(&one);
}

static void test_refusals(void **state)
{
    struct small_translator texts, language;
    struct dec_hypothesis h;
    struct t2_err err = T2_ERR_INIT;

    (void) state;
    small_open(&texts, "", 0, 1);
    small_open_as(&language, "", 0, 1, "", false);
    assert_int_equal(translate_with(&texts, &language.m, 1, &h, &err), T2_EUSAGE);
    t_assert_contains(err.message, "are of problems that differ");
    small_close(&language);
    small_close(&texts);
}

T_MAIN(cmocka_unit_test(test_mean), cmocka_unit_test(test_order), cmocka_unit_test(test_refusals))
