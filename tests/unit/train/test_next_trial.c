/*
 * tests/unit/train/test_next_trial.c - the rules of ASHA and successive halving, against cases that
 * were worked by hand.
 */
#include "train/tune/next_trial.h"

#include <stdio.h>
#include <stdlib.h>

#include "tests/unit/train/small_study.h"

/* A study whose trials are told what becomes of them; who is alive stands in a table. */
struct game {
    struct tune_trials t;
    struct tune_log log;
    enum tune_life alive[64];
};

static enum tune_life is_alive(void *context, int64_t trial)
{
    return ((struct game *) context)->alive[trial];
}

static void begin(struct game *g, const char *name, enum tune_algorithm algorithm, int64_t n,
                  int64_t reduction)
{
    struct tune_study s = small_study(algorithm, n, reduction, 9, 1);

    *g = (struct game){.alive = {TUNE_GONE}};
    begin_study(t_tmp_path(name), &s, &g->log, &g->t);
    STUDY_OK(tune_log_lock(&g->log, err));
}

static void end(struct game *g)
{
    tune_trials_release(&g->t);
    tune_log_close(&g->log);
}

/* The next turn is a job for this trial and rung, which is claimed. */
static void expect(struct game *g, int64_t trial, int rung)
{
    struct tune_job job;

    assert_int_equal(tune_next(&g->t, is_alive, g, &job), TUNE_JOB);
    assert_int_equal(job.trial, trial);
    assert_int_equal(job.rung, rung);
    tune_say_claim(&g->log, trial, rung, "x=0.5", "a/1");
    flush_study(&g->log, &g->t);
    g->alive[trial] = TUNE_ALIVE;
}

static void finish(struct game *g, int64_t trial, double value)
{
    tune_say_done(&g->log, trial, g->t.items[trial].entered, value, 1);
    flush_study(&g->log, &g->t);
    g->alive[trial] = TUNE_GONE;
}

static void give_up(struct game *g, int64_t trial)
{
    tune_say_failed(&g->log, trial, g->t.items[trial].entered, "x");
    flush_study(&g->log, &g->t);
    g->alive[trial] = TUNE_GONE;
}

static void expect_turn(struct game *g, enum tune_turn turn)
{
    struct tune_job job;

    assert_int_equal(tune_next(&g->t, is_alive, g, &job), turn);
}

static void test_random(void **state)
{
    struct game g;

    (void) state;
    begin(&g, "random", TUNE_RANDOM, 3, 3);
    expect(&g, 0, 0);
    expect(&g, 1, 0);
    g.alive[0] = TUNE_GONE; /* its process is gone: it comes first */
    expect(&g, 0, 0);
    expect(&g, 2, 0);
    expect_turn(&g, TUNE_WAIT);
    finish(&g, 1, 1);
    give_up(&g, 0);
    expect_turn(&g, TUNE_WAIT);
    finish(&g, 2, 2);
    expect_turn(&g, TUNE_OVER);
    tune_say_continue(&g.log, 0); /* a failed one is tried again */
    flush_study(&g.log, &g.t);
    expect(&g, 0, 0);
    finish(&g, 0, 1);
    tune_say_max_trials(&g.log, 4);
    flush_study(&g.log, &g.t);
    expect(&g, 3, 0);
    finish(&g, 3, 1);
    expect_turn(&g, TUNE_OVER);
    end(&g);
}

/*
 * Rungs 1, 3, 9, reduction 3, two at a time, the loss minimized.  With 3 results in rung 0 one may
 * go on, with 6 two, with 9 three; with 3 results in rung 1 one may.
 */
static void test_asha(void **state)
{
    struct game g;

    (void) state;
    begin(&g, "asha", TUNE_ASHA, 9, 3);
    expect(&g, 0, 0);
    expect(&g, 1, 0);
    finish(&g, 0, 5);
    expect(&g, 2, 0); /* 1 / 3 of one result is none */
    finish(&g, 1, 4);
    expect(&g, 3, 0);
    finish(&g, 2, 7);
    expect(&g, 1, 1); /* the best of 5, 4, 7 */
    finish(&g, 3, 3); /* the best of 5, 4, 7, 3; 4 has gone on, 4 / 3 = 1 */
    expect(&g, 3, 1);
    finish(&g, 1, 4.5);
    expect(&g, 4, 0);
    finish(&g, 4, 8);
    expect(&g, 5, 0);
    finish(&g, 5, 6); /* six results: two may go on, and two have */
    expect(&g, 6, 0);
    finish(&g, 3, 2.5); /* rung 1: 4.5, 2.5 */
    expect(&g, 7, 0);
    finish(&g, 6, 3.5); /* second of seven: 3, 3.5, 4, ... */
    expect(&g, 6, 1);
    finish(&g, 7, 9);
    expect(&g, 8, 0);
    finish(&g, 6, 4); /* rung 1: 2.5, 4, 4.5: one of three goes on, from the highest rung first */
    expect(&g, 3, 2);
    finish(&g, 8, 1); /* rung 0: 1, 3, 3.5, ...: first of nine */
    expect(&g, 8, 1);
    expect_turn(&g, TUNE_WAIT);
    finish(&g, 3, 2);
    expect_turn(&g, TUNE_WAIT);
    finish(&g, 8, 2.2); /* rung 1: 2.2, 2.5, 4, 4.5: the best of four */
    expect(&g, 8, 2);
    finish(&g, 8, 1.5);
    expect_turn(&g, TUNE_OVER);
    assert_int_equal(tune_trials_best(&g.t), 8);
    end(&g);
}

