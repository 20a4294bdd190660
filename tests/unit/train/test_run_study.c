/*
 * tests/unit/train/test_run_study.c - which flags ask for a search, and what is refused before
 * there is one.  Whole searches: tests/cli/t2t-tune, tests/e2e/search_*.sh.
 */
#include "train/runs/run_study.h"

#include "base/file.h"
#include "tests/support/t.h"
#include "train/tune/study.h"

static struct tr_trainer_flags defaults;

static void reset(void)
{
    tr_flags = defaults;
}

static void test_is_asked(void **state)
{
    struct t2_err err = T2_ERR_INIT;
    bool asked;

    (void) state;
    reset();
    assert_int_equal(tr_study_is_asked(&asked, &err), T2_OK);
    assert_false(asked);
    tr_flags.hparams_range = "basic1";
    assert_int_equal(tr_study_is_asked(&asked, &err), T2_EUSAGE);
    tr_flags.autotune_objective = "loss";
    assert_int_equal(tr_study_is_asked(&asked, &err), T2_OK);
    assert_true(asked);
    tr_flags.hparams_range = NULL;
    assert_int_equal(tr_study_is_asked(&asked, &err), T2_EUSAGE);
    t_assert_contains(err.message, "which hparams, with --hparams_range?");
    tr_flags.autotune = true;
    assert_int_equal(tr_study_is_asked(&asked, &err), T2_EUSAGE);
    assert_string_equal(err.message, "a search needs --hparams_range and --autotune_objective");
}

/* A search of otherwise good flags, of which one was set by the caller since reset. */
static void refused(enum t2_status status, const char *message)
{
    const char *dir = t_tmp_path("run");
    const struct tr_options o = {.output_dir = dir,
                                 .data_dir = "/nowhere",
                                 .train = true,
                                 .evaluate = true,
                                 .resume = true,
                                 .train_steps = tr_flags.train_steps,
                                 .local_eval_frequency = 1,
                                 .log_step_count_steps = 1};
    struct t2_err err = T2_ERR_INIT;
    struct t2_buf text = {0};

    tr_flags.hparams_range = tr_flags.hparams_range ? tr_flags.hparams_range : "basic1";
    tr_flags.autotune_objective =
        tr_flags.autotune_objective ? tr_flags.autotune_objective : "loss";
    assert_int_equal(tr_study(&defaults, &o, &text, &err), status);
    t_assert_contains(err.message, message);
    assert_int_equal(text.len_bytes, 0);
    assert_false(t2_exists(dir)); /* no study was begun */
    t2_buf_release(&text);
    reset();
}

static void test_refusals(void **state)
{
    (void) state;
    reset();
    refused(T2_ENOTFOUND, "--data_dir '/nowhere' is not a folder"); /* all else is well */
    tr_flags.autotune_max_trials = TUNE_MOST_TRIALS + 1;
    refused(T2_EUSAGE, "--autotune_max_trials must be between 1 and 1000000");
    tr_flags.autotune_parallel_trials = 0;
    refused(T2_EUSAGE, "--autotune_parallel_trials");
    tr_flags.autotune_grid_points = TUNE_MOST_GRID_POINTS + 1;
    refused(T2_EUSAGE, "--autotune_grid_points");
    tr_flags.autotune_seed = -1;
    refused(T2_EUSAGE, "--autotune_seed");
    tr_flags.pause_at_step = 1;
    refused(T2_EUSAGE, "--pause_at_step");
    tr_flags.eval_steps_given = true;
    tr_flags.eval_steps = 0;
    refused(T2_EUSAGE, "--eval_steps=0");
    tr_flags.experiment = "x";
    refused(T2_EUNSUPPORTED, "--hparams_range with --experiment");
    tr_flags.autotune_algorithm = "bayes";
    refused(T2_EUSAGE, "random, grid, tpe, gp, asha or halving, not 'bayes'");
    tr_flags.autotune_sampler = "tpe";
    refused(T2_EUSAGE,
            "--autotune_sampler=tpe is of the algorithms asha and halving, not of random; "
            "--autotune_algorithm=tpe");
    tr_flags.autotune_algorithm = "asha";
    tr_flags.autotune_sampler = "bayes";
    refused(T2_EUSAGE, "--autotune_sampler is random, tpe or gp, not 'bayes'");
    tr_flags.train_steps = 0;
    refused(T2_EUSAGE, "--train_steps");
    tr_flags.autotune_objective = "metrics/acuracy";
    refused(T2_EUSAGE, "'metrics/acuracy': evaluations do not say that; there are loss, accuracy");
    tr_flags.hparams_range = "basic2";
    refused(T2_EUSAGE, "unknown hparams range 'basic2'; did you mean 'basic1'?");
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_is_asked),
                                       cmocka_unit_test(test_refusals)};

    defaults = tr_flags;
    return cmocka_run_group_tests(tests, NULL, NULL);
}
