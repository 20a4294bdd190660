/*
 * train/eval/event_log.c - see the header.
 */
#include "train/eval/event_log.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/file.h"
#include "base/io.h"
#include "base/log.h"
#include "base/remote/remote_file.h"
#include "tfrecord/event.h"
#include "tfrecord/event_write.h"
#include "tfrecord/writer.h"

enum { HEADER_BYTES = 12, FOOTER_BYTES = 4, HOST_BYTES = 256 };

struct ev_event_log {
    char *dir, *path; /* path: NULL before the first event */
    int fd;
    int64_t step;
    bool has_events; /* also of earlier runs */
    struct t2_buf record;
};

static double now(void)
{
    struct timespec t;

    clock_gettime(CLOCK_REALTIME, &t);
    return (double) t.tv_sec + 1e-9 * (double) t.tv_nsec;
}

/* ---- what earlier runs wrote ---- */

/* The whole record at the front of `rest`; false when it is cut short or damaged. */
static bool next_record(struct t2_slice *rest, struct t2_slice *payload)
{
    uint64_t n = 0;

    if (rest->len_bytes < HEADER_BYTES + FOOTER_BYTES)
        return false;
    for (int i = 0; i < 8; i++)
        n |= (uint64_t) rest->data[i] << (8 * i);
    if (n > rest->len_bytes - HEADER_BYTES - FOOTER_BYTES)
        return false;
    if (!tfr_frame_is_sound(
            (struct t2_slice){rest->data, HEADER_BYTES + (size_t) n + FOOTER_BYTES}))
        return false;
    *payload = (struct t2_slice){rest->data + HEADER_BYTES, (size_t) n};
    *rest = (struct t2_slice){rest->data + HEADER_BYTES + n + FOOTER_BYTES,
                              rest->len_bytes - HEADER_BYTES - (size_t) n - FOOTER_BYTES};
    return true;
}

static bool is_ours(struct t2_slice first_event)
{
    enum { EVENT_SOURCE = 10, SOURCE_WRITER = 1 };
    struct t2_slice source, writer;

    return tfr_field_bytes(first_event, EVENT_SOURCE, &source) &&
           tfr_field_bytes(source, SOURCE_WRITER, &writer) &&
           t2_slice_eq(writer, t2_slice_of(EV_EVENT_WRITER));
}

/* How many bytes of a file stay: its events up to `step`; *has_events where values are among them.
 * All of a file that is not ours. */
static size_t kept_bytes(struct t2_slice file, int64_t step, bool *has_events)
{
    struct t2_slice rest = file, record;
    size_t kept = 0;

    for (bool first = true; next_record(&rest, &record); first = false) {
        struct t2_err ignored = T2_ERR_INIT;
        struct tfr_event e;

        if (first && !is_ours(record))
            return file.len_bytes;
        if (tfr_event_parse(record, &e, &ignored) != T2_OK)
            break;
        /* the start of a session stands at the step that it begins with */
        if (e.step > (e.kind == TFR_EVENT_SESSION ? step + 1 : step))
            break;
        kept = file.len_bytes - rest.len_bytes;
        *has_events = *has_events || e.kind == TFR_EVENT_SUMMARY;
    }
    /* a first event that is cut short: nobody's */
    return kept > 0 || file.len_bytes == 0 ? kept : file.len_bytes;
}

/* A file that keeps no values goes. */
static enum t2_status cut_file(const char *path, int64_t step, bool *has_events, struct t2_err *err)
{
    struct t2_buf file = {0};
    bool any = false;
    size_t kept;
    enum t2_status st;

    T2_GOTO(st, out, t2_read_file(path, 0, &file, err));
    kept = kept_bytes(t2_buf_slice(&file), step, &any);
    *has_events = *has_events || any;
    if (kept < file.len_bytes && !any)
        st = t2_remove(path, err);
    else if (kept < file.len_bytes)
        st = t2_write_file(path, file.data, kept, err);
out:
    t2_buf_release(&file);
    return st;
}

static enum t2_status cut_files(const char *dir, int64_t step, bool *has_events, struct t2_err *err)
{
    struct t2_strs names = {0};
    enum t2_status st = T2_OK;

    if (!t2_is_dir(dir))
        return T2_OK;
    st = t2_list_dir(dir, &names, err);
    for (size_t i = 0; i < names.n && st == T2_OK; i++) {
        char *path;

        if (!t2_starts_with(names.items[i], "events.out.tfevents."))
            continue;
        path = t2_path_join(dir, names.items[i]);
        st = cut_file(path, step, has_events, err);
        t2_free(path);
    }
    t2_strs_release(&names);
    return st;
}

/* ---- this run's file ---- */

enum t2_status ev_event_log_open(const char *dir, int64_t step, struct ev_event_log **log,
                                 struct t2_err *err)
{
    struct ev_event_log *l;
    bool has_events = false;

    *log = NULL;
    if (step >= 0)
        T2_TRY(cut_files(dir, step, &has_events, err));
    l = t2_alloc(1, sizeof *l);
    l->dir = t2_strdup(dir);
    l->fd = -1;
    l->step = step;
    l->has_events = has_events;
    *log = l;
    return T2_OK;
}

void ev_event_log_close(struct ev_event_log *l)
{
    struct t2_err unsent = T2_ERR_INIT;

    if (!l)
        return;
    if (l->fd >= 0)
        (void) t2_io_close(l->fd);
    if (l->fd >= 0 && t2_remote_publish(l->path, &unsent) != T2_OK)
        t2_warn("%s", unsent.message);
    t2_buf_release(&l->record);
    t2_free(l->path);
    t2_free(l->dir);
    t2_free(l);
}

bool ev_event_log_is_empty(const struct ev_event_log *l)
{
    return !l->has_events;
}

/* A new file, under the next second that has none. */
static enum t2_status create(struct ev_event_log *l, struct t2_err *err)
{
    char host[HOST_BYTES] = "localhost";
    int64_t second = (int64_t) now();
    int errnum;

    (void) gethostname(host, sizeof host - 1);
    T2_TRY(t2_make_dirs(l->dir, err));
    do {
        t2_free(l->path);
        l->path = t2_asprintf("%s/events.out.tfevents.%010" PRId64 ".%s", l->dir, second++, host);
        /* A log grows event by event: TensorBoard follows it. */
        errnum = t2_io_open(l->path, O_WRONLY | O_CREAT | O_EXCL | O_APPEND, 0666, &l->fd);
    } while (errnum == EEXIST);
    return errnum ? t2_fail_errno(err, errnum, "cannot write '%s'", l->path) : T2_OK;
}

enum t2_status ev_event_log_add(struct ev_event_log *l, int64_t step, struct t2_slice summary,
                                struct t2_err *err)
{
    int errnum;

    t2_buf_clear(&l->record);
    if (l->fd < 0) {
        T2_TRY(create(l, err));
        tfr_put_event_version(&l->record, now(), EV_EVENT_WRITER);
        if (l->step >= 0)
            tfr_put_event_start(&l->record, now(), l->step + 1);
    }
    tfr_put_event_summary(&l->record, now(), step, summary);
    l->has_events = true;
    errnum = t2_io_write(l->fd, l->record.data, l->record.len_bytes, NULL);
    return errnum ? t2_fail_errno(err, errnum, "cannot write '%s'", l->path) : T2_OK;
}
