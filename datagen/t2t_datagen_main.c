/*
 * datagen/t2t_datagen_main.c - t2t-datagen: from text to vocabulary and shuffled TFRecords.
 */
#include <inttypes.h>
#include <malloc.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/file.h"
#include "base/flags.h"
#include "base/log.h"
#include "base/signals.h"
#include "datagen/check_set.h"
#include "datagen/data_card.h"
#include "datagen/fetch/fetch_flags.h"
#include "datagen/generate.h"
#include "datagen/join_parts.h"
#include "datagen/official/official_problem.h"
#include "datagen/own_text_flags.h"
#include "datagen/problem_describe.h"
#include "datagen/problem_file.h"
#include "datagen/problem_registry.h"
#include "datagen/source/archive.h"

/* What the flags set. */
static struct {
    const char *problem, *exclude_problems, *data_dir, *tmp_dir, *t2t_usr_dir;
    const char *layout, *raw_dir;
    int64_t num_shards, train_shards, dev_shards, test_shards, max_cases, random_seed;
    int64_t num_concurrent_processes, file_byte_budget;
    bool only_list, describe, overwrite, dry_run, json, search, zero_based_labels;
    uint64_t shuffle_memory, max_memory, max_unpacked;
    int64_t max_unpack_ratio;
    const char *invalid, *shuffle, *check, *task;
    int64_t task_id, task_id_start, task_id_end;
    bool info, join;
    /* accepted by the original, not usable here */
    const char *text_later;
    int64_t int_later;
    double double_later;
    bool bool_later;
} flags = {
    .problem = "",
    .exclude_problems = "",
    .data_dir = "",
    .tmp_dir = "/tmp/t2t_datagen",
    .t2t_usr_dir = "",
    .layout = "t2t",
    .raw_dir = "",
    .random_seed = 429459,
    .shuffle_memory = 256 << 20,
    .max_unpack_ratio = DG_MAX_UNPACK_RATIO,
    .invalid = "fail",
    .shuffle = "t2t",
    .check = "",
    .task = "",
    .task_id = -1,
    .task_id_start = -1,
    .task_id_end = -1,
    .text_later = "",
};

static struct dg_own_text own_text = DG_OWN_TEXT_INIT;
static struct dg_fetch_flags fetch_flags = DG_FETCH_FLAGS_INIT;
static struct dg_fetch_options fetch_options;

/* What a flag has to do with the bytes that are made. */
enum role {
    HEADING,
    DECIDES,  /* goes into the manifest's command */
    INCIDENT, /* where, how fast, what is told */
    LATER_PROBLEMS
};

