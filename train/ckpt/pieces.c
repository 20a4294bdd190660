/*
 * train/ckpt/pieces.c - see the header.
 */
#include "train/ckpt/pieces.h"

#include <inttypes.h>
#include <string.h>

#include "base/alloc.h"
#include "base/crc32c.h"
#include "base/io.h"
#include "base/progress.h"
#include "train/device/device.h"
#include "train/graph/layouts.h"

/* ---- who writes what ---- */

static void add(struct ckpt_pieces *p, const char *name, int rank, const int64_t *dims, int64_t n)
{
    struct ckpt_tensor *t = &p->tensors[p->n++];

    t->name = name;
    t->type = CKPT_F32;
    t->rank = rank;
    memcpy(t->dims, dims, (size_t) rank * sizeof *dims);
    t->n_bytes = (size_t) n * sizeof(float);
}

static void init(struct ckpt_pieces *p, const struct gr_params *params, size_t n)
{
    p->params = params;
    p->tensors = t2_alloc(n, sizeof *p->tensors);
    p->own = t2_alloc(n, sizeof *p->own);
    p->n = 0;
}

/* Of all floats of a file the part of one writer; parts meet at pages of the data. */
static int64_t cut(int64_t n_floats, struct opt_share writer)
{
    enum { PAGE_FLOATS = 1024 };
    int64_t at = n_floats / writer.n * writer.index + n_floats % writer.n * writer.index / writer.n;

    return writer.index == writer.n ? n_floats : at / PAGE_FLOATS * PAGE_FLOATS;
}

static void share_evenly(struct ckpt_pieces *p, struct opt_share writer)
{
    int64_t all = (int64_t) (ckpt_pieces_file_bytes(p) / sizeof(float)), at = 0;
    int64_t first = cut(all, writer),
            end = cut(all, (struct opt_share){writer.index + 1, writer.n});

    for (size_t i = 0; i < p->n; i++) {
        int64_t n = (int64_t) (p->tensors[i].n_bytes / sizeof(float));
        int64_t from = first > at ? first - at : 0, to = end - at < n ? end - at : n;

        p->own[i].first = from;
        p->own[i].n = to > from ? to - from : 0;
        at += n;
    }
}

void ckpt_pieces_of_variables(struct ckpt_pieces *p, const struct gr_params *params,
                              struct opt_share writer)
{
    init(p, params, (size_t) params->n_variables);
    for (int i = 0; i < params->n_variables; i++) {
        const struct gr_variable *v = &params->variables[i];

        p->own[i] = (struct ckpt_own){.values = params->values + v->offset, .like = v};
        add(p, v->name, v->rank, v->dims, v->n);
    }
    share_evenly(p, writer);
}

void ckpt_pieces_of_slots(struct ckpt_pieces *p, const struct gr_params *params,
                          const struct opt_optimizer *opt, struct opt_share writer)
{
    struct opt_share share = opt_share_of(opt);

    init(p, params, opt_slot_count(opt));
    for (size_t i = 0; i < opt_slot_count(opt); i++) {
        struct opt_slot s = opt_slot_at(opt, i);

        p->own[i] = (struct ckpt_own){.values = s.values, .begin = s.first, .like = s.like};
        add(p, s.name, s.rank, s.dims, s.n);
    }
    if (share.n == 1) {
        share_evenly(p, writer);
        return;
    }
    for (size_t i = 0; i < p->n; i++) {
        int64_t end;

        opt_part_of_slot(opt, i, share.index, &p->own[i].first, &end);
        p->own[i].n = end - p->own[i].first;
    }
}

void ckpt_pieces_release(struct ckpt_pieces *p)
{
    t2_free(p->tensors);
    t2_free(p->own);
    *p = (struct ckpt_pieces){0};
}

uint64_t ckpt_pieces_file_bytes(const struct ckpt_pieces *p)
{
    uint64_t n = 0;

    for (size_t i = 0; i < p->n; i++)
        n += p->tensors[i].n_bytes;
    return n;
}

uint64_t ckpt_pieces_own_bytes(const struct ckpt_pieces *p)
{
    uint64_t n = 0;

    for (size_t i = 0; i < p->n; i++)
        n += (uint64_t) p->own[i].n * sizeof(float);
    return n;
}

/* ---- copies ---- */

/* What threads copy at a time: large enough for memcpy to pass the caches by. */
enum { COPY_BYTES = 4 << 20 };

struct copy {
    void *to;
    const void *from;
    size_t n_bytes; /* up to COPY_BYTES */
};

static void copy_piece(void *arg, int64_t piece, int worker)
{
    const struct copy *c = &((const struct copy *) arg)[piece];

    (void) worker;
    memcpy(c->to, c->from, c->n_bytes);
}

