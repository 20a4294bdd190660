/*
 * tfrecord/unpack.c - inflating up to the damage and on from the next member.
 *
 * A damaged deflate stream may be decoded beyond the end of its member before zlib notices, so raw
 * bytes stay for a while and the search for the next member begins right behind the start of the
 * damaged one.
 *
 *   raw       | kept for going back | raw_at: waiting | raw_end |         RAW_BYTES, of the file
 *   base      | ready: uncompressed, not dropped |                       grows as callers ask
 *   origin    offset of base in the uncompressed data
 *
 * At damage `ended` and `at_gap` are set: the caller takes what is ready, then crosses.
 * tfr_unpack_cross searches byte by byte for the magic number of gzip and tries to inflate 32 KiB
 * from there; a trial that goes well is the next member.  A wrong checksum at the end of a member
 * is no gap: its data are there, and a note says that they may be wrong.
 */
#include "tfrecord/unpack.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/gzip.h"
#include "base/io.h"
#include "base/mapping.h"
#include "tfrecord/framing.h"
#include "tfrecord/looks_like.h"

enum {
    RAW_BYTES = 1 << 18,
    KEPT_BYTES = 1 << 17,  /* raw bytes that stay behind raw_at */
    AHEAD_BYTES = 1 << 16, /* read ahead for a trial */
    OUT_BYTES = 1 << 18,
    TRIAL_BYTES = 1 << 15,
    MAX_NOTES = 16,
    TRAILER_BYTES = 8
};
/* Trials and going back cost credit, bytes searched give it: hostile files cannot make it
 * quadratic. */
enum { CREDIT_PER_BYTE = 64, FIRST_CREDIT = 1 << 22, TRIAL_COST = 4096 };
/* No length field of a plain file has such a value. */
#define ABSURD_LENGTH (UINT64_C(1) << 48)

enum kind { PLAIN, GZIP, ZLIB };

struct tfr_unpack_private {
    char *path;
    int fd; /* -1: memory, or mapped and not needed any more */
    struct t2_slice memory;
    enum kind kind;
    struct t2_mapping *mapping;
    bool whole; /* base is all of the file: mapped or in memory */

    uint8_t *raw; /* raw[raw_at .. raw_end) waits */
    size_t raw_at, raw_end;
    uint64_t raw_total; /* offset of raw_end in the file */
    bool raw_eof;

    uint8_t *out; /* base is inside */
    size_t out_bytes;

    struct t2_inflater *inflater;
    bool in_member;
    uint64_t member_at; /* raw offset of the current member */
    size_t lenient;     /* raw bytes of a trailer that may still come before the next member */
    struct tfr_gap gap;
    struct tfr_gap notes[MAX_NOTES];
    size_t n_notes;
    uint64_t credit;      /* what searching may still cost */
    uint64_t searched_to; /* raw offset up to which credit was given */
};

static uint64_t raw_offset(const struct tfr_unpack_private *p)
{
    return p->raw_total - (p->raw_end - p->raw_at);
}

/* ---- raw bytes ---- */

static enum t2_status read_some(struct tfr_unpack_private *p, struct t2_err *err)
{
    size_t room = RAW_BYTES - p->raw_end, n;

    if (p->fd < 0) {
        size_t left = p->memory.len_bytes - (size_t) p->raw_total;
        n = left < room ? left : room;
        if (n > 0)
            memcpy(p->raw + p->raw_end, p->memory.data + p->raw_total, n);
    } else {
        T2_TRY(t2_io_read_stream(p->fd, p->path, p->raw + p->raw_end, room, &n, err));
    }
    p->raw_end += n;
    p->raw_total += n;
    p->raw_eof = n == 0;
    return T2_OK;
}

/* n raw bytes wait, or all there are. */
static enum t2_status want_raw(struct tfr_unpack_private *p, size_t n, struct t2_err *err)
{
    if (p->raw_at + n > RAW_BYTES && p->raw_at > KEPT_BYTES) {
        size_t gone = p->raw_at - KEPT_BYTES;
        memmove(p->raw, p->raw + gone, p->raw_end - gone);
        p->raw_at -= gone;
        p->raw_end -= gone;
    }
    while (p->raw_end - p->raw_at < n && !p->raw_eof)
        T2_TRY(read_some(p, err));
    return T2_OK;
}

/* ---- which kind ---- */

