/*
 * tfrecord/index_parse.c - the binary index in memory: every number is checked before it is used.
 *
 * Arrays are used where they are, so the machine must be little-endian and the bytes aligned.
 *
 * The layout is in index_format.h.  The foot is read first; the parts are then taken one after the
 * other from the front, and each has to begin where the foot says and end where the next begins.
 *
 * A file may be cut short, changed or made to do harm: sizes are compared by division or
 * subtraction, never by a sum or product that could overflow, and counts are checked against the
 * bytes that are left before anything is allocated for them.
 */
#include <inttypes.h>
#include <string.h>

#include "base/alloc.h"
#include "tfrecord/framing.h"
#include "tfrecord/index_format.h"
#include "tfrecord/record_index.h"

/* The state of a parse: a cursor over the parts. */
struct parse {
    const uint8_t *data;
    uint64_t len_bytes; /* without the foot */
    uint64_t at;        /* end of what has been given out */
    const char *origin;
    struct tfr_index *ix;
};

static enum t2_status fail(const struct parse *p, const char *what, struct t2_err *err)
{
    return t2_fail(err, T2_EFORMAT, "'%s' is not a sound index: %s", p->origin, what);
}

/* n items of `size` bytes each, padded to eight; NULL: there are not so many bytes. */
static const void *take(struct parse *p, uint64_t n, uint64_t size)
{
    uint64_t left = p->len_bytes - p->at;
    const void *here = p->data + p->at;

    if (n > left / size)
        return NULL;
    uint64_t bytes = (n * size + 7) / 8 * 8;
    if (bytes > left)
        return NULL;
    p->at += bytes;
    return here;
}

static enum t2_status take_offsets(struct parse *p, uint64_t n, struct t2_err *err)
{
    struct tfr_index *ix = p->ix;
    uint64_t too_near = 0;

    if (n == UINT64_MAX)
        return fail(p, "the number of records is too large", err);
    ix->n_records = n;
    ix->offsets = take(p, n + 1, sizeof *ix->offsets);
    if (!ix->offsets)
        return fail(p, "more records are promised than it has offsets", err);
    for (uint64_t i = 0; i < n; i++) /* without a branch: this loop is most of opening an index */
        too_near |= (uint64_t) (ix->offsets[i + 1] < ix->offsets[i]) |
                    (uint64_t) (ix->offsets[i + 1] - ix->offsets[i] < TFR_FRAME_BYTES);
    if (ix->offsets[0] != 0 || too_near)
        return fail(p, "offsets of records do not ascend", err);
    return T2_OK;
}

/*
 * n blocks of (file offset, data offset), both uint64: the start of every block of the compressed
 * file and of its data. The last pair is the end of both.
 */
static enum t2_status take_blocks(struct parse *p, uint64_t n, struct t2_err *err)
{
    struct tfr_index_private *own = p->ix->private_;
    const struct tfr_bgzip_block *b;

    if (n == 0)
        return T2_OK;
    b = take(p, n, sizeof *b);
    if (!b || own->compression != TFR_BGZIP)
        return fail(p, "the blocks are wrong", err);
    for (uint64_t i = 0; i + 1 < n; i++) {
        if (b[i + 1].file_offset <= b[i].file_offset || b[i + 1].data_offset <= b[i].data_offset ||
            b[i + 1].data_offset - b[i].data_offset > TFR_BGZIP_MAX_BYTES)
            return fail(p, "blocks do not ascend", err);
    }
    if (b[0].data_offset != 0 || b[n - 1].file_offset != own->stamp.bytes ||
        b[n - 1].data_offset != p->ix->offsets[p->ix->n_records])
        return fail(p, "the blocks do not hold the records", err);
    own->blocks = b;
    own->n_blocks = (size_t) n - 1;
    return T2_OK;
}

/*
 * counts (n_records) values per record; then the first value of each, ints or floats (n_records);
 * byte columns have counts only.
 */
