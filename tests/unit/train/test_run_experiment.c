/*
 * Tests of train/runs/run_experiment.c: precedence, checks, options of the run.  A whole run:
 * tests/e2e/train_experiment.sh.
 */
#include "train/runs/run_experiment.h"

#include <string.h>

#include "tests/support/t.h"

static struct t2_err err;

#define DATA                                                                                       \
    "task.sentencepiece_model_path=v,task.train_data.tfds_name='',"                                \
    "task.train_data.input_path='d/x-train-0',task.validation_data.tfds_name='',"                  \
    "task.validation_data.input_path='d/x-test-0'"

static enum t2_status open(const char *file, const char *override, const char *mode,
                           struct tr_experiment **x, struct tr_options *o)
{
    struct t2_strs files = {0};
    struct tr_experiment_flags f = {.experiment = "wmt_transformer/large",
                                    .config_files = &files,
                                    .params_override = override,
                                    .mode = mode};
    enum t2_status st;

    *o = (struct tr_options){.random_seed = 1};
    if (file)
        t2_strs_push(&files, file);
    st = tr_experiment_new(&f, x, &err);
    if (st == T2_OK) {
        st = tr_experiment_options(*x, true, o, &err);
        if (st != T2_OK)
            tr_experiment_free(*x);
    }
    t2_strs_release(&files);
    return st;
}

static void test_options(void **state)
{
    static const char yaml[] = "trainer: {train_steps: 20, steps_per_loop: 5, summary_interval: 10,"
                               "  checkpoint_interval: 8, validation_interval: 6, max_to_keep: 2}\n"
                               "task: {train_data: {seed: 9}}\n"
                               "runtime: {mixed_precision_dtype: bfloat16}\n";
    struct tr_experiment *x;
    struct tr_options o;
    double timeout_s;

    (void) state;
    t_write_file(t_tmp_path("a.yaml"), yaml, sizeof yaml - 1);
    /* the override comes last */
    assert_int_equal(open(t_tmp_path("a.yaml"), DATA ",trainer.train_steps=30", NULL, &x, &o),
                     T2_OK);
    assert_true(o.train && o.evaluate && o.eval_use_test_set && o.seed_given);
    assert_int_equal(o.train_steps, 30);
    assert_int_equal(o.log_step_count_steps, 5);
    assert_int_equal(o.save_checkpoints_steps, 8);
    assert_int_equal(o.local_eval_frequency, 6);
    assert_int_equal(o.keep_checkpoint_max, 2);
    assert_true(o.eval_steps == INT64_MAX);
    assert_int_equal(o.random_seed, 9);
    assert_string_equal(o.precision, "bfloat16");
    assert_string_equal(o.problem, "x");
    assert_string_equal(o.data_dir, "d");
    assert_string_equal(o.model, "official_transformer");
    assert_string_equal(o.schedule, "train_and_evaluate");
    assert_false(tr_experiment_is_continuous(x, &timeout_s));
    tr_experiment_free(x);
    tr_experiment_free(NULL);
}

/* trainer.*: recovery, bounds, the best checkpoint, summaries. */
static void test_trainer(void **state)
{
    struct tr_experiment *x;
    struct tr_options o;

    (void) state;
    assert_int_equal(open(NULL, DATA, NULL, &x, &o), T2_OK);
    assert_true(o.on_nan == TR_NAN_STOP && o.max_recoveries == 0);
    assert_true(o.loss_bound == 1e6 && o.bound_begin_steps == 0);
    assert_null(o.best_subdir);
    assert_string_equal(o.validation_subdir, "validation");
    tr_experiment_free(x);
    assert_int_equal(open(NULL,
                          DATA
                          ",trainer.recovery_max_trials=3,trainer.recovery_begin_steps=7,"
                          "trainer.loss_upper_bound=12.5,trainer.validation_summary_subdir=val,"
                          "trainer.best_checkpoint_export_subdir=best,"
                          "trainer.best_checkpoint_eval_metric=accuracy,"
                          "runtime.mixed_precision_dtype=float16,runtime.loss_scale=dynamic",
                          NULL, &x, &o),
                     T2_OK);
    assert_true(o.on_nan == TR_NAN_ROLLBACK && o.max_recoveries == 3);
    assert_true(o.loss_bound == 12.5 && o.bound_begin_steps == 7);
    assert_string_equal(o.best_subdir, "best");
    assert_string_equal(o.best_metric, "accuracy");
    assert_false(o.best_is_lower);
    assert_string_equal(o.validation_subdir, "val");
    assert_string_equal(o.precision, "float16");
    tr_experiment_free(x);
    /* without one of the two nothing is exported; without trials there is no bound */
    assert_int_equal(open(NULL,
                          DATA ",trainer.best_checkpoint_export_subdir=best,"
                               "trainer.best_checkpoint_metric_comp=lower,"
                               "trainer.recovery_max_trials=-1",
                          NULL, &x, &o),
                     T2_OK);
    assert_true(!o.best_subdir && o.best_is_lower && o.loss_bound == 0);
    tr_experiment_free(x);
    /* of texts our own batches, whose size is in tokens */
    assert_int_equal(open(NULL, DATA ",trainer.validation_steps=7", NULL, &x, &o), T2_OK);
    assert_int_equal(o.eval_steps, 7);
    tr_experiment_free(x);
}

