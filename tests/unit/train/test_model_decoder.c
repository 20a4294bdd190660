/*
 * tests/unit/train/test_model_decoder.c - decoding step by step gives the logits that the whole
 * sequence gives at once.
 */
#include <math.h>

#include "base/alloc.h"
#include "tests/unit/train/tiny_model.h"

enum { MAX_ROWS = 12, MAX_LENGTH = 9, MAX_INPUTS = 11 };

/* Cached and uncached attention sum in another order; in 16 bits results are rounded apart. */
static double tolerance = 2e-5;

struct run {
    struct mdl *m;
    struct mdl_decoder *d;
    int32_t batch, beam, inputs_length, rows;
    int32_t inputs[MAX_ROWS * MAX_INPUTS];
    int32_t history[MAX_ROWS][MAX_LENGTH]; /* ids of every hypothesis so far */
    int32_t begun[MAX_ROWS];               /* at which step */
    int32_t ids[MAX_ROWS];                 /* that the next step reads */
};

static void begin_shape(struct run *r, int32_t batch, int32_t beam, int32_t inputs_length,
                        int32_t refill)
{
    struct t2_err err = T2_ERR_INIT;

    r->batch = batch;
    r->beam = beam;
    r->inputs_length = inputs_length;
    r->rows = batch * beam;
    memset(r->history, 0, sizeof r->history);
    memset(r->begun, 0, sizeof r->begun);
    memset(r->ids, 0, sizeof r->ids);
    tiny_ids(r->inputs, batch, inputs_length ? inputs_length : 1, (uint64_t) (batch * 100 + beam));
    assert_int_equal(mdl_decoder_begin(r->d,
                                       &(struct mdl_search_shape){batch, beam, inputs_length,
                                                                  MAX_LENGTH, refill, 0},
                                       r->inputs, &err),
                     T2_OK);
}

static void begin(struct run *r, int32_t batch, int32_t beam, int32_t inputs_length)
{
    begin_shape(r, batch, beam, inputs_length, 0);
}

/* Logits of n rows from `first` on, which have begun together, after their histories, computed from
 * the beginning. */
static void check_rows(const struct run *r, int32_t first, int32_t n, int32_t step,
                       const float *logits)
{
    static float all[MAX_ROWS * MAX_LENGTH * TINY_VOCAB];
    int32_t inputs[MAX_ROWS * MAX_INPUTS], targets[MAX_ROWS * MAX_LENGTH];
    int32_t length = step - r->begun[first] + 1;
    struct mdl_batch b = {.batch = n,
                          .inputs_length = r->inputs_length,
                          .targets_length = length,
                          .inputs = inputs,
                          .targets = targets};
    struct t2_err err = T2_ERR_INIT;

    for (int32_t i = 0; i < n; i++) {
        int32_t row = first + i;

        assert_int_equal(r->begun[row], r->begun[first]);
        memcpy(inputs + i * r->inputs_length, r->inputs + row / r->beam * r->inputs_length,
               (size_t) r->inputs_length * sizeof *inputs);
        memcpy(targets + i * length, r->history[row], (size_t) length * sizeof *targets);
    }
    assert_int_equal(mdl_logits(r->m, &b, all, &err), T2_OK);
    for (int32_t i = 0; i < n; i++)
        t_assert_close(logits + (ptrdiff_t) (first + i) * TINY_VOCAB,
                       all + (ptrdiff_t) (i * length + length - 1) * TINY_VOCAB, TINY_VOCAB,
                       tolerance, tolerance);
}

static void check_logits(const struct run *r, int32_t step, const float *logits)
{
    for (int32_t first = 0, n; first < r->rows; first += n) {
        for (n = 1; first + n < r->rows && r->begun[first + n] == r->begun[first];)
            n++;
        check_rows(r, first, n, step, logits);
    }
}

