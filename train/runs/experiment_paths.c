/*
 * train/runs/experiment_paths.c - patterns of shards into problem, folder and split.
 */
#include "train/runs/experiment_paths.h"

#include <string.h>

#include "base/alloc.h"
#include "base/file.h"
#include "base/match_files.h"
#include "base/remote_path.h"
#include "base/str.h"

/*
 * Folder, problem and split that a pattern of shards stands for: DIR/PROBLEM-train* or DIR/train*.
 */
struct shards {
    char *dir, *problem;
    const char *split;
};

static void release(struct shards *s)
{
    t2_free(s->dir);
    t2_free(s->problem);
    *s = (struct shards){0};
}

/* As in names of shards; "valid" is a prefix that Model Garden's own pattern has. */
static const char *const splits[] = {"train", "dev", "validation", "valid", "test"};

/* The split whose name stands at s and ends a word there; NULL for none. */
static const char *split_at(const char *s)
{
    for (size_t i = 0; i < sizeof splits / sizeof *splits; i++) {
        size_t n = strlen(splits[i]);

        if (strncmp(s, splits[i], n) == 0 && strchr("-*?[.", s[n]))
            return splits[i];
    }
    return NULL;
}

/*
 * One pattern.  The name of the problem ends at the first "-<split>" of the last part of the path.
 */
static enum t2_status parse(const char *where, const char *pattern, struct shards *s,
                            struct t2_err *err)
{
    const char *slash = strrchr(pattern, '/');
    const char *base = slash ? slash + 1 : pattern;

    *s =
        (struct shards){.dir = !slash             ? t2_strdup(".")
                               : slash == pattern ? t2_strdup("/")
                                                  : t2_strndup(pattern, (size_t) (slash - pattern)),
                        .split = split_at(base)};
    if (s->split)
        s->problem = t2_strdup("pictures");
    for (const char *at = base; !s->split && (at = strchr(at, '-')); at++) {
        s->split = split_at(at + 1);
        if (s->split)
            s->problem = t2_strndup(base, (size_t) (at - base));
    }
    if (s->split)
        return T2_OK;
    release(s);
    if (t2_check_scheme(pattern, err) != T2_OK)
        return t2_wrap(err, "%s.input_path", where);
    return t2_fail(err, T2_EUSAGE,
                   "%s.input_path '%s' names no shards of a data set: they are DIR/PROBLEM-train* "
                   "(dev, test), or DIR/train* (validation) of jpeg-to-tfrecord",
                   where, pattern);
}

/* A pattern that matches nothing is an error here, before a data set of that name is looked for. */
static enum t2_status must_match(const char *where, const char *pattern, struct t2_err *err)
{
    char *expanded = t2_path_expand(pattern);
    struct t2_strs paths = {0};
    enum t2_status st = T2_OK;
    bool has_any = true;

    if (strpbrk(pattern, "*?")) {
        st = t2_match_files(expanded, &paths, err);
        has_any = paths.n > 0;
    }
    t2_strs_release(&paths);
    t2_free(expanded);
    if (st != T2_OK && st != T2_ENOTFOUND)
        return t2_wrap(err, "%s.input_path", where);
    if (has_any)
        return T2_OK;
    return t2_fail(err, T2_ENOTFOUND, "%s.input_path: '%s' does not match any files", where,
                   pattern);
}

/* The patterns of a field, one by one. */
static void list_patterns(const struct exp_value *v, struct t2_strs *patterns)
{
    if (v->kind == EXP_STRING)
        t2_strs_split(patterns, v->s, ',');
    for (size_t i = 0; i < v->n; i++)
        t2_strs_push(patterns, v->items[i].s);
}

/* All patterns of a data configuration; nothing in *s when there are none. */
static enum t2_status read_paths(const struct exp_config *c, const char *where, struct shards *s,
                                 struct t2_err *err)
{
    char *path = t2_asprintf("%s.input_path", where), *tfds = t2_asprintf("%s.tfds_name", where);
    struct t2_strs patterns = {0};
    struct shards one = {0};
    enum t2_status st = T2_OK;

    *s = one;
    list_patterns(exp_config_get(c, path), &patterns);
    if (patterns.n > 0 && exp_config_string(c, tfds)[0] != '\0')
        st = t2_fail(err, T2_EUSAGE,
                     "%s and %s are both given: one of them must be '' "
                     "(--params_override=\"%s=''\")",
                     path, tfds, tfds);
    for (size_t i = 0; i < patterns.n && st == T2_OK; i++) {
        st = parse(where, patterns.items[i], &one, err);
        if (st == T2_OK)
            st = must_match(where, patterns.items[i], err);
        if (st == T2_OK && i > 0 &&
            (strcmp(one.dir, s->dir) != 0 || strcmp(one.problem, s->problem) != 0 ||
             one.split != s->split))
            st = t2_fail(err, T2_EUSAGE, "%s: '%s' and '%s' are not of one data set", path,
                         patterns.items[0], patterns.items[i]);
        release(i > 0 || st != T2_OK ? &one : &(struct shards){0});
        if (i == 0 && st == T2_OK)
            *s = one;
    }
    if (st != T2_OK)
        release(s);
    t2_strs_release(&patterns);
    t2_free(path);
    t2_free(tfds);
    return st;
}

static enum t2_status check_splits(const struct shards *train, const struct shards *eval,
                                   struct t2_err *err)
{
    if (train->dir && strcmp(train->split, "train") != 0)
        return t2_fail(err, T2_EUSAGE,
                       "task.train_data.input_path names %s shards; training is on train's",
                       train->split);
    if (eval->dir && strcmp(eval->split, "train") == 0)
        return t2_fail(err, T2_EUSAGE,
                       "task.validation_data.input_path names train shards; evaluation is on dev's "
                       "(validation's) or test's");
    if (train->dir && eval->dir &&
        (strcmp(train->dir, eval->dir) != 0 || strcmp(train->problem, eval->problem) != 0))
        return t2_fail(err, T2_EUSAGE,
                       "train_data and validation_data are of two data sets, '%s/%s' and '%s/%s': "
                       "they must be splits of one",
                       train->dir, train->problem, eval->dir, eval->problem);
    return T2_OK;
}

enum t2_status tr_experiment_paths(const struct exp_config *c, bool needs_train, bool needs_eval,
                                   char **problem, char **data_dir, bool *use_test,
                                   struct t2_err *err)
{
    struct shards train = {0}, eval = {0};
    enum t2_status st = T2_OK;

    *problem = *data_dir = NULL;
    if (needs_train)
        st = read_paths(c, "task.train_data", &train, err);
    if (st == T2_OK && needs_eval)
        st = read_paths(c, "task.validation_data", &eval, err);
    if (st == T2_OK)
        st = check_splits(&train, &eval, err);
    if (st == T2_OK) {
        struct shards *s = train.dir ? &train : &eval;

        *use_test = *use_test || (eval.dir && strcmp(eval.split, "test") == 0);
        *problem = s->problem;
        *data_dir = s->dir;
        *s = (struct shards){0};
    }
    release(&train);
    release(&eval);
    return st;
}
