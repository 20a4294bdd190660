/*
 * datagen/input_sizes.c - sizes of what a data set is made from.
 */
#include "datagen/input_sizes.h"

#include <string.h>

#include "base/alloc.h"
#include "base/file.h"
#include "base/text.h"
#include "datagen/fetch/fetch_files.h"
#include "datagen/fetch/part_file.h"

enum {
    LINE_BYTES = 110,
    LOOK_BYTES = 64 << 10,
    LOOK_LINES = 1000,
    MOST_LOOK_BYTES = 1 << 20,
    MAX_DEPTH = 8
};

void dg_input_sizes_release(struct dg_input_sizes *t)
{
    for (size_t i = 0; i < t->n; i++)
        t2_free(t->files[i].path);
    t2_free(t->files);
    t2_buf_release(&t->text);
    t2_strs_release(&t->absent);
    memset(t, 0, sizeof *t);
}

double dg_unpack_factor(const char *path)
{
    /* Text of corpora; measured on Europarl, Multi30k, LM1B and Wikipedia. */
    static const struct {
        const char *end;
        double factor;
    } kinds[] = {{".gz", 3.0},  {".tgz", 3.0}, {".zip", 3.0}, {".bz2", 4.0},
                 {".tbz", 4.0}, {".xz", 4.5},  {".7z", 6.0}};

    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
        if (t2_ends_with(path, kinds[i].end))
            return kinds[i].factor;
    }
    return 1;
}

static bool is_announced(const struct dg_input_sizes *t, const char *path)
{
    for (size_t i = 0; i < t->n; i++) {
        if (t->files[i].path && strcmp(t->files[i].path, path) == 0)
            return true;
    }
    return false;
}

static void add(struct dg_input_sizes *t, const char *path, const struct dg_input_size *file)
{
    struct dg_input_size *f;

    if (t->n == t->capacity) {
        t->capacity = t->capacity ? 2 * t->capacity : 16;
        t->files = t2_realloc(t->files, t->capacity, sizeof *t->files);
    }
    f = &t->files[t->n++];
    *f = *file;
    f->path = path ? t2_strdup(path) : NULL;
    f->sorted_bytes = t->for_sort ? f->text_bytes : 0;
    if (t->for_vocab) {
        t->vocab_bytes += f->text_bytes;
        f->text_bytes = f->n_lines = 0;
    }
}

/* Mean over the first lines of a file. */
static uint64_t mean_line_bytes(const char *path)
{
    struct t2_err ignored = T2_ERR_INIT;
    struct t2_in *in = NULL;
    struct t2_slice line;
    uint64_t bytes = 0, n = 0;

    if (t2_in_new(path, &in, &ignored) != T2_OK)
        return LINE_BYTES;
    t2_in_most_line(in,
                    MOST_LOOK_BYTES); /* the run refuses or reads it; a forecast holds no more */
    while (bytes < LOOK_BYTES && n < LOOK_LINES && t2_in_line(in, &line, &ignored) == T2_OK) {
        bytes += line.len_bytes + 1;
        n++;
    }
    t2_in_free(in);
    return n ? bytes / n : LINE_BYTES;
}

void dg_sizes_add_file(struct dg_input_sizes *t, const char *path, unsigned copies)
{
    struct dg_input_size f = {0};
    struct t2_err ignored = T2_ERR_INIT;
    uint64_t bytes, line_bytes;

    if (is_announced(t, path))
        return;
    if (t2_file_size(path, &bytes, &ignored) != T2_OK) {
        f.is_unknown = true;
        add(t, path, &f);
        return;
    }
    f.text_bytes = (uint64_t) ((double) bytes * dg_unpack_factor(path));
    f.tmp_bytes = copies * f.text_bytes;
    line_bytes = mean_line_bytes(path);
    f.n_lines = f.text_bytes / (line_bytes ? line_bytes : 1);
    add(t, path, &f);
}