/* Hypotheses change places within their source's beam. */
static void reorder(struct run *r, int32_t step)
{
    int32_t from[MAX_ROWS], old[MAX_ROWS][MAX_LENGTH];
    struct t2_err err = T2_ERR_INIT;

    memcpy(old, r->history, sizeof old);
    for (int32_t row = 0; row < r->rows; row++) {
        uint64_t h = t_hash64((uint64_t) (step * 100 + row));

        from[row] = row / r->beam * r->beam + (int32_t) (h % (uint64_t) r->beam);
    }
    assert_int_equal(mdl_decoder_reorder(r->d, from, &err), T2_OK);
    for (int32_t row = 0; row < r->rows; row++)
        memcpy(r->history[row], old[from[row]], sizeof old[0]);
}

static void decode_from(struct run *r, int32_t from, int32_t n_steps, bool reordering)
{
    int32_t *ids = r->ids;

    for (int32_t step = from; step < from + n_steps; step++) {
        const float *logits = NULL;
        struct t2_err err = T2_ERR_INIT;

        assert_int_equal(mdl_decoder_step(r->d, step, step ? ids : NULL, &logits, &err), T2_OK);
        check_logits(r, step, logits);
        if (reordering)
            reorder(r, step);
        for (int32_t row = 0; row < r->rows; row++) {
            uint64_t h = t_hash64((uint64_t) (step * 1000 + row + 7));

            ids[row] = h % 7 == 0 ? 0 : 1 + (int32_t) (h % (TINY_VOCAB - 1));
            r->history[row][step - r->begun[row]] = ids[row];
        }
    }
}

static void decode(struct run *r, int32_t n_steps, bool reordering)
{
    decode_from(r, 0, n_steps, reordering);
}

/* The source in a place gives way to another one, which begins. */
static void refill(struct run *r, int32_t n, const int32_t *places, int32_t step)
{
    int32_t inputs[MAX_ROWS * MAX_INPUTS] = {0};
    struct t2_err err = T2_ERR_INIT;

    tiny_ids(inputs, n, r->inputs_length ? r->inputs_length : 1, (uint64_t) step);
    for (int32_t i = 0; i < n; i++) {
        memcpy(r->inputs + places[i] * r->inputs_length, inputs + i * r->inputs_length,
               (size_t) r->inputs_length * sizeof *inputs);
        for (int32_t row = places[i] * r->beam; row < (places[i] + 1) * r->beam; row++) {
            memset(r->history[row], 0, sizeof r->history[row]);
            r->begun[row] = step;
            r->ids[row] = 0;
        }
    }
    assert_int_equal(mdl_decoder_refill(r->d, n, places, inputs, &err), T2_OK);
}

/* Places are filled again while others go on, beyond the most steps of one of them. */
static void decode_refilled(struct run *r, int32_t beam, int32_t inputs_length)
{
    static const int32_t first[] = {2, 0}, second[] = {1}, third[] = {0, 2};

    begin_shape(r, 3, beam, inputs_length, 2);
    decode_from(r, 0, 3, beam > 1);
    refill(r, 2, first, 3);
    decode_from(r, 3, 4, beam > 1);
    refill(r, 1, second, 7);
    decode_from(r, 7, 4, beam > 1);
    refill(r, 2, third, 11);
    decode_from(r, 11, 4, beam > 1);
    begin(r, 2, beam, inputs_length);
    decode(r, 2, beam > 1);
}

/* Takes m. */
static void new_run_of(struct run *r, struct mdl *m)
{
    struct t2_err err = T2_ERR_INIT;

    memset(r, 0, sizeof *r);
    r->m = m;
    assert_int_equal(mdl_decoder_new(r->m, NULL, &r->d, &err), T2_OK);
}

static void new_run(struct run *r, const char *overrides, const struct mdl_problem *problem,
                    int num_threads)
{
    new_run_of(r, tiny_model(op_device("cpu", num_threads), overrides, problem, MDL_EVAL));
}

static void release_run(struct run *r)
{
    mdl_decoder_free(r->d);
    mdl_free(r->m);
}

