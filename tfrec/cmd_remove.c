/*
 * tfrec/cmd_remove.c - tfrec remove: a finished data set without some of its records.
 */
#include <errno.h>
#include <string.h>
#include <sys/stat.h>

#include "base/alloc.h"
#include "base/io.h"
#include "base/pool.h"
#include "tfrec/commands.h"
#include "tfrec/edit_choose.h"
#include "tfrec/edit_report.h"

static const char *where = "", *records = "", *duplicates_of = "", *split = "";
static uint64_t max_memory = UINT64_C(4) << 30;

/* clang-format off */
static const struct t2_flag table[] = {
    {NULL, T2_FLAG_GROUP, NULL, NULL, "which records; one of the first three at least", NULL},
    {"where", T2_FLAG_STRING, &where, "CONDITION",
     "Those for which it is true, as in 'len(inputs) > 256 || label == 3'; see `tfrec filter "
     "--help`.", NULL},
    {"records", T2_FLAG_STRING, &records, "N,M-K",
     "By number, from 0, over all shards in the order of the manifest, as `tfrec get` counts them.",
     NULL},
    {"duplicates_of", T2_FLAG_STRING, &duplicates_of, "INPUT",
     "Those that are, byte by byte, also in INPUT: a file, glob, sharded name, folder or manifest.",
     NULL},
    {"split", T2_FLAG_STRING, &split, "NAME", "Only of this split.", NULL},
    {"max_memory", T2_FLAG_SIZE, &max_memory, NULL,
     "For the records of --duplicates_of, about 64 bytes each.", NULL},
    REC_EDIT_FLAGS,
};
/* clang-format on */

static const struct t2_tool tool = {
    .name = "tfrec remove",
    .usage = "[flags] DATA_SET",
    .summary = "Removes records from a finished data set. Only shards that lose records are "
               "written again, the others keep their bytes; the manifest keeps the history. "
               "DATA_SET is a manifest, or a folder with one. Stopped at any moment, the same "
               "command finishes it.",
    .examples = "  tfrec remove --where='len(targets) > 512' data/x.manifest.json\n"
                "  tfrec remove --split=train --duplicates_of=data/x-test@10 data/\n",
    .flags = table,
    .n_flags = sizeof table / sizeof *table,
};

static enum t2_status judge(const void *context, struct rec_where_scratch *scratch,
                            const struct tfr_example *ex, struct t2_slice record, uint64_t number,
                            struct t2_buf *out, enum rec_verdict *verdict, struct t2_err *err)
{
    (void) out;
    (void) err;
    *verdict = rec_choice_has(context, scratch, ex, record, number) ? REC_DROP : REC_KEEP;
    return T2_OK;
}

/* Every record is a duplicate of itself: what is compared with may not be what is edited. */
static enum t2_status check_others(const struct rec_edit *e, const struct tfr_inputs *others,
                                   struct t2_err *err)
{
    for (size_t i = 0; i < e->files.n; i++) {
        struct stat ours, theirs;
        if (*split && strcmp(e->files.files[i].split, split) != 0)
            continue;
        if (t2_stat(e->files.files[i].path, &ours) != 0)
            return t2_fail_errno(err, errno, "cannot look at '%s'", e->files.files[i].path);
        for (size_t k = 0; k < others->n; k++) {
            if (strcmp(others->files[k].path, "-") == 0)
                continue;
            if (t2_stat(others->files[k].path, &theirs) != 0)
                return t2_fail_errno(err, errno, "cannot look at '%s'", others->files[k].path);
            if (ours.st_dev == theirs.st_dev && ours.st_ino == theirs.st_ino)
                return t2_fail(
                    err, T2_EUSAGE,
                    "--duplicates_of names '%s', which is of the data set itself: all of "
                    "its records would go; give --split, or see tfrec dedup",
                    others->files[k].path);
        }
    }
    return T2_OK;
}