/* Inflates from the waiting raw bytes and reports whether that works.  With wants_header the result
 * must also begin like records, or be a whole empty member. */
static bool trial(struct tfr_unpack_private *p, bool is_gzip, bool wants_header)
{
    struct t2_inflater *z = t2_inflater_new(is_gzip);
    uint8_t *out = t2_alloc(TRIAL_BYTES, 1);
    size_t used = 0, made = 0, n_used, n_made;
    bool ended = false;
    const char *problem;

    do {
        problem = t2_inflater_step(z, p->raw + p->raw_at + used, p->raw_end - p->raw_at - used,
                                   out + made, TRIAL_BYTES - made, &n_used, &n_made, &ended);
        used += n_used;
        made += n_made;
    } while (!problem && !ended && (n_used > 0 || n_made > 0) && made < TRIAL_BYTES);
    uint64_t cost = used + made + TRIAL_COST;
    p->credit -= cost < p->credit ? cost : p->credit;
    bool good = wants_header ? (made >= TFR_HEADER_BYTES && tfr_header_ok(out)) ||
                                   (ended && !problem && made == 0)
                             : !problem && (made > 0 || ended);
    t2_free(out);
    t2_inflater_free(z);
    return good;
}

static bool maybe(const struct tfr_unpack_private *p, bool is_gzip)
{
    const uint8_t *head = p->raw + p->raw_at;
    size_t n = p->raw_end - p->raw_at;

    return is_gzip ? tfr_maybe_gzip(head, n) : tfr_maybe_zlib(head, n);
}

/*
 * One wrong bit in the header of the compression: puts it right.  The 32 bits tried are gzip's
 * magic number, method and flags (RFC 1952, 2.3), or zlib's two bytes (RFC 1950, 2.2) and the
 * first of the deflate stream.  At most 64 trials, and only when no kind fits as it is.
 */
static bool mend_header(struct tfr_unpack_private *p)
{
    for (size_t bit = 0; bit < 32 && bit / 8 < p->raw_end; bit++) {
        p->raw[bit / 8] ^= (uint8_t) (1u << bit % 8);
        for (int is_gzip = 1; is_gzip >= 0; is_gzip--) {
            if (maybe(p, is_gzip) && trial(p, is_gzip, true)) {
                p->kind = is_gzip ? GZIP : ZLIB;
                p->notes[p->n_notes++] =
                    (struct tfr_gap){.words = "one bit of the header of the compression is wrong"};
                return true;
            }
        }
        p->raw[bit / 8] ^= (uint8_t) (1u << bit % 8);
    }
    return false;
}

/*
 * size: of the file, UINT64_MAX when unknown.
 *
 * From the surest sign to the weakest: a record's header with its checksum, a stream that inflates
 * to one, a stream that does so after mending; then the magic number alone, for a member whose
 * data are damaged.  zlib's two bytes fit one file in 2000 by chance, so they count only
 * where the same bytes make no possible length of a record.
 */
static enum kind find_kind(struct tfr_unpack_private *p, uint64_t size)
{
    size_t n = p->raw_end;

    if (n < 2 || (n >= TFR_HEADER_BYTES && tfr_header_ok(p->raw)))
        return PLAIN;
    if (maybe(p, true) && trial(p, true, true))
        return GZIP;
    if (maybe(p, false) && trial(p, false, true))
        return ZLIB;
    if (mend_header(p))
        return p->kind;
    if (maybe(p, true))
        return GZIP;
    if (maybe(p, false) && (n < TFR_LENGTH_BYTES || tfr_get_le64(p->raw) > size ||
                            tfr_get_le64(p->raw) > ABSURD_LENGTH))
        return ZLIB;
    return PLAIN;
}

/* ---- opening ---- */

static struct tfr_unpack_private *new_private(struct tfr_unpack *u, const char *path)
{
    struct tfr_unpack_private *p = t2_alloc(1, sizeof *p);

    *u = (struct tfr_unpack){.private_ = p};
    p->path = t2_strdup(path);
    p->fd = -1;
    p->raw = t2_alloc(RAW_BYTES, 1);
    p->credit = FIRST_CREDIT;
    return p;
}

static void use_whole(struct tfr_unpack *u, const uint8_t *data, size_t n_bytes)
{
    u->base = data;
    u->ready = n_bytes;
    u->ended = true;
    u->private_->whole = true;
    u->private_->raw_total = n_bytes;
}