/* One batch after the other with one decoder: larger, smaller, another beam, unfinished. */
static void check_model_of(struct mdl *m)
{
    struct run r;
    int32_t n = m->problem.has_inputs ? 1 : 0;

    new_run_of(&r, m);
    begin(&r, 1, 1, 5 * n);
    decode(&r, 4, false);
    begin(&r, 4, 3, 11 * n);
    decode(&r, MAX_LENGTH, true);
    begin(&r, 2, 1, 1 * n);
    decode(&r, 3, true);
    begin(&r, 12, 1, 7 * n);
    decode(&r, MAX_LENGTH, false);
    begin(&r, 1, 12, 7 * n);
    decode(&r, 5, true);
    for (int32_t beam = 1; beam <= 4 && mdl_decoder_refills(r.d); beam += 3)
        decode_refilled(&r, beam, 7 * n);
    release_run(&r);
}

static void check_model(const char *overrides, const struct mdl_problem *problem)
{
    check_model_of(tiny_model(op_device("cpu", 2), overrides, problem, MDL_EVAL));
}

static void test_with_inputs(void **state)
{
    (void) state;
    check_model("", &tiny_translation);
}

static void test_without_inputs(void **state)
{
    (void) state;
    check_model("", &tiny_language);
}

static void test_other_models(void **state)
{
    static const char *const overrides[] = {
        "self_attention_type=dot_product_relative,max_relative_position=2,pos=none",
        "self_attention_type=dot_product_relative_v2,max_relative_position=5,"
        "add_relative_to_values=true",
        "attention_variables_3d=true",
        "ffn_layer=conv_relu_conv",
        "ffn_layer=conv_relu_conv,conv_first_kernel=1",
        "ffn_layer=conv_relu_conv,conv_first_kernel=5,num_decoder_layers=3",
        "ffn_layer=parameter_attention,parameter_attention_key_channels=8",
        "ffn_layer=none",
        "prepend_mode=prepend_inputs_masked_attention",
        "unidirectional_encoder=true,proximity_bias=true",
        "attention_key_channels=6,attention_value_channels=10",
        "pos=emb,max_length=16",
        "pos=none",
        "pos=timing_from_features",
        "layer_preprocess_sequence=none,layer_postprocess_sequence=dan",
        "num_area_layers=1,max_area_width=3,area_key_mode=concat,area_value_mode=sum",
        "num_area_layers=2,max_area_width=2,area_key_mode=max,area_value_mode=mean,"
        "ffn_layer=conv_relu_conv",
        "num_area_layers=2,max_area_width=5,area_key_mode=sum,area_value_mode=max,"
        "attention_variables_3d=true",
        "num_area_layers=1,max_area_width=2,area_key_mode=sum,area_value_mode=sum,"
        "self_attention_type=dot_product_relative,max_relative_position=2",
        "num_decoder_layers=1,num_encoder_layers=3,hidden_size=20,num_heads=5",
        "shared_embedding_and_softmax_weights=false,multiply_embedding_mode=none"};

    (void) state;
    for (size_t i = 0; i < sizeof overrides / sizeof *overrides; i++) {
        struct run r;

        new_run(&r, overrides[i], &tiny_translation, 1);
        begin(&r, 2, 3, 6);
        decode(&r, 6, true);
        assert_true(mdl_decoder_refills(r.d));
        decode_refilled(&r, 1 + 3 * (int32_t) (i % 2), 6);
        release_run(&r);
    }
}

