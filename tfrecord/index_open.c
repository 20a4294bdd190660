/*
 * tfrecord/index_open.c - the index beside a data file, used only when it is of the file as it is
 * now.
 *
 * A binary index (.tfri) carries a stamp of the data: size, time, CRC of the first and the last 4
 * KiB.  All four must match.  DALI's .idx has none, so its own time must not be before the data's
 * and its last record must end at the end of the file.
 */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/crc32c.h"
#include "base/io.h"
#include "tfrecord/index_format.h"
#include "tfrecord/record_index.h"

enum { ENDS_BYTES = 4096 };

char *tfr_index_path(const char *data_path)
{
    return t2_asprintf("%s.tfri", data_path);
}

char *tfr_idx_path(const char *data_path)
{
    return t2_asprintf("%s.idx", data_path);
}

static int64_t time_of(const struct stat *info)
{
    return (int64_t) info->st_mtim.tv_sec * INT64_C(1000000000) + info->st_mtim.tv_nsec;
}

/* CRC of up to ENDS_BYTES at offset. */
static enum t2_status crc_at(int fd, const char *path, uint64_t offset, uint32_t *crc,
                             struct t2_err *err)
{
    uint8_t bytes[ENDS_BYTES];
    size_t n;
    int errnum = t2_io_pread(fd, bytes, ENDS_BYTES, offset, &n);

    if (errnum)
        return t2_fail_errno(err, errnum, "cannot read '%s'", path);
    *crc = t2_crc32c(0, bytes, n);
    return T2_OK;
}

static enum t2_status stamp_of_open(int fd, const char *path, struct tfr_index_stamp *s,
                                    struct t2_err *err)
{
    struct stat info;

    if (fstat(fd, &info) != 0)
        return t2_fail_errno(err, errno, "cannot ask the size of '%s'", path);
    s->bytes = (uint64_t) info.st_size;
    s->time_ns = time_of(&info);
    T2_TRY(crc_at(fd, path, 0, &s->begin_crc, err));
    return crc_at(fd, path, s->bytes > ENDS_BYTES ? s->bytes - ENDS_BYTES : 0, &s->end_crc, err);
}

enum t2_status tfr_index_stamp_of(const char *data_path, struct tfr_index_stamp *s,
                                  struct t2_err *err)
{
    struct stat info;
    enum t2_status st;
    int fd;

    /* By name, before opening: a pipe may be opened only once, or its writer gets SIGPIPE. */
    if (t2_stat(data_path, &info) != 0)
        return t2_fail_errno(err, errno, "cannot open '%s'", data_path);
    if (!S_ISREG(info.st_mode))
        return t2_fail(err, T2_EUNSUPPORTED, "'%s' is not a regular file: it cannot have an index",
                       data_path);
    T2_TRY(t2_open_input(data_path, false, &fd, NULL, err));
    st = stamp_of_open(fd, data_path, s, err);
    (void) close(fd);
    return st;
}

/* ---- the two kinds ---- */

/* The search for an index and its result. */
struct look {
    const char *data_path;
    struct tfr_index_stamp stamp; /* of the data file now */
    struct tfr_index *ix;
    enum tfr_index_state state;
    char why[T2_ERR_MESSAGE_BYTES];
};

static void found(struct look *l, enum tfr_index_state state, const char *why)
{
    l->state = state;
    snprintf(l->why, sizeof l->why, "%s", why);
}

/* A failure to open or read an index: only what the index holds may be wrong, the rest is the
 * system's. */
static enum t2_status judge(struct look *l, enum t2_status st, const struct t2_err *quiet,
                            struct t2_err *err)
{
    if (st == T2_EIO || st == T2_ENOMEM) {
        *err = *quiet;
        return st;
    }
    if (st != T2_OK)
        found(l, st == T2_ENOTFOUND ? TFR_INDEX_ABSENT : TFR_INDEX_DAMAGED, quiet->message);
    return T2_OK;
}

static void compare_stamps(struct look *l, const char *path, const struct tfr_index_stamp *then)
{
    const struct tfr_index_stamp *now = &l->stamp;
    char why[sizeof l->why];
    bool same_bytes = then->bytes == now->bytes && then->begin_crc == now->begin_crc &&
                      then->end_crc == now->end_crc;

    if (same_bytes && then->time_ns == now->time_ns) {
        l->state = TFR_INDEX_FRESH;
        return;
    }
    if (then->bytes != now->bytes)
        snprintf(why, sizeof why,
                 "'%s' is of a file of %" PRIu64 " bytes, which has %" PRIu64 " now", path,
                 then->bytes, now->bytes);
    else
        snprintf(why, sizeof why, "'%s' is of the file as it was before its last change%s", path,
                 same_bytes ? " (or it is a copy)" : "");
    found(l, TFR_INDEX_STALE, why);
}

