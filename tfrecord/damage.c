/*
 * tfrecord/damage.c - records, damage, and the search for the next sound record.
 *
 * The reader stands at the start of a record: u.base.  `used` bytes of it are dropped by the next
 * call, so that what was given stays until then.
 *
 * Outcome for the record at base, by what is sound of it:
 *
 *   header  data           given
 *   sound   sound          the record                                             read_record
 *   sound   CRC wrong      damage: one record lost; if its length leads nowhere,
 *                          up to the next sound record                            bad_data
 *   sound   beyond the end cut, or a sound record begins earlier                  cut_record
 *   wrong   -              a header with one bit mended, or its own length, if
 *                          the data then match: the record and damage; else the
 *                          next sound record is searched                          bad_header
 *
 * The search tries every offset: eight bytes as a length that fits, their CRC, then the CRC of the
 * data.  A hostile file could make each offset a candidate with a long record, so CRCs are paid
 * from a credit that grows with the bytes searched (16 per byte), which keeps the whole linear.
 */
#include "tfrecord/damage.h"

#include <inttypes.h>
#include <string.h>

#include "base/alloc.h"
#include "base/signals.h"
#include "tfrecord/damage_words.h"
#include "tfrecord/framing.h"
#include "tfrecord/looks_like.h"
#include "tfrecord/reader.h"
#include "tfrecord/unpack.h"

/* Of a pipe or a compressed file; a longer record would be held in memory whole. */
#define MAX_STREAMED_BYTES (UINT64_C(1) << 32)
#define MAX_SEARCHED_BYTES (UINT64_C(1) << 30)
enum {
    HELD_BYTES = 1 << 26, /* of a stream, behind the place of the search */
    CHECK_BYTES = 1 << 22 /* between two looks for a signal */
};
/* Bytes of data whose CRC the search may compute: so many for each byte it moves on, and a
 * start. */
enum { CREDIT_PER_BYTE = 16, FIRST_CREDIT = 1 << 22 };

struct tfr_damage_reader {
    struct tfr_unpack u;
    size_t used;
    uint64_t number; /* of the record at base */
    uint64_t n_sound, sound_bytes;
    /* What the last search found: no sound record before this offset.  UINT64_MAX: none to the end
     * of the segment. */
    uint64_t next_sound;
    uint64_t credit, spent;
    uint64_t n_refused; /* candidates that the credit had no room for */
    uint64_t until_check;
    bool any; /* a sound record was given, or damage that says where one was */
};

static struct tfr_damage_reader *new_reader(void)
{
    struct tfr_damage_reader *r = t2_alloc(1, sizeof *r);

    r->credit = FIRST_CREDIT;
    r->until_check = CHECK_BYTES;
    return r;
}

enum t2_status tfr_damage_open(const char *path, struct tfr_damage_reader **r, struct t2_err *err)
{
    struct tfr_unpack u;

    *r = NULL;
    T2_TRY(tfr_unpack_open(path, &u, err));
    *r = new_reader();
    (*r)->u = u;
    return T2_OK;
}

struct tfr_damage_reader *tfr_damage_open_memory(struct t2_slice bytes)
{
    struct tfr_damage_reader *r = new_reader();

    tfr_unpack_memory(bytes, &r->u);
    return r;
}

void tfr_damage_close(struct tfr_damage_reader *r)
{
    if (!r)
        return;
    tfr_unpack_close(&r->u);
    t2_free(r);
}

uint64_t tfr_damage_raw_bytes(const struct tfr_damage_reader *r)
{
    return tfr_unpack_is_mapped(&r->u) ? r->u.origin : tfr_unpack_raw_bytes(&r->u);
}

/* ---- sound records ---- */

/* Whether the data of the record at base[at ..) match their CRC.  All of it is ready. */
static bool data_ok(const struct tfr_damage_reader *r, size_t at, uint64_t length)
{
    struct t2_slice data = {r->u.base + at + TFR_HEADER_BYTES, (size_t) length};

    return tfr_record_ok(data);
}

/* Whether a record of this length at base[at ..) ends within the segment; makes it ready. */
static enum t2_status fits(struct tfr_damage_reader *r, size_t at, uint64_t length, uint64_t limit,
                           bool *yes, struct t2_err *err)
{
    *yes = false;
    if (r->u.ended &&
        (r->u.ready - at < TFR_FRAME_BYTES || length > r->u.ready - at - TFR_FRAME_BYTES))
        return T2_OK;
    if (!r->u.ended && length > limit)
        return T2_OK;
    T2_TRY(tfr_unpack_more(&r->u, at + TFR_FRAME_BYTES + (size_t) length, err));
    *yes = r->u.ready - at >= TFR_FRAME_BYTES && length <= r->u.ready - at - TFR_FRAME_BYTES;
    return T2_OK;
}