static void start_inflating(struct tfr_unpack_private *p)
{
    p->inflater = t2_inflater_new(p->kind == GZIP);
    p->in_member = true;
}

/* The bytes of a stream that were read to find its kind are its first. */
static void start_plain_stream(struct tfr_unpack *u)
{
    struct tfr_unpack_private *p = u->private_;

    p->out = p->raw;
    p->out_bytes = RAW_BYTES;
    p->raw = NULL;
    u->base = p->out;
    u->ready = p->raw_end;
    p->raw_end = 0;
}

static enum t2_status open_fd(struct tfr_unpack_private *p, uint64_t *size, struct t2_err *err)
{
    struct stat info;

    *size = UINT64_MAX;
    if (strcmp(p->path, "-") == 0) {
        p->fd = STDIN_FILENO;
    } else {
        int errnum = t2_io_open(p->path, O_RDONLY | O_NONBLOCK, 0, &p->fd);
        if (errnum)
            return t2_fail_errno(err, errnum, "cannot open '%s'", p->path);
    }
    if (fstat(p->fd, &info) != 0)
        return t2_fail_errno(err, errno, "cannot ask the size of '%s'", p->path);
    if (S_ISDIR(info.st_mode))
        return t2_fail(err, T2_EIO, "'%s' is a directory, not a TFRecord file", p->path);
    if (S_ISREG(info.st_mode) && p->fd != STDIN_FILENO)
        *size = (uint64_t) info.st_size;
    return T2_OK;
}

static enum t2_status open_any(struct tfr_unpack *u, struct t2_err *err)
{
    struct tfr_unpack_private *p = u->private_;
    uint64_t size;

    T2_TRY(open_fd(p, &size, err));
    T2_TRY(want_raw(p, size < AHEAD_BYTES ? (size_t) size : AHEAD_BYTES, err));
    p->kind = find_kind(p, size);
    if (p->kind != PLAIN) {
        start_inflating(p);
    } else if (size == UINT64_MAX) {
        start_plain_stream(u);
    } else if (size > 0) {
        T2_TRY(t2_mapping_new(p->fd, size, p->path, &p->mapping, err));
        use_whole(u, t2_mapping_data(p->mapping), (size_t) size);
    } else {
        use_whole(u, NULL, 0);
    }
    return T2_OK;
}

enum t2_status tfr_unpack_open(const char *path, struct tfr_unpack *u, struct t2_err *err)
{
    enum t2_status st;

    (void) new_private(u, path);
    st = open_any(u, err);
    if (st != T2_OK)
        tfr_unpack_close(u);
    return st;
}

void tfr_unpack_memory(struct t2_slice bytes, struct tfr_unpack *u)
{
    struct tfr_unpack_private *p = new_private(u, "memory");
    struct t2_err err = T2_ERR_INIT;
    enum t2_status st;

    p->memory = bytes;
    st = want_raw(p, AHEAD_BYTES, &err);
    T2_ASSERT(st == T2_OK); /* copying does not fail */
    p->kind = find_kind(p, bytes.len_bytes);
    if (p->kind == PLAIN)
        use_whole(u, bytes.data, bytes.len_bytes);
    else
        start_inflating(p);
}

void tfr_unpack_close(struct tfr_unpack *u)
{
    struct tfr_unpack_private *p = u->private_;

    if (!p)
        return;
    t2_mapping_free(p->mapping);
    if (p->fd > STDIN_FILENO)
        (void) close(p->fd);
    t2_inflater_free(p->inflater);
    t2_free(p->raw);
    t2_free(p->out);
    t2_free(p->path);
    t2_free(p);
    *u = (struct tfr_unpack){.private_ = NULL};
}

/* ---- uncompressed bytes ---- */

/*
 * Room for OUT_BYTES behind ready.  The bytes move to the front when they fill less than half of
 * the buffer, else the buffer doubles: either way a byte moves a bounded number of times.
 */
static enum t2_status make_room(struct tfr_unpack *u, struct t2_err *err)
{
    struct tfr_unpack_private *p = u->private_;
    size_t at = !p->out ? 0 : (size_t) (u->base - p->out);

