/*
 * datagen/source/archive_extract.c - chosen members of an archive as files, all or none.
 */
#include <fnmatch.h>
#include <string.h>

#include "base/alloc.h"
#include "base/file.h"
#include "base/log.h"
#include "base/map.h"
#include "datagen/source/archive.h"

enum { CHUNK_BYTES = 1 << 18, MAX_SHOWN = 5 };

struct extraction {
    const struct t2_strs *wanted;
    const char *dir;
    bool *seen;             /* of wanted */
    struct t2_strs names;   /* of out */
    struct t2_map *numbers; /* of names */
    struct t2_out **out;
    struct t2_strs others; /* the first members that were not wanted, for the message */
    uint8_t *chunk;
};

static bool is_pattern(const char *wanted)
{
    return strpbrk(wanted, "*?") != NULL;
}

static bool is_wanted(struct extraction *x, const char *name)
{
    bool found = false;

    for (size_t i = 0; i < x->wanted->n; i++) {
        const char *w = x->wanted->items[i];
        if (is_pattern(w) ? fnmatch(w, name, FNM_PATHNAME | FNM_NOESCAPE) == 0
                          : strcmp(w, name) == 0)
            found = x->seen[i] = true;
    }
    return found;
}

/* Where the contents of `name` go; a file of that name from earlier in the archive is given up. */
static enum t2_status begin_file(struct extraction *x, const char *name, struct t2_out **out,
                                 struct t2_err *err)
{
    char *path = t2_path_join(x->dir, name), *folder = t2_path_dir(path);
    enum t2_status st;
    uint64_t *number;
    bool is_new;
    size_t i;

    number = t2_map_at(x->numbers, name, strlen(name), &is_new);
    if (is_new)
        *number = x->names.n;
    i = (size_t) *number;
    if (is_new) {
        t2_strs_push(&x->names, name);
        x->out = t2_realloc(x->out, x->names.n, sizeof(struct t2_out *));
    } else {
        t2_out_abort(x->out[i]);
    }
    x->out[i] = NULL;
    T2_GOTO(st, out, t2_make_dirs(folder, err));
    T2_GOTO(st, out, t2_out_new(path, &x->out[i], err));
    *out = x->out[i];
out:
    t2_free(folder);
    t2_free(path);
    return st;
}

static enum t2_status copy_member(struct extraction *x, struct dg_archive *a, const char *name,
                                  struct t2_err *err)
{
    struct t2_out *out = NULL;
    size_t n = 1;

    t2_info("unpacking '%s'", name);
    T2_TRY(begin_file(x, name, &out, err));
    while (n > 0) {
        T2_TRY(dg_archive_read(a, x->chunk, CHUNK_BYTES, &n, err));
        t2_out_write(out, x->chunk, n);
        T2_TRY(t2_out_status(out, err));
    }
    return t2_out_finish(out, err); /* keeps no descriptor: there may be thousands */
}

static enum t2_status copy_all(struct extraction *x, struct dg_archive *a, struct t2_err *err)
{
    struct dg_member m;
    enum t2_status st;

    while ((st = dg_archive_next(a, &m, err)) == T2_OK) {
        if (is_wanted(x, m.name))
            T2_TRY(copy_member(x, a, m.name, err));
        else if (x->others.n < MAX_SHOWN)
            t2_strs_push(&x->others, m.name);
    }
    return st == T2_EOF ? T2_OK : st;
}

static enum t2_status check_all_seen(const struct extraction *x, const char *path,
                                     struct t2_err *err)
{
    struct t2_buf shown = {0};
    enum t2_status st = T2_OK;

    for (size_t i = 0; i < x->wanted->n && st == T2_OK; i++) {
        if (x->seen[i])
            continue;
        for (size_t k = 0; k < x->others.n; k++)
            t2_buf_printf(&shown, "%s'%s'", k ? ", " : "", x->others.items[k]);
        st = t2_fail(err, T2_ENOTFOUND, "'%s' has no member '%s'%s%s", path, x->wanted->items[i],
                     x->others.n ? "; it begins with " : "; it is empty", t2_buf_cstr(&shown));
    }
    t2_buf_release(&shown);
    return st;
}

static enum t2_status commit_all(struct extraction *x, struct t2_err *err)
{
    for (size_t i = 0; i < x->names.n; i++) {
        char *path = t2_path_join(x->dir, x->names.items[i]);
        enum t2_status st = t2_out_commit_as(x->out[i], path, err);
        x->out[i] = NULL;
        t2_free(path);
        T2_TRY(st);
    }
    return T2_OK;
}

enum t2_status dg_archive_extract(const char *path, const struct dg_unpack_limits *limits,
                                  const struct t2_strs *wanted, const char *dir,
                                  struct t2_strs *made, struct t2_err *err)
{
    struct extraction x = {.wanted = wanted, .dir = dir};
    struct dg_archive *a = NULL;
    enum t2_status st;

    T2_TRY(dg_archive_open(path, limits, &a, err));
    x.numbers = t2_map_new();
    x.seen = t2_alloc(wanted->n, sizeof *x.seen);
    x.chunk = t2_alloc(CHUNK_BYTES, 1);
    st = copy_all(&x, a, err);
    if (st == T2_OK)
        st = check_all_seen(&x, path, err);
    if (st == T2_OK)
        st = commit_all(&x, err);
    for (size_t i = 0; i < x.names.n; i++)
        t2_out_abort(x.out[i]);
    t2_strs_sort(&x.names);
    for (size_t i = 0; i < x.names.n && made && st == T2_OK; i++)
        t2_strs_push(made, x.names.items[i]);
    t2_strs_release(&x.names);
    t2_map_free(x.numbers);
    t2_strs_release(&x.others);
    t2_free(x.out);
    t2_free(x.chunk);
    t2_free(x.seen);
    dg_archive_free(a);
    return st;
}