/* Each step has a cache of its own; all look at one projection of the encoder's output. */
static void test_universal(void **state)
{
#define UNIVERSAL "hidden_size=16,filter_size=8,num_heads=2,num_rec_steps=3"
    static const struct {
        const char *set, *overrides;
    } rows[] = {
        {"universal_transformer_tiny", UNIVERSAL},
        {"universal_transformer_tiny", UNIVERSAL ",num_inrecurrence_layers=2"},
        {"universal_transformer_tiny", UNIVERSAL ",ffn_layer=conv_relu_conv"},
        {"universal_transformer_tiny", UNIVERSAL ",add_step_timing_signal=false"},
        {"universal_transformer_tiny", UNIVERSAL ",add_position_timing_signal=false,pos=timing"},
        {"universal_transformer_step_sinusoid_timing_tiny", UNIVERSAL},
        {"universal_transformer_mix_before_ut_base", UNIVERSAL ",num_inrecurrence_layers=2"},
        {"universal_transformer_mix_after_ut_base", UNIVERSAL},
        {"adaptive_universal_transformer_tiny", UNIVERSAL ",act_max_steps=3"},
        {"adaptive_universal_transformer_mix_after_ut_base",
         UNIVERSAL ",act_max_steps=2,num_inrecurrence_layers=2,act_type=accumulated"},
    };

    (void) state;
    for (size_t i = 0; i < 2 * (sizeof rows / sizeof *rows); i++)
        check_model_of(tiny_model_of(op_device("cpu", 2), "universal_transformer",
                                     tiny_hparams_of(rows[i / 2].set, rows[i / 2].overrides),
                                     i % 2 ? &tiny_language : &tiny_translation, MDL_EVAL));
}

/* Prepended inputs are a part of what is written, so there are no inputs. */
static void test_attention_lm(void **state)
{
#define ATTENTION_LM "hidden_size=16,filter_size=8,num_heads=2,num_hidden_layers=2"
    (void) state;
    check_model_of(tiny_model_of(op_device("cpu", 2), "attention_lm",
                                 tiny_hparams_of("attention_lm_small", ATTENTION_LM),
                                 &tiny_language, MDL_EVAL));
    check_model_of(tiny_model_of(op_device("cpu", 2), "attention_lm",
                                 tiny_hparams_of("attention_lm_translation", ATTENTION_LM),
                                 &tiny_translation, MDL_EVAL));
    check_model_of(tiny_model_of(op_device("cpu", 2), "attention_lm_moe",
                                 tiny_hparams_of("attention_lm_moe_base",
                                                 ATTENTION_LM ",attention_layers=hfh"),
                                 &tiny_language, MDL_EVAL));
}

/* From prefixes, with a source or none. */
static void test_lstm(void **state)
{
    static const char *const names[] = {"lstm_seq2seq", "lstm_seq2seq_bidirectional_encoder"};

    (void) state;
    for (int i = 0; i < 4; i++)
        check_model_of(tiny_model_of(op_device("cpu", 2), names[i / 2],
                                     tiny_hparams_of("lstm_seq2seq", "hidden_size=16"),
                                     i % 2 ? &tiny_language : &tiny_translation, MDL_EVAL));
    check_model_of(tiny_model_of(op_device("cpu", 2), "transformer_revnet",
                                 tiny_hparams_of("transformer_revnet_base", ATTENTION_LM),
                                 &tiny_translation, MDL_EVAL));
}

/* The scorer's checkpoints are the Transformer's, and decoding is left to that. */
static void test_scorer(void **state)
{
    struct mdl *scorer = tiny_model_of(op_device("cpu", 1), "transformer_scorer", tiny_hparams(""),
                                       &tiny_translation, MDL_EVAL);
    struct mdl *m = tiny_model(op_device("cpu", 1), "", &tiny_translation, MDL_EVAL);
    const struct gr_params *p = mdl_params(m), *q = mdl_params(scorer);
    struct t2_err err = T2_ERR_INIT;
    struct mdl_decoder *d = NULL;

    (void) state;
    assert_int_equal(p->n_variables, q->n_variables);
    for (int i = 0; i < p->n_variables; i++)
        assert_string_equal(p->variables[i].name, q->variables[i].name);
    assert_int_equal(mdl_decoder_new(scorer, NULL, &d, &err), T2_EUNSUPPORTED);
    t_assert_contains(err.message, "--score_file");
    mdl_free(m);
    mdl_free(scorer);
}

