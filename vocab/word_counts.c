/*
 * vocab/word_counts.c - the blocks of a corpus are counted on all threads.
 */
#include "vocab/word_counts.h"

#include <inttypes.h>
#include <string.h>

#include "base/alloc.h"
#include "base/file.h"
#include "base/pool.h"

enum { OFFICIAL_BUDGET = 1000000 };

/* What a run of voc_count_words hands to its blocks. */
struct counting {
    struct tok_tally *tally;
    uint64_t task, n_tasks;
};

static enum t2_status count_block(void *context, const struct voc_block *b, void *result,
                                  int worker, struct t2_err *err)
{
    const struct counting *c = context;
    struct tok_counts *counts = tok_tally_counts(c->tally, (size_t) worker);

    (void) result;
    if (b->index % c->n_tasks != c->task)
        return T2_OK;
    for (size_t i = 0; i < b->n; i++)
        tok_counts_add_text(counts, b->lines[i].data, b->lines[i].len_bytes);
    return tok_tally_check(c->tally, (size_t) worker, err);
}

enum t2_status voc_count_words(const struct voc_corpus *c, uint64_t task, uint64_t n_tasks,
                               struct t2_pool *pool, const struct tok_tally_limits *limits,
                               struct tok_tally **t, struct t2_err *err)
{
    struct counting counting = {tok_tally_new((size_t) t2_pool_threads(pool), limits), task,
                                n_tasks};
    const struct voc_work work = {.work = count_block,
                                  .context = &counting,
                                  .what = "counting words"};
    enum t2_status st = voc_corpus_run(c, &work, pool, err);

    *t = NULL;
    if (st == T2_OK)
        *t = counting.tally;
    else
        tok_tally_free(counting.tally);
    return st;
}

enum t2_status voc_set_budget(struct voc_corpus *c, const char *dialect, int64_t budget,
                              struct t2_err *err)
{
    bool official = strcmp(dialect, "official") == 0;

    if (!official && strcmp(dialect, "t2t") != 0)
        return t2_fail(err, T2_EUSAGE, "--dialect='%s': t2t or official", dialect);
    if (budget < -1)
        return t2_fail(err, T2_EUSAGE, "--file_byte_budget=%" PRId64 " is negative", budget);
    if (budget > 0 && c->feature[0] != 0)
        return t2_fail(err, T2_EUSAGE, "--file_byte_budget samples lines of text, not records");
    c->dialect = official ? TOK_DIALECT_OFFICIAL : TOK_DIALECT_T2T;
    c->file_budget = budget >= 0                      ? (uint64_t) budget
                     : official && c->feature[0] == 0 ? OFFICIAL_BUDGET
                                                      : 0;
    return T2_OK;
}

enum t2_status voc_beside(const char *tmp_dir, const char *output, char **beside,
                          struct t2_err *err)
{
    struct t2_file_info at = {.kind = T2_FILE_DIR};

    *beside = NULL;
    if (tmp_dir[0] != 0)
        T2_TRY(t2_look_at(tmp_dir, &at, err));
    if (at.kind != T2_FILE_DIR)
        return t2_fail(err, T2_EUSAGE, "--tmp_dir: '%s' is no folder", tmp_dir);
    *beside = tmp_dir[0] != 0 ? t2_path_join(tmp_dir, "counts") : t2_strdup(output);
    return T2_OK;
}

enum t2_status voc_try_output(const char *path, struct t2_err *err)
{
    struct t2_out *out = NULL;

    T2_TRY(t2_out_new(path, &out, err));
    t2_out_abort(out);
    return T2_OK;
}

bool voc_parse_task(const char *text, uint64_t *task, uint64_t *n_tasks)
{
    const char *slash = strchr(text, '/');
    char *first;
    bool ok;

    if (!slash)
        return false;
    first = t2_strndup(text, (size_t) (slash - text));
    ok = t2_parse_u64(first, task) && t2_parse_u64(slash + 1, n_tasks) && *task < *n_tasks;
    t2_free(first);
    return ok;
}
