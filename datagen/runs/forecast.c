/*
 * datagen/runs/forecast.c - guesses, from what real corpora took (bench/bench_datagen.py).
 */
#include "datagen/runs/forecast.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>
#include <sys/stat.h>

#include "base/alloc.h"
#include "base/file.h"
#include "base/log.h"
#include "base/memory_available.h"
#include "base/remote_hooks.h"
#include "base/remote_path.h"
#include "base/str.h"
#include "datagen/passes/encode_pass.h"
#include "datagen/runs/memory_shares.h"
#include "datagen/source/scratch_sort.h"
#include "datagen/vocabs/problem_vocab.h"

/* Measured on Multi30k, Tatoeba, news and Europarl text. */
static const double AROUND_A_TEXT = 28;     /* bytes of a record besides its ids, for each text */
static const double OF_SUBWORDS = 0.31;     /* bytes of ids for a byte of text, of 32768 subwords */
static const double OF_HALF_AS_MANY = 0.05; /* more for each time that there are half as many */
static const double BYTES_A_SECOND = 35e6;  /* of text, for each thread, all passes together */
static const double WORDS_OF_TEXT = 0.15;   /* bytes of words and their vocabulary */
static const uint64_t PROGRAM_BYTES = 20 << 20, THREAD_BYTES = 4 << 20;
static const uint64_t MOST_CACHE_BYTES = 40
                                         << 20; /* of words that were cut; half of a smaller text */
static const uint64_t SMALL_BYTES = 1000000;    /* not worth a look at the disk */

static double id_bytes_of(const struct dg_vocab_spec *spec)
{
    double fewer = spec->approx_size > 0 ? log2(32768 / (double) spec->approx_size) : 0;

    if (spec->kind != DG_VOCAB_SUBWORDS && spec->kind != DG_VOCAB_TOKENS &&
        spec->kind != DG_VOCAB_MODEL)
        return 1;
    return OF_SUBWORDS + OF_HALF_AS_MANY * (fewer > 0 ? fewer : 0);
}

/* Shards and scratch files that a run left which was stopped, or that are replaced. */
static uint64_t bytes_there(const struct dg_problem *p, const struct dg_generate *g)
{
    char *stem = t2_asprintf("%s-", dg_problem_stem(p));
    struct t2_err ignored = T2_ERR_INIT;
    struct t2_strs names = {0};
    uint64_t total = 0, bytes;

    if (t2_is_dir(g->options.data_dir) &&
        t2_list_dir(g->options.data_dir, &names, &ignored) != T2_OK)
        t2_strs_release(&names);
    for (size_t i = 0; i < names.n; i++) {
        char *path = t2_path_join(g->options.data_dir, names.items[i]);
        if (t2_starts_with(names.items[i], stem) && t2_file_size(path, &bytes, &ignored) == T2_OK)
            total += bytes;
        t2_free(path);
    }
    t2_strs_release(&names);
    t2_free(stem);
    return total;
}

/* Sums over all files. */
struct sums {
    uint64_t n_lines, sorted_bytes;
};

static void add_files(struct dg_forecast *f, const struct dg_input_sizes *sizes, struct sums *sums)
{
    for (size_t i = 0; i < sizes->n; i++) {
        const struct dg_input_size *file = &sizes->files[i];
        f->n_unknown += file->is_unknown;
        f->download_bytes += file->left_bytes;
        f->text_bytes += file->text_bytes;
        f->tmp_bytes += file->left_bytes + file->tmp_bytes;
        sums->n_lines += file->n_lines;
        sums->sorted_bytes += file->sorted_bytes;
    }
}

/* Bytes of all records, of a task's share of them. */
static uint64_t records_of(const struct dg_problem *p, const struct dg_generate *g,
                           const struct dg_forecast *f, uint64_t n_lines)
{
    const struct dg_task_share *share = &g->share;
    uint64_t n_samples = n_lines / (p->has_inputs ? 2 : 1);
    double bytes = (double) f->text_bytes * id_bytes_of(dg_vocab_spec_of(p, DG_TARGETS)) +
                   (double) n_lines * AROUND_A_TEXT;

    if (g->options.max_cases && g->options.max_cases < n_samples)
        bytes *= (double) g->options.max_cases / (double) n_samples;
    if (share->n)
        bytes *= (double) (share->end - share->first) / share->n;
    return (uint64_t) bytes;
}

static uint64_t smaller(uint64_t a, uint64_t b)
{
    return a < b ? a : b;
}

