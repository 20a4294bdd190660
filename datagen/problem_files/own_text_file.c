/*
 * datagen/problem_files/own_text_file.c - text of one's own, with the sources that a file
 * downloads.
 */
#include "datagen/problem_files/own_text_file.h"

#include <string.h>

#include "base/alloc.h"
#include "base/file.h"
#include "base/remote_path.h"
#include "datagen/own/problem_own_text.h"

/* ---- sources
 * --------------------------------------------------------------------------------- */

/* Members that are not in tmp_dir yet are taken out of the archive, all in one pass. */
static enum t2_status unpack(const struct dg_file_source *s, const char *archive,
                             const char *tmp_dir, struct t2_err *err)
{
    struct t2_strs missing = {0};
    enum t2_status st = T2_OK;

    for (size_t i = 0; i < s->n_members; i++) {
        char *path = t2_path_join(tmp_dir, s->members[i]);
        if (!t2_exists(path))
            t2_strs_push(&missing, s->members[i]);
        t2_free(path);
    }
    if (missing.n)
        st = dg_archive_extract(archive, NULL, &missing, tmp_dir, NULL, err);
    t2_strs_release(&missing);
    return st;
}

static enum t2_status prepare(const struct dg_problem *p, const struct dg_options *options,
                              struct t2_err *err)
{
    const struct dg_file_sources *sources = dg_own_text_owner(p);
    struct dg_fetch_result *results = t2_alloc(sources->n, sizeof *results);
    enum t2_status st;

    st = dg_fetch(p->sources, sources->n, options->tmp_dir, options->fetch, results, err);
    for (size_t i = 0; i < sources->n && st == T2_OK; i++)
        st = unpack(&sources->items[i], results[i].path, options->tmp_dir, err);
    dg_fetch_release(results, sources->n);
    t2_free(results);
    return st;
}

/* The files of a split; when some are missing, what they are downloaded as or unpacked from. */
static enum t2_status describe(const struct dg_problem *p, const struct dg_options *options,
                               enum dg_split split, struct dg_input_sizes *sizes,
                               struct t2_err *err)
{
    const struct dg_file_sources *sources = dg_own_text_owner(p);
    bool is_offline = options->fetch && options->fetch->offline;
    struct dg_stream *stream = NULL;
    struct t2_err missing = T2_ERR_INIT;
    enum t2_status st;

    T2_TRY(p->open(p, options, split, &stream, err));
    st = dg_stream_describe(stream, sizes, &missing);
    dg_stream_free(stream);
    for (size_t i = 0; i < sources->n && st == T2_ENOTFOUND; i++) {
        const struct dg_file_source *s = &sources->items[i];
        struct dg_source one = {.file = &s->file, .is_plain = true};
        dg_source_add_sizes(&one, NULL, options, s->n_members > 0, sizes);
        if (!is_offline || dg_source_is_there(&one, options))
            missing.status = T2_OK;
    }
    if (missing.status != T2_OK)
        *err = missing;
    return missing.status;
}

/* NULL-ended. */
static const struct dg_source_file *const *list_files(const struct dg_file_context *c,
                                                      const struct dg_file_sources *sources)
{
    const struct dg_source_file **files = dg_file_alloc(c->memory, sources->n + 1, sizeof *files);

    for (size_t i = 0; i < sources->n; i++)
        files[i] = &sources->items[i].file;
    return files;
}

/* ---- keys
 * ------------------------------------------------------------------------------------ */

static enum t2_status read_texts(const struct dg_file_context *c, const struct dg_draft *d,
                                 struct dg_own_text *own, struct t2_err *err)
{
    for (int split = 0; split < DG_N_SPLITS; split++) {
        struct dg_file_value v =
            dg_kind_value(c, dg_split_name((enum dg_split) split), d->splits[split]);
        if (d->splits[split])
            T2_TRY(dg_value_text(&v, &own->files[split], err));
    }
    if (d->classes) {
        struct dg_file_value v = dg_kind_value(c, "classes", d->classes);
        T2_TRY(dg_value_text(&v, &own->classes, err));
    }
    if (own->kind && strcmp(own->kind, "text2class") == 0 && !own->classes)
        return t2_fail(
            err, T2_EFORMAT,
            "'%s': text2class in a file needs classes: [neg, pos], in the order of their "
            "numbers",
            c->path);
    return T2_OK;
}

/* Before anything is put in front of them. */
static enum t2_status check_schemes(const struct dg_file_context *c, const struct dg_own_text *own,
                                    struct t2_err *err)
{
    const char *const paths[] = {
        own->files[DG_TRAIN], own->files[DG_DEV], own->files[DG_TEST],
        own->vocab,           own->source_vocab,  own->target_vocab,
    };

    for (size_t i = 0; i < sizeof paths / sizeof *paths; i++) {
        if (paths[i] && t2_check_schemes(paths[i], err) != T2_OK)
            return t2_wrap(err, "'%s'", c->path);
    }
    return T2_OK;
}

/* Paths that are not absolute are beside the file; those of text may be in tmp_dir too. */
static void complete_path(const struct dg_file_context *c, const char *dir, const char **path)
{
    if (*path && (*path)[0] != '\0' && (*path)[0] != '/' && !t2_is_remote(*path))
        *path = dg_file_keep(c->memory, t2_path_join(dir, *path));
}

static void add_sources(const struct dg_file_context *c, const struct dg_file_sources *sources,
                        struct dg_problem *p)
{
    p->sources = list_files(c, sources);
    p->prepare = prepare;
    p->describe = describe;
    p->can_be_edited = true;
}

enum t2_status dg_own_text_file_new(const struct dg_file_context *c, const struct dg_draft *d,
                                    const char *name, struct dg_problem **p, struct t2_err *err)
{
    struct dg_own_text own = d->own;
    struct dg_file_sources *sources = dg_file_alloc(c->memory, 1, sizeof *sources);
    struct dg_file_value v = dg_kind_value(c, "sources", d->sources);
    const char *dir = dg_file_keep(c->memory, t2_path_dir(c->path));

    if (d->sources)
        T2_TRY(dg_file_read_sources(&v, sources, err));
    T2_TRY(read_texts(c, d, &own, err));
    T2_TRY(check_schemes(c, &own, err));
    complete_path(c, dir, &own.vocab);
    complete_path(c, dir, &own.source_vocab);
    complete_path(c, dir, &own.target_vocab);
    own.name = name;
    own.base_dir = dir;
    own.owner = sources;
    T2_TRY(dg_own_text_new(&own, p, err));
    (*p)->summary = d->summary ? d->summary : "a problem of your own";
    (*p)->licence = d->licence;
    for (int split = 0; split < DG_N_SPLITS; split++) {
        if (d->n_shards[split] && (*p)->n_shards[split])
            (*p)->n_shards[split] = (int) d->n_shards[split];
    }
    if (sources->n)
        add_sources(c, sources, *p);
    return T2_OK;
}
