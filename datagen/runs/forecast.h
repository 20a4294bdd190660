/*
 * datagen/runs/forecast.h - what a run will take: download, disk, memory, time; from what its
 * sources tell of their sizes (input_sizes.h), before anything is read or downloaded.
 *
 * An estimate: within a fifth where the text lies on the disk, coarser where it is still packed.
 */
#ifndef DG_FORECAST_H
#define DG_FORECAST_H

#include "base/json_writer.h"
#include "datagen/input_sizes.h"
#include "datagen/runs/generate.h"
#include "datagen/runs/generate_options.h"

struct dg_forecast {
    bool is_known;           /* false: nothing of the sizes is known */
    uint64_t download_bytes; /* what is missing */
    size_t n_unknown;        /* files whose size nobody told; they are in none of the sums */
    uint64_t text_bytes;     /* unpacked, read for samples and vocabularies */
    uint64_t tmp_bytes;      /* of tmp_dir: downloads, unpacked and compiled text */
    uint64_t data_bytes;     /* of data_dir: shards and, while they are made, scratch files */
    uint64_t memory_bytes;   /* the limit, or what a run without one will probably use */
    double seconds;          /* of work on this number of threads, downloads aside */
};

/* Takes one step off for what is in data_dir already, of a run that was stopped. */
struct dg_forecast dg_forecast_of(const struct dg_problem *p, const struct dg_generate *g,
                                  const struct dg_input_sizes *sizes);
/* Adds the forecast of a further problem, which is made after the others. */
void dg_forecast_add(struct dg_forecast *sum, const struct dg_forecast *f);

/* "3 GB to download, ..., without LF". */
void dg_forecast_put(const struct dg_forecast *f, const struct dg_generate *g, struct t2_buf *text);
/* Members of an object. */
void dg_forecast_json(const struct dg_forecast *f, struct t2_json *json);

/* The room there is. */
struct dg_room {
    uint64_t tmp_bytes, data_bytes;
    bool is_one; /* both are the same file system */
};
void dg_room_of(const struct dg_generate *g, struct dg_room *room);
/* T2_EIO when a file system has less than nine tenths of what the forecast wants of it, and that is
 * 1 MB or more: the message says what is wanted where. */
T2_MUST_CHECK enum t2_status dg_forecast_fits(const struct dg_forecast *f,
                                              const struct dg_generate *g,
                                              const struct dg_room *room, struct t2_err *err);
/* The same with the room that there is now, unless g->ignore_space; warns when memory is short. */
T2_MUST_CHECK enum t2_status dg_forecast_check(const struct dg_forecast *f,
                                               const struct dg_generate *g, struct t2_err *err);

#endif