/* Can the host read it as it lies? */
static bool is_plain(const struct ckpt_pieces *p, const struct ckpt_own *own)
{
    return p->params->dev->host_memory && !gr_is_laid(p->params, own->like);
}

uint8_t *ckpt_pieces_copy(struct ckpt_pieces *p, struct t2_pool *pool, uint8_t *room)
{
    size_t capacity = p->n + (size_t) (ckpt_pieces_own_bytes(p) / COPY_BYTES);
    struct copy *copies = t2_alloc(capacity, sizeof *copies);
    int64_t n_copies = 0;

    for (size_t i = 0; i < p->n; i++) {
        struct ckpt_own *own = &p->own[i];
        size_t n_bytes = (size_t) own->n * sizeof(float);

        if (own->n == 0)
            continue;
        own->copy = (const float *) (const void *) room;
        for (size_t at = 0; is_plain(p, own) && at < n_bytes; at += COPY_BYTES)
            copies[n_copies++] =
                (struct copy){room + at,
                              (const char *) (own->values + (own->first - own->begin)) + at,
                              n_bytes - at < COPY_BYTES ? n_bytes - at : COPY_BYTES};
        if (!is_plain(p, own))
            gr_download(p->params, own->like, own->values, own->first - own->begin,
                        (float *) (void *) room, own->n);
        room += n_bytes;
    }
    t2_pool_run(pool, n_copies, copy_piece, copies);
    t2_free(copies);
    return room;
}

const float *ckpt_pieces_at(const struct ckpt_pieces *p, size_t i, int64_t first, int64_t n,
                            float *buffer)
{
    const struct ckpt_own *own = &p->own[i];

    if (own->copy)
        return own->copy + (first - own->first);
    if (is_plain(p, own))
        return own->values + (first - own->begin);
    gr_download(p->params, own->like, own->values, first - own->begin, buffer, n);
    return buffer;
}

/* ---- writing ---- */

void ckpt_runs_add(struct ckpt_runs *runs, int file, uint64_t at, const void *data, size_t n_bytes)
{
    struct ckpt_run *last = runs->n > 0 ? &runs->items[runs->n - 1] : NULL;

    if (!last || last->file != file || last->at + last->n_bytes != at) {
        if (runs->n == runs->capacity) {
            runs->capacity = 2 * runs->capacity + 4;
            runs->items = t2_realloc(runs->items, runs->capacity, sizeof *runs->items);
        }
        last = &runs->items[runs->n++];
        *last = (struct ckpt_run){.at = at, .file = file};
    }
    last->crc = t2_crc32c(last->crc, data, n_bytes);
    last->n_bytes += n_bytes;
}

enum t2_status ckpt_target_put(const struct ckpt_target *to, uint64_t at, const void *data,
                               size_t n_bytes, struct ckpt_runs *runs, struct t2_err *err)
{
    size_t n_written;
    int errnum = t2_io_pwrite(to->fd, data, n_bytes, to->data_at + at, &n_written);

    if (errnum) {
        (void) t2_fail_errno(err, errnum, "cannot write '%s' (at byte %" PRIu64 ")", to->path,
                             to->data_at + at + n_written);
        return err->status = T2_EIO;
    }
    t2_io_start_writing(to->fd, to->data_at + at, n_bytes);
    ckpt_runs_add(runs, to->file, at, data, n_bytes);
    return T2_OK;
}

enum t2_status ckpt_pieces_write(const struct ckpt_pieces *p, const struct ckpt_target *to,
                                 struct ckpt_runs *runs, struct t2_err *err)
{
    const int64_t most = CKPT_PIECE_BYTES / sizeof(float);
    float *buffer = t2_alloc((size_t) most, sizeof *buffer);
    struct t2_progress progress;
    uint64_t tensor_at = 0, done = 0;
    enum t2_status st = T2_OK;

    t2_progress_start(&progress, "writing the checkpoint", "bytes", ckpt_pieces_own_bytes(p));
    for (size_t i = 0; i < p->n && st == T2_OK; i++) {
        const struct ckpt_own *own = &p->own[i];

        for (int64_t at = own->first, end = at + own->n; at < end && st == T2_OK; at += most) {
            int64_t n = end - at < most ? end - at : most;
            size_t n_bytes = (size_t) n * sizeof *buffer;

            st = ckpt_target_put(to, tensor_at + (uint64_t) at * sizeof *buffer,
                                 ckpt_pieces_at(p, i, at, n, buffer), n_bytes, runs, err);
            t2_progress_update(&progress, done += n_bytes);
        }
        tensor_at += p->tensors[i].n_bytes;
    }
    t2_progress_end(&progress);
    t2_free(buffer);
    return st;
}