static bool pay(struct tfr_damage_reader *r, uint64_t length)
{
    /* Every byte of the file may be looked at twice; the search pays for the rest. */
    uint64_t credit = r->credit + 2 * (r->u.origin + r->u.ready);

    if (length > credit || r->spent > credit - length) {
        r->n_refused++;
        return false;
    }
    r->spent += length;
    return true;
}

/* ---- the search ---- */

/* Drops the searched bytes of a stream, so that memory is bounded when no sound record comes. */
static void let_go(struct tfr_damage_reader *r, size_t *at, uint64_t *gone)
{
    if (*at < HELD_BYTES || tfr_unpack_is_mapped(&r->u))
        return;
    tfr_unpack_drop(&r->u, *at);
    *gone += *at;
    *at = 0;
}

static enum t2_status check(struct tfr_damage_reader *r, struct t2_err *err)
{
    r->until_check = CHECK_BYTES;
    T2_TRY(tfr_unpack_check(&r->u, err));
    return t2_check_interrupt(err);
}

/* Checks the data of a record at base[at ..) whose header is sound. */
static enum t2_status try_candidate(struct tfr_damage_reader *r, size_t at, bool *found,
                                    struct t2_err *err)
{
    uint64_t length = tfr_get_le64(r->u.base + at);

    T2_TRY(fits(r, at, length, MAX_SEARCHED_BYTES, found, err));
    if (*found)
        *found = pay(r, length) && data_ok(r, at, length);
    return T2_OK;
}

/* Moves *at on to the first offset below `end` whose header is sound; 12 bytes from each are
 * ready. */
static size_t find_header(const struct tfr_damage_reader *r, size_t at, size_t end)
{
    const uint8_t *p = r->u.base;
    uint64_t limit = r->u.ended ? r->u.ready : MAX_SEARCHED_BYTES;

    for (; at < end; at++) {
        if (tfr_get_le64(p + at) < limit && tfr_header_ok(p + at))
            break;
    }
    return at;
}

/*
 * Finds the next sound record at or behind base[from]: *distance is from where base was at the call
 * (base moves when a stream is long), UINT64_MAX when there is none in the segment; *gone says how
 * many bytes were dropped.
 */
static enum t2_status search(struct tfr_damage_reader *r, size_t from, uint64_t *distance,
                             uint64_t *gone, struct t2_err *err)
{
    size_t at = from;
    bool found = false;

    *gone = 0;
    if (r->next_sound >= r->u.origin + from && r->next_sound > 0) {
        *distance = r->next_sound == UINT64_MAX ? UINT64_MAX : r->next_sound - r->u.origin;
        return T2_OK;
    }
    for (;; at++) {
        T2_TRY(tfr_unpack_more(&r->u, at + TFR_FRAME_BYTES, err));
        if (r->u.ready < at + TFR_FRAME_BYTES)
            break;
        size_t end = r->u.ready - TFR_HEADER_BYTES + 1;
        if (end - at > CHECK_BYTES)
            end = at + CHECK_BYTES;
        size_t next = find_header(r, at, end);
        r->credit += (uint64_t) (next - at + 1) * CREDIT_PER_BYTE;
        at = next;
        if (at == end) {
            at--; /* it was searched: the loop adds one */
            T2_TRY(check(r, err));
        } else {
            T2_TRY(try_candidate(r, at, &found, err));
            if (found)
                break;
        }
        let_go(r, &at, gone);
    }
    *distance = found ? *gone + at : UINT64_MAX;
    r->next_sound = found ? r->u.origin + at : UINT64_MAX;
    return T2_OK;
}

/* ---- damage ---- */

static uint64_t mean_bytes(const struct tfr_damage_reader *r)
{
    return r->n_sound == 0 ? 0 : r->sound_bytes / r->n_sound;
}

static uint64_t estimate(const struct tfr_damage_reader *r, uint64_t lost_bytes)
{
    uint64_t mean = mean_bytes(r);
    uint64_t n = mean == 0 ? 1 : (lost_bytes + mean / 2) / mean;

    return n == 0 ? 1 : n;
}

/* Damage of this many bytes from base on, of which the next call drops what is still there. */
static void lose(struct tfr_damage_reader *r, struct tfr_found *f, uint64_t n_bytes, uint64_t gone)
{
    f->damage.lost_bytes = n_bytes;
    r->used = (size_t) (n_bytes - gone);
}