static void test_modes(void **state)
{
    struct tr_experiment *x;
    struct tr_options o;
    double timeout_s;

    (void) state;
    assert_int_equal(open(NULL, DATA, "train", &x, &o), T2_OK);
    assert_true(o.train && !o.evaluate);
    tr_experiment_free(x);
    assert_int_equal(open(NULL, DATA, "train_and_post_eval", &x, &o), T2_OK);
    assert_true(o.train && o.evaluate && o.local_eval_frequency == o.train_steps);
    tr_experiment_free(x);
    assert_int_equal(open(NULL, DATA, "eval", &x, &o), T2_OK);
    assert_true(!o.train && o.evaluate);
    tr_experiment_free(x);
    assert_int_equal(open(NULL, DATA, "continuous_eval", &x, &o), T2_OK);
    assert_true(!o.train && tr_experiment_is_continuous(x, &timeout_s));
    assert_true(timeout_s == 3600);
    tr_experiment_free(x);
}

static void check_refused(const char *override, const char *mode, enum t2_status status,
                          const char *message)
{
    struct tr_experiment *x;
    struct tr_options o;

    assert_int_equal(open(NULL, override, mode, &x, &o), status);
    t_assert_contains(err.message, message);
}

static void test_refused(void **state)
{
    (void) state;
    check_refused(DATA, "training", T2_EUSAGE, "unknown --mode 'training'; there are train");
    check_refused(DATA, "train_and_validate", T2_EUNSUPPORTED, "nor is it in the original");
    check_refused("", NULL, T2_EUSAGE, "task.sentencepiece_model_path is missing");
    check_refused("task.sentencepiece_model_path=v", NULL, T2_EUSAGE, "give --data_dir");
    check_refused(DATA ",trainer.summary_interval=1500", NULL, T2_EUSAGE,
                  "trainer.summary_interval (1500) must be a multiple of trainer.steps_per_loop "
                  "(1000)");
    check_refused(DATA ",trainer.validation_steps=0", NULL, T2_EUSAGE, "is -1 (all) or above 0");
    check_refused(DATA ",trainer.validation_steps=-2", "train", T2_EUSAGE, "is -1 (all)");
    check_refused(DATA ",trainer.train_steps=0", NULL, T2_EUSAGE,
                  "trainer.train_steps must be at least 1, not 0");
    check_refused(DATA ",runtime.mixed_precision_dtype=float64", NULL, T2_EUSAGE,
                  "is float32, bfloat16 or float16 here, not 'float64'");
    check_refused(DATA ",runtime.mixed_precision_dtype=float16,runtime.loss_scale=128", NULL,
                  T2_EUSAGE, "runtime.loss_scale of float16 is null or dynamic here");
    check_refused(DATA ",trainer.recovery_begin_steps=-1", NULL, T2_EUSAGE,
                  "trainer.recovery_begin_steps must be at least 0");
    check_refused(DATA ",trainer.validation_summary_subdir='../x'", NULL, T2_EUSAGE,
                  "trainer.validation_summary_subdir must be the name of a folder");
    check_refused(DATA ",trainer.best_checkpoint_metric_comp=best", NULL, T2_EUSAGE,
                  "is higher or lower, not 'best'");
    check_refused(DATA ",trainer.best_checkpoint_export_subdir=best,"
                       "trainer.best_checkpoint_eval_metric=mean_iou",
                  NULL, T2_EUSAGE, "sacrebleu_score here, not 'mean_iou'");
    check_refused(DATA ",trainer.best_checkpoint_export_subdir=.,"
                       "trainer.best_checkpoint_eval_metric=accuracy",
                  NULL, T2_EUSAGE, "export_subdir must be the name of a folder");
    check_refused(DATA ",runtime.distribution_strategy=magic", NULL, T2_EUSAGE, "not 'magic'");
}

static void test_described_and_saved(void **state)
{
    struct tr_experiment *x;
    struct tr_options o;
    struct t2_buf text = {0};

    (void) state;
    assert_int_equal(open(NULL, DATA, NULL, &x, &o), T2_OK);
    tr_experiment_describe(x, &o, &text);
    t_assert_contains(t2_buf_cstr(&text), "* task.train_data.input_path = 'd/x-train-0'");
    t_assert_contains(t2_buf_cstr(&text), "--model=official_transformer "
                                          "--hparams_set=official_transformer_big");
    t_assert_contains(t2_buf_cstr(&text), "learning_rate_initial=0.0625");
    t2_buf_release(&text);
    assert_int_equal(tr_experiment_save(x, t_tmp_path("."), &err), T2_OK);
    tr_experiment_free(x);
    /* what was saved gives the same options */
    assert_int_equal(open(t_tmp_path("params.yaml"), NULL, NULL, &x, &o), T2_OK);
    assert_string_equal(o.problem, "x");
    tr_experiment_free(x);
}

T_MAIN(cmocka_unit_test(test_options), cmocka_unit_test(test_trainer), cmocka_unit_test(test_modes),
       cmocka_unit_test(test_refused), cmocka_unit_test(test_described_and_saved))