#define ROWS                                                                                       \
    ROW(HEADING, NULL, GROUP, NULL, NULL, "What to make")                                          \
    ROW(DECIDES, "problem", STRING, &flags.problem, "NAMES",                                       \
        "Registered problems: a name, a list 'a,b', or a prefix 'translate_*'.")                   \
    ROW(DECIDES, "t2t_usr_dir", STRING, &flags.t2t_usr_dir, "DIR",                                 \
        "Problems of your own: a folder of .yaml files and of .so plug-ins "                       \
        "(docs/problem-files.md).")                                                                \
    ROW(INCIDENT, "exclude_problems", STRING, &flags.exclude_problems, "PARTS",                    \
        "Leave out problems whose name contains one of these, 'a,b'.")                             \
    ROW(INCIDENT, "only_list", BOOL, &flags.only_list, NULL,                                       \
        "Print the problems that are selected (all without --problem) and stop.")                  \
    ROW(INCIDENT, "describe", BOOL, &flags.describe, NULL,                                         \
        "Print sources, fields, vocabulary and shards of the selected problems and stop.")         \
    ROW(HEADING, NULL, GROUP, NULL, NULL, "Text of your own instead of a registered problem")      \
    DG_OWN_TEXT_ROWS(ROW, DECIDES, own_text)                                                       \
    ROW(DECIDES, "invalid", STRING, &flags.invalid, "POLICY",                                      \
        "What is not UTF-8: fail, replace (U+FFFD for each broken part, as Python's "              \
        "errors='replace') or drop (the sample, counted in the manifest).")                        \
    ROW(HEADING, NULL, GROUP, NULL, NULL, "As the official Transformer's data_download")           \
    ROW(DECIDES, "layout", STRING, &flags.layout, "LAYOUT",                                        \
        "t2t, or official: its file names, vocabulary, shuffle and messages, for its own corpora " \
        "(wmt32k) or for --name with --train.")                                                    \
    ROW(INCIDENT, "raw_dir", STRING, &flags.raw_dir, "DIR",                                        \
        "Its name of --tmp_dir: downloads, unpacked and compiled text.")                           \
    ROW(DECIDES, "search", BOOL, &flags.search, NULL,                                              \
        "Look for the min_count that gives the wished vocabulary size, instead of 6.")             \
    ROW(DECIDES, "file_byte_budget", INT, &flags.file_byte_budget, "N",                            \
        "Characters of each file that feed its vocabulary; 0 means 1000000, as there.")            \
    ROW(HEADING, NULL, GROUP, NULL, NULL, "Where")                                                 \
    ROW(INCIDENT, "data_dir", STRING, &flags.data_dir, "DIR",                                      \
        "Folder of the result; made when missing.")                                                \
    ROW(DECIDES, "tmp_dir", STRING, &flags.tmp_dir, "DIR",                                         \
        "Folder of input files of problems that look for them there.")                             \
    ROW(INCIDENT, "overwrite", BOOL, &flags.overwrite, NULL,                                       \
        "Remove a data set of this name, its vocabulary too, and make it anew.")                   \
    ROW(INCIDENT, "dry_run", BOOL, &flags.dry_run, NULL, "Print what would be done and stop.")     \
    ROW(INCIDENT, "check", STRING, &flags.check, "DIR",                                            \
        "Read all data sets of this folder and compare them with their manifests: hashes, "        \
        "checksums, counts, features, ids, vocabularies; exit code 1 when one is damaged.")        \
    ROW(INCIDENT, "info", BOOL, &flags.info, NULL,                                                 \
        "Print the data card of --problem in --data_dir, as Markdown: counts, lengths, "           \
        "vocabulary, drops, sources, licence.")                                                    \
    ROW(HEADING, NULL, GROUP, NULL, NULL, "Downloads")                                             \
    DG_FETCH_ROWS(ROW, INCIDENT, fetch_flags)                                                      \
    ROW(INCIDENT, "max_unpack_ratio", INT, &flags.max_unpack_ratio, "N",                           \
        "Refuse archives that unpack to more than N times their size.")                            \
    ROW(INCIDENT, "max_unpacked", SIZE, &flags.max_unpacked, "BYTES",                              \
        "Refuse archives that unpack to more; 0 means no limit.")                                  \
    ROW(HEADING, NULL, GROUP, NULL, NULL, "Shards and order")                                      \
    ROW(DECIDES, "num_shards", INT, &flags.num_shards, "N",                                        \
        "Shards of the train split; 0 means what the problem says, 100 for own text.")             \
    ROW(DECIDES, "train_shards", INT, &flags.train_shards, "N", "The same as --num_shards.")       \
    ROW(DECIDES, "dev_shards", INT, &flags.dev_shards, "N",                                        \
        "Shards of the dev split; 0 means what the problem says, mostly 1.")                       \
    ROW(DECIDES, "test_shards", INT, &flags.test_shards, "N",                                      \
        "Shards of the test split; 0 means what the problem says, mostly 1.")                      \
    ROW(DECIDES, "max_cases", INT, &flags.max_cases, "N",                                          \
        "Stop the train split after so many samples; 0 means all.")                                \
    ROW(DECIDES, "random_seed", INT, &flags.random_seed, "N",                                      \
        "Seed of the shuffle, and of samples that a program makes.")                               \
    ROW(DECIDES, "shuffle", STRING, &flags.shuffle, "HOW",                                         \
        "t2t: the original's order, inside each shard; global: over all shards; none: the order "  \
        "of the text.")                                                                            \
    ROW(DECIDES, "zero_based_labels", BOOL, &flags.zero_based_labels, NULL,                        \
        "Class labels of sentiment_yelp_* from 0 on; the original stores 1 to the number of "      \
        "classes, of which the last one cannot be trained.")                                       \
    ROW(HEADING, NULL, GROUP, NULL, NULL, "Many machines (docs/datagen-scale.md)")                 \
    ROW(INCIDENT, "task", STRING, &flags.task, "I/N",                                              \
        "Make the shards of task I of N, 0/N to N-1/N, in any order or at one time, into one "     \
        "--data_dir; under mpirun the flag is not needed.")                                        \
    ROW(INCIDENT, "join", BOOL, &flags.join, NULL,                                                 \
        "Join what all tasks made: the same data set that one run would make.")                    \
    ROW(INCIDENT, "task_id", INT, &flags.task_id, "N",                                             \
        "The original's: make shard N only, counted through all splits; -1 means none.")           \
    ROW(INCIDENT, "task_id_start", INT, &flags.task_id_start, "N",                                 \
        "The same for the first of several shards; -1 means none.")                                \
    ROW(INCIDENT, "task_id_end", INT, &flags.task_id_end, "N", "Behind the last of them.")         \
    ROW(HEADING, NULL, GROUP, NULL, NULL, "Running")                                               \
    ROW(INCIDENT, "num_concurrent_processes", INT, &flags.num_concurrent_processes, "N",           \
        "The original's name of --num_threads; 0 means all CPUs.")                                 \
    ROW(INCIDENT, "max_memory", SIZE, &flags.max_memory, "BYTES",                                  \
        "Most memory of the whole program, whatever the size of the text: words, records and "     \
        "shuffles go to scratch files in --data_dir; 0 means what is useful.")                     \
    ROW(INCIDENT, "shuffle_memory", SIZE, &flags.shuffle_memory, "BYTES",                          \
        "Records are held in memory up to this size, then in scratch files in --data_dir.")        \
    ROW(INCIDENT, "json", BOOL, &flags.json, NULL, "Print one JSON object per problem to stdout.") \
    ROW(HEADING, NULL, GROUP, NULL, NULL,                                                          \
        "Flags of the original without use here; giving one says why")                             \
    ROW(LATER_PROBLEMS, "env_problem_max_env_steps", INT, &flags.int_later, "N",                   \
        "Environment problems.")                                                                   \
    ROW(LATER_PROBLEMS, "env_problem_batch_size", INT, &flags.int_later, "N",                      \
        "Environment problems.")                                                                   \
    ROW(LATER_PROBLEMS, "timit_paths", STRING, &flags.text_later, "FILES", "TIMIT.")               \
    ROW(LATER_PROBLEMS, "parsing_path", STRING, &flags.text_later, "DIR", "English parsing.")      \
    ROW(LATER_PROBLEMS, "disable_ffmpeg", BOOL, &flags.bool_later, NULL, "Video problems.")        \
    ROW(LATER_PROBLEMS, "wiki_revision_num_train_shards", INT, &flags.int_later, "N",              \
        "Wikipedia revisions.")                                                                    \
    ROW(LATER_PROBLEMS, "wiki_revision_num_dev_shards", INT, &flags.int_later, "N",                \
        "Wikipedia revisions.")                                                                    \
    ROW(LATER_PROBLEMS, "wiki_revision_data_prefix", STRING, &flags.text_later, "PREFIX",          \
        "Wikipedia revisions.")                                                                    \
    ROW(LATER_PROBLEMS, "wiki_revision_vocab_file", STRING, &flags.text_later, "FILE",             \
        "Wikipedia revisions.")                                                                    \
    ROW(LATER_PROBLEMS, "wiki_revision_max_examples_per_shard", INT, &flags.int_later, "N",        \
        "Wikipedia revisions.")                                                                    \
    ROW(LATER_PROBLEMS, "wiki_revision_max_page_size_exp", INT, &flags.int_later, "N",             \
        "Wikipedia revisions.")                                                                    \
    ROW(LATER_PROBLEMS, "wiki_revision_max_equal_to_diff_ratio", DOUBLE, &flags.double_later, "X", \
        "Wikipedia revisions.")                                                                    \
    ROW(LATER_PROBLEMS, "wiki_revision_revision_skip_factor", DOUBLE, &flags.double_later, "X",    \
        "Wikipedia revisions.")                                                                    \
    ROW(LATER_PROBLEMS, "wiki_revision_percent_identical_examples", DOUBLE, &flags.double_later,   \
        "X", "Wikipedia revisions.")                                                               \
    ROW(LATER_PROBLEMS, "wiki_revision_introduce_errors", BOOL, &flags.bool_later, NULL,           \
        "Wikipedia revisions.")