static void say_refused(struct tfr_damage_reader *r, struct tfr_damage *d)
{
    size_t n = strlen(d->words);

    if (r->n_refused == 0 || n + 100 > sizeof d->words)
        return;
    struct tfr_damage more;
    tfr_say(&more,
            "%s; %" PRIu64 " places that begin like records were not tried, they are too many",
            d->words, r->n_refused);
    memcpy(d->words, more.words, sizeof d->words);
    r->n_refused = 0;
}

/* A record given although its header is damaged. */
static void save(struct tfr_damage_reader *r, struct tfr_found *f, uint64_t length)
{
    f->is_record = true;
    f->data = (struct t2_slice){r->u.base + TFR_HEADER_BYTES, (size_t) length};
    f->damage.lost_bytes = f->damage.lost_records = 0;
    r->used = TFR_FRAME_BYTES + (size_t) length;
    r->any = true;
}

/* Gives the record with the damaged header if its data match with this length. */
static enum t2_status try_length(struct tfr_damage_reader *r, struct tfr_found *f, uint64_t length,
                                 struct t2_err *err)
{
    bool yes;

    T2_TRY(fits(r, 0, length, MAX_SEARCHED_BYTES, &yes, err));
    if (yes && pay(r, length) && data_ok(r, 0, length))
        save(r, f, length);
    return T2_OK;
}

/* Whether the file as a whole is no record file: its first segment has no record at all. */
static bool nothing_here(const struct tfr_damage_reader *r)
{
    return r->u.origin == 0 && !r->any && (!r->u.at_gap || tfr_looks_like(r->u.base, r->u.ready));
}

/* Everything that follows the header is unknown; `distance` bytes on is a sound record, or none. */
static enum t2_status lost_header(struct tfr_damage_reader *r, struct tfr_found *f,
                                  uint64_t distance, uint64_t gone, const uint8_t *header,
                                  struct t2_err *err)
{
    struct tfr_damage *d = &f->damage;
    uint64_t all = distance == UINT64_MAX ? r->u.ready : distance; /* if gone is 0 */

    if (gone == 0 && all >= TFR_FRAME_BYTES && tfr_header_fits(header, all - TFR_FRAME_BYTES)) {
        d->field = TFR_FIELD_LENGTH;
        T2_TRY(try_length(r, f, all - TFR_FRAME_BYTES, err));
        tfr_say_mended(d, header, all - TFR_FRAME_BYTES, f->is_record);
        if (f->is_record)
            return T2_OK;
    } else {
        d->field = TFR_FIELD_LENGTH_CRC;
        tfr_say_header(d, header);
    }
    if (distance == UINT64_MAX) {
        distance = gone + r->u.ready;
        if (gone == 0 && nothing_here(r))
            tfr_say_no_records(d, (struct t2_slice){r->u.base, r->u.ready},
                               tfr_unpack_is_mapped(&r->u) ? r->u.ready : UINT64_MAX);
    }
    lose(r, f, distance, gone);
    d->lost_records = d->field == TFR_FIELD_FILE ? 0 : estimate(r, distance);
    say_refused(r, d);
    return T2_OK;
}

static enum t2_status bad_header(struct tfr_damage_reader *r, struct tfr_found *f,
                                 struct t2_err *err)
{
    uint8_t header[TFR_HEADER_BYTES];
    struct tfr_damage *d = &f->damage;
    uint64_t length, distance, gone;

    memcpy(header, r->u.base, sizeof header);
    if (tfr_mend_header(header, &d->field, &length)) {
        T2_TRY(try_length(r, f, length, err));
        if (f->is_record) {
            tfr_say_mended(d, header, length, true);
            return T2_OK;
        }
    }
    /* The length may be right and only its CRC wrong, in more than a bit. */
    T2_TRY(try_length(r, f, tfr_get_le64(header), err));
    if (f->is_record) {
        d->field = TFR_FIELD_LENGTH_CRC;
        tfr_say_mended(d, header, tfr_get_le64(header), true);
        return T2_OK;
    }
    T2_TRY(search(r, 1, &distance, &gone, err));
    return lost_header(r, f, distance, gone, header, err);
}

/* The header is sound, the data are not. */
static enum t2_status bad_data(struct tfr_damage_reader *r, struct tfr_found *f, uint64_t length,
                               struct t2_err *err)
{
    size_t whole = TFR_FRAME_BYTES + (size_t) length;
    struct tfr_damage *d = &f->damage;
    uint64_t distance = whole, gone = 0;

