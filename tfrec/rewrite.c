/*
 * tfrec/rewrite.c - output flags, sinks and temporary folders of commands that write records.
 */
#include "tfrec/rewrite.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/file.h"
#include "base/io.h"
#include "base/pool.h"
#include "base/signals.h"
#include "tfrecord/compress.h"
#include "tfrecord/reader.h"
#include "tfrecord/writer.h"

struct rec_rewrite_flags rec_rewrite_given = {.compress = "none", .max_memory = UINT64_C(1) << 30};

enum { HOLD_BYTES = 1 << 20 };

enum t2_status rec_rewrite_check_output(struct t2_err *err)
{
    enum tfr_compression compression;

    if (!rec_rewrite_given.output)
        return t2_fail(err, T2_EUSAGE, "where do the records go? --output=FILE, or -o FILE");
    if (!tfr_compression_parse(rec_rewrite_given.compress, &compression))
        return t2_fail(err, T2_EUSAGE, "--compress='%s': none, gzip, zlib or bgzip",
                       rec_rewrite_given.compress);
    return T2_OK;
}

enum t2_status rec_rewrite_open(uint64_t n_records, struct tfr_sink **sink, struct t2_err *err)
{
    struct tfr_sink_options o = {.n_records = n_records, .unhashed = true};
    const struct rec_rewrite_flags *given = &rec_rewrite_given;
    char *output = NULL;
    enum t2_status st;
    bool known;

    *sink = NULL;
    T2_TRY(rec_rewrite_check_output(err));
    known = tfr_compression_parse(given->compress, &o.compression);
    T2_ASSERT(known); /* rec_rewrite_check_output has refused others */
    o.n_threads = t2_flags_num_threads() > 0 ? t2_flags_num_threads() : t2_cpu_count();
    T2_TRY(tfr_sink_parse_output(given->output, &output, &o, err));
    o.output = output;
    st = tfr_sink_new(&o, sink, err);
    t2_free(output);
    return st;
}

enum t2_status rec_rewrite_close(struct tfr_sink *sink, enum t2_status st, struct t2_err *err)
{
    if (st == T2_OK)
        st = t2_check_interrupt(err);
    if (st == T2_OK)
        return tfr_sink_commit(sink, NULL, err);
    tfr_sink_abort(sink);
    return st;
}

enum t2_status rec_rewrite_put(void *sink, struct t2_slice record, struct t2_err *err)
{
    tfr_sink_add(sink, record.data, record.len_bytes);
    return tfr_sink_status(sink, err);
}

char *rec_rewrite_tmp_dir(void)
{
    const struct rec_rewrite_flags *given = &rec_rewrite_given;
    const char *from_system = getenv("TMPDIR");

    if (given->tmp_dir)
        return t2_strdup(given->tmp_dir);
    if (given->output && strcmp(given->output, "-") != 0) {
        char *dir = t2_path_dir(given->output);
        if (strcmp(dir, "/dev") != 0)
            return dir;
        t2_free(dir);
    }
    return t2_strdup(from_system && *from_system != '\0' ? from_system : "/tmp");
}

enum t2_status rec_rewrite_check_memory(uint64_t least, struct t2_err *err)
{
    if (rec_rewrite_given.max_memory >= least)
        return T2_OK;
    return t2_fail(err, T2_EUSAGE,
                   "--max_memory=%" PRIu64 " is less than the %" PRIu64
                   " bytes that are needed at least",
                   rec_rewrite_given.max_memory, least);
}

uint64_t rec_known_bytes(const struct tfr_inputs *in)
{
    for (size_t i = 0; i < in->n; i++) {
        struct t2_err ignored = T2_ERR_INIT;
        enum tfr_compression c = TFR_GZIP;
        struct stat info;

        if (strcmp(in->files[i].path, "-") == 0 || t2_stat(in->files[i].path, &info) != 0 ||
            !S_ISREG(info.st_mode))
            return 0;
        if (tfr_compression_of(in->files[i].path, &c, &ignored) != T2_OK || c != TFR_PLAIN)
            return 0;
    }
    return in->bytes;
}

