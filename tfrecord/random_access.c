/*
 * tfrecord/random_access.c - record N of a file: plain by pread, block gzip by its block, others
 * from the start.
 *
 *   plain         pread of offsets[i] ... offsets[i + 1]
 *   block gzip    bisection for the block that holds offsets[i]; it and the next ones inflated
 *   gzip, zlib    a reader kept between calls: forwards it skips, backwards it starts anew
 *
 * Offsets come from the index beside the file, or from reading it once.  Header and CRCs are
 * checked in any case, so a wrong index is an error and not a wrong record.
 */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <string.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/gzip.h"
#include "base/io.h"
#include "tfrecord/fetch.h"
#include "tfrecord/framing.h"
#include "tfrecord/index_format.h"
#include "tfrecord/reader.h"
#include "tfrecord/record_index.h"

struct tfr_file {
    char *path;
    int fd;
    struct tfr_index *ix;
    char trouble[512]; /* of the index that is there */
    struct t2_buf record;
    /* block gzip */
    struct t2_inflater *inflater;
    struct t2_buf raw, block;
    size_t block_number; /* of what `block` holds; SIZE_MAX: nothing */
    /* other compressed files */
    struct tfr_reader *reader;
};

/* ---- opening ---- */

/* The offsets of all records, by reading the file; data CRCs are not looked at. */
static enum t2_status scan(const char *path, enum tfr_compression compression,
                           struct tfr_index **ix, struct t2_err *err)
{
    struct tfr_reader *r = NULL;
    uint64_t *offsets = t2_alloc(1, sizeof *offsets);
    size_t n = 0, capacity = 1;
    enum t2_status st;

    *ix = NULL;
    st = tfr_reader_new(path, &r, err);
    while (st == T2_OK && (st = tfr_reader_skip(r, err)) == T2_OK) {
        if (++n == capacity) {
            capacity *= 2;
            offsets = t2_realloc(offsets, capacity, sizeof *offsets);
        }
        offsets[n] = tfr_reader_offset(r);
    }
    tfr_reader_free(r);
    if (st != T2_EOF) {
        t2_free(offsets);
        return st;
    }
    *ix = tfr_index_of_offsets(offsets, n, compression, NULL, 0);
    return T2_OK;
}

/* Where the blocks are is found without decompressing, also when the index does not say it. */
static enum t2_status add_blocks(struct tfr_file *f, struct t2_err *err)
{
    struct tfr_index_private *own = f->ix->private_;
    struct tfr_bgzip_block *blocks = NULL;
    off_t size = lseek(f->fd, 0, SEEK_END);

    if (own->compression != TFR_BGZIP || own->blocks)
        return T2_OK;
    if (size < 0)
        return t2_fail_errno(err, errno, "cannot ask the size of '%s'", f->path);
    T2_TRY(tfr_bgzip_blocks(f->fd, f->path, (uint64_t) size, &blocks, &own->n_blocks, err));
    own->owned_too = blocks;
    own->blocks = blocks;
    return T2_OK;
}

static enum t2_status open_all(struct tfr_file *f, struct t2_err *err)
{
    enum tfr_index_state state;
    enum tfr_compression compression;

    T2_TRY(tfr_compression_of(f->path, &compression, err));
    T2_TRY(tfr_index_open(f->path, &f->ix, &state, f->trouble, sizeof f->trouble, err));
    if (state == TFR_INDEX_ABSENT)
        f->trouble[0] = '\0';
    T2_TRY(t2_open_input(f->path, false, &f->fd, NULL, err));
    if (!f->ix)
        T2_TRY(scan(f->path, compression, &f->ix, err));
    f->inflater = t2_inflater_new(true);
    return add_blocks(f, err);
}

enum t2_status tfr_file_open(const char *path, struct tfr_file **file, struct t2_err *err)
{
    struct tfr_index_stamp stamp;
    struct tfr_file *f;
    enum t2_status st;

    *file = NULL;
    if (strcmp(path, "-") == 0)
        return t2_fail(err, T2_EUNSUPPORTED,
                       "the standard input can only be read from start to end; save it to a file");
    T2_TRY(tfr_index_stamp_of(path, &stamp, err)); /* regular files only */
    f = t2_alloc(1, sizeof *f);
    f->path = t2_strdup(path);
    f->fd = -1;
    f->block_number = SIZE_MAX;
    st = open_all(f, err);
    if (st != T2_OK) {
        tfr_file_free(f);
        return st;
    }
    *file = f;
    return T2_OK;
}

void tfr_file_free(struct tfr_file *f)
{
    if (!f)
        return;
    tfr_reader_free(f->reader);
    t2_inflater_free(f->inflater);
    t2_buf_release(&f->record);
    t2_buf_release(&f->raw);
    t2_buf_release(&f->block);
    tfr_index_free(f->ix);
    if (f->fd >= 0)
        (void) close(f->fd);
    t2_free(f->path);
    t2_free(f);
}

uint64_t tfr_file_count(const struct tfr_file *f)
{
    return f->ix->n_records;
}

const struct tfr_index *tfr_file_index(const struct tfr_file *f)
{
    return f->ix;
}

const char *tfr_file_index_trouble(const struct tfr_file *f)
{
    return f->trouble;
}

/* ---- block gzip ---- */