#define ROW(role, name, type, value, meta, help) role,
static const enum role roles[] = {ROWS};
#undef ROW
enum { N_FLAGS = sizeof roles / sizeof *roles };

static bool given[N_FLAGS];
#define ROW(role, name, type, value, meta, help) {name, T2_FLAG_##type, value, meta, help, NULL},
static struct t2_flag table[] = {ROWS};
#undef ROW

static const char *const after_examples =
    "  t2t-datagen --problem=translate_ende_numbers --data_dir=data\n"
    "  t2t-datagen --name=my_corpus --train=a.en,a.de --dev=b.en,b.de \\\n"
    "      --vocab_size=8192 --data_dir=data\n";

/* The flags that decide the bytes, in the order of the table: the command a manifest shows. */
static char *manifest_command(void)
{
    struct t2_strs words = {0};
    char *line;
    size_t i;

    t2_strs_push(&words, "t2t-datagen");
    for (i = 0; i < N_FLAGS; ++i) {
        const struct t2_flag *f = &table[i];
        if (roles[i] != DECIDES || !given[i])
            continue;
        if (f->type == T2_FLAG_INT)
            t2_strs_take(&words,
                         t2_asprintf("--%s=%" PRId64, f->name, *(const int64_t *) f->value));
        else if (f->type == T2_FLAG_BOOL)
            t2_strs_take(&words,
                         t2_asprintf("--%s%s", *(const bool *) f->value ? "" : "no", f->name));
        else if (f->type == T2_FLAG_STRING)
            t2_strs_take(&words, t2_asprintf("--%s=%s", f->name, *(const char *const *) f->value));
        else if (f->type == T2_FLAG_DOUBLE)
            t2_strs_take(&words, t2_asprintf("--%s=%g", f->name, *(const double *) f->value));
    }
    line = t2_flags_command_line((int) words.n, words.items);
    t2_strs_release(&words);
    return line;
}

