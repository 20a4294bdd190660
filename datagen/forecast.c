/*
 * datagen/forecast.c - guesses, from what real corpora took (bench/bench_datagen.py).
 */
#include "datagen/forecast.h"

#include <string.h>

#include "base/alloc.h"
#include "base/file.h"
#include "base/log.h"
#include "base/memory_available.h"
#include "base/str.h"
#include "datagen/memory_shares.h"
#include "datagen/problem_vocab.h"

static const double INFLATED = 3.2;             /* bytes of text in a byte of gzip */
static const double OF_SUBWORDS = 0.6;          /* bytes of records for a byte of text */
static const double OF_BYTES = 1.4;             /* the same, each byte an id */
static const double BYTES_A_SECOND = 35e6;      /* of text, for each thread, all passes together */
static const double WORDS_OF_TEXT = 0.15;       /* bytes of words and their vocabulary */
static const uint64_t PROGRAM_BYTES = 60 << 20; /* with its batches and caches */
static const uint64_t SMALL_BYTES = 1 << 20;    /* not worth a look at the disk */

/* Takes the next name in single quotes; bytes is 0 when it is no file, or one that was there before. */
static const char *next_file(const char *text, struct t2_strs *seen, uint64_t *bytes)
{
    const char *begin = strchr(text, '\''), *end = begin ? strchr(begin + 1, '\'') : NULL;
    struct t2_err ignored = T2_ERR_INIT;
    char *path;

    *bytes = 0;
    if (!end)
        return NULL;
    path = t2_strndup(begin + 1, (size_t) (end - begin - 1));
    if (!t2_strs_contains(seen, path) && t2_file_size(path, bytes, &ignored) == T2_OK &&
        t2_ends_with(path, "gz"))
        *bytes = (uint64_t) ((double) *bytes * INFLATED);
    t2_strs_take(seen, path);
    return end + 1;
}

struct dg_forecast dg_forecast_of(const struct dg_problem *p, const struct dg_generate *g,
                                  const char *described)
{
    bool of_bytes = dg_vocab_wish_of(p, DG_TARGETS)->kind == DG_VOCAB_BYTES;
    struct dg_memory_plan shares = dg_memory_plan_of(g, true);
    struct dg_forecast f = {0};
    struct t2_strs seen = {0};
    uint64_t bytes, records;

    while ((described = next_file(described, &seen, &bytes)) != NULL)
        f.text_bytes += bytes;
    t2_strs_release(&seen);
    f.is_known = f.text_bytes > 0;
    records = (uint64_t) ((double) f.text_bytes * (of_bytes ? OF_BYTES : OF_SUBWORDS));
    f.disk_bytes = records + (records > shares.bins_bytes ? records / 10 : 0);
    f.memory_bytes = PROGRAM_BYTES + (uint64_t) ((double) f.text_bytes * WORDS_OF_TEXT) +
                     (records < shares.bins_bytes ? records : shares.bins_bytes) +
                     (f.text_bytes < shares.scan.keep_bytes ? f.text_bytes : 0);
    if (g->max_memory && g->max_memory < f.memory_bytes)
        f.memory_bytes = g->max_memory;
    f.seconds =
        1 + (double) f.text_bytes / BYTES_A_SECOND / (g->pool ? t2_pool_threads(g->pool) : 1);
    return f;
}

void dg_forecast_tell(const struct dg_forecast *f, struct t2_buf *text)
{
    char text_size[32], disk[32], memory[32], time[32];

    if (!f->is_known)
        return;
    t2_buf_printf(text, "  forecast: %s of text, about %s of disk, %s of memory, %s\n",
                  t2_human_bytes(f->text_bytes, text_size, sizeof text_size),
                  t2_human_bytes(f->disk_bytes, disk, sizeof disk),
                  t2_human_bytes(f->memory_bytes, memory, sizeof memory),
                  t2_human_seconds(f->seconds, time, sizeof time));
}

enum t2_status dg_forecast_check(const struct dg_forecast *f, const struct dg_generate *g,
                                 struct t2_err *err)
{
    uint64_t available = t2_memory_available(), free_bytes;
    char need[32], have[32];

    if (f->is_known && f->memory_bytes > available)
        t2_warn("this may take %s of memory, %s are free: see --max_memory",
                t2_human_bytes(f->memory_bytes, need, sizeof need),
                t2_human_bytes(available, have, sizeof have));
    if (!f->is_known || f->disk_bytes / 2 < SMALL_BYTES)
        return T2_OK;
    T2_TRY(t2_disk_free(g->options.data_dir, &free_bytes, err));
    if (free_bytes >= f->disk_bytes / 2)
        return T2_OK;
    return t2_fail(err, T2_EIO, "'%s' has %s free, the data set takes about %s; nothing was begun",
                   g->options.data_dir, t2_human_bytes(free_bytes, have, sizeof have),
                   t2_human_bytes(f->disk_bytes, need, sizeof need));
}