static enum t2_status take_column(struct parse *p, struct tfr_index_column *c, struct t2_err *err)
{
    uint64_t n = p->ix->n_records;
    bool sound = (c->counts = take(p, n, sizeof *c->counts)) != NULL;

    if (sound && c->kind == TFR_INT64)
        sound = (c->ints = take(p, n, sizeof *c->ints)) != NULL;
    if (sound && c->kind == TFR_FLOAT)
        sound = (c->floats = take(p, n, sizeof *c->floats)) != NULL;
    return sound ? T2_OK : fail(p, "columns have too few values", err);
}

/* Names and kinds come before the columns here, and after them in the file. */
static enum t2_status take_names(struct parse *p, uint64_t n, struct t2_err *err)
{
    struct tfr_index *ix = p->ix;

    if (n > (p->len_bytes - p->at) / 8)
        return fail(p, "more columns are promised than it has names", err);
    ix->columns = t2_try_alloc((size_t) n, sizeof *ix->columns);
    if (!ix->columns)
        return t2_fail(err, T2_ENOMEM, "'%s': no memory for %" PRIu64 " columns", p->origin, n);
    for (; ix->n_columns < n; ix->n_columns++) {
        const uint8_t *head = take(p, 1, 8);
        uint32_t kind = head ? tfr_get_le32(head) : 0;
        uint32_t len_bytes = head ? tfr_get_le32(head + 4) : 0;
        const char *name = head && len_bytes <= TFR_INDEX_MAX_NAME ? take(p, len_bytes, 1) : NULL;
        if (!name || kind > TFR_INT64 || memchr(name, 0, len_bytes))
            return fail(p, "the names of columns are wrong", err);
        ix->columns[ix->n_columns].name = t2_strndup(name, len_bytes);
        ix->columns[ix->n_columns].kind = (enum tfr_kind) kind;
    }
    return p->at == p->len_bytes ? T2_OK : fail(p, "bytes are left over", err);
}

static enum t2_status take_parts(struct parse *p, const uint8_t *foot, struct t2_err *err)
{
    struct tfr_index *ix = p->ix;
    uint64_t columns_at, names_at = tfr_get_le64(foot + TFR_FOOT_NAMES_AT);

    T2_TRY(take_offsets(p, tfr_get_le64(foot + TFR_FOOT_RECORDS), err));
    T2_TRY(take_blocks(p, tfr_get_le64(foot + TFR_FOOT_BLOCKS), err));
    columns_at = p->at;
    if (columns_at != tfr_get_le64(foot + TFR_FOOT_COLUMNS_AT) || names_at < columns_at ||
        names_at > p->len_bytes || names_at % 8 != 0)
        return fail(p, "its parts are not where they should be", err);
    p->at = names_at;
    T2_TRY(take_names(p, tfr_get_le64(foot + TFR_FOOT_COLUMNS), err));
    p->at = columns_at;
    p->len_bytes = names_at;
    for (size_t i = 0; i < ix->n_columns; i++)
        T2_TRY(take_column(p, &ix->columns[i], err));
    if (p->at != names_at)
        return fail(p, "bytes are left over", err);
    if (ix->private_->compression == TFR_PLAIN &&
        ix->offsets[ix->n_records] != ix->private_->stamp.bytes)
        return fail(p, "records do not end where the data file ends", err);
    return T2_OK;
}

static enum t2_status parse_all(struct parse *p, struct t2_err *err)
{
    struct tfr_index_private *own = p->ix->private_;
    const uint8_t *foot;
    uint64_t total = p->len_bytes;

