/*
 * train/input/pack.c - packing of windows, and the stream of rows.
 */
#include "train/input/pack.h"

#include <inttypes.h>
#include <string.h>

#include "base/alloc.h"
#include "train/input/order.h"

enum { LATEST = 1000, QUEUE = 10 };

/* ---- one window ---- */

uint32_t in_pack_window(enum in_packing form, int32_t length)
{
    uint64_t n = (uint64_t) length;

    if (form == IN_PACK_QUEUE)
        n = n * QUEUE * 10 / 8; /* the original's heuristic */
    return (uint32_t) (n > 0 ? n : 1);
}

/* Room that is left in a row that is being filled. */
struct room {
    int32_t inputs, targets;
};

/* row_of[i] for all samples; returns the number of rows, numbered as they are opened. */
static uint32_t assign_latest(int32_t length, uint32_t n, const int32_t *inputs,
                              const int32_t *targets, struct room *rooms, uint32_t *row_of)
{
    uint32_t n_rows = 0;

    for (uint32_t i = 0; i < n; i++) {
        uint32_t r = n_rows > LATEST ? n_rows - LATEST : 0;

        while (r < n_rows && (rooms[r].inputs < inputs[i] || rooms[r].targets < targets[i]))
            r++;
        if (r == n_rows)
            rooms[n_rows++] = (struct room){length, length};
        rooms[r].inputs -= inputs[i];
        rooms[r].targets -= targets[i];
        row_of[i] = r;
    }
    return n_rows;
}

/* The queue holds rows first .. n_rows - 1; rows leave it in the order in which they were opened,
 * so that order is also the order of rows. */
static uint32_t assign_queue(int32_t length, uint32_t n, const int32_t *inputs,
                             const int32_t *targets, struct room *rooms, uint32_t *row_of)
{
    uint32_t first = 0, n_rows = 0;

    for (uint32_t i = 0; i < n; i++) {
        uint32_t r = first;

        while (r < n_rows && (rooms[r].inputs < inputs[i] || rooms[r].targets < targets[i]))
            r++;
        if (r == n_rows) {
            if (n_rows - first == QUEUE)
                first++;
            rooms[n_rows++] = (struct room){length, length};
        }
        rooms[r].inputs -= inputs[i];
        rooms[r].targets -= targets[i];
        row_of[i] = r;
    }
    return n_rows;
}

void in_pack(enum in_packing form, int32_t length, uint32_t n, const int32_t *inputs_lengths,
             const int32_t *targets_lengths, struct in_packed *rows)
{
    struct room *rooms = t2_alloc(n, sizeof *rooms);
    uint32_t *row_of = t2_alloc(n, sizeof *row_of), *at;

    rows->n_rows =
        (form == IN_PACK_LATEST ? assign_latest : assign_queue)(length, n, inputs_lengths,
                                                                targets_lengths, rooms, row_of);
    t2_free(rooms);
    rows->members = t2_realloc(rows->members, n, sizeof *rows->members);
    rows->begins = t2_realloc(rows->begins, (size_t) rows->n_rows + 1, sizeof *rows->begins);
    at = t2_alloc((size_t) rows->n_rows + 1, sizeof *at);
    for (uint32_t i = 0; i < n; i++)
        at[row_of[i] + 1]++;
    for (uint32_t r = 0; r < rows->n_rows; r++)
        at[r + 1] += at[r];
    memcpy(rows->begins, at, ((size_t) rows->n_rows + 1) * sizeof *at);
    for (uint32_t i = 0; i < n; i++)
        rows->members[at[row_of[i]]++] = i;
    t2_free(at);
    t2_free(row_of);
}

void in_packed_release(struct in_packed *rows)
{
    t2_free(rows->members);
    t2_free(rows->begins);
    *rows = (struct in_packed){0};
}

/* ---- the stream ---- */

struct in_packer {
    const struct in_index *index;
    enum in_packing form;
    int32_t length;
    bool endless;
    uint64_t seed;
    uint32_t size; /* samples in a whole window */
    uint64_t epoch;
    uint64_t begin; /* of the window, within the epoch */
    uint32_t n;     /* samples in it; 0: none is loaded */
    struct in_packed rows;
    uint32_t next;                  /* row */
    const struct in_place **places; /* size; of the window */
    const struct in_place **row;    /* size; the one that was given */
    int32_t *inputs, *targets;      /* size; lengths */
};

