/*
 * tests/fuzz/fuzz_study_log.c - any bytes as the file of a study, and any lines with right numbers
 * and checksums: refused with a message, or a study whose next turn, ranks and best trial make
 * sense.
 */
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "tests/fuzz/memory_file.h"
#include "train/tune/next_trial.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static enum tune_life life_of(void *context, int64_t trial)
{
    (void) context;
    return trial % 3 == 0 ? TUNE_ALIVE : trial % 3 == 1 ? TUNE_GONE : TUNE_ENDING;
}

static void check_ranks(const struct tune_trials *t)
{
    int64_t *order = tune_trials_ranked(t), best = tune_trials_best(t);
    bool *seen = t2_alloc((size_t) t->n, sizeof *seen);

    for (int64_t i = 0; i < t->n; i++) {
        if (order[i] < 0 || order[i] >= t->n || seen[order[i]])
            abort();
        seen[order[i]] = true;
    }
    if (best >= 0 && order[0] != best)
        abort();
    t2_free(seen);
    t2_free(order);
}

static void check(const struct tune_trials *t)
{
    struct tune_job job;

    for (int64_t i = 0; i < t->n; i++)
        if (!t->items[i].hparams || t->items[i].n_values > t->study.n_rungs)
            abort();
    check_ranks(t);
    if (t->has_study && tune_next(t, life_of, NULL, &job) == TUNE_JOB &&
        (job.trial < 0 || job.trial > t->n || job.rung < 0 || job.rung >= t->study.n_rungs))
        abort();
}

static void read_all(struct tune_log *log)
{
    struct t2_err err = T2_ERR_INIT;
    struct tune_trials t = {0};

    if (tune_trials_read(&t, log, &err) == T2_OK)
        check(&t);
    else if (err.message[0] == '\0')
        abort();
    tune_trials_release(&t);
}

static struct tune_log log_of(int fd)
{
    struct tune_log log = {.fd = fd, .lock_fd = -1};

    log.dir = t2_strdup("x");
    log.path = t2_strdup("x/study.jsonl");
    log.is_locked = true;
    return log;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char memory[T_PATH_BYTES];
    struct t2_err err = T2_ERR_INIT;
    struct tune_log log = log_of(t_memory_file(data, size, memory));
    const uint8_t *end = data + size;

    read_all(&log);
    tune_log_close(&log);

    log = log_of(t_memory_file("", 0, memory));
    while (data < end) {
        const uint8_t *newline = memchr(data, '\n', (size_t) (end - data));
        char *line = t2_strndup((const char *) data, (size_t) ((newline ? newline : end) - data));

        tune_log_add(&log, line);
        t2_free(line);
        data = newline ? newline + 1 : end;
    }
    if (tune_log_flush(&log, false, &err) != T2_OK)
        abort();
    read_all(&log);
    tune_log_close(&log);
    return 0;
}
