/*
 * tests/unit/train/test_shortlist.c - hypotheses choose among the ids of their source's list, by
 * the softmax of these, whatever other sources have.
 */
#include <math.h>

#include "base/alloc.h"
#include "tests/unit/train/tiny_model.h"

enum { BATCH = 3, BEAM = 2, LENGTH = 6, STEPS = 4, W = 32, CHOSEN = 5 };

static const int32_t lists[BATCH][9] = {{1, 3, 4, 7, 9}, {1, 2, 5, 8, 11, 12, 13, 14, 15}, {1, 6}};
static const int32_t n_listed[BATCH] = {5, 9, 2};

/* Candidates of all steps, of the sources first .. first + n - 1; source 1 rests at the end. */
static void search(struct mdl *m, int32_t first, int32_t n,
                   struct dev_candidate best[STEPS][BATCH * BEAM][CHOSEN])
{
    const struct mdl_choice choice = {.n = CHOSEN};
    struct t2_err err = T2_ERR_INIT;
    int32_t inputs[BATCH * LENGTH], ids[BATCH * BEAM], from[BATCH * BEAM];
    struct dev_candidate found[BATCH * BEAM * CHOSEN];
    struct dev_ask asks[BATCH * BEAM];
    struct mdl_decoder *d;

    assert_int_equal(mdl_decoder_new(m, NULL, &d, &err), T2_OK);
    mdl_decoder_set_choice(d, &choice);
    tiny_ids(inputs, BATCH, LENGTH, 5);
    assert_true(mdl_decoder_shortlists(d));
    assert_int_equal(mdl_decoder_begin(d,
                                       &(struct mdl_search_shape){.batch = n,
                                                                  .beam = BEAM,
                                                                  .inputs_length = LENGTH,
                                                                  .max_length = STEPS,
                                                                  .shortlist = W},
                                       inputs + first * LENGTH, &err),
                     T2_OK);
    assert_int_equal(mdl_decoder_vocab(d), W);
    for (int32_t b = 0; b < n; b++)
        mdl_decoder_shortlist(d, b, lists[first + b], n_listed[first + b]);
    for (int32_t step = 0; step < STEPS; step++) {
        for (int32_t r = 0; r < n * BEAM; r++) {
            bool rests = step == STEPS - 1 && first + r / BEAM == 1;

            asks[r] = (struct dev_ask){.penalty = 1, .wanted = !rests, .rests = rests};
            ids[r] = step ? 2 + (first * BEAM + r + step) % 9 : 0;
            from[r] = r ^ 1;
        }
        assert_int_equal(mdl_decoder_choose(d, step, ids, asks, found, &err), T2_OK);
        for (int32_t r = 0; r < n * BEAM; r++)
            if (asks[r].wanted)
                memcpy(best[step][first * BEAM + r], found + r * CHOSEN, sizeof best[step][0]);
        assert_int_equal(mdl_decoder_reorder(d, from, &err), T2_OK);
    }
    mdl_decoder_free(d);
}

/* The first step's candidates are those of the whole vocabulary's logits at the listed ids. */
static void check_first(struct mdl *m, struct dev_candidate best[BATCH * BEAM][CHOSEN],
                        double tolerance)
{
    struct t2_err err = T2_ERR_INIT;
    int32_t inputs[BATCH * LENGTH], targets[BATCH] = {0};
    float logits[BATCH * TINY_VOCAB];
    struct mdl_batch batch = {.batch = BATCH,
                              .inputs_length = LENGTH,
                              .targets_length = 1,
                              .inputs = inputs,
                              .targets = targets};

    tiny_ids(inputs, BATCH, LENGTH, 5);
    assert_int_equal(mdl_logits(m, &batch, logits, &err), T2_OK);
    for (int32_t b = 0; b < BATCH; b++) {
        const struct dev_candidate *c = best[b * BEAM];
        double sum = 0;

        for (int32_t i = 0; i < n_listed[b]; i++)
            sum += exp((double) logits[b * TINY_VOCAB + lists[b][i]]);
        for (int32_t k = 0; k < CHOSEN; k++) {
            bool listed = false;

            for (int32_t i = 0; i < n_listed[b]; i++)
                listed |= lists[b][i] == c[k].id;
            assert_true(listed == (k < n_listed[b])); /* then what is behind lists, hopeless */
            if (listed)
                assert_true(fabs((double) logits[b * TINY_VOCAB + c[k].id] - log(sum) -
                                 (double) c[k].score) < tolerance);
            else
                assert_true(c[k].id == 0 && c[k].score < -1e8F);
        }
    }
}

static void check_model(const char *device, const char *overrides)
{
    static struct dev_candidate all[STEPS][BATCH * BEAM][CHOSEN],
        alone[STEPS][BATCH * BEAM][CHOSEN];
    struct mdl *m = tiny_model(op_device(device, 2), overrides, &tiny_translation, MDL_EVAL);

    search(m, 0, BATCH, all);
    check_first(m, all[0], 1e-4);
    for (int32_t b = 0; b < BATCH; b++)
        search(m, b, 1, alone);
    for (int32_t step = 0; step < STEPS; step++)
        assert_memory_equal(alone[step], all[step], sizeof all[step]);
    mdl_free(m);
}

static void test_lists(void **state)
{
    (void) state;
    assert_true(TINY_VOCAB > 15);
    check_model("cpu", "");
    check_model("cpu", "shared_embedding_and_softmax_weights=false");
    check_model("reference", "");
    check_model("far", "");
}

T_MAIN(cmocka_unit_test(test_lists))
