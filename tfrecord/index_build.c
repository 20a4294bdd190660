/*
 * tfrecord/index_build.c - reads a data file once and writes its indexes, both kinds at the same
 * time.
 *
 * The data file is read on all threads (tfr_stream); each makes the lines and offsets of its
 * batches, and consume() appends them in order to both outputs, so that memory does not grow with
 * the file. Only the columns wait for the end, as their place is behind the offsets
 * (index_format.h). The stamp of the data file is taken before and compared afterwards: a file
 * that changed meanwhile gets no index.
 */
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/file.h"
#include "base/io.h"
#include "base/pool.h"
#include "tfrecord/framing.h"
#include "tfrecord/idx_text.h"
#include "tfrecord/index_columns.h"
#include "tfrecord/index_format.h"
#include "tfrecord/record_index.h"
#include "tfrecord/record_stream.h"

struct build {
    const struct tfr_index_build *job;
    enum tfr_compression compression;
    struct tfr_index_stamp stamp;
    struct tfr_columns *columns;
    uint64_t n_records, end; /* end: of the last record */
    struct t2_out *idx;      /* NULL: not asked for; the same for binary */
    struct t2_out *binary;
    uint32_t crc; /* of binary so far */
    struct tfr_bgzip_block *blocks;
    size_t n_blocks;
};

/* A thread's result for a batch: its lines, offsets and column values, which `consume` appends in
 * order. */
struct part {
    struct tfr_columns_part columns;
    struct t2_buf idx;
    struct t2_buf offsets;
};

/* ---- reading ---- */

static enum t2_status work(void *context, const struct tfr_batch *batch, void *result, int worker,
                           struct t2_err *err)
{
    const struct build *b = context;
    struct part *p = result;

    (void) worker;
    t2_buf_clear(&p->idx);
    t2_buf_clear(&p->offsets);
    if (b->binary) {
        uint8_t *to = t2_buf_reserve(&p->offsets, 8 * batch->n);
        for (size_t i = 0; i < batch->n; i++) {
            tfr_put_le32(to + 8 * i, (uint32_t) batch->records[i].offset);
            tfr_put_le32(to + 8 * i + 4, (uint32_t) (batch->records[i].offset >> 32));
        }
        p->offsets.len_bytes = 8 * batch->n;
    }
    if (b->idx) {
        char *to = (char *) t2_buf_reserve(&p->idx, TFR_IDX_LINE_BYTES * batch->n);
        for (size_t i = 0; i < batch->n; i++)
            p->idx.len_bytes += tfr_idx_line(to + p->idx.len_bytes, batch->records[i].offset,
                                             batch->records[i].data.len_bytes + TFR_FRAME_BYTES);
    }
    return tfr_columns_extract(b->columns, batch, &p->columns, err);
}

static void put(void *context, const void *data, size_t len_bytes)
{
    struct build *b = context;

    b->crc = t2_crc32c(b->crc, data, len_bytes);
    t2_out_write(b->binary, data, len_bytes);
}

static void put_u64(struct build *b, uint64_t v)
{
    uint8_t bytes[8];

    tfr_put_le32(bytes, (uint32_t) v);
    tfr_put_le32(bytes + 4, (uint32_t) (v >> 32));
    put(b, bytes, sizeof bytes);
}

static enum t2_status consume(void *context, const struct tfr_batch *batch, void *result,
                              struct t2_err *err)
{
    struct build *b = context;
    const struct part *p = result;

    if (batch->n == 0)
        return T2_OK;
    const struct tfr_record *last = &batch->records[batch->n - 1];
    b->n_records += batch->n;
    b->end = last->offset + last->data.len_bytes + TFR_FRAME_BYTES;
    if (b->idx) {
        t2_out_write(b->idx, p->idx.data, p->idx.len_bytes);
        T2_TRY(t2_out_status(b->idx, err));
    }
    if (b->binary) {
        put(b, p->offsets.data, p->offsets.len_bytes);
        T2_TRY(t2_out_status(b->binary, err));
    }
    return tfr_columns_append(b->columns, batch, &p->columns, err);
}

static void release_part(void *context, void *result)
{
    struct part *p = result;

    (void) context;
    tfr_columns_part_release(&p->columns);
    t2_buf_release(&p->idx);
    t2_buf_release(&p->offsets);
}

static enum t2_status read_all(struct build *b, struct t2_pool *pool, struct t2_err *err)
{
    struct tfr_input_file file = {.split = t2_strdup(""), .n_records = TFR_UNKNOWN_COUNT};
    struct tfr_inputs inputs = {&file, 1, b->stamp.bytes};
    struct tfr_stream stream = {.inputs = &inputs,
                                .what = "indexing",
                                .result_bytes = sizeof(struct part),
                                .work = work,
                                .consume = consume,
                                .release = release_part,
                                .context = b};
    enum t2_status st;

    file.path = t2_strdup(b->job->data_path);
    file.bytes = b->stamp.bytes;
    st = tfr_stream_run(&stream, pool, err);
    t2_free(file.path);
    t2_free(file.split);
    return st;
}

/* ---- writing the rest ---- */

static enum t2_status find_blocks(struct build *b, struct t2_err *err)
{
    const char *path = b->job->data_path;
    enum t2_status st;
    int fd;