    if (p->out_bytes - at - u->ready >= OUT_BYTES)
        return T2_OK;
    if (p->out_bytes / 2 >= u->ready + OUT_BYTES) {
        memmove(p->out, u->base, u->ready);
    } else {
        size_t n = 2 * (u->ready + OUT_BYTES);
        uint8_t *out = t2_try_alloc(n, 1);
        if (!out)
            return t2_fail(err, T2_ENOMEM, "'%s': no memory for %zu bytes", p->path, n);
        if (u->ready > 0)
            memcpy(out, u->base, u->ready);
        t2_free(p->out);
        p->out = out;
        p->out_bytes = n;
    }
    u->base = p->out;
    return T2_OK;
}

static enum t2_status read_plain(struct tfr_unpack *u, struct t2_err *err)
{
    struct tfr_unpack_private *p = u->private_;
    size_t at = (size_t) (u->base - p->out) + u->ready;
    size_t n;

    T2_TRY(t2_io_read_stream(p->fd, p->path, p->out + at, p->out_bytes - at, &n, err));
    u->ready += n;
    p->raw_total += n;
    u->ended = n == 0;
    return T2_OK;
}

static void stop(struct tfr_unpack *u, const char *words)
{
    struct tfr_unpack_private *p = u->private_;

    p->gap = (struct tfr_gap){.at = u->origin + u->ready,
                              .raw_offset = raw_offset(p),
                              .is_between = !p->in_member,
                              .words = words};
    u->ended = u->at_gap = true;
}

static void note(struct tfr_unpack *u, const char *words)
{
    struct tfr_unpack_private *p = u->private_;

    if (p->n_notes < MAX_NOTES)
        p->notes[p->n_notes++] = (struct tfr_gap){.at = u->origin + u->ready,
                                                  .raw_offset = raw_offset(p),
                                                  .words = words};
}

static bool is_checksum(const char *problem)
{
    return strcmp(problem, "incorrect data check") == 0 ||
           strcmp(problem, "incorrect length check") == 0;
}

/*
 * Between members: zero padding, another member, the end, or what does not belong there.  After a
 * wrong checksum, `lenient` bytes of anything are passed over: the inflater stops inside the
 * trailer, whose rest still comes before the next member.
 */
static enum t2_status next_member(struct tfr_unpack *u, struct t2_err *err)
{
    struct tfr_unpack_private *p = u->private_;

    for (;; p->raw_at++) {
        T2_TRY(want_raw(p, 4, err));
        if (p->raw_at == p->raw_end) {
            u->ended = true;
            return T2_OK;
        }
        if (maybe(p, p->kind == GZIP))
            break;
        if (p->lenient > 0)
            p->lenient--;
        else if (p->raw[p->raw_at] != 0) {
            stop(u, p->kind == GZIP ? "bytes that are not gzip follow"
                                    : "bytes that are not zlib follow");
            p->member_at = raw_offset(p) - 1;
            return T2_OK;
        }
    }
    t2_inflater_reset(p->inflater);
    p->in_member = true;
    p->member_at = raw_offset(p);
    p->lenient = 0;
    return T2_OK;
}

static enum t2_status inflate_some(struct tfr_unpack *u, struct t2_err *err)
{
    struct tfr_unpack_private *p = u->private_;
    uint8_t *out = p->out + (u->base - p->out) + u->ready;
    size_t n_used, n_made;
    bool member_ended;
    const char *problem;

    T2_TRY(want_raw(p, 1, err));
    problem = t2_inflater_step(p->inflater, p->raw + p->raw_at, p->raw_end - p->raw_at, out,
                               OUT_BYTES, &n_used, &n_made, &member_ended);
    p->raw_at += n_used;
    u->ready += n_made;
    if (problem && is_checksum(problem)) {
        note(u, problem);
        p->lenient = TRAILER_BYTES;
        p->in_member = false;
    } else if (problem) {
        stop(u, problem);
    } else if (member_ended) {
        p->in_member = false;
    } else if (n_used == 0 && n_made == 0 && p->raw_eof) {
        stop(u, "cut short");
    }
    return T2_OK;
}

enum t2_status tfr_unpack_more(struct tfr_unpack *u, size_t n_bytes, struct t2_err *err)
{
    struct tfr_unpack_private *p = u->private_;

    while (u->ready < n_bytes && !u->ended) {
        T2_TRY(make_room(u, err));
        if (p->kind == PLAIN)
            T2_TRY(read_plain(u, err));
        else if (p->in_member)
            T2_TRY(inflate_some(u, err));
        else
            T2_TRY(next_member(u, err));
    }
    return T2_OK;
}

