/*
 * datagen/shards/shard_bins.c - records on their way to their shards.
 */
#include "datagen/shards/shard_bins.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/io.h"
#include "base/log.h"
#include "base/remote_hooks.h"

struct dg_bins {
    struct t2_strs paths;
    struct t2_buf *bins;
    uint64_t *spilled_bytes;            /* of each bin, in its scratch file */
    uint64_t memory_bytes, limit_bytes; /* what is taken, growing included, and may be */
    bool spilled;
};

size_t dg_bins_count(const struct dg_bins *b)
{
    return b->paths.n;
}

enum t2_status dg_bins_new(const struct t2_strs *scratch_paths, uint64_t memory_bytes,
                           struct dg_bins **bins, struct t2_err *err)
{
    struct dg_bins *b;
    enum t2_status st = T2_OK;

    b = t2_alloc(1, sizeof *b);
    for (size_t i = 0; i < scratch_paths->n; i++)
        t2_strs_take(&b->paths, t2_scratch_path(scratch_paths->items[i]));
    b->bins = t2_alloc(scratch_paths->n, sizeof *b->bins);
    b->spilled_bytes = t2_alloc(scratch_paths->n, sizeof *b->spilled_bytes);
    b->limit_bytes = memory_bytes;
    for (size_t i = 0; i < b->paths.n && st == T2_OK; i++)
        if (b->paths.items[i][0])
            st = t2_remove(b->paths.items[i], err);
    if (st != T2_OK)
        dg_bins_free(b);
    else
        *bins = b;
    return st;
}

void dg_bins_free(struct dg_bins *b)
{
    if (!b)
        return;
    for (size_t i = 0; i < b->paths.n; i++) {
        t2_buf_release(&b->bins[i]);
        if (b->spilled && b->paths.items[i][0])
            (void) unlink(b->paths.items[i]);
    }
    t2_free(b->bins);
    t2_free(b->spilled_bytes);
    t2_strs_release(&b->paths);
    t2_free(b);
}

/* Scratch files are opened only while they are appended to: their number is not limited by the
 * number of file descriptors.  They need no fsync: after a crash the pass is done again. */
static enum t2_status append(struct dg_bins *b, size_t bin, struct t2_err *err)
{
    const char *path = b->paths.items[bin];
    const struct t2_buf *data = &b->bins[bin];
    bool is_new = b->spilled_bytes[bin] == 0;
    int fd, closed;
    int errnum =
        t2_io_open(path, O_WRONLY | O_NOFOLLOW | (is_new ? O_CREAT | O_EXCL : 0), 0666, &fd);

    if (errnum)
        return t2_fail_errno(err, errnum, "'%s': cannot open the scratch file", path);
    /* At the place that is known, so that a file that was cut has a hole and not fewer bytes. */
    errnum = t2_io_pwrite(fd, data->data, data->len_bytes, b->spilled_bytes[bin], NULL);
    closed = t2_io_close(fd);
    if (errnum || closed)
        return t2_fail_errno(err, errnum ? errnum : closed, "'%s': cannot write the scratch file",
                             path);
    b->spilled_bytes[bin] += data->len_bytes;
    t2_buf_release(&b->bins[bin]);
    return T2_OK;
}

static enum t2_status spill(struct dg_bins *b, struct t2_err *err)
{
    b->spilled = true;
    for (size_t i = 0; i < b->paths.n; i++) {
        if (b->bins[i].len_bytes == 0)
            continue;
        T2_TRY(append(b, i, err));
    }
    b->memory_bytes = 0;
    return T2_OK;
}

enum t2_status dg_bins_add(struct dg_bins *b, size_t bin, const void *data, size_t len_bytes,
                           struct t2_err *err)
{
    T2_DASSERT(bin < b->paths.n);
    b->memory_bytes -= b->bins[bin].capacity_bytes;
    t2_buf_append(&b->bins[bin], data, len_bytes);
    b->memory_bytes += b->bins[bin].capacity_bytes;
    return b->memory_bytes > b->limit_bytes ? spill(b, err) : T2_OK;
}

static enum t2_status open_spilled(const struct dg_bins *b, size_t bin, struct dg_bin *taken,
                                   struct t2_err *err)
{
    const char *path = b->paths.items[bin];
    struct stat info;
    enum t2_status st = t2_open_input(path, false, &taken->fd, &info, err);

    if (st != T2_OK)
        return t2_wrap(err, "a scratch file of this run cannot be read");
    taken->scratch = t2_strdup(path);
    taken->len_bytes = b->spilled_bytes[bin];
    if ((uint64_t) info.st_size != taken->len_bytes)
        st = t2_fail(err, T2_EIO,
                     "'%s': a scratch file of this run holds %" PRId64 " bytes, %" PRIu64
                     " were written: something else changed it; run the same command again",
                     path, (int64_t) info.st_size, taken->len_bytes);
    if (st != T2_OK)
        dg_bin_release(taken);
    return st;
}

enum t2_status dg_bins_take(struct dg_bins *b, size_t bin, struct dg_bin *taken, struct t2_err *err)
{
    memset(taken, 0, sizeof *taken);
    if (b->spilled_bytes[bin] > 0) {
        if (b->bins[bin].len_bytes > 0)
            T2_TRY(append(b, bin, err));
        return open_spilled(b, bin, taken, err);
    }
    taken->memory = b->bins[bin];
    memset(&b->bins[bin], 0, sizeof b->bins[bin]);
    taken->len_bytes = taken->memory.len_bytes;
    return T2_OK;
}

enum t2_status dg_bin_read(const struct dg_bin *taken, uint64_t offset, void *data,
                           size_t len_bytes, struct t2_err *err)
{
    size_t n;
    int errnum = t2_io_pread(taken->fd, data, len_bytes, offset, &n);

    if (errnum || n < len_bytes)
        return t2_fail_errno(err, errnum ? errnum : EIO, "'%s': cannot read the scratch file",
                             taken->scratch);
    return T2_OK;
}

enum t2_status dg_bin_load(struct dg_bin *taken, struct t2_err *err)
{
    if (!taken->scratch)
        return T2_OK;
    T2_TRY(dg_bin_read(taken, 0, t2_buf_reserve(&taken->memory, (size_t) taken->len_bytes),
                       (size_t) taken->len_bytes, err));
    taken->memory.len_bytes = (size_t) taken->len_bytes;
    return T2_OK;
}

void dg_bin_release(struct dg_bin *taken)
{
    if (taken->scratch) {
        (void) close(taken->fd);
        (void) unlink(taken->scratch);
    }
    t2_free(taken->scratch);
    t2_buf_release(&taken->memory);
    memset(taken, 0, sizeof *taken);
}