static enum t2_status refuse_later(struct t2_err *err)
{
    size_t i;

    for (i = 0; i < N_FLAGS; ++i) {
        if (!given[i])
            continue;
        switch (roles[i]) {
        case LATER_PROBLEMS:
            return t2_fail(err, T2_EUSAGE, "--%s: the problem it belongs to is not in this version",
                           table[i].name);
        case HEADING:
        case DECIDES:
        case INCIDENT:
            break;
        }
    }
    return T2_OK;
}

static enum t2_status check_count(const char *flag, int64_t value, int64_t most, struct t2_err *err)
{
    if (value < 0 || value > most)
        return t2_fail(err, T2_EUSAGE, "--%s=%" PRId64 ": must be 0 to %" PRId64, flag, value,
                       most);
    return T2_OK;
}

static bool is_official(void)
{
    return strcmp(flags.layout, "official") == 0 && !flags.only_list;
}

/* Does a row set a member of own_text? */
static bool is_own_text_row(const struct t2_flag *f)
{
    uintptr_t value = (uintptr_t) f->value, from = (uintptr_t) &own_text;

    return f->value && value >= from && value < from + sizeof own_text;
}

static bool is_official_row(const struct t2_flag *f)
{
    static const char *const names[] = {"name", "train", "dev", "test", "vocab_size"};
    size_t i;

    for (i = 0; i < sizeof names / sizeof *names; ++i) {
        if (strcmp(f->name, names[i]) == 0)
            return true;
    }
    return false;
}

/* What of the other flags has no place in the official layout, or has one only there. */
static enum t2_status check_layout(struct t2_err *err)
{
    bool official = strcmp(flags.layout, "official") == 0;
    size_t i;

    if (!official && strcmp(flags.layout, "t2t") != 0)
        return t2_fail(err, T2_EUSAGE, "--layout='%s': must be t2t or official", flags.layout);
    if (!official && (flags.search || flags.raw_dir[0] || flags.file_byte_budget))
        return t2_fail(err, T2_EUSAGE,
                       "--search, --raw_dir and --file_byte_budget belong to --layout=official");
    T2_TRY(check_count("file_byte_budget", flags.file_byte_budget, INT64_MAX, err));
    if (!official)
        return T2_OK;
    if (flags.problem[0] && strcmp(flags.problem, dg_problem_wmt32k.name) != 0)
        return t2_fail(err, T2_EUSAGE,
                       "--layout=official makes '%s', or text of your own (--name, --train); "
                       "'%s' has the layout of Tensor2Tensor",
                       dg_problem_wmt32k.name, flags.problem);
    if (strcmp(flags.shuffle, "t2t") != 0)
        return t2_fail(err, T2_EUSAGE, "--layout=official has a shuffle of its own");
    for (i = 0; i < N_FLAGS; ++i) {
        if (given[i] && is_own_text_row(&table[i]) && !is_official_row(&table[i]))
            return t2_fail(err, T2_EUSAGE,
                           "--%s has no place in --layout=official: pairs of files, and one "
                           "vocabulary of subwords for both sides; one that is in --data_dir under "
                           "its name is used",
                           table[i].name);
    }
    if (strcmp(flags.invalid, "fail") != 0)
        return t2_fail(
            err, T2_EUSAGE,
            "--invalid=%s: --layout=official makes its compiled text of the text as it is; "
            "convert the files first",
            flags.invalid);
    return T2_OK;
}

