/*
 * datagen/data_download_main.c - data_download: the official Transformer's program of this name.
 *
 * The same work as t2t-datagen --layout=official, with the original's flags and folders.
 */
#include <stdio.h>

#include "base/alloc.h"
#include "base/file.h"
#include "base/log.h"
#include "base/run_tool.h"
#include "base/shown.h"
#include "datagen/default_folders.h"
#include "datagen/fetch/fetch_flags.h"
#include "datagen/official/official_problem.h"
#include "datagen/runs/forecast.h"
#include "datagen/runs/generate.h"

static const char default_data_dir[] = "/tmp/translate_ende",
                  default_raw_dir[] = "/tmp/translate_ende_raw";
static const char *data_dir = default_data_dir, *raw_dir = default_raw_dir;
static bool search, dry_run, json, overwrite, ignore_space;
static int64_t random_seed = 429459;
static uint64_t shuffle_memory = 256 << 20;

static struct dg_fetch_flags fetch_flags = DG_FETCH_FLAGS_INIT;

#define ROW(role, name, type, value, meta, help) {name, T2_FLAG_##type, value, meta, help, NULL},
static const struct t2_flag table[] = {
    {NULL, T2_FLAG_GROUP, NULL, NULL, "Flags of the original", NULL},
    {"data_dir", T2_FLAG_STRING, &data_dir, "DIR",
     "Vocabulary, TFRecords and the test files go here; made when missing. Also -dd.", NULL},
    {"dd", T2_FLAG_STRING, &data_dir, "DIR", "The same as --data_dir.", NULL},
    {"raw_dir", T2_FLAG_STRING, &raw_dir, "DIR",
     "Downloads, unpacked and compiled text; made when missing. Also -rd.", NULL},
    {"rd", T2_FLAG_STRING, &raw_dir, "DIR", "The same as --raw_dir.", NULL},
    {"search", T2_FLAG_BOOL, &search, NULL,
     "Look for the min_count that gives 32768 subwords, instead of 6.", NULL},
    {NULL, T2_FLAG_GROUP, NULL, NULL, "Downloads", NULL},
    DG_FETCH_OPTION_ROWS(ROW, 0, fetch_flags) /* */
    {NULL, T2_FLAG_GROUP, NULL, NULL, "Running", NULL},
    {"random_seed", T2_FLAG_INT, &random_seed, "N", "Seed of the shuffle of each training shard.",
     NULL},
    {"shuffle_memory", T2_FLAG_SIZE, &shuffle_memory, "BYTES",
     "Records are held in memory up to this size, then in scratch files in --data_dir.", NULL},
    {"overwrite", T2_FLAG_BOOL, &overwrite, NULL,
     "Remove a data set that is there, its vocabulary too, and make it anew.", NULL},
    {"ignore_space", T2_FLAG_BOOL, &ignore_space, NULL,
     "Begin although the forecast does not fit on the disk.", NULL},
    {"dry_run", T2_FLAG_BOOL, &dry_run, NULL,
     "Print what would be done and what it takes - download, disk, memory, time - and stop.", NULL},
    {"json", T2_FLAG_BOOL, &json, NULL, "Print one JSON object to stdout.", NULL},
};
#undef ROW

static const char *const examples =
    "  data_download --data_dir=data --raw_dir=raw\n"
    "  data_download --search --dry_run --data_dir=data --raw_dir=raw\n";

static enum t2_status make(const struct dg_problem *p, const struct dg_generate *g,
                           struct t2_err *err)
{
    struct dg_report report = {0};
    struct dg_forecast sum = {0};
    struct t2_buf text = {0};
    enum t2_status st =
        dry_run ? dg_describe_plan(p, g, json, &sum, &text, err) : dg_generate(p, g, &report, err);

    if (st == T2_OK && json && !dry_run) {
        struct t2_json out;
        t2_json_init(&out, &text, 0);
        dg_report_json(&report, &out);
        t2_buf_push(&text, '\n');
    }
    if (json)
        (void) fputs(t2_buf_cstr(&text), stdout);
    else
        t2_show_stdout(t2_buf_slice(&text));
    t2_buf_release(&text);
    dg_report_release(&report);
    if (st == T2_OK && (fflush(stdout) != 0 || ferror(stdout)))
        st = t2_fail(err, T2_EIO, "cannot write to stdout");
    return st;
}

static enum t2_status claim(const char *dir, const char *flag, struct t2_err *err)
{
    if (!t2_exists(dir))
        t2_info("Creating directory %s", dir);
    return dg_claim_default_dir(dir, flag, err);
}

static enum t2_status make_folders(const struct dg_options *options, struct t2_err *err)
{
    if (raw_dir == default_raw_dir)
        T2_TRY(claim(options->tmp_dir, "raw_dir", err));
    if (data_dir == default_data_dir)
        T2_TRY(claim(options->data_dir, "data_dir", err));
    return dg_official_folders(options, err);
}

static enum t2_status run(struct t2_err *err)
{
    const struct dg_official_spec spec = {.search = search};
    struct dg_generate g = {.overwrite = overwrite,
                            .ignore_space = ignore_space,
                            .shuffle_bytes = shuffle_memory};
    struct dg_fetch_options fetch = {0};
    struct dg_problem *p = NULL;
    char *data, *raw, *command;
    enum t2_status st;

    if (random_seed < 0)
        return t2_fail(err, T2_EUSAGE, "--random_seed must not be negative");
    T2_TRY(dg_fetch_flags_read(&fetch_flags, &fetch, err));
    T2_TRY(dg_official_new(&spec, &p, err));
    data = t2_path_expand(data_dir);
    raw = t2_path_expand(raw_dir);
    command = t2_asprintf("data_download%s", search ? " --search" : "");
    g.pool = t2_pool_new(t2_flags_num_threads());
    g.command = command;
    g.options = (struct dg_options){.data_dir = data,
                                    .tmp_dir = raw,
                                    .random_seed = (uint64_t) random_seed,
                                    .fetch = &fetch,
                                    .pool = g.pool};
    st = dry_run ? T2_OK : make_folders(&g.options, err);
    if (st == T2_OK)
        st = make(p, &g, err);
    t2_pool_free(g.pool);
    t2_free(command);
    t2_free(data);
    t2_free(raw);
    dg_official_free(p);
    return st;
}

int main(int argc, char **argv)
{
    const struct t2_tool tool = {
        .name = "data_download",
        .usage = "[--data_dir=DIR] [--raw_dir=DIR] [--search] [flags]",
        .summary = "Downloads WMT's English-German text and makes vocabulary and TFRecords of it, "
                   "as the official Transformer's data_download.",
        .examples = examples,
        .flags = table,
        .n_flags = sizeof table / sizeof *table,
    };

    return t2_run_tool(&tool, argc, argv, run);
}