static enum t2_status choose(struct rec_choice *c, const struct rec_edit *e,
                             const struct tfr_inputs *others, struct t2_pool *pool,
                             struct t2_err *err)
{
    if (*records)
        T2_TRY(rec_choice_parse_records(c, records, e->n_records, err));
    if (*split && !tfr_manifest_find_split(e->m, split))
        return t2_fail(err, T2_ENOTFOUND, "'%s' has no split '%s'", e->path, split);
    T2_TRY(check_others(e, others, err));
    return others->n > 0 ? rec_choice_add_others(c, others, max_memory, pool, err) : T2_OK;
}

static enum t2_status remove_records(struct rec_edit *e, struct rec_choice *c,
                                     const struct tfr_inputs *others, struct t2_err *err)
{
    const struct rec_edit_rule rule = {judge, rec_choice_needs_example(c), *split ? split : NULL,
                                       c};
    struct rec_edit_counts counts = {0, 0, 0};
    struct t2_pool *pool = rec_pool_new();
    enum t2_status st = choose(c, e, others, pool, err);

    if (st == T2_OK)
        st = rec_edit_records(e, &rule, pool, &counts, err);
    t2_pool_free(pool);
    if (st == T2_OK && counts.n_dropped > 0)
        st = rec_edit_commit(e, err);
    if (st == T2_OK) {
        const struct rec_edit_report report = {"removed", counts.n_dropped, NULL, 0,
                                               0,         counts.n_shards};
        st = rec_edit_print(e, &report, err);
    }
    return st;
}

static enum t2_status find_others(struct tfr_inputs *in, struct t2_err *err)
{
    struct t2_strs names = {NULL, 0, 0};
    enum t2_status st = T2_OK;

    *in = (struct tfr_inputs){NULL, 0, 0};
    if (*duplicates_of) {
        t2_strs_push(&names, duplicates_of);
        st = tfr_inputs_find(&names, in, err);
        t2_strs_release(&names);
    }
    return st;
}

static enum t2_status run_on(const struct t2_strs *words, struct t2_err *err)
{
    const char *const flags[] = {"where",       where,   "records", records, "duplicates_of",
                                 duplicates_of, "split", split,     NULL};
    const struct rec_edit_report nothing = {"removed", 0, NULL, 0, 0, 0};
    struct rec_choice choice = {0};
    struct tfr_inputs others;
    struct rec_edit *e = NULL;
    struct rec_edit_options o = {.set = words->items[0],
                                 .others = &others,
                                 .dry_run = rec_edit_dry_run,
                                 .again = rec_edit_again};
    char *command = rec_edit_command("remove", flags, words);
    enum t2_status st = find_others(&others, err);

    o.command = command;
    if (st == T2_OK && *where)
        st = rec_where_parse(where, &choice.where, err);
    if (st == T2_OK)
        st = rec_edit_open(&o, &e, err);
    if (st == T2_OK)
        st = e ? remove_records(e, &choice, &others, err) : rec_edit_print(NULL, &nothing, err);
    rec_edit_free(e);
    rec_choice_release(&choice);
    tfr_inputs_release(&others);
    t2_free(command);
    return st;
}

static enum t2_status run(int argc, char **argv, struct t2_err *err)
{
    struct t2_strs words = {NULL, 0, 0};
    enum t2_status st = t2_flags_parse(&tool, argc, argv, &words, err);

    if (st == T2_OK && words.n != 1)
        st = t2_fail(err, T2_EUSAGE, "give one data set: a manifest, or a folder with one");
    if (st == T2_OK && !*where && !*records && !*duplicates_of)
        st = t2_fail(err, T2_EUSAGE,
                     "which records? Give --where, --records or --duplicates_of (see --help)");
    if (st == T2_OK)
        st = run_on(&words, err);
    t2_strs_release(&words);
    return st;
}

const struct t2_command rec_cmd_remove = {"remove", "Removes records, rewriting few shards.", run};
