/*
 * datagen/problems/dump_parts.c - a large text in parts.
 */
#include "datagen/problems/dump_parts.h"

#include <inttypes.h>
#include <string.h>

#include "base/alloc.h"
#include "base/file.h"
#include "base/hash.h"
#include "base/log.h"
#include "base/signals.h"

struct dg_dump_reader {
    const struct dg_dump *dump;
    struct dg_options options;
    bool dev;
    size_t n_parts, n_dev, next; /* of all parts; next of those that are read */
    struct t2_strs files; /* names in tmp_dir, sorted; of a text that was split before, or dev */
    struct t2_strs paths;
    struct dg_source_text text; /* else */
    struct t2_buf rest;         /* read beyond the last part */
    bool is_open, at_end;
    char *path;
};

/* ---- names ---- */

static char *count_path(const struct dg_dump *d, const struct dg_options *options)
{
    char *name = t2_asprintf("%s-parts", d->text), *path = t2_path_join(options->tmp_dir, name);

    t2_free(name);
    return path;
}

static char *dev_name(const struct dg_dump *d, size_t i)
{
    return t2_asprintf("%s-dev-%05zu", d->text, i);
}

/* <text>-part-?????, sorted. */
static enum t2_status find_split_files(const struct dg_dump *d, const struct dg_options *options,
                                       struct t2_strs *files, struct t2_err *err)
{
    char *prefix = t2_asprintf("%s-part-", d->text);
    struct t2_strs names = {0};
    bool is_dir;
    enum t2_status st = t2_look_for_dir(options->tmp_dir, &is_dir, err);

    if (st == T2_OK && is_dir)
        st = t2_list_dir(options->tmp_dir, &names, err);
    for (size_t i = 0; i < names.n; i++) {
        if (t2_starts_with(names.items[i], prefix) &&
            strlen(names.items[i]) == strlen(prefix) + strlen("00000"))
            t2_strs_push(files, names.items[i]);
    }
    t2_strs_release(&names);
    t2_free(prefix);
    return st;
}

size_t dg_dump_split_files(const struct dg_dump *dump, const struct dg_options *options)
{
    struct t2_err ignored = T2_ERR_INIT;
    struct t2_strs files = {0};
    size_t n = find_split_files(dump, options, &files, &ignored) == T2_OK ? files.n : 0;

    t2_strs_release(&files);
    return n;
}

void dg_dump_sizes(const struct dg_dump *dump, const struct dg_options *options,
                   struct dg_input_sizes *sizes)
{
    struct t2_err ignored = T2_ERR_INIT;
    struct t2_strs files = {0};

    (void) find_split_files(dump, options, &files, &ignored);
    for (size_t i = 0; i < files.n; i++) {
        char *path = t2_path_join(options->tmp_dir, files.items[i]);
        dg_sizes_add_file(sizes, path, 0);
        t2_free(path);
    }
    t2_strs_release(&files);
}

/* ---- cutting ---- */

static enum t2_status open_text(struct dg_dump_reader *r, struct t2_err *err)
{
    T2_TRY(dg_source_open(r->dump->source, r->dump->text, &r->options, true, &r->text, err));
    r->is_open = true;
    t2_free(r->path);
    r->path = t2_strdup(r->text.path);
    return T2_OK;
}

/* Fills r->rest up to n bytes; fewer at the end. */
static enum t2_status fill(struct dg_dump_reader *r, size_t n, struct t2_err *err)
{
    size_t got = 1;

    while (r->rest.len_bytes < n && !r->at_end) {
        uint8_t *to = t2_buf_reserve(&r->rest, n - r->rest.len_bytes);
        T2_TRY(t2_in_read(r->text.in, to, n - r->rest.len_bytes, &got, err));
        r->rest.len_bytes += got;
        r->at_end = got == 0;
    }
    return T2_OK;
}

static enum t2_status cut_part(struct dg_dump_reader *r, struct t2_buf *part, struct t2_err *err)
{
    size_t n;
    const uint8_t *lf;

    t2_buf_clear(part);
    T2_TRY(t2_check_interrupt(err));
    T2_TRY(fill(r, r->dump->part_bytes, err));
    n = r->rest.len_bytes;
    if (n == 0) {
        struct t2_slice nothing;
        return dg_source_line(&r->text, &nothing, err); /* compares checksums; T2_EOF */
    }
    if (n == r->dump->part_bytes) {
        lf = memrchr(r->rest.data, '\n', n);
        n = lf ? (size_t) (lf - r->rest.data) + 1 : n;
    }
    t2_buf_append(part, r->rest.data, n);
    r->rest.len_bytes -= n;
    memmove(r->rest.data, r->rest.data + n, r->rest.len_bytes);
    return T2_OK;
}

/* ---- preparing ---- */

static enum t2_status put_aside(const struct dg_dump *d, const struct dg_options *options, size_t i,
                                const struct t2_buf *part, struct t2_err *err)
{
    char *name = dev_name(d, i), *path = t2_path_join(options->tmp_dir, name);
    enum t2_status st = t2_write_file(path, part->data, part->len_bytes, err);

    t2_free(path);
    t2_free(name);
    return st;
}