/* Text whose words are counted for a vocabulary that is made. */
static uint64_t counted_bytes(const struct dg_problem *p, const struct dg_forecast *f,
                              const struct dg_input_sizes *sizes)
{
    const struct dg_vocab_spec *spec = dg_vocab_spec_of(p, DG_TARGETS);
    bool is_made = (spec->kind == DG_VOCAB_SUBWORDS || spec->kind == DG_VOCAB_TOKENS) &&
                   !spec->ready_file && !spec->of_problem;

    return sizes->vocab_bytes ? sizes->vocab_bytes : is_made ? f->text_bytes : 0;
}

static uint64_t memory_of(const struct dg_problem *p, const struct dg_generate *g,
                          const struct dg_forecast *f, const struct dg_input_sizes *sizes,
                          uint64_t records, uint64_t sorted_bytes)
{
    struct dg_memory_plan shares = dg_memory_plan_of(g, dg_encodes_lines(p));
    uint64_t sorters = 2 * dg_sort_share(&g->options); /* as many are there at a time */
    uint64_t cache = dg_vocab_spec_of(p, DG_TARGETS)->kind == DG_VOCAB_SUBWORDS
                         ? smaller(f->text_bytes / 2, MOST_CACHE_BYTES)
                         : 0;
    uint64_t bytes = PROGRAM_BYTES + THREAD_BYTES * (uint64_t) t2_pool_threads(g->pool) + cache +
                     (uint64_t) ((double) counted_bytes(p, f, sizes) * WORDS_OF_TEXT) +
                     smaller(records, shares.bins_bytes) +
                     /* what does not fit is not kept */
                     (f->text_bytes < shares.scan.keep_bytes ? f->text_bytes : 0) +
                     smaller(sorted_bytes, sorters);

    return g->max_memory ? smaller(g->max_memory, bytes) : bytes;
}

struct dg_forecast dg_forecast_of(const struct dg_problem *p, const struct dg_generate *g,
                                  const struct dg_input_sizes *sizes)
{
    struct dg_memory_plan shares = dg_memory_plan_of(g, dg_encodes_lines(p));
    struct dg_forecast f = {0};
    struct sums sums = {0};
    uint64_t records, there = bytes_there(p, g);

    add_files(&f, sizes, &sums);
    f.is_known = f.text_bytes + sizes->vocab_bytes > 0;
    records = records_of(p, g, &f, sums.n_lines);
    f.data_bytes = records + (records > shares.bins_bytes ? records / 10 : 0);
    f.data_bytes -= there < f.data_bytes ? there : f.data_bytes;
    /* Two sorts follow each other. */
    if (sums.sorted_bytes > dg_sort_share(&g->options))
        f.data_bytes += 2 * sums.sorted_bytes;
    f.memory_bytes = memory_of(p, g, &f, sizes, records, sums.sorted_bytes);
    f.text_bytes += sizes->vocab_bytes;
    f.seconds = 1 + (double) f.text_bytes / BYTES_A_SECOND / t2_pool_threads(g->pool);
    return f;
}

void dg_forecast_add(struct dg_forecast *sum, const struct dg_forecast *f)
{
    sum->is_known |= f->is_known;
    sum->download_bytes += f->download_bytes;
    sum->n_unknown += f->n_unknown;
    sum->text_bytes += f->text_bytes;
    sum->tmp_bytes += f->tmp_bytes;
    sum->data_bytes += f->data_bytes;
    sum->seconds += f->seconds;
    if (f->memory_bytes > sum->memory_bytes)
        sum->memory_bytes = f->memory_bytes;
}

/* ---- telling ---- */

void dg_forecast_put(const struct dg_forecast *f, const struct dg_generate *g, struct t2_buf *text)
{
    int n_threads = t2_pool_threads(g->pool);
    char download[32], size[32], tmp[32], data[32], memory[32], time[32];

    if (f->n_unknown)
        t2_buf_printf(text, "more than ");
    t2_buf_printf(text, "%s to download", t2_human_bytes(f->download_bytes, download, 32));
    if (f->n_unknown)
        t2_buf_printf(text, " (%zu file%s of unknown size)", f->n_unknown,
                      f->n_unknown == 1 ? " is" : "s are");
    if (f->is_known)
        t2_buf_printf(text,
                      ", about %s of text; disk: %s in --tmp_dir, %s in --data_dir; memory: %s; %s "
                      "with %d thread%s, downloads aside (estimates)",
                      t2_human_bytes(f->text_bytes, size, 32),
                      t2_human_bytes(f->tmp_bytes, tmp, 32),
                      t2_human_bytes(f->data_bytes, data, 32),
                      t2_human_bytes(f->memory_bytes, memory, 32),
                      t2_human_seconds(f->seconds, time, 32), n_threads, n_threads == 1 ? "" : "s");
    else
        t2_buf_puts(text, "; nothing is known of the text");
}

