/*
 * train/input/sample_reader.c - a small cache of open files, and one sample.
 */
#include "train/input/sample_reader.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/io.h"
#include "tfrecord/fetch.h"

enum { N_OPEN = 64 };

struct open_shard {
    int fd; /* -1: free */
    size_t shard;
};

struct in_sample_reader {
    const struct in_index *index;
    const struct in_recipe *recipe;
    struct open_shard open[N_OPEN]; /* shard s can be in place s % N_OPEN */
    struct t2_buf buf;
    struct in_sample sample;
};

struct in_sample_reader *in_sample_reader_new(const struct in_index *index,
                                              const struct in_recipe *recipe)
{
    struct in_sample_reader *r = t2_alloc(1, sizeof *r);

    r->index = index;
    r->recipe = recipe;
    for (int i = 0; i < N_OPEN; i++)
        r->open[i].fd = -1;
    return r;
}

static void close_shard(struct open_shard *o)
{
    if (o->fd >= 0)
        close(o->fd);
    o->fd = -1;
}

void in_sample_reader_free(struct in_sample_reader *r)
{
    if (!r)
        return;
    for (int i = 0; i < N_OPEN; i++)
        close_shard(&r->open[i]);
    t2_buf_release(&r->buf);
    in_sample_release(&r->sample);
    t2_free(r);
}

/* The open file of a shard, which is still the file that was indexed. */
static enum t2_status shard_fd(struct in_sample_reader *r, size_t shard, int *fd,
                               struct t2_err *err)
{
    struct open_shard *o = &r->open[shard % N_OPEN];
    const char *path = r->index->paths.items[shard];
    struct in_shard now = {0};

    if (o->fd < 0 || o->shard != shard) {
        close_shard(o);
        T2_TRY(t2_open_input(path, false, &o->fd, NULL, err));
        o->shard = shard;
        T2_TRY(in_shard_stat(o->fd, path, &now, err));
        if (!in_shard_same(&now, &r->index->shards[shard]))
            return t2_fail(err, T2_EFORMAT, "'%s' was changed while training reads it", path);
    }
    *fd = o->fd;
    return T2_OK;
}

/* Bytes of a record with so many ids: most are one or two bytes, names and lengths take a few.  Of
 * an image or a waveform a little more than they have on average. */
static size_t guess_bytes(const struct in_sample_reader *r, const struct in_place *p)
{
    if (r->recipe->images || r->recipe->speech)
        return (size_t) (r->index->bytes / (r->index->n_records + 1) * 5 / 4);
    if (in_recipe_has_values(r->recipe))
        return 64 + 4 * ((size_t) r->recipe->n_numbers + (size_t) r->recipe->targets_vocab) +
               3 * (size_t) p->inputs_length;
    return 64 + 3 * ((size_t) p->inputs_length + (size_t) p->targets_length);
}

enum t2_status in_sample_read(struct in_sample_reader *r, const struct in_place *place,
                              const struct in_sample **sample, size_t *begin, struct t2_err *err)
{
    size_t shard = (size_t) (place->at >> IN_OFFSET_BITS);
    uint64_t offset = place->at & (((uint64_t) 1 << IN_OFFSET_BITS) - 1);
    const char *path = r->index->paths.items[shard];
    struct t2_slice record;
    int fd = -1;

    *begin = 0;
    if (r->index->pieces)
        *begin = in_sample_piece(r->recipe, r->index->pieces[place - r->index->places]);
    T2_TRY(shard_fd(r, shard, &fd, err));
    if (tfr_fetch(fd, path, offset, guess_bytes(r, place), &r->buf, &record, err) != T2_OK)
        return t2_wrap(err, "a shard has changed since training began");
    if (in_sample_parse(&r->sample, r->recipe, record, err) != T2_OK)
        return t2_wrap(err, "'%s' has changed since training began: record at offset %" PRIu64,
                       path, offset);
    if (r->sample.inputs_length != place->inputs_length ||
        r->sample.targets_length != place->targets_length ||
        *begin >=
            (size_t) r->sample.n_pieces * (size_t) (r->recipe->split > 0 ? r->recipe->split : 1))
        return t2_fail(err, T2_EFORMAT,
                       "'%s' has changed since training began: record at offset %" PRIu64
                       " has other lengths",
                       path, offset);
    *sample = &r->sample;
    return T2_OK;
}
