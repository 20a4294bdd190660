/* Tests of train/models/universal_halting.c: sizes, runs, what sees what, what steps cost; values
 * are compared with the original's in tests/oracle/test_recorded_transformer.c, decoding with whole
 * sequences in test_model_decoder.c. */
#include "tests/unit/train/text_model.h"

#define SMALL                                                                                      \
    "hidden_size=16,filter_size=8,num_heads=2,act_max_steps=4,learning_rate_warmup_steps=1,"       \
    "learning_rate_constant=0.05,symbol_modality_num_shards=1"

static const char model[] = "universal_transformer", set[] = "adaptive_universal_transformer_tiny";
static const char encoder[] = "universal_transformer_encoder";

static const struct text_case adaptive = {model, set, SMALL, &tiny_translation},
                              fixed = {model, "universal_transformer_tiny",
                                       SMALL ",num_rec_steps=4", &tiny_translation},
                              layers = {model, set,
                                        SMALL ",num_inrecurrence_layers=2,act_type=accumulated",
                                        &tiny_language},
                              labels = {encoder, set, SMALL ",act_loss_weight=0.1", &text_labels};

/* As of so many fixed steps, and a dense layer of one unit for each stack. */
static void test_sizes(void **state)
{
    (void) state;
    assert_int_equal(text_count(&adaptive), text_count(&fixed) + 2 * (16 + 1));
}

static void test_runs(void **state)
{
    (void) state;
    text_check_runs(&adaptive);
    text_check_runs(&layers);
    text_check_runs(&labels);
    text_check_16_bits(&adaptive);
}

static void test_seen(void **state)
{
    (void) state;
    text_check_seen(&adaptive, TEXT_PADDING_IS_NOTHING);
    text_check_seen(&layers, TEXT_PADDING_IS_NOTHING);
}

static struct mdl_loss evaluate(struct mdl *m, const struct mdl_batch *b)
{
    struct t2_err err = T2_ERR_INIT;
    struct mdl_loss loss;

    assert_int_equal(mdl_evaluate(m, b, &loss, &err), T2_OK);
    return loss;
}

/* Every position takes a step at least and four at most, its remainder is below one; two halves of
 * a batch cost what the batch does. */
static void test_cost(void **state)
{
    static const struct text_case free_of_it = {model, set, SMALL ",act_loss_weight=0",
                                                &tiny_translation},
                                  dear = {model, set, SMALL ",act_loss_weight=0.5",
                                          &tiny_translation};
    struct mdl *m = text_model(&dear, op_device("cpu", 1), MDL_EVAL);
    struct mdl *without = text_model(&free_of_it, op_device("cpu", 1), MDL_EVAL);
    struct tiny_batch t;
    struct mdl_batch b = *tiny_batch(&t, 6, 5, 7, 1);
    struct mdl_loss with, half[2];

    (void) state;
    b.all_rows = 6;
    with = evaluate(m, &b);
    half[0] = evaluate(without, &b);
    assert_true(half[0].ponder == 0.0 && with.ponder >= 0.5 * 2 && with.ponder < 0.5 * 2 * 5);
    assert_true(fabs(with.numerator - half[0].numerator - with.ponder * with.denominator) < 1e-4);
    b.batch = 3;
    half[0] = evaluate(m, &b);
    b.first_row = 3;
    b.inputs += 3 * b.inputs_length;
    b.targets += 3 * b.targets_length;
    half[1] = evaluate(m, &b);
    assert_true(fabs(half[0].ponder + half[1].ponder - with.ponder) < 1e-6);
    mdl_free(m);
    mdl_free(without);
}

/* The gradients of two halves, of the same number of targets, are those of the batch. */
static void test_gradients_of_parts(void **state)
{
    static const struct text_case dear = {model, set, SMALL ",act_loss_weight=2",
                                          &tiny_translation};
    struct dev *d = op_device("cpu", 1);
    struct mdl *m = text_model(&dear, d, MDL_TRAIN);
    const struct gr_params *p = mdl_params(m);
    struct t2_err err = T2_ERR_INIT;
    struct tiny_batch t;
    struct mdl_batch b = *tiny_batch(&t, 6, 5, 7, 1);
    int64_t n_targets = mdl_count_targets(m, &b);
    float *all, *first, *second;

    (void) state;
    b.all_rows = 6;
    assert_int_equal(mdl_queue_gradients(m, &b, n_targets, 1, 0, &err), T2_OK);
    all = device_floats(d, p->grads, p->n_floats);
    b.batch = 3;
    assert_int_equal(mdl_queue_gradients(m, &b, n_targets, 1, 0, &err), T2_OK);
    first = device_floats(d, p->grads, p->n_floats);
    b.first_row = 3;
    b.inputs += 3 * b.inputs_length;
    b.targets += 3 * b.targets_length;
    assert_int_equal(mdl_queue_gradients(m, &b, n_targets, 1, 0, &err), T2_OK);
    second = device_floats(d, p->grads, p->n_floats);
    for (int i = 0; i < p->n_variables; i++)
        for (int64_t k = p->variables[i].offset; k < p->variables[i].offset + p->variables[i].n;
             k++)
            first[k] += second[k];
    for (int i = 0; i < p->n_variables; i++) {
        const struct gr_variable *v = &p->variables[i];

        t_assert_close(first + v->offset, all + v->offset, (size_t) v->n, 2e-6, 2e-5);
    }
    free(all);
    free(first);
    free(second);
    mdl_free(m);
}

static void test_refusals(void **state)
{
    (void) state;
    text_refused(&adaptive, "act_type=global", NULL, T2_EUNSUPPORTED, "act_type=global");
    text_refused(&adaptive, "act_epsilon=1", NULL, T2_EUSAGE, "act_epsilon=1 must lie between");
    text_refused(&adaptive, "act_loss_weight=-1", NULL, T2_EUSAGE, "act_loss_weight=-1 between");
    text_refused(&adaptive, "act_max_steps=0", NULL, T2_EUSAGE, "act_max_steps=0 must lie between");
    text_refused(&adaptive, "act_max_steps=65", NULL, T2_EUSAGE, "act_max_steps=65");
}

T_MAIN(cmocka_unit_test(test_sizes), cmocka_unit_test(test_runs), cmocka_unit_test(test_seen),
       cmocka_unit_test(test_cost), cmocka_unit_test(test_gradients_of_parts),
       cmocka_unit_test(test_refusals))