    T2_TRY(tfr_unpack_more(&r->u, whole + TFR_HEADER_BYTES, err));
    tfr_say_data(d, (struct t2_slice){r->u.base + TFR_HEADER_BYTES, (size_t) length});
    d->lost_records = 1;
    /* If no record follows where the length says, bytes may have been cut out or inserted. */
    if (r->u.ready > whole &&
        (r->u.ready - whole < TFR_HEADER_BYTES || !tfr_header_ok(r->u.base + whole))) {
        T2_TRY(search(r, TFR_HEADER_BYTES, &distance, &gone, err));
        if (distance < whole) {
            d->field = TFR_FIELD_DATA;
            tfr_say(d,
                    "data CRC mismatch, and the length says %" PRIu64
                    " bytes of data, but a sound record begins after %" PRIu64,
                    length, distance - TFR_HEADER_BYTES);
        } else if (gone < whole) {
            distance = whole;
        } else {
            distance = gone;
        }
    }
    lose(r, f, distance, gone);
    return T2_OK;
}

/* The header is sound and promises more than the segment has. */
static enum t2_status cut_record(struct tfr_damage_reader *r, struct tfr_found *f, uint64_t length,
                                 struct t2_err *err)
{
    struct tfr_damage *d = &f->damage;
    uint64_t distance, gone;

    T2_TRY(search(r, TFR_HEADER_BYTES, &distance, &gone, err));
    if (distance == UINT64_MAX) {
        distance = gone + r->u.ready;
        tfr_say_cut(d, distance, length);
    } else {
        d->field = TFR_FIELD_DATA;
        tfr_say(d,
                "the length says %" PRIu64
                " bytes of data, but a sound record begins after %" PRIu64,
                length, distance - TFR_HEADER_BYTES);
    }
    d->lost_records = 1;
    lose(r, f, distance, gone);
    say_refused(r, d);
    return T2_OK;
}

/* ---- damaged compression ---- */

/* The number of records lost with compressed bytes, by the ratio of compression so far. */
static uint64_t lost_at_gap(const struct tfr_damage_reader *r, const struct tfr_damage *d,
                            const struct tfr_gap *gap)
{
    double ratio = gap->raw_offset == 0 ? 1 : (double) gap->at / (double) gap->raw_offset;
    uint64_t lost = d->lost_bytes;

    if (!gap->is_between)
        lost += (uint64_t) ((double) d->raw_lost_bytes * ratio);
    return lost == 0 ? 0 : estimate(r, lost);
}

/* Up to the next sound record behind the gap, over further gaps if need be. */
static enum t2_status cross_gaps(struct tfr_damage_reader *r, struct tfr_found *f,
                                 struct t2_err *err)
{
    struct tfr_damage *d = &f->damage;
    uint64_t begin = r->u.origin, distance = UINT64_MAX, gone, n_gaps = 0;
    struct tfr_gap gap, first = {0};

    while (distance == UINT64_MAX && r->u.at_gap) {
        tfr_unpack_drop(&r->u, r->u.ready);
        T2_TRY(tfr_unpack_cross(&r->u, &gap, err));
        T2_TRY(check(r, err));
        if (n_gaps++ == 0)
            first = gap;
        d->raw_lost_bytes += gap.raw_lost;
        r->next_sound = 0;
        T2_TRY(search(r, 0, &distance, &gone, err));
        if (distance != UINT64_MAX)
            distance -= gone;
    }
    r->used = distance == UINT64_MAX ? r->u.ready : (size_t) distance;
    d->field = TFR_FIELD_COMPRESSION;
    d->offset = begin;
    d->raw_offset = first.raw_offset;
    d->lost_bytes = r->u.origin + r->used - begin;
    d->lost_records = lost_at_gap(r, d, &first);
    if (n_gaps > 1)
        tfr_say(d,
                "damaged near byte %" PRIu64 " of the file: %s; %" PRIu64
                " more such places follow",
                first.raw_offset, first.words, n_gaps - 1);
    else
        tfr_say(d, "damaged near byte %" PRIu64 " of the file: %s", first.raw_offset, first.words);
    return T2_OK;
}

static bool take_note(struct tfr_damage_reader *r, struct tfr_found *f)
{
    struct tfr_gap note;

    if (!tfr_unpack_note(&r->u, r->u.origin, &note))
        return false;
    f->damage.field = TFR_FIELD_COMPRESSION;
    f->damage.raw_offset = note.raw_offset;
    tfr_say(&f->damage, "near byte %" PRIu64 " of the file: %s", note.raw_offset, note.words);
    return true;
}

/* ---- what callers see ---- */