void tfr_unpack_drop(struct tfr_unpack *u, size_t n_bytes)
{
    T2_DASSERT(n_bytes <= u->ready);
    if (n_bytes > 0)
        u->base += n_bytes;
    u->ready -= n_bytes;
    u->origin += n_bytes;
}

/* ---- over a gap ---- */

/* Goes back to the start of the damaged member, as far as raw bytes are still there. */
static void go_back(struct tfr_unpack_private *p)
{
    uint64_t back = raw_offset(p) - p->member_at - 1;

    if (back > p->raw_at)
        back = p->raw_at;
    if (back + TRIAL_BYTES > p->credit)
        return;
    p->credit -= back;
    p->raw_at -= (size_t) back;
}

static void give_credit(struct tfr_unpack_private *p)
{
    uint64_t at = raw_offset(p);

    if (at > p->searched_to) {
        p->credit += (at - p->searched_to) * CREDIT_PER_BYTE;
        p->searched_to = at;
    }
}

/*
 * Moves raw_at to a member that can be inflated.  memchr goes from one 0x1F to the next; maybe
 * looks at four bytes there, and only what passes costs a trial.
 */
static enum t2_status find_member(struct tfr_unpack_private *p, bool *found, struct t2_err *err)
{
    *found = false;
    for (;; p->raw_at++) {
        T2_TRY(want_raw(p, 4, err));
        if (p->raw_end - p->raw_at < 4)
            return T2_OK;
        const uint8_t *magic = memchr(p->raw + p->raw_at, 0x1f, p->raw_end - p->raw_at - 3);
        size_t step = magic ? (size_t) (magic - p->raw) - p->raw_at : p->raw_end - p->raw_at - 4;
        p->raw_at += step;
        give_credit(p);
        if (!maybe(p, true))
            continue;
        T2_TRY(want_raw(p, AHEAD_BYTES, err));
        if (p->credit > TRIAL_BYTES && trial(p, true, false)) {
            *found = true;
            return T2_OK;
        }
    }
}

enum t2_status tfr_unpack_cross(struct tfr_unpack *u, struct tfr_gap *gap, struct t2_err *err)
{
    struct tfr_unpack_private *p = u->private_;
    bool found = false;

    T2_ASSERT(u->at_gap && u->ready == 0);
    if (p->kind == GZIP) {
        go_back(p);
        T2_TRY(find_member(p, &found, err));
    }
    while (!found && !p->raw_eof) { /* to its end, to know how much that is */
        p->raw_at = p->raw_end;
        T2_TRY(want_raw(p, 1, err));
    }
    if (!found)
        p->raw_at = p->raw_end;
    *gap = p->gap;
    gap->raw_lost = raw_offset(p) > gap->raw_offset ? raw_offset(p) - gap->raw_offset : 0;
    u->at_gap = false;
    u->ended = !found;
    p->in_member = found;
    p->member_at = raw_offset(p);
    p->lenient = 0;
    if (found)
        t2_inflater_reset(p->inflater);
    return T2_OK;
}

bool tfr_unpack_note(struct tfr_unpack *u, uint64_t offset, struct tfr_gap *out)
{
    struct tfr_unpack_private *p = u->private_;

    if (p->n_notes == 0 || p->notes[0].at > offset)
        return false;
    *out = p->notes[0];
    p->n_notes--;
    memmove(p->notes, p->notes + 1, p->n_notes * sizeof *p->notes);
    return true;
}

/* ---- asking ---- */

bool tfr_unpack_is_mapped(const struct tfr_unpack *u)
{
    return u->private_->whole;
}

bool tfr_unpack_is_compressed(const struct tfr_unpack *u)
{
    return u->private_->kind != PLAIN;
}

uint64_t tfr_unpack_raw_bytes(const struct tfr_unpack *u)
{
    return u->private_->raw_total - (u->private_->raw_end - u->private_->raw_at);
}

enum t2_status tfr_unpack_check(const struct tfr_unpack *u, struct t2_err *err)
{
    const struct tfr_unpack_private *p = u->private_;

    struct stat info;

    if (p->mapping && fstat(p->fd, &info) == 0 && (uint64_t) info.st_size < p->raw_total)
        return t2_fail(err, T2_EFORMAT, "'%s' has become shorter while it was read", p->path);
    return T2_OK;
}