/* Fewer heaps, and memory that is given back goes back to the system at once: the limit holds. */
static void bound_heaps(void)
{
    enum { MMAP_FROM_BYTES = 256 << 10 };

    if (flags.max_memory == 0)
        return;
    (void) mallopt(M_ARENA_MAX, 1);
    (void) mallopt(M_MMAP_THRESHOLD, MMAP_FROM_BYTES);
    (void) mallopt(M_TRIM_THRESHOLD, MMAP_FROM_BYTES);
}

static const char *const invalid_policies[] = {"fail", "replace", "drop"};
static const char *const shuffles[] = {"t2t", "global", "none"};

/* Which of three names a value is; the last when it is none of them. */
static int choice(const char *const names[3], const char *value)
{
    int i = 0;

    while (i < 2 && strcmp(value, names[i]) != 0)
        ++i;
    return i;
}

static enum t2_status check_choice(const char *flag, const char *const names[3], const char *value,
                                   struct t2_err *err)
{
    if (strcmp(value, names[choice(names, value)]) == 0)
        return T2_OK;
    return t2_fail(err, T2_EUSAGE, "--%s='%s': %s, %s or %s", flag, value, names[0], names[1],
                   names[2]);
}

static enum t2_status check_flags(struct t2_err *err)
{
    enum { MOST_SHARDS = 100000, MOST_THREADS = 4096 };

    T2_TRY(refuse_later(err));
    T2_TRY(dg_fetch_flags_read(&fetch_flags, &fetch_options, err));
    if (flags.max_unpack_ratio < 1)
        return t2_fail(err, T2_EUSAGE, "--max_unpack_ratio=%" PRId64 " must be at least 1",
                       flags.max_unpack_ratio);
    dg_set_unpack_limits(&(struct dg_unpack_limits){.max_ratio = (uint64_t) flags.max_unpack_ratio,
                                                    .max_bytes = flags.max_unpacked});
    T2_TRY(check_choice("invalid", invalid_policies, flags.invalid, err));
    T2_TRY(check_choice("shuffle", shuffles, flags.shuffle, err));
    T2_TRY(check_count("num_shards", flags.num_shards, MOST_SHARDS, err));
    T2_TRY(check_count("train_shards", flags.train_shards, MOST_SHARDS, err));
    T2_TRY(check_count("dev_shards", flags.dev_shards, MOST_SHARDS, err));
    T2_TRY(check_count("test_shards", flags.test_shards, MOST_SHARDS, err));
    T2_TRY(check_count("max_cases", flags.max_cases, INT64_MAX, err));
    T2_TRY(check_count("random_seed", flags.random_seed, INT64_MAX, err));
    T2_TRY(
        check_count("num_concurrent_processes", flags.num_concurrent_processes, MOST_THREADS, err));
    T2_TRY(check_layout(err));
    if (flags.num_shards && flags.train_shards && flags.num_shards != flags.train_shards)
        return t2_fail(err, T2_EUSAGE,
                       "--num_shards=%" PRId64 " and --train_shards=%" PRId64
                       " say the same thing differently",
                       flags.num_shards, flags.train_shards);
    return T2_OK;
}

static bool is_own_text(void)
{
    const struct dg_own_text *o = &own_text;

    return o->files[DG_TRAIN][0] || o->files[DG_DEV][0] || o->files[DG_TEST][0] || o->name[0] ||
           o->vocab[0] || o->vocab_size || o->source_vocab_size || o->target_vocab_size ||
           o->source_vocab[0] || o->target_vocab[0];
}

