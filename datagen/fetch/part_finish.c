/*
 * datagen/fetch/part_finish.c - a complete part gets its name, or does not.
 */
#include "datagen/fetch/part_finish.h"

#include <inttypes.h>
#include <string.h>

#include "base/alloc.h"
#include "base/file.h"
#include "base/text.h"
#include "datagen/fetch/source_lookup.h"

static bool is_gzip(const char *content_encoding)
{
    return strcmp(content_encoding, "gzip") == 0 || strcmp(content_encoding, "x-gzip") == 0;
}

static enum t2_status copy_decoded(struct t2_in *in, uint64_t max_bytes, struct t2_out *out,
                                   struct t2_err *err)
{
    uint8_t block[65536];
    size_t n;

    for (;;) {
        T2_TRY(t2_in_read(in, block, sizeof block, &n, err));
        if (n == 0)
            return T2_OK;
        t2_out_write(out, block, n);
        if (t2_out_bytes(out) > max_bytes)
            return t2_fail(err, T2_EFORMAT, "'%s' unpacks to more than %" PRIu64 " bytes",
                           t2_in_path(in), max_bytes);
        T2_TRY(t2_out_status(out, err));
    }
}

/* Unpacks into the temporary file of *out. */
static enum t2_status decode(const struct dg_part *p, const char *path, uint64_t max_bytes,
                             struct t2_out **out, struct t2_err *err)
{
    struct t2_in *in = NULL;
    enum t2_status st;

    T2_TRY(t2_in_new(p->path, &in, err));
    st = t2_out_new(path, out, err);
    if (st == T2_OK) {
        st = copy_decoded(in, max_bytes, *out, err);
        if (st == T2_OK)
            st = t2_out_finish(*out, err);
        if (st != T2_OK) {
            t2_out_abort(*out);
            *out = NULL;
        }
    }
    t2_in_free(in);
    return st;
}

static enum t2_status finish_decoded(struct dg_part *p, const struct dg_source_file *f,
                                     const char *name, const char *path,
                                     const struct dg_fetch_options *options, struct t2_err *err)
{
    uint64_t most = f->size_bytes && !options->keep_unverified ? f->size_bytes : options->max_bytes;
    struct t2_out *out = NULL;
    enum t2_status st;

    T2_TRY(decode(p, path, most, &out, err));
    st = dg_check_source(f, name, t2_out_temporary(out), options->keep_unverified, err);
    if (st != T2_OK) {
        t2_out_abort(out);
        return st;
    }
    T2_TRY(t2_out_commit_as(out, path, err));
    return dg_part_discard(p, err);
}

/* Unpacked, it is a gzip file again. */
static bool is_packed_twice(const char *path)
{
    struct t2_err ignored = T2_ERR_INIT;
    struct t2_in *in = NULL;
    uint8_t head[2];
    size_t n = 0;

    if (t2_in_new(path, &in, &ignored) != T2_OK)
        return false;
    if (t2_in_read(in, head, sizeof head, &n, &ignored) != T2_OK)
        n = 0;
    t2_in_free(in);
    return n == sizeof head && dg_kind_proved(DG_KIND_GZIP, head, n);
}

/* The bytes as they came are the file. */
static bool is_wanted_encoded(const struct dg_part *p, const struct dg_source_file *f,
                              const char *name, const struct dg_fetch_options *options)
{
    struct t2_err ignored = T2_ERR_INIT;

    if ((f->sha256 || f->size_bytes) && !options->keep_unverified)
        return dg_check_source(f, name, p->path, false, &ignored) == T2_OK;
    return dg_source_kind(f, name) == DG_KIND_GZIP && !is_packed_twice(p->path);
}

enum t2_status dg_part_finish(struct dg_part *p, const struct dg_source_file *f, const char *name,
                              const char *path, const struct dg_fetch_options *options,
                              struct t2_err *err)
{
    const char *encoding = p->state.content_encoding;

    T2_TRY(dg_part_close(p, err));
    if (*encoding && strcmp(encoding, "identity") != 0) {
        if (!is_gzip(encoding))
            return t2_fail(err, T2_EFORMAT, "the server sends the file in encoding '%s'", encoding);
        if (!is_wanted_encoded(p, f, name, options))
            return finish_decoded(p, f, name, path, options, err);
    }
    T2_TRY(dg_check_source(f, name, p->path, options->keep_unverified, err));
    T2_TRY(t2_rename(p->path, path, err));
    return dg_part_discard(p, err);
}
