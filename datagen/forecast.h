/*
 * datagen/forecast.h - what a run will take, guessed from the sizes of its inputs before anything is read.
 */
#ifndef DG_FORECAST_H
#define DG_FORECAST_H

#include "datagen/generate.h"

struct dg_forecast {
    bool is_known;         /* false: a program makes the samples, or the text is not there yet */
    uint64_t text_bytes;   /* inflated */
    uint64_t disk_bytes;   /* of shards and, while they are made, scratch files */
    uint64_t memory_bytes; /* the limit, or what a run without one will probably use */
    double seconds;
};

/* described: what the streams of the splits say of their sources (dg_stream.describe). */
struct dg_forecast dg_forecast_of(const struct dg_problem *p, const struct dg_generate *g,
                                  const char *described);
/* Appends "  forecast: ...\n". */
void dg_forecast_tell(const struct dg_forecast *f, struct t2_buf *text);
/* T2_EIO when the folder cannot hold even half of it; warns when memory is short. */
T2_MUST_CHECK enum t2_status dg_forecast_check(const struct dg_forecast *f,
                                               const struct dg_generate *g, struct t2_err *err);

#endif
