/*
 * datagen/datagen_flags.c - the flags of t2t-datagen: their table, their values, what contradicts
 * what.
 */
#include "datagen/datagen_flags.h"

#include <inttypes.h>
#include <string.h>

#include "base/alloc.h"
#include "datagen/default_folders.h"
#include "datagen/official/official_problem.h"
#include "datagen/source/archive.h"

struct dg_datagen_flags dg_flags = {
    .problem = "",
    .exclude_problems = "",
    .data_dir = "",
    .tmp_dir = dg_shared_tmp_dir,
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
    .preview = "",
    .preview_pipeline = "",
    .preview_images = 24,
    .text_later = "",
    .own_text = DG_OWN_TEXT_INIT,
    .revisions = DG_REVISION_SPEC_INIT,
    .own_images = {.image_dir = "", .images = DG_IMAGE_FLAGS_INIT},
    .fetch = DG_FETCH_FLAGS_INIT,
};

/* The effect of a flag on the bytes that are made. */
enum role {
    HEADING,
    DECIDES,  /* goes into the manifest's command */
    INCIDENT, /* where, how fast, what is told */
    LATER_PROBLEMS
};

#define ROWS                                                                                       \
    ROW(HEADING, NULL, GROUP, NULL, NULL, "What to make")                                          \
    ROW(DECIDES, "problem", STRING, &dg_flags.problem, "NAMES",                                    \
        "Registered problems: a name, a list 'a,b', or a prefix 'translate_*'.")                   \
    ROW(DECIDES, "t2t_usr_dir", STRING, &dg_flags.t2t_usr_dir, "DIR",                              \
        "Problems of your own: a folder of .yaml files and of .so plug-ins "                       \
        "(docs/problem-files.md).")                                                                \
    ROW(INCIDENT, "exclude_problems", STRING, &dg_flags.exclude_problems, "PARTS",                 \
        "Leave out problems whose name contains one of these, 'a,b'.")                             \
    ROW(INCIDENT, "only_list", BOOL, &dg_flags.only_list, NULL,                                    \
        "Print the problems that are selected (all without --problem) and stop.")                  \
    ROW(INCIDENT, "describe", BOOL, &dg_flags.describe, NULL,                                      \
        "Print sources, fields, vocabulary and shards of the selected problems and stop.")         \
    ROW(HEADING, NULL, GROUP, NULL, NULL, "Text of your own instead of a registered problem")      \
    DG_OWN_TEXT_ROWS(ROW, DECIDES, dg_flags.own_text)                                              \
    ROW(DECIDES, "invalid", STRING, &dg_flags.invalid, "POLICY",                                   \
        "What is not UTF-8: fail, replace (U+FFFD for each broken part, as Python's "              \
        "errors='replace') or drop (the sample, counted in the manifest).")                        \
    ROW(HEADING, NULL, GROUP, NULL, NULL, "Images of your own, with --name")                       \
    ROW(DECIDES, "image_dir", STRING, &dg_flags.own_images.image_dir, "DIR",                       \
        "A folder for each class, or folders train, dev (or validation, val), test with those.  "  \
        "Or lists: --csv=FILE without --train, rows path,label, paths below DIR; "                 \
        "--kind=image2class with --train=FILE, --dev=FILE, --test=FILE.")                          \
    ROW(DECIDES, "dev_percent", DOUBLE, &dg_flags.own_images.dev_percent, "P",                     \
        "So many of 100 training images, or samples of text of your own, are for dev instead, "    \
        "chosen by a hash of their contents.")                                                     \
    ROW(DECIDES, "test_percent", DOUBLE, &dg_flags.own_images.test_percent, "P",                   \
        "The same for test.")                                                                      \
    ROW(HEADING, NULL, GROUP, NULL, NULL,                                                          \
        "Which images, and as which bytes (of registered problems: --on_error)")                   \
    DG_IMAGE_ROWS(ROW, DECIDES, dg_flags.own_images.images, "")                                    \
    ROW(HEADING, NULL, GROUP, NULL, NULL, "As the official Transformer's data_download")           \
    ROW(DECIDES, "layout", STRING, &dg_flags.layout, "LAYOUT",                                     \
        "t2t, or official: its file names, vocabulary, shuffle and messages, for its own corpora " \
        "(wmt32k) or for --name with --train.")                                                    \
    ROW(INCIDENT, "raw_dir", STRING, &dg_flags.raw_dir, "DIR",                                     \
        "Its name of --tmp_dir: downloads, unpacked and compiled text.")                           \
    ROW(DECIDES, "search", BOOL, &dg_flags.search, NULL,                                           \
        "Look for the min_count that gives the wished vocabulary size, instead of 6.")             \
    ROW(DECIDES, "file_byte_budget", INT, &dg_flags.file_byte_budget, "N",                         \
        "Characters of each file that feed its vocabulary; 0 means 1000000, as there.")            \
    ROW(HEADING, NULL, GROUP, NULL, NULL, "Where")                                                 \
    ROW(INCIDENT, "data_dir", STRING, &dg_flags.data_dir, "DIR",                                   \
        "Folder of the result; made when missing.")                                                \
    ROW(DECIDES, "tmp_dir", STRING, &dg_flags.tmp_dir, "DIR",                                      \
        "Folder of input files of problems that look for them there.")                             \
    ROW(INCIDENT, "overwrite", BOOL, &dg_flags.overwrite, NULL,                                    \
        "Remove a data set of this name, its vocabulary too, and make it anew.")                   \
    ROW(INCIDENT, "ignore_space", BOOL, &dg_flags.ignore_space, NULL,                              \
        "Begin although the forecast does not fit on the disk.")                                   \
    ROW(INCIDENT, "dry_run", BOOL, &dg_flags.dry_run, NULL,                                        \
        "Print what would be done and what it takes - download, disk, memory, time - and stop.")   \
    ROW(INCIDENT, "check", STRING, &dg_flags.check, "DIR",                                         \
        "Read all data sets of this folder and compare them with their manifests: hashes, "        \
        "checksums, counts, features, ids, vocabularies; exit code 1 when one is damaged.")        \
    ROW(INCIDENT, "info", BOOL, &dg_flags.info, NULL,                                              \
        "Print the data card of --problem in --data_dir, as Markdown: counts, lengths, "           \
        "vocabulary, drops, sources, licence.")                                                    \
    ROW(INCIDENT, "preview", STRING, &dg_flags.preview, "FILE",                                    \
        "Write a page of images of --problem as a PNG file: each with its label and the crop "     \
        "on it, and as the trainer will see it.  The data set is made first when it is not "       \
        "there.")                                                                                  \
    ROW(INCIDENT, "preview_pipeline", STRING, &dg_flags.preview_pipeline, "NAME",                  \
        "Show them through this one (docs/images.md); without the flag that of the problem.")      \
    ROW(INCIDENT, "preview_pictures", INT, &dg_flags.preview_images, "N",                          \
        "How many images, 1 to 1000.")                                                             \
    ROW(HEADING, NULL, GROUP, NULL, NULL, "Downloads")                                             \
    DG_FETCH_ROWS(ROW, INCIDENT, dg_flags.fetch)                                                   \
    ROW(INCIDENT, "max_unpack_ratio", INT, &dg_flags.max_unpack_ratio, "N",                        \
        "Refuse archives that unpack to more than N times their size.")                            \
    ROW(INCIDENT, "max_unpacked", SIZE, &dg_flags.max_unpacked, "BYTES",                           \
        "Refuse archives that unpack to more; 0 means no limit.")                                  \
    ROW(HEADING, NULL, GROUP, NULL, NULL, "Shards and order")                                      \
    ROW(DECIDES, "num_shards", INT, &dg_flags.num_shards, "N",                                     \
        "Shards of the train split; 0 means what the problem says, 100 for own text.")             \
    ROW(DECIDES, "train_shards", INT, &dg_flags.train_shards, "N", "The same as --num_shards.")    \
    ROW(DECIDES, "dev_shards", INT, &dg_flags.dev_shards, "N",                                     \
        "Shards of the dev split; 0 means what the problem says, mostly 1.")                       \
    ROW(DECIDES, "test_shards", INT, &dg_flags.test_shards, "N",                                   \
        "Shards of the test split; 0 means what the problem says, mostly 1.")                      \
    ROW(DECIDES, "max_cases", INT, &dg_flags.max_cases, "N",                                       \
        "Stop the train split after so many samples; 0 means all.")                                \
    ROW(DECIDES, "random_seed", INT, &dg_flags.random_seed, "N",                                   \
        "Seed of the shuffle, and of samples that a program makes.")                               \
    ROW(DECIDES, "shuffle", STRING, &dg_flags.shuffle, "HOW",                                      \
        "t2t: the original's order, inside each shard; global: over all shards; none: the order "  \
        "of the text.")                                                                            \
    ROW(DECIDES, "zero_based_labels", BOOL, &dg_flags.zero_based_labels, NULL,                     \
        "Class labels of sentiment_yelp_* from 0 on; the original stores 1 to the number of "      \
        "classes, of which the last one cannot be trained.")                                       \
    ROW(HEADING, NULL, GROUP, NULL, NULL, "Page histories of Wikipedia, wiki_revision*")           \
    DG_REVISION_ROWS(ROW, DECIDES, dg_flags.revisions)                                             \
    ROW(HEADING, NULL, GROUP, NULL, NULL, "Many machines (docs/datagen-scale.md)")                 \
    ROW(INCIDENT, "task", STRING, &dg_flags.task, "I/N",                                           \
        "Make the shards of task I of N, 0/N to N-1/N, in any order or at one time, into one "     \
        "--data_dir; under mpirun the flag is not needed.")                                        \
    ROW(INCIDENT, "join", BOOL, &dg_flags.join, NULL,                                              \
        "Join what all tasks made: the same data set that one run would make.")                    \
    ROW(INCIDENT, "task_id", INT, &dg_flags.task_id, "N",                                          \
        "The original's: make shard N only, counted through all splits; -1 means none.")           \
    ROW(INCIDENT, "task_id_start", INT, &dg_flags.task_id_start, "N",                              \
        "The same for the first of several shards; -1 means none.")                                \
    ROW(INCIDENT, "task_id_end", INT, &dg_flags.task_id_end, "N", "Behind the last of them.")      \
    ROW(HEADING, NULL, GROUP, NULL, NULL, "Running")                                               \
    ROW(INCIDENT, "num_concurrent_processes", INT, &dg_flags.num_concurrent_processes, "N",        \
        "The original's name of --num_threads; 0 means all CPUs.")                                 \
    ROW(INCIDENT, "max_memory", SIZE, &dg_flags.max_memory, "BYTES",                               \
        "Most memory of the whole program, whatever the size of the text: words, records and "     \
        "shuffles go to scratch files in --data_dir; 0 means what is useful.")                     \
    ROW(INCIDENT, "shuffle_memory", SIZE, &dg_flags.shuffle_memory, "BYTES",                       \
        "Records are held in memory up to this size, then in scratch files in --data_dir.")        \
    ROW(INCIDENT, "json", BOOL, &dg_flags.json, NULL,                                              \
        "Print one JSON object per problem to stdout.")                                            \
    ROW(HEADING, NULL, GROUP, NULL, NULL,                                                          \
        "Flags of the original without use here; giving one says why")                             \
    ROW(LATER_PROBLEMS, "env_problem_max_env_steps", INT, &dg_flags.int_later, "N",                \
        "Environment problems.")                                                                   \
    ROW(LATER_PROBLEMS, "env_problem_batch_size", INT, &dg_flags.int_later, "N",                   \
        "Environment problems.")                                                                   \
    ROW(LATER_PROBLEMS, "timit_paths", STRING, &dg_flags.text_later, "FILES", "TIMIT.")            \
    ROW(LATER_PROBLEMS, "parsing_path", STRING, &dg_flags.text_later, "DIR", "English parsing.")   \
    ROW(LATER_PROBLEMS, "disable_ffmpeg", BOOL, &dg_flags.bool_later, NULL, "Video problems.")

