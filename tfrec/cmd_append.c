/*
 * tfrec/cmd_append.c - tfrec append: records behind those of a finished data set.
 */
#include <string.h>

#include "base/alloc.h"
#include "base/pool.h"
#include "tfrec/commands.h"
#include "tfrec/edit_append.h"
#include "tfrec/edit_report.h"

static const char *split = "";
static uint64_t shard_size;

/* clang-format off */
static const struct t2_flag table[] = {
    {NULL, T2_FLAG_GROUP, NULL, NULL, "appending", NULL},
    {"split", T2_FLAG_STRING, &split, "NAME",
     "The split that grows; left out: the only one, else train.", NULL},
    {"shard_size", T2_FLAG_SIZE, &shard_size, NULL,
     "A new shard ends before it would be larger; 0 = as large as the old ones are on average.",
     NULL},
    REC_EDIT_FLAGS,
};
/* clang-format on */

static const struct t2_tool tool = {
    .name = "tfrec append",
    .usage = "[flags] DATA_SET INPUT...",
    .summary = "Adds records to a finished data set, as new shards. The shards that are there keep "
               "their bytes and get the new total in their names; the manifest keeps the history. "
               "Records must have the set's features, and ids of its vocabulary. DATA_SET is a "
               "manifest, or a folder with one. Stopped at any moment, the same command finishes "
               "it.",
    .examples = "  tfrec append data/x.manifest.json more.tfrecord\n"
                "  tfrec append --split=dev --dry_run data/ dev-2@4\n",
    .flags = table,
    .n_flags = sizeof table / sizeof *table,
};

static enum t2_status append(struct rec_edit *e, const struct tfr_inputs *in, struct t2_err *err)
{
    const struct rec_append_options o = {in, *split ? split : NULL, shard_size};
    struct rec_append_counts counts;
    struct t2_pool *pool = rec_pool_new();
    enum t2_status st = rec_edit_append(e, &o, pool, &counts, err);
    const struct rec_edit_report report = {"appended",   counts.n_records, counts.split,
                                           counts.n_new, counts.n_renamed, 0};

    t2_pool_free(pool);
    if (st == T2_OK && counts.n_records > 0)
        st = rec_edit_commit(e, err);
    return st == T2_OK ? rec_edit_print(e, &report, err) : st;
}

/* words: the data set, then the inputs. */
static enum t2_status run_on(const struct t2_strs *words, struct t2_err *err)
{
    char *size = shard_size > 0 ? t2_asprintf("%llu", (unsigned long long) shard_size) : NULL;
    const char *const flags[] = {"split", split, "shard_size", size, NULL};
    const struct t2_strs inputs = {words->items + 1, words->n - 1, words->n - 1};
    const struct rec_edit_report nothing = {"appended", 0, "", 0, 0, 0};
    struct tfr_inputs in;
    struct rec_edit *e = NULL;
    struct rec_edit_options o = {.set = words->items[0],
                                 .others = &in,
                                 .dry_run = rec_edit_dry_run,
                                 .again = rec_edit_again};
    char *command = rec_edit_command("append", flags, words);
    enum t2_status st = tfr_inputs_find(&inputs, &in, err);

    o.command = command;
    if (st == T2_OK)
        st = rec_edit_open(&o, &e, err);
    if (st == T2_OK)
        st = e ? append(e, &in, err) : rec_edit_print(NULL, &nothing, err);
    rec_edit_free(e);
    tfr_inputs_release(&in);
    t2_free(command);
    t2_free(size);
    return st;
}

static enum t2_status run(int argc, char **argv, struct t2_err *err)
{
    struct t2_strs words = {NULL, 0, 0};
    enum t2_status st = t2_flags_parse(&tool, argc, argv, &words, err);

    if (st == T2_OK && words.n < 2)
        st = t2_fail(err, T2_EUSAGE, "give the data set and what is added to it");
    if (st == T2_OK)
        st = run_on(&words, err);
    t2_strs_release(&words);
    return st;
}

const struct t2_command rec_cmd_append = {"append", "Adds records, as new shards.", run};