static void kv_if_known(struct t2_json *json, const char *key, uint64_t value, bool is_known)
{
    t2_json_key(json, key);
    if (is_known)
        t2_json_u64(json, value);
    else
        t2_json_null(json);
}

void dg_forecast_json(const struct dg_forecast *f, struct t2_json *json)
{
    t2_json_kv_u64(json, "download_bytes", f->download_bytes);
    t2_json_kv_u64(json, "files_of_unknown_size", f->n_unknown);
    kv_if_known(json, "text_bytes", f->text_bytes, f->is_known);
    kv_if_known(json, "tmp_dir_bytes", f->tmp_bytes, f->is_known);
    kv_if_known(json, "data_dir_bytes", f->data_bytes, f->is_known);
    kv_if_known(json, "memory_bytes", f->memory_bytes, f->is_known);
    t2_json_key(json, "seconds");
    if (f->is_known)
        t2_json_float9(json, f->seconds);
    else
        t2_json_null(json);
}

/* ---- does it fit? ---- */

/* The device of the folder, or of the nearest one above that exists. */
static dev_t device_of(const char *path)
{
    char *at = t2_is_remote(path) ? t2_scratch_dir(path) : t2_strdup(path);
    struct stat info = {0};

    while (stat(at, &info) != 0) {
        char *above = t2_path_dir(at);
        bool is_top = strcmp(above, at) == 0;
        t2_free(at);
        at = above;
        if (is_top)
            break;
    }
    t2_free(at);
    return info.st_dev;
}

void dg_room_of(const struct dg_generate *g, struct dg_room *room)
{
    struct t2_err ignored = T2_ERR_INIT;

    if (t2_disk_free(g->options.data_dir, &room->data_bytes, &ignored) != T2_OK)
        room->data_bytes = UINT64_MAX;
    if (t2_disk_free(g->options.tmp_dir, &room->tmp_bytes, &ignored) != T2_OK)
        room->tmp_bytes = UINT64_MAX;
    room->is_one = device_of(g->options.data_dir) == device_of(g->options.tmp_dir);
}

static bool fits(uint64_t need, uint64_t is_free)
{
    return need < SMALL_BYTES || is_free >= need - need / 10;
}

static enum t2_status refuse(const char *dir, uint64_t is_free, uint64_t need, const char *what,
                             struct t2_err *err)
{
    char human_need[32], human_free[32];

    return t2_fail(
        err, T2_EIO,
        "'%s' has %s free, but %s will take about %s; nothing was begun.  Make room, take "
        "another folder, or give --ignore_space if you know better",
        dir, t2_human_bytes(is_free, human_free, sizeof human_free), what,
        t2_human_bytes(need, human_need, sizeof human_need));
}

enum t2_status dg_forecast_fits(const struct dg_forecast *f, const struct dg_generate *g,
                                const struct dg_room *room, struct t2_err *err)
{
    uint64_t both = f->tmp_bytes + f->data_bytes;

    if (room->is_one && !fits(both, room->data_bytes))
        return refuse(g->options.data_dir, room->data_bytes, both,
                      f->tmp_bytes ? "the data set and its sources in --tmp_dir" : "the data set",
                      err);
    if (!room->is_one && !fits(f->data_bytes, room->data_bytes))
        return refuse(g->options.data_dir, room->data_bytes, f->data_bytes, "the data set", err);
    if (!room->is_one && !fits(f->tmp_bytes, room->tmp_bytes))
        return refuse(g->options.tmp_dir, room->tmp_bytes, f->tmp_bytes,
                      "downloads and unpacked text", err);
    return T2_OK;
}

enum t2_status dg_forecast_check(const struct dg_forecast *f, const struct dg_generate *g,
                                 struct t2_err *err)
{
    uint64_t available = t2_memory_available();
    char need[32], have[32];
    struct dg_room room;

    if (f->is_known && f->memory_bytes > available)
        t2_warn("this may take %s of memory, %s are free: see --max_memory",
                t2_human_bytes(f->memory_bytes, need, sizeof need),
                t2_human_bytes(available, have, sizeof have));
    if (g->ignore_space)
        return T2_OK;
    dg_room_of(g, &room);
    return dg_forecast_fits(f, g, &room, err);
}