static uint64_t folder_bytes(const char *path, int depth)
{
    struct t2_err ignored = T2_ERR_INIT;
    struct t2_strs names = {0};
    uint64_t total = 0, bytes;

    if (depth == MAX_DEPTH || t2_list_dir(path, &names, &ignored) != T2_OK)
        return 0;
    for (size_t i = 0; i < names.n; i++) {
        char *file = t2_path_join(path, names.items[i]);
        if (t2_is_dir(file))
            total += folder_bytes(file, depth + 1);
        else if (t2_file_size(file, &bytes, &ignored) == T2_OK)
            total += bytes;
        t2_free(file);
    }
    t2_strs_release(&names);
    return total;
}

void dg_sizes_add_folder(struct dg_input_sizes *t, const char *path)
{
    if (!is_announced(t, path))
        dg_sizes_add(t, path, folder_bytes(path, 0), 0, 1, 0);
}

void dg_sizes_add_cases(struct dg_input_sizes *t, uint64_t n, uint64_t bytes_each)
{
    const struct dg_input_size f = {.text_bytes = n * bytes_each, .n_lines = 2 * n};

    add(t, NULL, &f);
}

void dg_sizes_add(struct dg_input_sizes *t, const char *path, uint64_t file_bytes,
                  uint64_t left_bytes, double text_factor, unsigned copies)
{
    struct dg_input_size f = {.left_bytes = left_bytes};

    if (is_announced(t, path))
        return;
    f.is_unknown = file_bytes == 0;
    f.text_bytes = (uint64_t) ((double) file_bytes * text_factor);
    f.tmp_bytes = copies * f.text_bytes;
    f.n_lines = f.text_bytes / LINE_BYTES;
    add(t, path, &f);
}

/* The size of a file according to the plan, as the server announced it. */
static uint64_t planned_bytes(const struct dg_input_sizes *t, const struct dg_source_file *f)
{
    for (size_t i = 0; i < t->n_planned; i++) {
        if (t->planned[i] == f)
            return t->plan[i].size_bytes;
    }
    return 0;
}

static void note_absent(struct dg_input_sizes *t, const struct dg_source_file *f, const char *name,
                        const char *there)
{
    const char *url = f->urls && f->urls[0] ? f->urls[0] : name;
    char *line = f->gone ? t2_asprintf("'%s' cannot be downloaded any more: %s; put it at '%s'",
                                       name, f->gone, there)
                         : t2_asprintf("'%s' is missing; put it at '%s'", url, there);

    if (t2_strs_contains(&t->absent, line))
        t2_free(line);
    else
        t2_strs_take(&t->absent, line);
}

void dg_sizes_add_source(struct dg_input_sizes *t, const struct dg_source_file *f, const char *path,
                         const char *dir, unsigned copies)
{
    struct t2_err ignored = T2_ERR_INIT;
    uint64_t bytes = 0, left;
    double factor = f->text_factor;
    struct dg_part part;
    char *name, *there;

    if (path) {
        if (t2_file_size(path, &bytes, &ignored) != T2_OK)
            bytes = 0;
        dg_sizes_add(t, path, bytes, 0, factor > 0 ? factor : dg_unpack_factor(path), copies);
        return;
    }
    if (dg_source_name(f, &name, &ignored) != T2_OK)
        return;
    factor = factor > 0 ? factor : dg_unpack_factor(name);
    there = t2_path_join(dir, name);
    if (!f->is_made)
        note_absent(t, f, name, there);
    dg_part_look(&part, dir, name);
    bytes = f->size_bytes            ? f->size_bytes
            : part.state.total_bytes ? part.state.total_bytes
            : planned_bytes(t, f)    ? planned_bytes(t, f)
                                     : f->about_bytes;
    left = bytes > part.have_bytes ? bytes - part.have_bytes : 0;
    dg_sizes_add(t, there, bytes, left, factor, copies);
    dg_part_release(&part);
    t2_free(there);
    t2_free(name);
}
