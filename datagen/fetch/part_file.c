/*
 * datagen/fetch/part_file.c - "<name>.part": bytes of a file that is being downloaded.
 */
#include "datagen/fetch/part_file.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/file.h"
#include "base/io.h"
#include "base/log.h"
#include "base/str.h"

void dg_part_look(struct dg_part *p, const char *dir, const char *name)
{
    enum { MOST_STATE_BYTES = 65536 };
    struct t2_err err = T2_ERR_INIT;
    struct t2_buf text = {0};
    char *part = t2_asprintf("%s.part", name), *state = t2_asprintf("%s.part.json", name);

    *p = (struct dg_part){.path = t2_path_join(dir, part),
                          .state_path = t2_path_join(dir, state),
                          .fd = -1};
    t2_free(part);
    t2_free(state);
    if (t2_file_size(p->path, &p->have_bytes, &err) != T2_OK) {
        p->have_bytes = 0;
        return;
    }
    if (t2_read_file(p->state_path, MOST_STATE_BYTES, &text, &err) != T2_OK ||
        dg_part_state_parse((const char *) text.data, text.len_bytes, p->state_path, &p->state,
                            &err) != T2_OK ||
        (p->state.total_bytes && p->have_bytes > p->state.total_bytes)) {
        t2_debug("'%s' is of no use: %s", p->path, err.message);
        dg_part_state_release(&p->state);
        p->have_bytes = 0;
    }
    t2_buf_release(&text);
}

static enum t2_status open_part(struct dg_part *p, int flags, struct t2_err *err)
{
    int errnum;

    if (p->fd >= 0)
        (void) close(p->fd);
    errnum = t2_io_open(p->path, O_WRONLY | O_CREAT | O_NOFOLLOW | flags, 0666, &p->fd);
    return errnum ? t2_fail_errno(err, errnum, "'%s': cannot write", p->path) : T2_OK;
}

enum t2_status dg_part_begin(struct dg_part *p, const struct dg_part_state *state,
                             struct t2_err *err)
{
    struct dg_part_state copy = *state;

    copy.url = t2_strdup(state->url);
    dg_part_state_release(&p->state);
    p->have_bytes = 0;
    p->state = copy;
    T2_TRY(t2_remove(p->state_path, err));
    T2_TRY(open_part(p, O_TRUNC, err));
    return dg_part_state_write(p->state_path, &p->state, err);
}

enum t2_status dg_part_continue(struct dg_part *p, struct t2_err *err)
{
    if (p->fd < 0)
        T2_TRY(open_part(p, 0, err));
    /* No other process writes here, but the file may have grown by a write that failed half way. */
    if (ftruncate(p->fd, (off_t) p->have_bytes) != 0)
        return t2_fail_errno(err, errno, "'%s': cannot write", p->path);
    return T2_OK;
}

enum t2_status dg_part_append(struct dg_part *p, const void *data, size_t len_bytes,
                              struct t2_err *err)
{
    size_t n;
    int errnum = t2_io_pwrite(p->fd, data, len_bytes, p->have_bytes, &n);

    p->have_bytes += n;
    return errnum ? t2_fail_errno(err, errnum, "'%s': cannot write", p->path) : T2_OK;
}

enum t2_status dg_part_close(struct dg_part *p, struct t2_err *err)
{
    int fd = p->fd, failed, closed;

    if (fd < 0)
        return T2_OK;
    p->fd = -1;
    failed = t2_io_sync(fd);
    closed = t2_io_close(fd);
    failed = failed ? failed : closed;
    return failed ? t2_fail_errno(err, failed, "'%s': cannot write", p->path) : T2_OK;
}

enum t2_status dg_part_discard(struct dg_part *p, struct t2_err *err)
{
    if (p->fd >= 0)
        (void) close(p->fd);
    p->fd = -1;
    p->have_bytes = 0;
    dg_part_state_release(&p->state);
    T2_TRY(t2_remove(p->state_path, err));
    return t2_remove(p->path, err);
}

void dg_part_release(struct dg_part *p)
{
    if (p->fd >= 0)
        (void) close(p->fd);
    dg_part_state_release(&p->state);
    t2_free(p->path);
    t2_free(p->state_path);
    p->path = p->state_path = NULL;
    p->fd = -1;
}