/* With fewer trials than the reduction nobody may go on; the best does all the same. */
static void test_asha_ends(void **state)
{
    struct game g;

    (void) state;
    begin(&g, "asha-ends", TUNE_ASHA, 2, 3);
    expect(&g, 0, 0);
    expect(&g, 1, 0);
    finish(&g, 0, 1);
    expect_turn(&g, TUNE_WAIT);
    finish(&g, 1, 2);
    expect(&g, 0, 1);
    give_up(&g, 0);
    expect(&g, 1, 1); /* nobody is in rung 1: the next best */
    finish(&g, 1, 2);
    expect(&g, 1, 2);
    finish(&g, 1, 2);
    expect_turn(&g, TUNE_OVER);
    end(&g);

    begin(&g, "all-fail", TUNE_ASHA, 2, 3);
    expect(&g, 0, 0);
    give_up(&g, 0);
    expect(&g, 1, 0);
    give_up(&g, 1);
    expect_turn(&g, TUNE_OVER);
    end(&g);
}

/* A trainer that outlives its worker is waited for where what comes next depends on what it gives,
 * and nowhere else. */
static void test_ending(void **state)
{
    static const struct {
        enum tune_algorithm algorithm;
        enum tune_sampler sampler;
        bool waits;
    } cases[] = {{TUNE_RANDOM, TUNE_DRAW, false}, {TUNE_HALVING, TUNE_DRAW, false},
                 {TUNE_ASHA, TUNE_DRAW, true},    {TUNE_TPE, TUNE_DRAW_TPE, true},
                 {TUNE_GP, TUNE_DRAW_GP, true},   {TUNE_HALVING, TUNE_DRAW_TPE, true}};

    (void) state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct game g;
        char name[32];

        snprintf(name, sizeof name, "ending-%zu", i);
        begin(&g, name, cases[i].algorithm, 4, 3);
        g.t.study.sampler = cases[i].sampler;
        expect(&g, 0, 0);
        g.alive[0] = TUNE_ENDING;
        if (cases[i].waits)
            expect_turn(&g, TUNE_WAIT);
        else
            expect(&g, 1, 0);
        g.alive[0] = TUNE_GONE;
        expect(&g, 0, 0);
        end(&g);
    }
}

/* 7 trials, reduction 2: 7, 3, 1, 1 in rungs 1, 2, 4, 8, 9 steps: 7, 3, 1, 1, 1. */
static void test_halving(void **state)
{
    struct game g;

    (void) state;
    begin(&g, "halving", TUNE_HALVING, 7, 2);
    assert_int_equal(g.t.study.n_rungs, 5);
    for (int i = 0; i < 7; i++)
        expect(&g, i, 0);
    for (int i = 0; i < 5; i++) {
        finish(&g, i, 10 - i);
        expect_turn(&g, TUNE_WAIT); /* until all are compared */
    }
    give_up(&g, 6);
    finish(&g, 5, 6); /* as good as trial 4, and later */
    expect(&g, 4, 1);
    expect(&g, 5, 1);
    expect(&g, 3, 1);
    expect_turn(&g, TUNE_WAIT);
    finish(&g, 3, 1);
    finish(&g, 5, 2);
    g.alive[4] = TUNE_GONE;
    expect(&g, 4, 1);
    give_up(&g, 4);
    expect(&g, 3, 2);
    finish(&g, 3, 1);
    expect(&g, 3, 3);
    finish(&g, 3, 1);
    expect(&g, 3, 4);
    finish(&g, 3, 1);
    expect_turn(&g, TUNE_OVER);
    end(&g);
}

/* A trial that somebody stopped is left alone, and the others do not wait for it. */
static void test_stopped(void **state)
{
    struct game g;

    (void) state;
    begin(&g, "stopped", TUNE_HALVING, 3, 3);
    expect(&g, 0, 0);
    expect(&g, 1, 0);
    expect(&g, 2, 0);
    tune_say_stop(&g.log, 1);
    flush_study(&g.log, &g.t);
    g.alive[1] = TUNE_GONE;
    finish(&g, 0, 2);
    finish(&g, 2, 1);
    tune_say_stop(&g.log, 2);
    flush_study(&g.log, &g.t);
    expect(&g, 0, 1); /* the best that is not stopped */
    finish(&g, 0, 2);
    expect(&g, 0, 2);
    finish(&g, 0, 2);
    expect_turn(&g, TUNE_OVER);
    tune_say_continue(&g.log, 1);
    flush_study(&g.log, &g.t);
    expect(&g, 1, 0);
    finish(&g, 1, 0);
    expect_turn(&g, TUNE_OVER);
    end(&g);
}

T_MAIN(cmocka_unit_test(test_random), cmocka_unit_test(test_asha), cmocka_unit_test(test_asha_ends),
       cmocka_unit_test(test_halving), cmocka_unit_test(test_ending),
       cmocka_unit_test(test_stopped))