    if (total < TFR_INDEX_HEAD_BYTES + TFR_INDEX_FOOT_BYTES || total % 8 != 0 ||
        memcmp(p->data, TFR_INDEX_MAGIC, 8) != 0)
        return fail(p, "it does not begin like one, or is cut short", err);
    if (tfr_get_le32(p->data + 8) != TFR_INDEX_VERSION)
        return t2_fail(err, T2_EUNSUPPORTED, "'%s': version %" PRIu32 " of the index is not known",
                       p->origin, tfr_get_le32(p->data + 8));
    p->len_bytes = total - TFR_INDEX_FOOT_BYTES;
    foot = p->data + p->len_bytes;
    if (memcmp(foot + TFR_FOOT_END, TFR_INDEX_END, 4) != 0 ||
        tfr_get_le64(foot + TFR_FOOT_ALL_BYTES) != total)
        return fail(p, "it is cut short", err);
    if (tfr_get_le32(foot + TFR_FOOT_CRC) !=
        t2_crc32c(0, p->data, (size_t) (p->len_bytes + TFR_FOOT_CRC)))
        return fail(p, "its checksum does not match", err);
    if (tfr_get_le32(p->data + 12) > TFR_BGZIP)
        return fail(p, "an unknown compression", err);
    own->compression = (enum tfr_compression) tfr_get_le32(p->data + 12);
    own->stamp.bytes = tfr_get_le64(foot + TFR_FOOT_DATA_BYTES);
    own->stamp.time_ns = (int64_t) tfr_get_le64(foot + TFR_FOOT_DATA_TIME);
    own->stamp.begin_crc = tfr_get_le32(foot + TFR_FOOT_DATA_BEGIN);
    own->stamp.end_crc = tfr_get_le32(foot + TFR_FOOT_DATA_END);
    p->at = TFR_INDEX_HEAD_BYTES;
    return take_parts(p, foot, err);
}

enum t2_status tfr_index_parse_in_place(const uint8_t *data, size_t len_bytes, const char *origin,
                                        struct tfr_index **ix, struct t2_err *err)
{
    struct parse p = {.data = data, .len_bytes = len_bytes, .origin = origin};
    enum t2_status st;

    *ix = NULL;
#if __BYTE_ORDER__ != __ORDER_LITTLE_ENDIAN__
    return t2_fail(err, T2_EUNSUPPORTED, "'%s': binary indexes are for little-endian machines",
                   origin);
#endif
    T2_ASSERT((uintptr_t) data % 8 == 0);
    p.ix = t2_alloc(1, sizeof *p.ix);
    p.ix->private_ = t2_alloc(1, sizeof *p.ix->private_);
    st = parse_all(&p, err);
    if (st != T2_OK) {
        tfr_index_free(p.ix);
        return st;
    }
    *ix = p.ix;
    return T2_OK;
}

struct tfr_index *tfr_index_of_offsets(uint64_t *offsets, uint64_t n_records,
                                       enum tfr_compression compression,
                                       struct tfr_bgzip_block *blocks, size_t n_blocks)
{
    struct tfr_index *ix = t2_alloc(1, sizeof *ix);

    ix->private_ = t2_alloc(1, sizeof *ix->private_);
    ix->n_records = n_records;
    ix->offsets = offsets;
    ix->private_->owned = offsets;
    ix->private_->owned_too = blocks;
    ix->private_->compression = compression;
    ix->private_->blocks = blocks;
    ix->private_->n_blocks = n_blocks;
    return ix;
}

void tfr_index_free(struct tfr_index *ix)
{
    if (!ix)
        return;
    for (size_t i = 0; i < ix->n_columns; i++)
        t2_free(ix->columns[i].name);
    t2_free(ix->columns);
    t2_unmap_file(&ix->private_->mapped);
    t2_free(ix->private_->owned);
    t2_free(ix->private_->owned_too);
    t2_free(ix->private_);
    t2_free(ix);
}

const struct tfr_index_column *tfr_index_column(const struct tfr_index *ix, const char *name)
{
    for (size_t i = 0; i < ix->n_columns; i++) {
        if (strcmp(ix->columns[i].name, name) == 0)
            return &ix->columns[i];
    }
    return NULL;
}
