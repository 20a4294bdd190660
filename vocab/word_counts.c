/*
 * vocab/word_counts.c - each thread has its own table; they are added in the end.
 */
#include "vocab/word_counts.h"

#include <string.h>

#include "base/alloc.h"
#include "base/pool.h"

struct job {
    uint64_t task, n_tasks;
    struct tok_counts **tables; /* per worker */
};

static enum t2_status count_block(void *context, const struct voc_block *b, void *result,
                                  int worker, struct t2_err *err)
{
    const struct job *job = context;

    (void) result;
    (void) err;
    if (b->index % job->n_tasks != job->task)
        return T2_OK;
    for (size_t i = 0; i < b->n; ++i)
        tok_counts_add_text(job->tables[worker], b->lines[i].data, b->lines[i].len_bytes);
    return T2_OK;
}

enum t2_status voc_count_words(const struct voc_corpus *c, uint64_t task, uint64_t n_tasks,
                               struct t2_pool *pool, struct tok_counts **counts, struct t2_err *err)
{
    int n = t2_pool_threads(pool);
    struct job job = {task, n_tasks, t2_alloc((size_t) n, sizeof(*job.tables))};
    const struct voc_work work = {.work = count_block, .context = &job, .what = "counting words"};
    enum t2_status st;

    *counts = NULL;
    for (int i = 0; i < n; ++i)
        job.tables[i] = tok_counts_new();
    st = voc_corpus_run(c, &work, pool, err);
    for (int i = 1; i < n; ++i) {
        if (st == T2_OK)
            tok_counts_merge(job.tables[0], job.tables[i]);
        tok_counts_free(job.tables[i]);
    }
    if (st == T2_OK)
        *counts = job.tables[0];
    else
        tok_counts_free(job.tables[0]);
    t2_free(job.tables);
    return st;
}

bool voc_parse_task(const char *text, uint64_t *task, uint64_t *n_tasks)
{
    const char *slash = strchr(text, '/');
    char *first;
    bool ok;

    if (slash == NULL)
        return false;
    first = t2_strndup(text, (size_t) (slash - text));
    ok = t2_parse_u64(first, task) && t2_parse_u64(slash + 1, n_tasks) && *task < *n_tasks;
    t2_free(first);
    return ok;
}