static struct dg_generate settings(struct t2_pool *pool, char *data_dir, char *tmp_dir,
                                   const char *command)
{
    struct dg_generate g = {0};

    g.options.data_dir = data_dir;
    g.options.tmp_dir = tmp_dir;
    g.options.pool = pool;
    g.options.random_seed = (uint64_t) flags.random_seed;
    g.options.max_cases = (uint64_t) flags.max_cases;
    g.options.zero_based_labels = flags.zero_based_labels;
    g.options.fetch = &fetch_options;
    g.n_shards[DG_TRAIN] = (int) (flags.train_shards ? flags.train_shards : flags.num_shards);
    g.n_shards[DG_DEV] = (int) flags.dev_shards;
    g.n_shards[DG_TEST] = (int) flags.test_shards;
    g.overwrite = flags.overwrite;
    g.shuffle_bytes = flags.shuffle_memory;
    g.max_memory = flags.max_memory;
    g.options.invalid = (enum dg_invalid) choice(invalid_policies, flags.invalid);
    g.shuffle = (enum dg_shuffle_kind) choice(shuffles, flags.shuffle);
    g.command = command;
    g.pool = pool;
    return g;
}

static void warn_of_default_dir(const struct dg_generate *g)
{
    if (flags.data_dir[0] == '\0')
        t2_warn("no --data_dir: writing to '%s'", g->options.data_dir);
}

/* The share of this process: of --task, of the original's flags, or of mpirun. */
static enum t2_status choose_share(const struct dg_problem *p, struct dg_generate *g, bool *join,
                                   struct t2_err *err)
{
    int64_t first = flags.task_id >= 0 ? flags.task_id : flags.task_id_start;
    int64_t end = flags.task_id >= 0 ? flags.task_id + 1 : flags.task_id_end, n;
    struct t2_strs shards = {0};

    *join = false;
    if (flags.task[0]) {
        T2_TRY(dg_task_parse(flags.task, &g->share, err));
    } else if (first >= 0 || end >= 0) {
        dg_shard_paths(p, g, &shards);
        n = (int64_t) shards.n;
        t2_strs_release(&shards);
        if (first < 0 || end <= first || end > n)
            return t2_fail(err, T2_EUSAGE,
                           "--task_id: shards %" PRId64 " to %" PRId64 " of %" PRId64
                           ", counted from 0",
                           first, end - 1, n);
        g->share = (struct dg_task_share){(int) first, (int) end, (int) n};
    } else if (dg_task_of_mpirun(&g->share)) {
        *join = g->share.first == 0;
        t2_log_set_rank(g->share.first, g->share.n);
    }
    if (g->share.n && flags.overwrite)
        return t2_fail(err, T2_EUSAGE,
                       "--overwrite: one task of many cannot know what the others have done; "
                       "remove the data set first");
    return T2_OK;
}

static enum t2_status make_one(const struct dg_problem *p, const struct dg_generate *settings,
                               struct t2_err *err)
{
    struct dg_generate share = *settings, *g = &share;
    struct dg_report report = {0};
    struct t2_buf text = {0};
    enum t2_status st;
    bool join;

    T2_TRY(choose_share(p, g, &join, err));
    if (flags.dry_run) {
        st = dg_describe_plan(p, g, &text, err);
    } else if (flags.join) {
        st = dg_join_parts(p->name, g->options.data_dir, err);
    } else {
        st = dg_generate(p, g, &report, err);
        if (st == T2_OK && join)
            st = dg_join_when_made(p->name, g->options.data_dir, err);
        if (st == T2_OK && flags.json && report.manifest) {
            struct t2_json json;
            t2_json_init(&json, &text, 0);
            dg_report_json(&report, &json);
            t2_buf_push(&text, '\n');
        }
    }
    (void) fputs(t2_buf_cstr(&text), stdout);
    t2_buf_release(&text);
    dg_report_release(&report);
    return st;
}

/* A mixture has no data of its own. */
static enum t2_status make_one_or_members(const struct dg_problem *p, const struct dg_generate *g,
                                          struct t2_err *err)
{
    const struct dg_problem *member;
    size_t i;

    if (!p->members)
        return make_one(p, g, err);
    for (i = 0; p->members[i]; ++i) {
        member = dg_find(p->members[i]);
        if (!member)
            return t2_fail(err, T2_EUNSUPPORTED, "'%s': its member '%s' is not known", p->name,
                           p->members[i]);
        T2_TRY(make_one(member, g, err));
    }
    return T2_OK;
}

static enum t2_status make_selected(const struct t2_strs *selected, const struct dg_generate *g,
                                    struct t2_err *err)
{
    struct t2_buf list = {0};
    size_t i;

