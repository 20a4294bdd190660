/*
 * datagen/source/row_stream.c - samples out of the lines of files of a source.
 */
#include "datagen/source/row_stream.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/alloc.h"
#include "base/file.h"

enum t2_status dg_row_fail(const struct dg_row_stream *s, struct t2_err *err, const char *format,
                           ...)
{
    char text[512];
    va_list args;

    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    return t2_fail(err, T2_EFORMAT, "'%s': line %" PRIu64 ": %s", s->text.path, s->text.lines,
                   text);
}

static const char *member_of(const struct dg_row_stream *s)
{
    return s->members ? s->members[s->at] : NULL;
}

static enum t2_status open_next(struct dg_row_stream *s, struct t2_err *err)
{
    T2_TRY(dg_source_open(s->source, member_of(s), s->options, s->base.hash_on, &s->text, err));
    s->offset = 0;
    t2_strs_push(&s->paths, s->text.path);
    return T2_OK;
}

static enum t2_status read_line(struct dg_row_stream *s, struct t2_slice *line, struct t2_err *err)
{
    enum t2_status st;

    for (;;) {
        if (s->at == (s->members ? s->n_members : 1))
            return T2_EOF;
        if (!s->text.in)
            T2_TRY(open_next(s, err));
        st = dg_source_line(&s->text, line, err);
        if (st != T2_EOF)
            return st;
        if (s->base.hash_on)
            dg_source_note(&s->text, s->role, &s->base.files);
        dg_source_close(&s->text);
        s->at++;
    }
}

static void set_origin(const struct dg_row_stream *s, struct dg_sample *sample)
{
    const char *path = s->paths.n ? s->paths.items[s->paths.n - 1] : NULL;

    sample->inputs_origin = (struct dg_origin){path, s->text.lines, s->offset};
    sample->targets_origin = sample->inputs_origin;
}

static enum t2_status next(struct dg_stream *base, struct dg_sample *sample, struct t2_err *err)
{
    struct dg_row_stream *s = (struct dg_row_stream *) base;
    struct t2_slice line = {0};
    enum t2_status st;

    set_origin(s, sample);
    if (s->again && s->text.in && s->again(s, sample) == T2_OK)
        return T2_OK;
    do {
        s->offset += line.data ? line.len_bytes + 1 : 0;
        T2_TRY(read_line(s, &line, err));
        set_origin(s, sample);
        st = s->text.lines <= (uint64_t) s->n_header ? T2_EOF : s->line(s, line, sample, err);
    } while (st == T2_EOF);
    s->offset += line.len_bytes + 1;
    return st;
}

static enum t2_status describe(struct dg_stream *base, struct dg_input_sizes *sizes,
                               struct t2_err *err)
{
    const struct dg_row_stream *s = (const struct dg_row_stream *) base;
    struct t2_err one = T2_ERR_INIT;

    for (size_t i = 0; i < (s->members ? s->n_members : 1); i++) {
        if (dg_source_describe(s->source, s->members ? s->members[i] : NULL, s->role, s->options,
                               sizes, &one) != T2_OK &&
            err->status == T2_OK)
            *err = one;
    }
    return err->status;
}

static void release(struct dg_stream *base)
{
    struct dg_row_stream *s = (struct dg_row_stream *) base;

    dg_source_close(&s->text);
    t2_strs_release(&s->paths);
    if (s->release)
        s->release(s->state);
    t2_free(s);
}

void dg_row_stream_init(struct dg_row_stream *s)
{
    s->base.next = next;
    s->base.free = release;
    s->base.describe = describe;
}

/* What can be downloaded is no failure. */
static enum t2_status describe_missing(const struct dg_source *source, const char *path,
                                       const char *role, const struct dg_options *options,
                                       struct dg_input_sizes *sizes, const struct t2_err *absent,
                                       struct t2_err *err)
{
    const struct dg_source_file *f = source->file;
    bool can_come = f->urls && !f->gone && !(options->fetch && options->fetch->offline);
    struct t2_err ignored = T2_ERR_INIT;
    char *name = NULL;

    if (!path && dg_source_name(f, &name, &ignored) != T2_OK)
        name = NULL;
    t2_buf_printf(&sizes->text, "    %s: '%s' (missing; %s)\n", role,
                  path   ? path
                  : name ? name
                         : "",
                  f->gone   ? f->gone
                  : f->urls ? f->urls[0]
                            : "no address");
    t2_free(name);
    if (can_come)
        return T2_OK;
    *err = *absent;
    return err->status;
}

enum t2_status dg_source_describe(const struct dg_source *source, const char *member,
                                  const char *role, const struct dg_options *options,
                                  struct dg_input_sizes *sizes, struct t2_err *err)
{
    char *path = source->is_plain ? NULL : dg_source_unpacked(source, member, options);
    char human[32], *archive = NULL;
    /* many files of an archive are put aside (file_set.c) */
    bool is_set = member && source->sign && strcmp(member, source->sign) == 0;
    struct t2_err absent = T2_ERR_INIT;
    uint64_t bytes = 0;
    enum t2_status st = T2_OK;

    dg_source_add_sizes(source, source->is_plain ? NULL : member, options, is_set, sizes);
    if (path && t2_is_dir(path)) {
        t2_buf_printf(&sizes->text, "    %s: '%s'\n", role, path);
    } else if (path && t2_exists(path)) {
        st = t2_file_size(path, &bytes, err);
        t2_buf_printf(&sizes->text, "    %s: '%s' (%s)\n", role, path,
                      t2_human_bytes(bytes, human, sizeof human));
    } else if ((st = dg_source_path(source, options, &archive, &absent)) == T2_OK) {
        st = t2_file_size(archive, &bytes, err);
        t2_buf_printf(&sizes->text, "    %s: %s%s%s'%s' (%s)\n", role, member ? "'" : "",
                      member ? member : "", member ? "' in " : "", archive,
                      t2_human_bytes(bytes, human, sizeof human));
    } else {
        st = describe_missing(source, path, role, options, sizes, &absent, err);
    }
    t2_free(archive);
    t2_free(path);
    return st;
}