/* Fewer than the bytes of a header are left. */
static enum t2_status short_header(struct tfr_damage_reader *r, struct tfr_found *f,
                                   struct t2_err *err)
{
    size_t n = r->u.ready;

    if (r->u.at_gap)
        return cross_gaps(r, f, err);
    tfr_say_cut(&f->damage, n, 0);
    if (r->u.origin == 0 && !tfr_unpack_is_compressed(&r->u) && n > 0)
        tfr_say_no_records(&f->damage, (struct t2_slice){r->u.base, n}, n);
    f->damage.lost_records = f->damage.field == TFR_FIELD_FILE ? 0 : 1;
    lose(r, f, n, 0);
    return T2_OK;
}

/* The record at base is not sound. */
static enum t2_status read_damage(struct tfr_damage_reader *r, struct tfr_found *f,
                                  struct t2_err *err)
{
    uint64_t length;
    bool whole;

    if (r->u.ready < TFR_HEADER_BYTES)
        return short_header(r, f, err);
    if (!tfr_header_ok(r->u.base))
        return bad_header(r, f, err);
    length = tfr_get_le64(r->u.base);
    T2_TRY(fits(r, 0, length, MAX_STREAMED_BYTES, &whole, err));
    if (whole)
        return bad_data(r, f, length, err);
    if (r->u.at_gap) {
        uint64_t distance, gone;
        T2_TRY(search(r, TFR_HEADER_BYTES, &distance, &gone, err));
        if (distance == UINT64_MAX)
            return cross_gaps(r, f, err);
    }
    return cut_record(r, f, length, err);
}

/* Gives the record at base if it is sound, the usual case. */
static enum t2_status read_record(struct tfr_damage_reader *r, struct tfr_found *f,
                                  struct t2_err *err)
{
    uint64_t length;
    bool whole;

    T2_TRY(tfr_unpack_more(&r->u, TFR_HEADER_BYTES, err));
    if (r->u.ready < TFR_HEADER_BYTES || !tfr_header_ok(r->u.base))
        return T2_OK;
    length = tfr_get_le64(r->u.base);
    T2_TRY(fits(r, 0, length, MAX_STREAMED_BYTES, &whole, err));
    if (!whole || !data_ok(r, 0, length))
        return T2_OK;
    f->is_record = true;
    f->data = (struct t2_slice){r->u.base + TFR_HEADER_BYTES, (size_t) length};
    r->used = TFR_FRAME_BYTES + (size_t) length;
    r->n_sound++;
    r->sound_bytes += r->used;
    r->any = true;
    return T2_OK;
}

static void move_on(struct tfr_damage_reader *r)
{
    tfr_unpack_drop(&r->u, r->used);
    r->until_check -= r->used < r->until_check ? r->used : r->until_check;
    r->used = 0;
}

enum t2_status tfr_damage_next(struct tfr_damage_reader *r, struct tfr_found *f, struct t2_err *err)
{
    move_on(r);
    if (r->until_check == 0)
        T2_TRY(check(r, err));
    f->is_record = f->is_damaged = false;
    f->data = (struct t2_slice){NULL, 0};
    f->number = r->number;
    f->offset = r->u.origin;
    T2_TRY(read_record(r, f, err));
    if (f->is_record) {
        r->number++;
        return T2_OK;
    }
    memset(&f->damage, 0, sizeof f->damage);
    f->damage.offset = f->offset;
    if (!take_note(r, f)) {
        if (r->u.ready == 0 && !r->u.at_gap) {
            T2_TRY(tfr_unpack_check(&r->u, err));
            return T2_EOF;
        }
        T2_TRY(read_damage(r, f, err));
    }
    T2_TRY(tfr_unpack_check(&r->u, err));
    f->is_damaged = true;
    r->number += f->is_record ? 1 : f->damage.lost_records;
    return T2_OK;
}

enum t2_status tfr_damage_start_at(struct tfr_damage_reader *r, uint64_t number, uint64_t offset,
                                   struct t2_err *err)
{
    T2_ASSERT(r->number == 0 && r->u.origin == 0 && r->used == 0);
    while (r->u.origin < offset) {
        size_t n =
            offset - r->u.origin < CHECK_BYTES ? (size_t) (offset - r->u.origin) : CHECK_BYTES;
        T2_TRY(tfr_unpack_more(&r->u, n, err));
        if (r->u.ready == 0)
            return t2_fail(err, T2_EFORMAT, "the file has become shorter while it was read");
        tfr_unpack_drop(&r->u, r->u.ready < n ? r->u.ready : n);
    }
    r->number = number;
    r->n_sound = number;
    r->sound_bytes = offset;
    r->any = number > 0;
    return T2_OK;
}