    warn_of_default_dir(g);
    dg_list_grouped(selected, &list);
    t2_info("Generating problems:\n%.*s", (int) list.len_bytes - 1, t2_buf_cstr(&list));
    t2_buf_release(&list);
    for (i = 0; i < selected->n; ++i)
        T2_TRY(make_one_or_members(dg_find(selected->items[i]), g, err));
    return T2_OK;
}

static void describe_selected(const struct t2_strs *selected, const struct dg_generate *g)
{
    struct t2_buf text = {0};
    struct t2_json json;
    size_t i;

    for (i = 0; i < selected->n; ++i) {
        if (!flags.json) {
            dg_problem_describe(dg_find(selected->items[i]), g, &text);
            continue;
        }
        t2_json_init(&json, &text, 0);
        dg_problem_describe_json(dg_find(selected->items[i]), g, &json);
        t2_buf_push(&text, '\n');
    }
    (void) fputs(t2_buf_cstr(&text), stdout);
    t2_buf_release(&text);
}

/* What the original's error lists, with a line about each. */
static void list_all(void)
{
    struct t2_strs names = {0};
    struct t2_buf text = {0};

    dg_names(&names);
    dg_list_families(&names, &text);
    (void) fputs(t2_buf_cstr(&text), stderr);
    t2_buf_release(&text);
    t2_strs_release(&names);
}

static bool is_kind(const char *problem)
{
    return strcmp(problem, "text2text") == 0 || strcmp(problem, "text2self") == 0 ||
           strcmp(problem, "text2class") == 0;
}

static enum t2_status make_own_text(const struct dg_generate *g, struct t2_err *err)
{
    struct dg_own_text own = own_text;
    const char *problem = flags.problem;
    struct dg_problem *p = NULL;
    enum t2_status st;

    if (is_kind(problem)) { /* --problem=text2class is what T2T's users look for */
        own.kind = own.kind[0] ? own.kind : problem;
        problem = "";
    }
    if (own.name[0] == '\0')
        own.name = problem;
    else if (problem[0] && strcmp(problem, own.name) != 0)
        return t2_fail(err, T2_EUSAGE,
                       "--problem='%s' and --name='%s': text of your own is one data set", problem,
                       own.name);
    T2_TRY(dg_own_text_new(&own, &p, err));
    warn_of_default_dir(g);
    if (own.files[DG_DEV][0] == '\0')
        t2_warn("no --dev: the trainer will have nothing to evaluate on");
    st = make_one(p, g, err);
    dg_own_text_free(p);
    return st;
}

static enum t2_status make_official(const struct dg_generate *g, struct t2_err *err)
{
    struct dg_official_wishes wishes = {.search = flags.search,
                                        .name = is_own_text() ? own_text.name : NULL,
                                        .files = {own_text.files[DG_TRAIN], own_text.files[DG_DEV],
                                                  own_text.files[DG_TEST]},
                                        .vocab_size = own_text.vocab_size,
                                        .budget = (uint64_t) flags.file_byte_budget};
    struct dg_problem *p = NULL;
    enum t2_status st;

    T2_TRY(dg_official_new(&wishes, &p, err));
    warn_of_default_dir(g);
    st = flags.dry_run ? T2_OK : dg_official_folders(&g->options, err);
    if (st == T2_OK)
        st = make_one(p, g, err);
    dg_official_free(p);
    return st;
}

static enum t2_status make(const struct dg_generate *g, struct t2_err *err)
{
    struct t2_strs selected = {0};
    struct t2_buf list = {0};
    enum t2_status st;

    if (is_official())
        return make_official(g, err);
    if (is_own_text() && !flags.only_list)
        return make_own_text(g, err);
    st = dg_select(flags.only_list && !flags.problem[0] ? "*" : flags.problem,
                   flags.exclude_problems, &selected, err);
    if (flags.problem[0] == '\0' && !flags.only_list)
        list_all();
    if (st == T2_OK && flags.describe) {
        describe_selected(&selected, g);
    } else if (st == T2_OK && flags.only_list) {
        dg_list_grouped(&selected, &list);
        (void) fputs(t2_buf_cstr(&list), stdout);
        t2_buf_release(&list);
    } else if (st == T2_OK) {
        st = make_selected(&selected, g, err);
    }
    t2_strs_release(&selected);
    return st;
}

static enum t2_status flush_stdout(struct t2_err *err)
{
    if (fflush(stdout) != 0 || ferror(stdout))
        return t2_fail(err, T2_EIO, "cannot write to stdout");
    return T2_OK;
}