static void test_16_bits(void **state)
{
    static const struct {
        enum dev_type type;
        double tolerance;
    } cases[] = {{DEV_BFLOAT16, 0.06}, {DEV_FLOAT16, 0.008}};

    (void) state;
    for (int i = 0; i < 2; i++) {
        op_device("cpu", 2)->precision = cases[i].type;
        tolerance = cases[i].tolerance;
        check_model("", &tiny_translation);
        check_model("ffn_layer=conv_relu_conv", &tiny_language);
    }
    op_device("cpu", 2)->precision = DEV_FLOAT32;
    tolerance = 2e-5;
}

/* Threads change nothing, to the bit. */
static void test_threads_give_the_same_bits(void **state)
{
    static float expected[MAX_LENGTH][4 * TINY_VOCAB];

    (void) state;
    for (int threads = 1; threads <= 3; threads++) {
        struct run r;

        new_run(&r, "", &tiny_translation, threads);
        begin(&r, 2, 2, 6);
        for (int32_t step = 0; step < MAX_LENGTH; step++) {
            static const int32_t ids[] = {3, 4, 5, 6};
            const float *logits = NULL;
            struct t2_err err = T2_ERR_INIT;

            assert_int_equal(mdl_decoder_step(r.d, step, ids, &logits, &err), T2_OK);
            if (threads == 1)
                memcpy(expected[step], logits, sizeof expected[step]);
            else
                assert_memory_equal(expected[step], logits, sizeof expected[step]);
        }
        release_run(&r);
    }
}

static void (*device_packed_gemm)(struct dev *d, const struct dev_packed_gemm *a);
static int64_t n_rows_computed;

static void counting_gemm(struct dev *d, const struct dev_packed_gemm *a)
{
    n_rows_computed += a->live ? a->live->n : a->M;
    device_packed_gemm(d, a);
}

/* Candidates (rows, 3) of all steps; from step 2 on source 0 rests, or not.  Products have less
 * rows then, and what the other source gets keeps its bits. */
static void search_resting(bool rests, struct dev_candidate best[MAX_LENGTH][4][3])
{
    struct dev *dev = op_device("cpu", 2);
    const struct dev_kernels *kernels = dev->kernels;
    struct dev_kernels counting = *kernels;
    const struct mdl_choice choice = {.n = 3};
    struct run r;

    new_run(&r, "", &tiny_translation, 2);
    mdl_decoder_set_choice(r.d, &choice);
    begin(&r, 2, 2, 6);
    device_packed_gemm = kernels->packed_gemm;
    counting.packed_gemm = counting_gemm;
    dev->kernels = &counting;
    n_rows_computed = 0;
    for (int32_t step = 0; step < MAX_LENGTH; step++) {
        static const int32_t ids[] = {3, 4, 5, 6}, from[] = {1, 0, 3, 2};
        struct dev_ask asks[4];
        struct t2_err err = T2_ERR_INIT;

        for (int i = 0; i < 4; i++) {
            bool rest = rests && i < 2 && step >= 2;

            asks[i] = (struct dev_ask){.penalty = 1, .wanted = !rest, .rests = rest};
        }
        assert_int_equal(mdl_decoder_choose(r.d, step, ids, asks, best[step][0], &err), T2_OK);
        assert_int_equal(mdl_decoder_reorder(r.d, from, &err), T2_OK);
    }
    dev->kernels = kernels;
    release_run(&r);
}

static void test_sources_that_rest(void **state)
{
    static struct dev_candidate all[MAX_LENGTH][4][3], some[MAX_LENGTH][4][3];
    int64_t n_all;

    (void) state;
    search_resting(false, all);
    n_all = n_rows_computed;
    search_resting(true, some);
    assert_int_equal(n_rows_computed * 2 * MAX_LENGTH, n_all * (MAX_LENGTH + 2));
    for (int32_t step = 0; step < MAX_LENGTH; step++)
        assert_memory_equal(all[step][2], some[step][2], sizeof all[step][2] * 2);
}