static enum t2_status try_binary(struct look *l, struct t2_err *err)
{
    char *path = tfr_index_path(l->data_path);
    struct t2_mapped m = {0};
    struct tfr_index *ix = NULL;
    struct t2_err quiet = T2_ERR_INIT;
    enum t2_status st = t2_map_file(path, &m, &quiet);

    if (st == T2_OK) {
        st = tfr_index_parse_in_place(m.data, m.len_bytes, path, &ix, &quiet);
        if (st == T2_OK) {
            ix->private_->mapped = m;
            compare_stamps(l, path, &ix->private_->stamp);
        } else {
            t2_unmap_file(&m);
        }
    }
    if (st == T2_OK && l->state == TFR_INDEX_FRESH)
        l->ix = ix;
    else
        tfr_index_free(ix);
    t2_free(path);
    return judge(l, st, &quiet, err);
}

/* The offsets of a .idx whose time is not before that of the data. */
static enum t2_status read_idx(struct look *l, const char *path, struct t2_err *quiet)
{
    struct t2_buf text = {NULL, 0, 0};
    uint64_t *offsets = NULL, n = 0;
    enum tfr_compression compression = TFR_PLAIN;
    char why[sizeof l->why];
    enum t2_status st = tfr_compression_of(l->data_path, &compression, quiet);

    if (st == T2_OK)
        st = t2_read_file(path, 0, &text, quiet);
    if (st == T2_OK)
        st = tfr_idx_parse(t2_buf_cstr(&text), text.len_bytes, path, &offsets, &n, quiet);
    t2_buf_release(&text);
    if (st != T2_OK)
        return st;
    if (compression != TFR_PLAIN || offsets[n] != l->stamp.bytes) {
        snprintf(why, sizeof why, "'%s' ends at byte %" PRIu64 ", the file at byte %" PRIu64, path,
                 offsets[n], l->stamp.bytes);
        found(l, TFR_INDEX_STALE,
              compression == TFR_PLAIN ? why : "a .idx cannot be of a compressed file");
        t2_free(offsets);
        return T2_OK;
    }
    l->ix = tfr_index_of_offsets(offsets, n, TFR_PLAIN, NULL, 0);
    l->state = TFR_INDEX_FRESH;
    return T2_OK;
}

static enum t2_status try_text(struct look *l, struct t2_err *err)
{
    char *path = tfr_idx_path(l->data_path);
    char why[sizeof l->why];
    struct t2_err quiet = T2_ERR_INIT;
    struct stat info;
    enum t2_status st = T2_OK;

    if (t2_stat(path, &info) != 0) {
        if (errno != ENOENT && errno != ENOTDIR)
            st = t2_fail_errno(&quiet, errno, "cannot look at '%s'", path);
        else if (l->state == TFR_INDEX_ABSENT)
            found(l, TFR_INDEX_ABSENT, "there is no index");
    } else if (time_of(&info) < l->stamp.time_ns) {
        snprintf(why, sizeof why, "'%s' is older than the file", path);
        found(l, TFR_INDEX_STALE, why);
    } else {
        st = read_idx(l, path, &quiet);
    }
    t2_free(path);
    return judge(l, st, &quiet, err);
}

enum t2_status tfr_index_open(const char *data_path, struct tfr_index **ix,
                              enum tfr_index_state *state, char *why, size_t why_bytes,
                              struct t2_err *err)
{
    struct look l = {.data_path = data_path, .state = TFR_INDEX_ABSENT};
    struct look text;
    struct t2_err quiet = T2_ERR_INIT;
    enum t2_status st;

    *ix = NULL;
    *state = TFR_INDEX_ABSENT;
    st = tfr_index_stamp_of(data_path, &l.stamp, &quiet);
    if (st == T2_EUNSUPPORTED) {
        if (why && why_bytes > 0)
            snprintf(why, why_bytes, "%s", quiet.message);
        return T2_OK;
    }
    if (st != T2_OK) {
        *err = quiet;
        return st;
    }
    T2_TRY(try_binary(&l, err));
    if (l.state != TFR_INDEX_FRESH) { /* of two faults the binary one's is reported */
        text = l;
        T2_TRY(try_text(&text, err));
        if (text.state == TFR_INDEX_FRESH || l.state == TFR_INDEX_ABSENT)
            l = text;
    }
    *ix = l.ix;
    *state = l.state;
    if (why && why_bytes > 0)
        snprintf(why, why_bytes, "%s", l.state == TFR_INDEX_FRESH ? "" : l.why);
    return T2_OK;
}