static enum t2_status count_parts(const struct dg_dump *d, const struct dg_options *options,
                                  const char *path, struct t2_err *err)
{
    struct dg_dump_reader r = {.dump = d, .options = *options};
    struct t2_buf part = {0}, line = {0};
    size_t n = 0;
    enum t2_status st = open_text(&r, err);

    if (st == T2_OK)
        t2_info("Looking for the parts of '%s'", r.path);
    while (st == T2_OK && (st = cut_part(&r, &part, err)) == T2_OK) {
        if (n % d->dev_every == 0)
            st = put_aside(d, options, n / d->dev_every, &part, err);
        n++;
    }
    if (st == T2_EOF) {
        t2_buf_printf(&line, "%zu parts of %zu bytes\n", n, d->part_bytes);
        st = t2_write_file(path, line.data, line.len_bytes, err);
    }
    dg_source_close(&r.text);
    t2_buf_release(&r.rest);
    t2_buf_release(&part);
    t2_buf_release(&line);
    t2_free(r.path);
    return st;
}

enum t2_status dg_dump_prepare(const struct dg_dump *dump, const struct dg_options *options,
                               struct t2_err *err)
{
    struct t2_strs files = {0};
    char *path = count_path(dump, options);
    enum t2_status st = find_split_files(dump, options, &files, err);

    if (st == T2_OK && files.n == 0 && !t2_exists(path)) {
        st = dg_sources_fetch(&dump->source, 1, options, err);
        if (st == T2_OK)
            st = count_parts(dump, options, path, err);
    }
    t2_strs_release(&files);
    t2_free(path);
    return st;
}

/* ---- reading ---- */

static enum t2_status read_count(struct dg_dump_reader *r, struct t2_err *err)
{
    char *path = count_path(r->dump, &r->options);
    struct t2_buf text = {0};
    enum t2_status st = t2_read_file(path, 200, &text, err);
    uint64_t n = 0;

    if (st == T2_OK) {
        char *number = t2_strndup(t2_buf_cstr(&text), strcspn(t2_buf_cstr(&text), " \n"));
        if (!t2_parse_u64(number, &n) || n == 0)
            st = t2_fail(err, T2_EFORMAT, "'%s' does not begin with a number of parts: remove it",
                         path);
        t2_free(number);
    }
    r->n_parts = (size_t) n;
    t2_buf_release(&text);
    t2_free(path);
    return st;
}

/* The files that are read: those of the split text, or the held-out ones. */
static enum t2_status choose_files(struct dg_dump_reader *r, struct t2_err *err)
{
    struct t2_strs all = {0};
    enum t2_status st = find_split_files(r->dump, &r->options, &all, err);

    if (st == T2_OK && all.n == 0) {
        st = read_count(r, err);
        r->n_dev = (r->n_parts + r->dump->dev_every - 1) / r->dump->dev_every;
        for (size_t i = 0; i < r->n_dev && r->dev; i++)
            t2_strs_take(&r->files, dev_name(r->dump, i));
    } else {
        r->n_parts = all.n;
        r->n_dev = (all.n + r->dump->dev_every - 1) / r->dump->dev_every;
        for (size_t i = 0; i < all.n; i++) {
            if ((i % r->dump->dev_every == 0) == r->dev)
                t2_strs_push(&r->files, all.items[i]);
        }
    }
    t2_strs_release(&all);
    return st;
}

enum t2_status dg_dump_open(const struct dg_dump *dump, bool dev, const struct dg_options *options,
                            struct dg_dump_reader **reader, struct t2_err *err)
{
    struct dg_dump_reader *r = t2_alloc(1, sizeof *r);
    enum t2_status st;

    r->dump = dump;
    r->options = *options;
    r->dev = dev;
    r->path = t2_strdup(dump->text);
    st = choose_files(r, err);
    if (st == T2_OK && r->files.n == 0 && !dev)
        st = open_text(r, err);
    *reader = r;
    if (st != T2_OK) {
        dg_dump_free(r);
        *reader = NULL;
    }
    return st;
}

void dg_dump_free(struct dg_dump_reader *r)
{
    if (!r)
        return;
    if (r->is_open)
        dg_source_close(&r->text);
    t2_strs_release(&r->files);
    t2_strs_release(&r->paths);
    t2_buf_release(&r->rest);
    t2_free(r->path);
    t2_free(r);
}

size_t dg_dump_n_dev(const struct dg_dump_reader *r)
{
    return r->n_dev;
}

const char *dg_dump_path(const struct dg_dump_reader *r)
{
    return r->path;
}

enum t2_status dg_dump_next(struct dg_dump_reader *r, struct t2_buf *part, struct t2_err *err)
{
    if (!r->is_open) {
        if (r->next == r->files.n)
            return T2_EOF;
        t2_free(r->path);
        r->path = t2_path_join(r->options.tmp_dir, r->files.items[r->next++]);
        t2_strs_push(&r->paths, r->path);
        return t2_read_file(r->path, 0, part, err);
    }
    if (r->next++ % r->dump->dev_every == 0)
        T2_TRY(cut_part(r, part, err));
    else
        return cut_part(r, part, err);
    r->next++; /* that was held out */
    return cut_part(r, part, err);
}

void dg_dump_note(struct dg_dump_reader *r, struct dg_input_files *files)
{
    struct t2_err ignored = T2_ERR_INIT;
    char sha256[65];
    uint64_t bytes;

    if (r->is_open)
        dg_source_note(&r->text, "text", files);
    for (size_t i = 0; i < r->paths.n; i++) {
        if (t2_sha256_file(r->paths.items[i], sha256, &bytes, &ignored) == T2_OK)
            dg_input_files_add(files, r->paths.items[i], "text", bytes, 0, sha256);
    }
}