#define ROW(role, name, type, value, meta, help) role,
static const enum role roles[] = {ROWS};
#undef ROW
enum { N_FLAGS = sizeof roles / sizeof *roles };

static bool given[N_FLAGS];
#define ROW(role, name, type, value, meta, help) {name, T2_FLAG_##type, value, meta, help, NULL},
static struct t2_flag table[] = {ROWS};
#undef ROW

const struct t2_flag *dg_flag_table(size_t *n)
{
    for (size_t i = 0; i < N_FLAGS; i++)
        table[i].given = &given[i];
    *n = N_FLAGS;
    return table;
}

/* The flags that decide the bytes, in the order of the table: the command a manifest shows. */
char *dg_manifest_command(void)
{
    struct t2_strs words = {0};
    char *line;

    t2_strs_push(&words, "t2t-datagen");
    for (size_t i = 0; i < N_FLAGS; i++) {
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
    for (size_t i = 0; i < N_FLAGS; i++) {
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

bool dg_flags_are_official(void)
{
    return strcmp(dg_flags.layout, "official") == 0 && !dg_flags.only_list;
}

/* True for a row that sets a member of dg_flags.own_text. */
static bool is_own_text_row(const struct t2_flag *f)
{
    uintptr_t value = (uintptr_t) f->value, from = (uintptr_t) &dg_flags.own_text;

    return f->value && value >= from && value < from + sizeof dg_flags.own_text;
}

static bool is_official_row(const struct t2_flag *f)
{
    static const char *const names[] = {"name", "train", "dev", "test", "vocab_size"};

    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        if (strcmp(f->name, names[i]) == 0)
            return true;
    }
    return false;
}

/* Refuses flags that have no place in the official layout, or have one only there. */
static enum t2_status check_layout(struct t2_err *err)
{
    bool official = strcmp(dg_flags.layout, "official") == 0;

    if (!official && strcmp(dg_flags.layout, "t2t") != 0)
        return t2_fail(err, T2_EUSAGE, "--layout='%s': must be t2t or official", dg_flags.layout);
    if (!official && (dg_flags.search || dg_flags.raw_dir[0] || dg_flags.file_byte_budget))
        return t2_fail(err, T2_EUSAGE,
                       "--search, --raw_dir and --file_byte_budget belong to --layout=official");
    T2_TRY(check_count("file_byte_budget", dg_flags.file_byte_budget, INT64_MAX, err));
    if (!official)
        return T2_OK;
    if (dg_flags.problem[0] && strcmp(dg_flags.problem, dg_problem_wmt32k.name) != 0)
        return t2_fail(err, T2_EUSAGE,
                       "--layout=official makes '%s', or text of your own (--name, --train); "
                       "'%s' has the layout of Tensor2Tensor",
                       dg_problem_wmt32k.name, dg_flags.problem);
    if (strcmp(dg_flags.shuffle, "t2t") != 0)
        return t2_fail(err, T2_EUSAGE, "--layout=official has a shuffle of its own");
    for (size_t i = 0; i < N_FLAGS; i++) {
        if (given[i] && is_own_text_row(&table[i]) && !is_official_row(&table[i]))
            return t2_fail(err, T2_EUSAGE,
                           "--%s has no place in --layout=official: pairs of files, and one "
                           "vocabulary of subwords for both sides; one that is in --data_dir under "
                           "its name is used",
                           table[i].name);
    }
    if (strcmp(dg_flags.invalid, "fail") != 0)
        return t2_fail(
            err, T2_EUSAGE,
            "--invalid=%s: --layout=official makes its compiled text of the text as it is; "
            "convert the files first",
            dg_flags.invalid);
    return T2_OK;
}

const char *const dg_invalid_policies[3] = {"fail", "replace", "drop"};
const char *const dg_shuffles[3] = {"t2t", "global", "none"};

/* Which of three names a value is; the last when it is none of them. */
int dg_flag_choice(const char *const names[3], const char *value)
{
    int i = 0;

    while (i < 2 && strcmp(value, names[i]) != 0)
        i++;
    return i;
}

static enum t2_status check_choice(const char *flag, const char *const names[3], const char *value,
                                   struct t2_err *err)
{
    if (strcmp(value, names[dg_flag_choice(names, value)]) == 0)
        return T2_OK;
    return t2_fail(err, T2_EUSAGE, "--%s='%s': %s, %s or %s", flag, value, names[0], names[1],
                   names[2]);
}

enum t2_status dg_flags_check(struct t2_err *err)
{
    enum { MOST_SHARDS = 100000, MOST_THREADS = 4096 };
    struct dg_image_policy ignored;

    T2_TRY(refuse_later(err));
    T2_TRY(dg_fetch_flags_read(&dg_flags.fetch, &dg_flags.fetch_options, err));
    if (dg_flags.max_unpack_ratio < 1)
        return t2_fail(err, T2_EUSAGE, "--max_unpack_ratio=%" PRId64 " must be at least 1",
                       dg_flags.max_unpack_ratio);
    dg_set_unpack_limits(
        &(struct dg_unpack_limits){.max_ratio = (uint64_t) dg_flags.max_unpack_ratio,
                                   .max_bytes = dg_flags.max_unpacked});
    T2_TRY(check_choice("invalid", dg_invalid_policies, dg_flags.invalid, err));
    T2_TRY(dg_image_flags_read(&dg_flags.own_images.images, AUG_REENCODE_NEVER, &ignored,
                               &dg_flags.refusals, err));
    T2_TRY(check_choice("shuffle", dg_shuffles, dg_flags.shuffle, err));
    T2_TRY(check_count("num_shards", dg_flags.num_shards, MOST_SHARDS, err));
    T2_TRY(check_count("train_shards", dg_flags.train_shards, MOST_SHARDS, err));
    T2_TRY(check_count("dev_shards", dg_flags.dev_shards, MOST_SHARDS, err));
    T2_TRY(check_count("test_shards", dg_flags.test_shards, MOST_SHARDS, err));
    T2_TRY(check_count("max_cases", dg_flags.max_cases, INT64_MAX, err));
    T2_TRY(check_count("random_seed", dg_flags.random_seed, INT64_MAX, err));
    T2_TRY(check_count("num_concurrent_processes", dg_flags.num_concurrent_processes, MOST_THREADS,
                       err));
    T2_TRY(check_layout(err));
    if (dg_flags.num_shards && dg_flags.train_shards &&
        dg_flags.num_shards != dg_flags.train_shards)
        return t2_fail(err, T2_EUSAGE,
                       "--num_shards=%" PRId64 " and --train_shards=%" PRId64
                       " say the same thing differently",
                       dg_flags.num_shards, dg_flags.train_shards);
    return T2_OK;
}
