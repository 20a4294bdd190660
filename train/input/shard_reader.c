/*
 * train/input/shard_reader.c - one of two readers: the one that stops, or the one that goes on.
 */
#include "train/input/shard_reader.h"

#include <inttypes.h>
#include <stdio.h>

#include "base/alloc.h"
#include "base/crc32c.h"
#include "tfrecord/compress.h"
#include "tfrecord/damage.h"
#include "tfrecord/reader.h"

struct in_shard_reader {
    char *path;
    uint64_t max_corrupt;
    struct in_corrupt *corrupt, own; /* corrupt points to `own` where nobody else wants it */
    /* one of them */
    struct tfr_reader *strict;
    struct tfr_damage_reader *lenient;
};

void in_corrupt_release(struct in_corrupt *c)
{
    t2_strs_release(&c->places);
    *c = (struct in_corrupt){0};
}

static enum t2_status check_plain(const char *path, struct t2_err *err)
{
    enum tfr_compression compression;

    T2_TRY(tfr_compression_of(path, &compression, err));
    return compression == TFR_PLAIN ? T2_OK
                                    : t2_fail(err, T2_EUNSUPPORTED,
                                              "'%s' is compressed: training reads plain TFRecord "
                                              "files",
                                              path);
}

enum t2_status in_shard_reader_new(const char *path, uint64_t max_corrupt,
                                   struct in_corrupt *corrupt, struct in_shard_reader **reader,
                                   struct t2_err *err)
{
    struct in_shard_reader *r;
    enum t2_status st;

    *reader = NULL;
    if (max_corrupt > 0)
        T2_TRY(check_plain(path, err));
    r = t2_alloc(1, sizeof *r);
    r->path = t2_strdup(path);
    r->max_corrupt = max_corrupt;
    r->corrupt = corrupt ? corrupt : &r->own;
    st = max_corrupt > 0 ? tfr_damage_open(path, &r->lenient, err)
                         : tfr_reader_new(path, &r->strict, err);
    if (st != T2_OK) {
        in_shard_reader_free(r);
        return st;
    }
    *reader = r;
    return T2_OK;
}

void in_shard_reader_free(struct in_shard_reader *r)
{
    if (!r)
        return;
    tfr_reader_free(r->strict);
    tfr_damage_close(r->lenient);
    in_corrupt_release(&r->own);
    t2_free(r->path);
    t2_free(r);
}

static bool has_enough(const struct in_shard_reader *r)
{
    return r->corrupt->n_records > r->max_corrupt;
}

/* Lost records are one at least: a torn end may have held nothing, but something is not as it
 * was. */
static void note(struct in_shard_reader *r, uint64_t number, uint64_t offset, uint64_t n_lost,
                 const char *words)
{
    char several[48] = "";

    if (n_lost > 1)
        snprintf(several, sizeof several, " (about %" PRIu64 " records)", n_lost);
    t2_strs_printf(&r->corrupt->places, "'%s': record %" PRIu64 " at offset %" PRIu64 ": %s%s",
                   r->path, number, offset, words, several);
    r->corrupt->n_records += n_lost > 1 ? n_lost : 1;
    r->corrupt->crc = t2_crc32c(r->corrupt->crc, &offset, sizeof offset);
}

static enum t2_status next_lenient(struct in_shard_reader *r, struct in_shard_record *record,
                                   struct t2_err *err)
{
    while (!has_enough(r)) {
        struct tfr_found f;

        T2_TRY(tfr_damage_next(r->lenient, &f, err));
        if (f.is_damaged && f.damage.field == TFR_FIELD_FILE)
            return t2_fail(err, T2_EFORMAT, "'%s': %s", r->path, f.damage.words);
        if (!f.is_damaged) {
            *record = (struct in_shard_record){f.data, f.number, f.offset};
            return T2_OK;
        }
        /* also a record whose data are whole behind a damaged header: training finds it by that */
        note(r, f.number, f.offset, f.damage.lost_records, f.damage.words);
    }
    return T2_EOF;
}

enum t2_status in_shard_reader_next(struct in_shard_reader *r, struct in_shard_record *record,
                                    struct t2_err *err)
{
    if (r->lenient)
        return next_lenient(r, record, err);
    record->number = tfr_reader_count(r->strict);
    record->offset = tfr_reader_offset(r->strict);
    return tfr_reader_next(r->strict, &record->data, err);
}

enum t2_status in_shard_reader_refuse(struct in_shard_reader *r,
                                      const struct in_shard_record *record, struct t2_err *err)
{
    if (!r->lenient)
        return t2_wrap(err, "'%s': record %" PRIu64 " at offset %" PRIu64, r->path, record->number,
                       record->offset);
    note(r, record->number, record->offset, 1, err->message);
    return T2_OK;
}

uint64_t in_shard_reader_bytes(const struct in_shard_reader *r)
{
    return r->lenient ? tfr_damage_raw_bytes(r->lenient) : tfr_reader_offset(r->strict);
}