/* Hypotheses that stay where they are move nothing. */
static void test_reorder_in_place(void **state)
{
    static const int32_t same[] = {0, 1, 2};
    struct run r;
    const float *logits = NULL;
    struct t2_err err = T2_ERR_INIT;

    (void) state;
    new_run(&r, "", &tiny_translation, 1);
    begin(&r, 1, 3, 4);
    for (int32_t step = 0; step < 3; step++) {
        assert_int_equal(mdl_decoder_step(r.d, step, same, &logits, &err), T2_OK);
        assert_int_equal(mdl_decoder_reorder(r.d, same, &err), T2_OK);
        check_logits(&r, step, logits);
        for (int row = 0; row < 3; row++)
            r.history[row][step] = same[row];
    }
    release_run(&r);
}

/* ---- out of memory ---- */

static enum t2_status use_decoder(struct mdl *m, struct t2_err *err)
{
    static const int32_t ids[] = {3, 4, 5, 6, 7, 8};
    struct mdl_decoder *d = NULL;
    const float *logits;
    enum t2_status st;

    T2_GOTO(st, out, mdl_decoder_new(m, NULL, &d, err));
    T2_GOTO(st, out, mdl_decoder_begin(d, &(struct mdl_search_shape){1, 2, 3, 5, 0, 0}, ids, err));
    T2_GOTO(st, out, mdl_decoder_step(d, 0, NULL, &logits, err));
    /* more hypotheses of a longer source: the block grows */
    T2_GOTO(st, out, mdl_decoder_begin(d, &(struct mdl_search_shape){1, 6, 6, 5, 0, 0}, ids, err));
    T2_GOTO(st, out, mdl_decoder_step(d, 0, NULL, &logits, err));
out:
    mdl_decoder_free(d);
    return st;
}

static void test_each_allocation_failing(void **state)
{
    struct mdl *m = tiny_model(op_device("cpu", 1), "", &tiny_translation, MDL_EVAL);
    enum t2_status st = T2_ENOMEM;
    struct t2_err err = T2_ERR_INIT;
    uint64_t n = 0, n_blocks = 0;

    (void) state;
    OP_NEEDS_CPU();
    assert_int_equal(mdl_reserve_positions(m, 6, &err), T2_OK);
    while (st == T2_ENOMEM) {
        t2_alloc_fail_after(++n);
        st = use_decoder(m, &err);
        t2_alloc_fail_after(0);
        if (st == T2_ENOMEM) {
            t_assert_contains(err.message, "not enough memory for ");
            n_blocks += strstr(err.message, "not enough memory for decoding") != NULL;
        }
        assert_true(n < 100);
    }
    assert_int_equal(st, T2_OK);
    assert_int_equal(n_blocks, 2); /* the block, and a larger one; the others are packed weights */
    mdl_free(m);
}

/* Positions beyond the first table; the decoder asks for them when it is made. */
static void test_long_outputs(void **state)
{
    struct mdl *m =
        tiny_model(op_device("cpu", 1), "num_hidden_layers=1", &tiny_language, MDL_EVAL);
    struct mdl_decoder *d = NULL;
    static int32_t targets[300];
    static float all[300 * TINY_VOCAB];
    struct mdl_batch b = {.batch = 1, .targets_length = 300, .targets = targets};
    struct t2_err err = T2_ERR_INIT;

    (void) state;
    tiny_ids(targets, 1, 300, 4);
    assert_int_equal(mdl_logits(m, &b, all, &err), T2_OK);
    assert_int_equal(mdl_decoder_new(m, NULL, &d, &err), T2_OK);
    assert_int_equal(mdl_decoder_begin(d, &(struct mdl_search_shape){1, 1, 0, 300, 0, 0}, NULL,
                                       &err),
                     T2_OK);
    for (int32_t step = 0; step < 300; step++) {
        const float *logits = NULL;

        assert_int_equal(mdl_decoder_step(d, step, &targets[step ? step - 1 : 0], &logits, &err),
                         T2_OK);
        t_assert_close(logits, all + (ptrdiff_t) step * TINY_VOCAB, TINY_VOCAB, tolerance,
                       tolerance);
    }
    mdl_decoder_free(d);
    mdl_decoder_free(NULL);
    mdl_free(m);
}