    if (b->compression != TFR_BGZIP || !b->binary)
        return T2_OK;
    T2_TRY(t2_open_input(path, false, &fd, NULL, err));
    st = tfr_bgzip_blocks(fd, path, b->stamp.bytes, &b->blocks, &b->n_blocks, err);
    (void) close(fd);
    return st;
}

static void put_foot(struct build *b, uint64_t columns_at, uint64_t names_at)
{
    uint8_t ends[8];
    size_t n_entries = !b->blocks ? 0 : b->n_blocks + 1;

    put_u64(b, b->n_records);
    put_u64(b, n_entries);
    put_u64(b, columns_at);
    put_u64(b, names_at);
    put_u64(b, tfr_columns_count(b->columns));
    put_u64(b, b->stamp.bytes);
    put_u64(b, (uint64_t) b->stamp.time_ns);
    tfr_put_le32(ends, b->stamp.begin_crc);
    tfr_put_le32(ends + 4, b->stamp.end_crc);
    put(b, ends, sizeof ends);
    put_u64(b, t2_out_bytes(b->binary) + TFR_INDEX_FOOT_BYTES - TFR_FOOT_ALL_BYTES);
    tfr_put_le32(ends, b->crc);
    memcpy(ends + 4, TFR_INDEX_END, 4);
    t2_out_write(b->binary, ends, sizeof ends);
}

static void finish_binary(struct build *b)
{
    uint64_t columns_at, names_at;

    put_u64(b, b->end); /* the last of the offsets */
    for (size_t i = 0; b->blocks && i <= b->n_blocks; i++) {
        put_u64(b, b->blocks[i].file_offset);
        put_u64(b, b->blocks[i].data_offset);
    }
    columns_at = t2_out_bytes(b->binary);
    for (size_t i = 0; i < tfr_columns_count(b->columns); i++)
        tfr_columns_values(b->columns, i, put, b);
    names_at = t2_out_bytes(b->binary);
    for (size_t i = 0; i < tfr_columns_count(b->columns); i++)
        tfr_columns_name(b->columns, i, put, b);
    put_foot(b, columns_at, names_at);
}

static enum t2_status check_unchanged(const struct build *b, struct t2_err *err)
{
    struct tfr_index_stamp now;

    T2_TRY(tfr_index_stamp_of(b->job->data_path, &now, err));
    if (now.bytes != b->stamp.bytes || now.time_ns != b->stamp.time_ns ||
        now.begin_crc != b->stamp.begin_crc || now.end_crc != b->stamp.end_crc)
        return t2_fail(err, T2_EFORMAT, "'%s' changed while it was indexed", b->job->data_path);
    return T2_OK;
}

static enum t2_status commit(struct build *b, struct t2_err *err)
{
    struct t2_out *idx = b->idx, *binary = b->binary;

    if (binary)
        T2_TRY(t2_out_finish(binary, err));
    if (idx) {
        T2_TRY(t2_out_finish(idx, err));
        b->idx = NULL;
        T2_TRY(t2_out_commit(idx, err));
    }
    b->binary = NULL;
    return binary ? t2_out_commit(binary, err) : T2_OK;
}

static enum t2_status open_outputs(struct build *b, struct t2_err *err)
{
    char *idx = tfr_idx_path(b->job->data_path);
    char *binary = tfr_index_path(b->job->data_path);
    enum t2_status st = T2_OK;

    if (b->job->dali)
        st = t2_out_new(idx, &b->idx, err);
    if (st == T2_OK && b->job->binary)
        st = t2_out_new(binary, &b->binary, err);
    t2_free(idx);
    t2_free(binary);
    if (st == T2_OK && b->binary) {
        put(b, TFR_INDEX_MAGIC, 8);
        put_u64(b, TFR_INDEX_VERSION | (uint64_t) b->compression << 32);
    }
    return st;
}

static enum t2_status build_all(struct build *b, struct t2_pool *pool, struct t2_err *err)
{
    T2_TRY(tfr_index_stamp_of(b->job->data_path, &b->stamp, err));
    T2_TRY(tfr_compression_of(b->job->data_path, &b->compression, err));
    if (b->job->dali && b->compression != TFR_PLAIN)
        return t2_fail(err, T2_EUNSUPPORTED,
                       "'%s' is compressed (%s): a .idx for DALI is of plain files only",
                       b->job->data_path, tfr_compression_name(b->compression));
    T2_TRY(open_outputs(b, err));
    T2_TRY(read_all(b, pool, err));
    T2_TRY(find_blocks(b, err));
    if (b->binary)
        finish_binary(b);
    T2_TRY(check_unchanged(b, err));
    return commit(b, err);
}

enum t2_status tfr_index_build(const struct tfr_index_build *job, struct t2_pool *pool,
                               uint64_t *n_records, struct t2_err *err)
{
    struct build b = {.job = job};
    enum t2_status st;

    b.columns = tfr_columns_new(job->with);
    st = build_all(&b, pool, err);
    *n_records = b.n_records;
    t2_out_abort(b.idx);
    t2_out_abort(b.binary);
    tfr_columns_free(b.columns);
    t2_free(b.blocks);
    return st;
}
