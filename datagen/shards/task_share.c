/*
 * datagen/shards/task_share.c - tasks: parsing, the environment of mpirun, names.
 */
#include "datagen/shards/task_share.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/str.h"

enum { MOST_TASKS = 100000 };

static bool parse_two(const char *i_text, const char *n_text, struct dg_task_share *t)
{
    int64_t i, n;

    if (!i_text || !n_text || !t2_parse_i64(i_text, &i) || !t2_parse_i64(n_text, &n) || i < 0 ||
        n < 1 || n > MOST_TASKS || i >= n)
        return false;
    *t = (struct dg_task_share){(int) i, (int) i + 1, (int) n};
    return true;
}

enum t2_status dg_task_parse(const char *text, struct dg_task_share *t, struct t2_err *err)
{
    const char *slash = strchr(text, '/');
    char *first = t2_strndup(text, slash ? (size_t) (slash - text) : strlen(text));
    bool ok = slash && parse_two(first, slash + 1, t);

    t2_free(first);
    if (ok)
        return T2_OK;
    return t2_fail(err, T2_EUSAGE, "--task='%s': must be I/N, the tasks being 0/N to N-1/N", text);
}

bool dg_task_of_mpirun(struct dg_task_share *t)
{
    static const char *const names[][2] = {{"OMPI_COMM_WORLD_RANK", "OMPI_COMM_WORLD_SIZE"},
                                           {"PMI_RANK", "PMI_SIZE"}};

    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        if (parse_two(getenv(names[i][0]), getenv(names[i][1]), t) && t->n > 1)
            return true;
    }
    *t = (struct dg_task_share){0, 0, 0};
    return false;
}

char *dg_part_file(const char *name, const struct dg_task_share *t)
{
    return t2_asprintf("%s.part-%05d-%05d-of-%05d.json", name, t->first, t->end, t->n);
}