/* A longer batch between two steps makes the model's position table grow; the decoder's graph still
 * reads the one it knows (it once read freed memory). */
static void test_table_grows_between_steps(void **state)
{
    struct mdl *m =
        tiny_model(op_device("cpu", 1), "num_hidden_layers=1", &tiny_language, MDL_EVAL);
    static int32_t targets[300];
    struct mdl_batch b = {.batch = 1, .targets_length = 300, .targets = targets};
    const float *logits = NULL;
    float expected[TINY_VOCAB];
    struct mdl_loss loss;
    struct t2_err err = T2_ERR_INIT;

    (void) state;
    tiny_ids(targets, 1, 300, 4);
    for (int longer = 0; longer < 2; longer++) {
        struct mdl_decoder *d = NULL;

        assert_int_equal(mdl_decoder_new(m, NULL, &d, &err), T2_OK);
        assert_int_equal(mdl_decoder_begin(d, &(struct mdl_search_shape){1, 1, 0, 8, 0, 0}, NULL,
                                           &err),
                         T2_OK);
        assert_int_equal(mdl_decoder_step(d, 0, targets, &logits, &err), T2_OK);
        if (longer)
            assert_int_equal(mdl_evaluate(m, &b, &loss, &err), T2_OK);
        assert_int_equal(mdl_decoder_step(d, 1, targets, &logits, &err), T2_OK);
        if (!longer)
            memcpy(expected, logits, sizeof expected);
        assert_memory_equal(logits, expected, sizeof expected);
        mdl_decoder_free(d);
    }
    mdl_free(m);
}

/* The softmax has rows that stand for no id. */
static void test_vocab_divisor(void **state)
{
    struct dev *d = op_device("cpu", 1);
    struct mdl *m = tiny_model(d, "vocab_divisor=8", &tiny_translation, MDL_EVAL);
    int32_t inputs[4] = {5, 6, 7, 1}, targets[1] = {0};
    struct mdl_batch b = {
        .batch = 1, .inputs_length = 4, .targets_length = 1, .inputs = inputs, .targets = targets};
    struct t2_err err = T2_ERR_INIT;
    struct mdl_decoder *decoder;
    const float *logits;
    float whole[24];

    (void) state;
    assert_int_equal(mdl_decoder_new(m, NULL, &decoder, &err), T2_OK);
    assert_int_equal(mdl_decoder_begin(decoder, &(struct mdl_search_shape){1, 1, 4, 3, 0, 0},
                                       inputs, &err),
                     T2_OK);
    assert_int_equal(mdl_decoder_vocab(decoder), 24);
    assert_int_equal(mdl_decoder_step(decoder, 0, NULL, &logits, &err), T2_OK);
    assert_int_equal(mdl_logits(m, &b, whole, &err), T2_OK);
    t_assert_close(logits, whole, 24, tolerance, tolerance);
    mdl_decoder_free(decoder);
    mdl_free(m);
}

T_MAIN(cmocka_unit_test(test_vocab_divisor), cmocka_unit_test(test_with_inputs),
       cmocka_unit_test(test_without_inputs), cmocka_unit_test(test_other_models),
       cmocka_unit_test(test_universal), cmocka_unit_test(test_attention_lm),
       cmocka_unit_test(test_scorer), cmocka_unit_test(test_lstm), cmocka_unit_test(test_16_bits),
       cmocka_unit_test(test_threads_give_the_same_bits), cmocka_unit_test(test_sources_that_rest),
       cmocka_unit_test(test_reorder_in_place), cmocka_unit_test(test_each_allocation_failing),
       cmocka_unit_test(test_long_outputs), cmocka_unit_test(test_table_grows_between_steps))
