/*
 * datagen/shard_bins.c - records on their way to their shards.
 */
#include "datagen/shard_bins.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/log.h"

struct dg_bins {
    struct t2_strs paths;
    struct t2_buf *bins;
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
    size_t i;

    for (i = 0; i < scratch_paths->n; ++i)
        if (scratch_paths->items[i][0])
            T2_TRY(t2_remove(scratch_paths->items[i], err));
    b = t2_alloc(1, sizeof *b);
    for (i = 0; i < scratch_paths->n; ++i)
        t2_strs_push(&b->paths, scratch_paths->items[i]);
    b->bins = t2_alloc(scratch_paths->n, sizeof *b->bins);
    b->limit_bytes = memory_bytes;
    *bins = b;
    return T2_OK;
}

void dg_bins_free(struct dg_bins *b)
{
    size_t i;

    if (!b)
        return;
    for (i = 0; i < b->paths.n; ++i) {
        t2_buf_release(&b->bins[i]);
        if (b->spilled && b->paths.items[i][0])
            (void) unlink(b->paths.items[i]);
    }
    t2_free(b->bins);
    t2_strs_release(&b->paths);
    t2_free(b);
}

/* Scratch files are opened only while they are appended to: their number is not limited by the
 * number of file descriptors.  They need no fsync: after a crash the pass is done again. */
static enum t2_status append(const char *path, const struct t2_buf *data, struct t2_err *err)
{
    int fd = open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0666);
    size_t done = 0;
    int saved = 0;

    if (fd < 0)
        return t2_fail_errno(err, errno, "'%s': cannot open the scratch file", path);
    while (done < data->len_bytes && saved == 0) {
        ssize_t n = write(fd, data->data + done, data->len_bytes - done);
        if (n >= 0)
            done += (size_t) n;
        else if (errno != EINTR)
            saved = errno;
    }
    if (close(fd) != 0 && saved == 0)
        saved = errno;
    return saved ? t2_fail_errno(err, saved, "'%s': cannot write the scratch file", path) : T2_OK;
}

static enum t2_status spill(struct dg_bins *b, struct t2_err *err)
{
    size_t i;

    b->spilled = true;
    for (i = 0; i < b->paths.n; ++i) {
        if (b->bins[i].len_bytes == 0)
            continue;
        T2_TRY(append(b->paths.items[i], &b->bins[i], err));
        t2_buf_release(&b->bins[i]);
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

enum t2_status dg_bins_take(struct dg_bins *b, size_t bin, struct dg_bin *taken, struct t2_err *err)
{
    memset(taken, 0, sizeof *taken);
    if (b->spilled && t2_exists(b->paths.items[bin])) {
        T2_TRY(append(b->paths.items[bin], &b->bins[bin], err));
        t2_buf_release(&b->bins[bin]);
        T2_TRY(t2_file_size(b->paths.items[bin], &taken->len_bytes, err));
        taken->fd = open(b->paths.items[bin], O_RDONLY | O_CLOEXEC);
        if (taken->fd < 0)
            return t2_fail_errno(err, errno, "'%s': cannot read the scratch file",
                                 b->paths.items[bin]);
        taken->scratch = t2_strdup(b->paths.items[bin]);
        return T2_OK;
    }
    taken->memory = b->bins[bin];
    memset(&b->bins[bin], 0, sizeof b->bins[bin]);
    taken->len_bytes = taken->memory.len_bytes;
    return T2_OK;
}

enum t2_status dg_bin_read(const struct dg_bin *taken, uint64_t offset, void *data,
                           size_t len_bytes, struct t2_err *err)
{
    uint8_t *to = data;

    while (len_bytes > 0) {
        ssize_t n = pread(taken->fd, to, len_bytes, (off_t) offset);
        if (n < 0 && errno == EINTR)
            continue;
        if (n <= 0)
            return t2_fail_errno(err, n < 0 ? errno : EIO, "'%s': cannot read the scratch file",
                                 taken->scratch);
        to += n;
        offset += (uint64_t) n;
        len_bytes -= (size_t) n;
    }
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
