/*
 * train/input/reference_records.c - eight files in turn, and a shuffle buffer of 1024 records.
 */
#include "train/input/reference_records.h"

#include <string.h>

#include "base/alloc.h"

enum { CYCLE = IN_REFERENCE_CYCLE, RECORDS = IN_REFERENCE_RECORDS };

static void list_files(struct in_reference_records *r)
{
    const struct in_index *index = r->index;
    struct t2_rng rng;
    uint64_t i = 0;

    r->files = t2_alloc(index->paths.n, sizeof *r->files);
    for (size_t f = 0; f < index->paths.n; f++) {
        struct in_reference_range range = {i, i};

        while (i < index->n && index->places[i].at >> IN_OFFSET_BITS == f)
            i++;
        range.end = i;
        if (f == 0)
            r->n_first = range.end - range.at;
        if (range.end > range.at)
            r->files[r->n_files++] = range;
    }
    T2_ASSERT(i == index->n && r->n_files > 0);
    t2_rng_init(&rng, r->seed, T2_RNG_ORDER, 0, IN_REFERENCE_FILES);
    for (size_t k = r->n_files - 1; k > 0; k--) {
        size_t other = (size_t) t2_rng_below(&rng, k + 1);
        struct in_reference_range kept = r->files[k];

        r->files[k] = r->files[other];
        r->files[other] = kept;
    }
}

/* False at the end of the epoch. */
static bool next_record(struct in_reference_records *r, uint64_t *sample)
{
    while (r->n_open < CYCLE && r->next_file < r->n_files)
        r->open[r->n_open++] = r->files[r->next_file++];
    if (r->n_open == 0)
        return false;
    if (r->turn >= r->n_open)
        r->turn = 0;
    *sample = r->open[r->turn].at++;
    if (r->open[r->turn].at < r->open[r->turn].end) {
        r->turn++;
    } else if (r->next_file < r->n_files) { /* the next file takes the place */
        r->open[r->turn++] = r->files[r->next_file++];
    } else {
        r->n_open--;
        memmove(&r->open[r->turn], &r->open[r->turn + 1],
                (size_t) (r->n_open - r->turn) * sizeof r->open[0]);
    }
    return true;
}

static void begin_epoch(struct in_reference_records *r, uint64_t epoch)
{
    r->epoch = epoch;
    r->n_open = 0;
    r->turn = 0;
    r->next_file = 0;
    t2_rng_init(&r->rng, r->seed, T2_RNG_ORDER, epoch, IN_REFERENCE_SHUFFLE);
}

bool in_reference_records_next(struct in_reference_records *r, uint64_t *sample)
{
    uint64_t i;

    while (r->n_buffer < RECORDS && next_record(r, &r->buffer[r->n_buffer]))
        r->n_buffer++;
    if (r->n_buffer == 0) {
        begin_epoch(r, r->epoch + 1);
        return false;
    }
    i = t2_rng_below(&r->rng, r->n_buffer);
    *sample = r->buffer[i];
    r->buffer[i] = r->buffer[--r->n_buffer];
    return true;
}

void in_reference_records_init(struct in_reference_records *r, const struct in_index *index,
                               uint64_t seed)
{
    *r = (struct in_reference_records){.index = index, .seed = seed};
    list_files(r);
    begin_epoch(r, 0);
}

void in_reference_records_rewind(struct in_reference_records *r)
{
    r->n_buffer = 0;
    begin_epoch(r, 0);
}

void in_reference_records_release(struct in_reference_records *r)
{
    t2_free(r->files);
    *r = (struct in_reference_records){0};
}
