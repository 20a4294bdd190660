/*
 * tfrec/cmd_relabel.c - tfrec relabel: other values for one feature of a finished data set.
 */
#include <string.h>

#include "base/alloc.h"
#include "base/pool.h"
#include "tfrec/commands.h"
#include "tfrec/edit_relabel.h"
#include "tfrec/edit_report.h"

static const char *feature = "", *map = "", *set = "", *where = "", *split = "";

/* clang-format off */
static const struct t2_flag table[] = {
    {NULL, T2_FLAG_GROUP, NULL, NULL, "what changes; --feature with --map, or --set", NULL},
    {"feature", T2_FLAG_STRING, &feature, "NAME", "The feature that --map is about.", NULL},
    {"map", T2_FLAG_STRING, &map, "OLD:NEW,...",
     "Every value OLD becomes NEW; others stay. For int64 and bytes.", NULL},
    {"set", T2_FLAG_STRING, &set, "NAME=VALUE",
     "The feature NAME becomes this value, or these: NAME=1,2,3 (bytes are always one value).",
     NULL},
    {"where", T2_FLAG_STRING, &where, "CONDITION",
     "Only of records for which it is true; see `tfrec filter --help`.", NULL},
    {"split", T2_FLAG_STRING, &split, "NAME", "Only of this split.", NULL},
    REC_EDIT_FLAGS,
};
/* clang-format on */

static const struct t2_tool tool = {
    .name = "tfrec relabel",
    .usage = "[flags] DATA_SET",
    .summary = "Changes values of one feature in a finished data set. Only shards with records "
               "that change are written again, the others keep their bytes; in them, records that "
               "do not change keep theirs. The manifest keeps the history. DATA_SET is a manifest, "
               "or a folder with one. Stopped at any moment, the same command finishes it.",
    .examples = "  tfrec relabel --feature=label --map=7:1,9:2 data/x.manifest.json\n"
                "  tfrec relabel --where='bytes() > 100000' --set=label=3 data/\n",
    .flags = table,
    .n_flags = sizeof table / sizeof *table,
};

struct job {
    struct rec_choice choice; /* without a condition: all */
    struct rec_relabel relabel;
};

static enum t2_status judge(const void *context, struct rec_where_scratch *scratch,
                            const struct tfr_example *ex, struct t2_slice record, uint64_t number,
                            struct t2_buf *out, enum rec_verdict *verdict, struct t2_err *err)
{
    const struct job *j = context;

    *verdict = REC_KEEP;
    if (j->choice.where && !rec_choice_has(&j->choice, scratch, ex, record, number))
        return T2_OK;
    return rec_relabel_record(&j->relabel, ex, out, verdict, err);
}

/* The feature's name and its new value in --set. */
static enum t2_status split_set(char **name, const char **value, struct t2_err *err)
{
    const char *equals = strchr(set, '=');

    if (!equals || equals == set)
        return t2_fail(err, T2_EUSAGE, "--set needs NAME=VALUE, not '%s'", set);
    *name = t2_strndup(set, (size_t) (equals - set));
    *value = equals + 1;
    return T2_OK;
}

static enum t2_status unknown_feature(const struct rec_edit *e, const char *name,
                                      struct t2_err *err)
{
    const char **names = t2_alloc(e->m->n_features + 1, sizeof *names);
    const char *nearest;
    enum t2_status st;

    for (size_t i = 0; i < e->m->n_features; i++)
        names[i] = e->m->features[i].name;
    nearest = t2_nearest(name, names, e->m->n_features);
    st = t2_fail(err, T2_EUSAGE, "'%s' has no feature '%s'%s%s%s", e->path, name,
                 nearest ? "; did you mean '" : "", nearest ? nearest : "", nearest ? "'?" : "");
    t2_free(names);
    return st;
}

static enum t2_status prepare(struct job *j, const struct rec_edit *e, struct t2_err *err)
{
    const struct tfr_manifest_feature *f;
    const char *value = map;
    char *name = NULL;
    enum t2_status st = T2_OK;

    if (*set)
        st = split_set(&name, &value, err);
    else
        name = t2_strdup(feature);
    f = st == T2_OK ? tfr_manifest_find_feature(e->m, name) : NULL;
    if (st == T2_OK && !f)
        st = unknown_feature(e, name, err);
    else if (st == T2_OK)
        st = (*set ? rec_relabel_parse_set : rec_relabel_parse_map)(&j->relabel, name, f->kind,
                                                                    value, err);
    t2_free(name);
    if (st == T2_OK && *split && !tfr_manifest_find_split(e->m, split))
        st = t2_fail(err, T2_ENOTFOUND, "'%s' has no split '%s'", e->path, split);
    return st;
}

static enum t2_status relabel(struct rec_edit *e, struct job *j, struct t2_err *err)
{
    const struct rec_edit_rule rule = {judge, true, *split ? split : NULL, j};
    struct rec_edit_counts counts = {0, 0, 0};
    struct t2_pool *pool;
    enum t2_status st;

    T2_TRY(prepare(j, e, err));
    pool = rec_pool_new();
    st = rec_edit_records(e, &rule, pool, &counts, err);
    t2_pool_free(pool);
    if (st == T2_OK && counts.n_changed > 0)
        st = rec_edit_commit(e, err);
    if (st == T2_OK) {
        const struct rec_edit_report report = {"changed", counts.n_changed, NULL, 0,
                                               0,         counts.n_shards};
        st = rec_edit_print(e, &report, err);
    }
    return st;
}

static enum t2_status run_on(const struct t2_strs *words, struct t2_err *err)
{
    const char *const flags[] = {"feature", feature, "map",   map,   "set", set,
                                 "where",   where,   "split", split, NULL};
    const struct rec_edit_report nothing = {"changed", 0, NULL, 0, 0, 0};
    struct job job = {0};
    struct rec_edit *e = NULL;
    char *command = rec_edit_command("relabel", flags, words);
    const struct rec_edit_options o = {.set = words->items[0],
                                       .command = command,
                                       .dry_run = rec_edit_dry_run,
                                       .again = rec_edit_again};
    enum t2_status st = T2_OK;

    if (*where)
        st = rec_where_parse(where, &job.choice.where, err);
    if (st == T2_OK)
        st = rec_edit_open(&o, &e, err);
    if (st == T2_OK)
        st = e ? relabel(e, &job, err) : rec_edit_print(NULL, &nothing, err);
    rec_edit_free(e);
    rec_choice_release(&job.choice);
    rec_relabel_release(&job.relabel);
    t2_free(command);
    return st;
}

static enum t2_status run(int argc, char **argv, struct t2_err *err)
{
    struct t2_strs words = {NULL, 0, 0};
    enum t2_status st = t2_flags_parse(&tool, argc, argv, &words, err);

    if (st == T2_OK && words.n != 1)
        st = t2_fail(err, T2_EUSAGE, "give one data set: a manifest, or a folder with one");
    if (st == T2_OK && (*set ? *map || *feature : !*map || !*feature))
        st = t2_fail(err, T2_EUSAGE, "give --feature=NAME with --map=OLD:NEW, or --set=NAME=VALUE");
    if (st == T2_OK)
        st = run_on(&words, err);
    t2_strs_release(&words);
    return st;
}

const struct t2_command rec_cmd_relabel = {"relabel", "Changes values of one feature.", run};