/* The block that holds byte `offset` of the data. */
static size_t find_block(const struct tfr_index_private *own, uint64_t offset)
{
    size_t low = 0, high = own->n_blocks;

    while (high - low > 1) {
        size_t middle = low + (high - low) / 2;
        if (own->blocks[middle].data_offset <= offset)
            low = middle;
        else
            high = middle;
    }
    return low;
}

static enum t2_status load_block(struct tfr_file *f, size_t number, struct t2_err *err)
{
    if (f->block_number == number)
        return T2_OK;
    f->block_number = SIZE_MAX;
    T2_TRY(tfr_bgzip_read(f->fd, f->path, f->ix->private_->blocks + number, f->inflater, &f->raw,
                          &f->block, err));
    f->block_number = number;
    return T2_OK;
}

static enum t2_status fail_index(const struct tfr_file *f, uint64_t i, struct t2_err *err)
{
    return t2_fail(err, T2_EFORMAT,
                   "'%s': record %" PRIu64 " is not at offset %" PRIu64
                   " as the index says; make the index again",
                   f->path, i, f->ix->offsets[i]);
}

/* The bytes of record i into f->record, block after block. */
static enum t2_status gather(struct tfr_file *f, uint64_t i, struct t2_err *err)
{
    const struct tfr_index_private *own = f->ix->private_;
    uint64_t at = f->ix->offsets[i], end = f->ix->offsets[i + 1];

    t2_buf_clear(&f->record);
    for (size_t k = find_block(own, at); at < end; k++) {
        if (k >= own->n_blocks || at < own->blocks[k].data_offset)
            return fail_index(f, i, err);
        T2_TRY(load_block(f, k, err));
        size_t skip = (size_t) (at - own->blocks[k].data_offset);
        if (skip >= f->block.len_bytes)
            return fail_index(f, i, err);
        size_t n = f->block.len_bytes - skip;
        if (n > end - at)
            n = (size_t) (end - at);
        t2_buf_append(&f->record, f->block.data + skip, n);
        at += n;
    }
    return T2_OK;
}

static enum t2_status get_from_blocks(struct tfr_file *f, uint64_t i, struct t2_slice *rec,
                                      struct t2_err *err)
{
    T2_TRY(gather(f, i, err));
    uint64_t n = f->record.len_bytes;
    if (n < TFR_FRAME_BYTES || !tfr_header_ok(f->record.data) ||
        tfr_get_le64(f->record.data) != n - TFR_FRAME_BYTES)
        return fail_index(f, i, err);
    rec->data = f->record.data + TFR_HEADER_BYTES;
    rec->len_bytes = (size_t) (n - TFR_FRAME_BYTES);
    if (!tfr_record_ok(*rec))
        return tfr_record_fail(f->path, i, f->ix->offsets[i], *rec, err);
    return T2_OK;
}

/* ---- the others ---- */

static enum t2_status get_plain(struct tfr_file *f, uint64_t i, struct t2_slice *rec,
                                struct t2_err *err)
{
    uint64_t offset = f->ix->offsets[i];
    uint64_t n = f->ix->offsets[i + 1] - offset - TFR_FRAME_BYTES;

    enum t2_status st = tfr_fetch(f->fd, f->path, offset, (size_t) n, &f->record, rec, err);

    if (st == T2_EFORMAT && f->record.len_bytes == n + TFR_FRAME_BYTES &&
        tfr_header_ok(f->record.data) && tfr_get_le64(f->record.data) == n) {
        /* the same mistake in the words of the other ways to read, with the record's number */
        rec->data = f->record.data + TFR_HEADER_BYTES;
        rec->len_bytes = (size_t) n;
        return tfr_record_fail(f->path, i, offset, *rec, err);
    }
    T2_TRY(st);
    return rec->len_bytes == n ? T2_OK : fail_index(f, i, err);
}

static enum t2_status get_streamed(struct tfr_file *f, uint64_t i, struct t2_slice *rec,
                                   struct t2_err *err)
{
    if (f->reader && tfr_reader_count(f->reader) > i) {
        tfr_reader_free(f->reader);
        f->reader = NULL;
    }
    if (!f->reader)
        T2_TRY(tfr_reader_new(f->path, &f->reader, err));
    enum t2_status st = T2_OK;
    while (st == T2_OK && tfr_reader_count(f->reader) < i)
        st = tfr_reader_skip(f->reader, err);
    if (st == T2_OK)
        st = tfr_reader_next(f->reader, rec, err);
    return st == T2_EOF ? fail_index(f, i, err) : st;
}

enum t2_status tfr_file_get(struct tfr_file *f, uint64_t i, struct t2_slice *rec,
                            struct t2_err *err)
{
    if (i >= f->ix->n_records)
        return t2_fail(err, T2_ENOTFOUND,
                       "'%s' has %" PRIu64 " records: there is no record %" PRIu64, f->path,
                       f->ix->n_records, i);
    switch (f->ix->private_->compression) {
    case TFR_PLAIN:
        return get_plain(f, i, rec, err);
    case TFR_BGZIP:
        return get_from_blocks(f, i, rec, err);
    case TFR_GZIP:
    case TFR_ZLIB:
        break;
    }
    return get_streamed(f, i, rec, err);
}