struct in_packer *in_packer_new(const struct in_index *index, enum in_packing form, int32_t length,
                                bool endless, uint64_t seed)
{
    struct in_packer *p = t2_alloc(1, sizeof *p);

    T2_ASSERT(index->n > 0 && length > 0);
    p->index = index;
    p->form = form;
    p->length = length;
    p->endless = endless;
    p->seed = seed;
    p->size = in_pack_window(form, length);
    p->places = t2_alloc(p->size, sizeof(struct in_place *));
    p->row = t2_alloc(p->size, sizeof(struct in_place *));
    p->inputs = t2_alloc(p->size, sizeof *p->inputs);
    p->targets = t2_alloc(p->size, sizeof *p->targets);
    return p;
}

void in_packer_free(struct in_packer *p)
{
    if (!p)
        return;
    in_packed_release(&p->rows);
    t2_free(p->places);
    t2_free(p->row);
    t2_free(p->inputs);
    t2_free(p->targets);
    t2_free(p);
}

static void load_window(struct in_packer *p)
{
    uint64_t left = p->index->n - p->begin;
    struct t2_perm perm;

    p->n = left < p->size ? (uint32_t) left : p->size;
    if (p->endless)
        in_order_epoch(&perm, p->index->n, p->seed, p->epoch);
    for (uint32_t i = 0; i < p->n; i++) {
        uint64_t k = p->endless ? t2_perm_at(&perm, p->begin + i) : p->begin + i;

        p->places[i] = &p->index->places[k];
        p->inputs[i] = p->places[i]->inputs_length;
        p->targets[i] = p->places[i]->targets_length;
    }
    in_pack(p->form, p->length, p->n, p->inputs, p->targets, &p->rows);
    p->next = 0;
}

static void next_window(struct in_packer *p)
{
    p->begin += p->n;
    p->n = 0;
    if (p->begin == p->index->n && p->endless) {
        p->begin = 0;
        p->epoch++;
    }
}

enum t2_status in_packer_next(struct in_packer *p, const struct in_place *const **row, uint32_t *n)
{
    uint32_t begin;

    if (p->n > 0 && p->next == p->rows.n_rows)
        next_window(p);
    if (p->begin == p->index->n)
        return T2_EOF;
    if (p->n == 0)
        load_window(p);
    begin = p->rows.begins[p->next++];
    *n = p->rows.begins[p->next] - begin;
    for (uint32_t i = 0; i < *n; i++)
        p->row[i] = p->places[p->rows.members[begin + i]];
    *row = p->row;
    return T2_OK;
}

uint64_t in_packer_samples(const struct in_packer *p)
{
    return p->epoch * p->index->n + p->begin + (p->n > 0 ? p->rows.begins[p->next] : 0);
}

enum t2_status in_packer_seek(struct in_packer *p, uint64_t samples, struct t2_err *err)
{
    if (samples >> 60 != 0)
        return t2_fail(err, T2_EFORMAT, "position %" PRIu64 " of the sample order cannot be right",
                       samples);
    p->epoch = samples / p->index->n;
    p->begin = samples % p->index->n / p->size * p->size;
    load_window(p);
    while (p->next < p->rows.n_rows && in_packer_samples(p) < samples)
        p->next++;
    if (in_packer_samples(p) != samples)
        return t2_fail(err, T2_EFORMAT,
                       "position %" PRIu64 " of the sample order is inside a packed row: the data "
                       "or the hparams are not those of the run that is to be continued",
                       samples);
    return T2_OK;
}

double in_packer_rows_per_sample(const struct in_packer *p)
{
    enum { WINDOWS = 16 };
    struct in_packer *probe = in_packer_new(p->index, p->form, p->length, p->endless, p->seed);
    uint64_t n_rows = 0, n = 0;

    for (int i = 0; i < WINDOWS && n < p->index->n; i++) {
        load_window(probe);
        n_rows += probe->rows.n_rows;
        n += probe->n;
        next_window(probe);
    }
    in_packer_free(probe);
    return (double) n_rows / (double) n;
}