/* ---- what can be read only once ---- */

/*
 * A command of two passes copies records from a pipe into an unnamed temporary file (O_TMPFILE),
 * framed but not compressed, and opens it again as /proc/self/fd/N for each pass.  Nothing is left
 * behind, however the program ends.  In messages the input keeps its name "-" (rec_held_name).
 */

#define HELD_PREFIX "/proc/self/fd/"

struct rec_held {
    int *fds;
    size_t n;
};

void rec_held_free(struct rec_held *held)
{
    if (!held)
        return;
    for (size_t i = 0; i < held->n; i++)
        (void) close(held->fds[i]);
    t2_free(held->fds);
    t2_free(held);
}

const char *rec_held_name(const char *path)
{
    return t2_starts_with(path, HELD_PREFIX) ? "-" : path;
}

static bool can_be_read_twice(const char *path)
{
    struct stat info;

    /* What is not there is the reader's to complain about. */
    return strcmp(path, "-") != 0 &&
           (t2_stat(path, &info) != 0 || S_ISREG(info.st_mode) || S_ISDIR(info.st_mode));
}

static enum t2_status write_all(int fd, const struct t2_buf *b, struct t2_err *err)
{
    int errnum = t2_io_write(fd, b->data, b->len_bytes, NULL);

    return errnum ? t2_fail_errno(err, errnum, "cannot write a temporary copy of the input")
                  : T2_OK;
}

/* All records of path into the unnamed file fd. */
static enum t2_status copy_records(const char *path, int fd, struct t2_err *err)
{
    struct t2_buf frames = {NULL, 0, 0};
    struct tfr_reader *r = NULL;
    struct t2_slice rec;
    enum t2_status st;

    T2_TRY(tfr_reader_new(path, &r, err));
    while ((st = tfr_reader_next(r, &rec, err)) == T2_OK) {
        tfr_frame(&frames, rec.data, rec.len_bytes);
        if (frames.len_bytes < HOLD_BYTES)
            continue;
        st = write_all(fd, &frames, err);
        t2_buf_clear(&frames);
        if (st == T2_OK)
            st = t2_check_interrupt(err);
        if (st != T2_OK)
            break;
    }
    if (st == T2_EOF)
        st = write_all(fd, &frames, err);
    tfr_reader_free(r);
    t2_buf_release(&frames);
    return st;
}

static enum t2_status hold(struct tfr_inputs *in, struct tfr_input_file *f, const char *tmp_dir,
                           struct rec_held *held, struct t2_err *err)
{
    struct stat info;
    int fd, errnum = t2_io_open_unnamed(tmp_dir, &fd);

    if (errnum)
        return t2_fail_errno(err, errnum, "cannot create a temporary file in '%s'", tmp_dir);
    held->fds = t2_realloc(held->fds, held->n + 1, sizeof *held->fds);
    held->fds[held->n++] = fd;
    T2_TRY(copy_records(f->path, fd, err));
    if (fstat(fd, &info) != 0)
        return t2_fail_errno(err, errno, "cannot ask the size of a temporary file");
    t2_free(f->path);
    f->path = t2_asprintf(HELD_PREFIX "%d", fd);
    f->bytes = (uint64_t) info.st_size;
    in->bytes += f->bytes;
    return T2_OK;
}

enum t2_status rec_hold_pipes(struct tfr_inputs *in, const char *tmp_dir, struct rec_held **held,
                              struct t2_err *err)
{
    *held = t2_alloc(1, sizeof **held);
    for (size_t i = 0; i < in->n; i++) {
        if (!can_be_read_twice(in->files[i].path))
            T2_TRY(hold(in, &in->files[i], tmp_dir, *held, err));
    }
    return T2_OK;
}
