/*
 * tests/unit/train/hostile_runs.h - runs that are opened in a process of their own, each of which
 * must end in a plan or in a sentence: not in an abort, a hang or a giant allocation.
 */
#ifndef T2_TESTS_UNIT_TRAIN_HOSTILE_RUNS_H
#define T2_TESTS_UNIT_TRAIN_HOSTILE_RUNS_H

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/log.h"
#include "base/str.h"
#include "tests/unit/train/small_models.h"
#include "train/input/input.h"
#include "train/models/hparams.h"

/* Quick tests run one case of so many, another for each model; those of *_slow.c all. */
#ifndef ONE_CASE_OF
#ifdef __SANITIZE_ADDRESS__
#define ONE_CASE_OF 12
#else
#define ONE_CASE_OF 4
#endif
#endif

/* ---- cases in processes of their own ---- */

enum { MOST_CASES = 20000, TEXT_BYTES = 400, CPU_SECONDS_A_CASE = 60 };

struct case_of_run {
    const struct small_model *model;
    const char *set;
    bool only_plan; /* no step: it may be a large model */
    char hparams[TEXT_BYTES];
};

static struct case_of_run *cases;
static int n_cases;
static size_t n_asked_for; /* cases, those that are not run, too */
static const char *data_dir, *output_dir;
static bool runs_evaluate; /* opens the shards of evaluation, too, which takes time */

/* Written by the process of the cases: which one is under way. */
static struct shared {
    volatile int now;
    volatile int n_plans;
} * shared;

static inline void add(const struct small_model *m, const char *set, const char *hparams)
{
    if ((n_asked_for++ + (size_t) (m - small_models)) % ONE_CASE_OF != 0)
        return;
    assert_true(n_cases < MOST_CASES);
    cases[n_cases] = (struct case_of_run){.model = m, .set = set};
    assert_true(snprintf(cases[n_cases++].hparams, TEXT_BYTES, "%s", hparams) < TEXT_BYTES);
}

/* Opens it, trains a step.  A sentence is one with a word in it. */
static inline bool plans(const struct case_of_run *c)
{
    struct tr_options o = small_options(c->model, data_dir, output_dir);
    struct t2_err err = T2_ERR_INIT;
    struct mdl_batch batch;
    struct tr_run *r = NULL;
    struct mdl_loss loss;
    char *hparams;
    uint64_t samples;
    enum t2_status st;

    /* What is said twice is said by the case. */
    if (strcmp(c->set, c->model->set) == 0) {
        struct t2_strs all = {0};
        struct t2_buf text = {0};
        size_t key = strcspn(c->hparams, "=");

        for (const char *p = c->model->hparams; *p;) {
            size_t n = strcspn(p, "="), end = n;

            end += p[n + 1] == '[' ? strcspn(p + n, "]") + 1 : strcspn(p + n, ",");
            if (n != key || strncmp(p, c->hparams, n) != 0)
                t2_buf_printf(&text, "%.*s,", (int) end, p);
            p += end + (p[end] == ',');
        }
        t2_buf_puts(&text, c->hparams);
        t2_strs_release(&all);
        hparams = t2_buf_detach(&text);
    } else {
        hparams = t2_strdup(c->hparams);
    }
    o.hparams = hparams;
    o.evaluate = runs_evaluate;
    o.hparams_set = c->set;
    st = tr_run_open(&o, &r, &err);
    if (st == T2_OK && !c->only_plan)
        st = in_next(r->train, &batch, &samples, &err);
    if (st == T2_OK && !c->only_plan)
        st = mdl_train_step(r->model, &batch, 1, 0, &loss, &err);
    if (st != T2_OK && !strchr(err.message, ' ')) {
        fprintf(stderr, "no sentence: '%s'\n", err.message);
        abort();
    }
    if (st != T2_OK && getenv("T_SHOW"))
        fprintf(stderr, "%s + %s + %s: %s\n", c->model->model, c->set, c->hparams, err.message);
    tr_run_free(r);
    t2_free(hparams);
    return st == T2_OK;
}

/* Runs cases from `first` on until one does not come back. */
static _Noreturn void run_cases(int first)
{
    static const int fatal[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT};

    /* of processor time, which a loaded machine does not shorten */
    const struct itimerval busy = {.it_value = {.tv_sec = CPU_SECONDS_A_CASE}};

    for (size_t i = 0; i < sizeof fatal / sizeof *fatal; i++)
        (void) signal(fatal[i], SIG_DFL); /* cmocka's handlers would go on here, in the child */
#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
    const struct rlimit limit = {UINT64_C(6) << 30, UINT64_C(6) << 30};

    if (setrlimit(RLIMIT_AS, &limit) != 0)
        _exit(3);
#endif
    t2_log_set_level(T2_LOG_ERROR);
    for (int i = first; i < n_cases; i++) {
        shared->now = i;
        assert_int_equal(setitimer(ITIMER_PROF, &busy, NULL), 0);
        shared->n_plans += plans(&cases[i]);
    }
    _exit(0);
}

/* All cases; every one that ends in anything but a plan or a sentence is shown. */
static inline void check_cases(void)
{
    int n_bad = 0;

    shared->n_plans = 0;
    for (int first = 0; first < n_cases; first = shared->now + 1) {
        pid_t child = fork();
        int how = 0;

        assert_true(child >= 0);
        if (child == 0)
            run_cases(first);
        while (waitpid(child, &how, 0) < 0)
            assert_int_equal(errno, EINTR);
        if (WIFEXITED(how) && WEXITSTATUS(how) == 0)
            break;
        fprintf(stderr, "--model=%s --hparams_set=%s --hparams='%s': %s %d\n",
                cases[shared->now].model->model, cases[shared->now].set, cases[shared->now].hparams,
                WIFSIGNALED(how) ? "signal" : "exit",
                WIFSIGNALED(how) ? WTERMSIG(how) : WEXITSTATUS(how));
        n_bad++;
    }
    fprintf(stderr, "%d cases, %d plans\n", n_cases, shared->n_plans);
    assert_int_equal(n_bad, 0);
}

static inline int set_up(void **state)
{
    (void) state;
    cases = t2_alloc(MOST_CASES, sizeof *cases);
    shared = mmap(NULL, sizeof *shared, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    assert_true(shared != MAP_FAILED);
    data_dir = t_tmp_path("data");
    output_dir = t_tmp_path("run");
    small_write_data(data_dir);
    return 0;
}

static inline int tear_down(void **state)
{
    (void) state;
    t2_free(cases);
    munmap(shared, sizeof *shared);
    return 0;
}

#endif