static enum t2_status fetch_only(struct t2_err *err)
{
    struct t2_buf text = {0};
    enum t2_status st = dg_fetch_command(&fetch_flags, flags.tmp_dir, flags.dry_run, &text, err);

    (void) fputs(t2_buf_cstr(&text), stdout);
    t2_buf_release(&text);
    return st == T2_OK ? flush_stdout(err) : st;
}

static enum t2_status load_usr_dir(struct t2_err *err)
{
    enum t2_status st = T2_OK;
    char *dir;

    if (flags.t2t_usr_dir[0]) {
        dir = t2_path_expand(flags.t2t_usr_dir);
        st = dg_usr_dir_register(dir, err);
        t2_free(dir);
    }
    return st;
}

static enum t2_status check(struct t2_pool *pool, struct t2_err *err)
{
    char *dir = t2_path_expand(flags.check);
    struct t2_buf text = {0};
    size_t n_damaged = 0;
    enum t2_status st = dg_check_sets(dir, flags.json, pool, &text, &n_damaged, err);

    (void) fputs(t2_buf_cstr(&text), stdout);
    if (st == T2_OK && n_damaged)
        st = t2_fail(err, T2_EFORMAT, "%zu data set%s of '%s' %s not what the manifest says",
                     n_damaged, n_damaged == 1 ? "" : "s", dir, n_damaged == 1 ? "is" : "are");
    t2_buf_release(&text);
    t2_free(dir);
    return st;
}

static enum t2_status print_card(const char *data_dir, struct t2_pool *pool, struct t2_err *err)
{
    const char *name = flags.problem[0] ? flags.problem : own_text.name;
    struct t2_buf text = {0};
    enum t2_status st;

    if (name[0] == '\0')
        return t2_fail(err, T2_EUSAGE, "--info: which --problem?");
    st = dg_data_card(name, data_dir, flags.json, pool, &text, err);
    (void) fputs(t2_buf_cstr(&text), stdout);
    t2_buf_release(&text);
    return st;
}

static enum t2_status run(struct t2_err *err)
{
    int n_threads = t2_flags_num_threads();
    const char *data_dir = flags.data_dir;
    struct dg_generate g;
    struct t2_pool *pool;
    char *data, *tmp, *command;
    enum t2_status st;

    T2_TRY(check_flags(err));
    if (fetch_flags.fetch[0])
        return fetch_only(err);
    bound_heaps();
    T2_TRY(load_usr_dir(err));
    if (data_dir[0] == '\0') {
        data_dir = getenv("TMPDIR");
        data_dir = data_dir && *data_dir ? data_dir : "/tmp";
    }
    data = t2_path_expand(data_dir);
    tmp = t2_path_expand(flags.raw_dir[0] ? flags.raw_dir : flags.tmp_dir);
    command = manifest_command();
    pool = t2_pool_new(n_threads ? n_threads : (int) flags.num_concurrent_processes);
    g = settings(pool, data, tmp, command);
    st = flags.check[0] ? check(pool, err)
         : flags.info   ? print_card(data, pool, err)
                        : make(&g, err);
    t2_pool_free(pool);
    t2_free(command);
    t2_free(tmp);
    t2_free(data);
    return st == T2_OK ? flush_stdout(err) : st;
}

int main(int argc, char **argv)
{
    const struct t2_tool tool = {
        "t2t-datagen",
        "(--problem=NAMES | --name=NAME --train=FILES | --fetch=URLS) --data_dir=DIR [flags]",
        "Turns text into a subword vocabulary and sharded, shuffled TFRecords, as Tensor2Tensor "
        "does.",
        after_examples,
        table,
        N_FLAGS};
    struct t2_err err = T2_ERR_INIT;
    struct t2_strs rest = {0};
    enum t2_status st;
    size_t i;

    t2_log_init("t2t-datagen");
    for (i = 0; i < N_FLAGS; ++i)
        table[i].given = &given[i];
    st = t2_flags_parse(&tool, argc, argv, &rest, &err);
    if (st == T2_OK && rest.n > 0)
        st = t2_fail(&err, T2_EUSAGE, "unexpected argument '%s'", rest.items[0]);
    t2_signals_install();
    if (st == T2_OK)
        st = run(&err);
    t2_strs_release(&rest);
    return st == T2_OK ? 0 : t2_report(&err);
}
