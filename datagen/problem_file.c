/*
 * datagen/problem_file.c - problems that a YAML file describes.
 */
#include "datagen/problem_file.h"

#include <inttypes.h>
#include <string.h>
#include <strings.h>

#include "base/alloc.h"
#include "base/file.h"
#include "base/log.h"
#include "base/remote_path.h"
#include "base/yaml.h"
#include "datagen/fetch/fetch_files.h"
#include "datagen/fetch/http_headers.h"
#include "datagen/plugin.h"
#include "datagen/problem_own_text.h"
#include "datagen/source/archive.h"
#include "datagen/source/source_files.h"
#include "datagen/stream.h"

enum { MAX_SOURCES = 256 };

struct source {
    struct dg_source_file file;
    struct t2_strs urls;
    const char **url_list;
    struct t2_strs members; /* names or patterns to unpack into tmp_dir; none: the file as it is */
};

/* Lives until the process ends, as registered problems do. */
struct problem_file {
    const char *path;
    struct t2_json_doc *doc;
    struct dg_own_text own;
    struct t2_strs strings; /* made of values: lists joined, paths completed */
    struct source sources[MAX_SOURCES];
    const struct dg_source_file *files[MAX_SOURCES + 1];
    size_t n_sources;
    struct dg_problem *problem;
};

/* ---- values
 * ----------------------------------------------------------------------------------- */

static enum t2_status wrong(const struct problem_file *f, const char *key, const char *wanted,
                            struct t2_err *err)
{
    return t2_fail(err, T2_EFORMAT, "'%s': %s must be %s", f->path, key, wanted);
}

/* A text, or a list of texts that is joined by ','. */
static enum t2_status read_text(struct problem_file *f, const char *key,
                                const struct t2_json_value *v, const char **text,
                                struct t2_err *err)
{
    struct t2_buf joined = {0};

    if (t2_json_type(v) == T2_JSON_STRING) {
        *text = t2_json_as_string(v, "");
        return T2_OK;
    }
    if (t2_json_type(v) == T2_JSON_INT) { /* columns: 2 */
        t2_strs_take(&f->strings, t2_asprintf("%" PRId64, t2_json_as_i64(v, 0)));
        *text = f->strings.items[f->strings.n - 1];
        return T2_OK;
    }
    if (t2_json_type(v) != T2_JSON_ARRAY)
        return wrong(f, key, "a text, or a list of texts", err);
    for (size_t i = 0; i < t2_json_size(v); i++) {
        const struct t2_json_value *item = t2_json_item(v, i);
        if (i > 0)
            t2_buf_push(&joined, ',');
        if (t2_json_type(item) == T2_JSON_INT)
            t2_buf_printf(&joined, "%" PRId64, t2_json_as_i64(item, 0));
        else
            t2_buf_printf(&joined, "%s", t2_json_as_string(item, ""));
    }
    t2_strs_push(&f->strings, t2_buf_cstr(&joined));
    t2_buf_release(&joined);
    *text = f->strings.items[f->strings.n - 1];
    return T2_OK;
}

static enum t2_status read_count(const struct problem_file *f, const char *key,
                                 const struct t2_json_value *v, uint64_t *count, struct t2_err *err)
{
    if (t2_json_type(v) != T2_JSON_INT || t2_json_as_i64(v, -1) < 0)
        return wrong(f, key, "a number, 0 or more", err);
    *count = (uint64_t) t2_json_as_i64(v, 0);
    return T2_OK;
}

/* ---- sources
 * ---------------------------------------------------------------------------------- */

static enum t2_status read_list(const struct problem_file *f, const char *key,
                                const struct t2_json_value *v, struct t2_strs *list,
                                struct t2_err *err)
{
    if (t2_json_type(v) == T2_JSON_STRING) {
        t2_strs_push(list, t2_json_as_string(v, ""));
        return T2_OK;
    }
    for (size_t i = 0; i < t2_json_size(v); i++) {
        const char *item = t2_json_as_string(t2_json_item(v, i), NULL);
        if (!item)
            return wrong(f, key, "a text, or a list of texts", err);
        t2_strs_push(list, item);
    }
    return list->n ? T2_OK : wrong(f, key, "a text, or a list of texts", err);
}

static enum t2_status read_source_key(const struct problem_file *f, struct source *s,
                                      const char *key, const struct t2_json_value *v,
                                      struct t2_err *err)
{
    if (strcmp(key, "url") == 0)
        return read_list(f, "sources.url", v, &s->urls, err);
    if (strcmp(key, "members") == 0)
        return read_list(f, "sources.members", v, &s->members, err);
    if (strcmp(key, "size") == 0)
        return read_count(f, "sources.size", v, &s->file.size_bytes, err);
    if (t2_json_type(v) != T2_JSON_STRING)
        return wrong(f, key, "a text", err);
    if (strcmp(key, "file") == 0)
        s->file.name = t2_json_as_string(v, NULL);
    else if (strcmp(key, "sha256") == 0)
        s->file.sha256 = t2_json_as_string(v, NULL);
    else if (strcmp(key, "licence") == 0)
        s->file.licence = t2_json_as_string(v, NULL);
    else
        return t2_fail(err, T2_EFORMAT,
                       "'%s': sources.%s is not known; there are url, file, size, sha256, licence, "
                       "members",
                       f->path, key);
    return T2_OK;
}

static enum t2_status read_source(struct problem_file *f, const struct t2_json_value *v,
                                  struct t2_err *err)
{
    struct source *s = &f->sources[f->n_sources];

    if (f->n_sources == MAX_SOURCES)
        return t2_fail(err, T2_EFORMAT, "'%s': more than %d sources", f->path, MAX_SOURCES);
    if (t2_json_type(v) != T2_JSON_OBJECT)
        return wrong(f, "sources", "a list of mappings with url", err);
    for (size_t i = 0; i < t2_json_size(v); i++) {
        const struct t2_json_value *value;
        const char *key = t2_json_member(v, i, &value);
        T2_TRY(read_source_key(f, s, key, value, err));
    }
    if (s->urls.n == 0)
        return wrong(f, "sources", "a list of mappings with url", err);
    if (s->file.sha256 &&
        (strlen(s->file.sha256) != 64 || strspn(s->file.sha256, "0123456789abcdef") != 64))
        return wrong(f, "sources.sha256", "64 hexadecimal digits in lower case", err);
    for (size_t i = 0; i < s->urls.n; i++) {
        const char *url = s->urls.items[i];
        if (!dg_is_http_url(url) && strncasecmp(url, "file://", 7) != 0 &&
            t2_refuse_remote(url, err) != T2_OK)
            return t2_wrap(err, "'%s': sources.url", f->path);
    }
    s->url_list = t2_alloc(s->urls.n + 1, sizeof *s->url_list);
    for (size_t i = 0; i < s->urls.n; i++)
        s->url_list[i] = s->urls.items[i];
    s->file.urls = s->url_list;
    f->files[f->n_sources++] = &s->file;
    return T2_OK;
}

static enum t2_status read_sources(struct problem_file *f, const struct t2_json_value *v,
                                   struct t2_err *err)
{
    if (t2_json_type(v) != T2_JSON_ARRAY)
        return wrong(f, "sources", "a list of mappings with url", err);
    for (size_t i = 0; i < t2_json_size(v); i++)
        T2_TRY(read_source(f, t2_json_item(v, i), err));
    return T2_OK;
}

/* Members that are not in tmp_dir yet are taken out of the archive, all in one pass. */
static enum t2_status unpack(const struct source *s, const char *archive, const char *tmp_dir,
                             struct t2_err *err)
{
    struct t2_strs missing = {0};
    enum t2_status st = T2_OK;

    for (size_t i = 0; i < s->members.n; i++) {
        char *path = t2_path_join(tmp_dir, s->members.items[i]);
        if (!t2_exists(path))
            t2_strs_push(&missing, s->members.items[i]);
        t2_free(path);
    }
    if (missing.n)
        st = dg_archive_extract(archive, NULL, &missing, tmp_dir, NULL, err);
    t2_strs_release(&missing);
    return st;
}

static const struct problem_file *file_of(const struct dg_problem *p);

static enum t2_status prepare(const struct dg_problem *p, const struct dg_options *options,
                              struct t2_err *err)
{
    const struct problem_file *f = file_of(p);
    struct dg_fetch_result *results = t2_alloc(f->n_sources, sizeof *results);
    enum t2_status st;

    st = dg_fetch(f->files, f->n_sources, options->tmp_dir, options->fetch, results, err);
    for (size_t i = 0; i < f->n_sources && st == T2_OK; i++)
        st = unpack(&f->sources[i], results[i].path, options->tmp_dir, err);
    dg_fetch_release(results, f->n_sources);
    t2_free(results);
    return st;
}

/* ---- keys
 * ------------------------------------------------------------------------------------- */

/* Where the value of a key goes; one of the two. */
struct key {
    const char *name;
    const char **text;
    int64_t *number;
};

static enum t2_status read_key(struct problem_file *f, const struct key *keys, size_t n_keys,
                               const char *name, const struct t2_json_value *v, struct t2_err *err)
{
    const char *names[64], *near;
    uint64_t count = 0;

    if (strcmp(name, "sources") == 0)
        return read_sources(f, v, err);
    if (strcmp(name, "max_ratio") == 0) {
        if (t2_json_type(v) != T2_JSON_INT && t2_json_type(v) != T2_JSON_REAL)
            return wrong(f, name, "a number", err);
        f->own.filters.max_ratio = t2_json_as_double(v, 0);
        return T2_OK;
    }
    for (size_t i = 0; i < n_keys; i++) {
        names[i] = keys[i].name;
        if (strcmp(name, keys[i].name) != 0)
            continue;
        if (keys[i].text)
            return read_text(f, name, v, keys[i].text, err);
        T2_TRY(read_count(f, name, v, &count, err));
        *keys[i].number = (int64_t) count;
        return count <= INT32_MAX ? T2_OK : wrong(f, name, "a smaller number", err);
    }
    near = t2_nearest(name, names, n_keys);
    return t2_fail(err, T2_EFORMAT, "'%s': key '%s' is not known%s%s%s", f->path, name,
                   near ? "; did you mean '" : "", near ? near : "", near ? "'?" : "");
}

/* Before anything is put in front of them. */
static enum t2_status refuse_remote(const struct problem_file *f, struct t2_err *err)
{
    const struct dg_own_text *own = &f->own;
    const char *const paths[] = {
        own->files[DG_TRAIN], own->files[DG_DEV], own->files[DG_TEST],
        own->vocab,           own->source_vocab,  own->target_vocab,
    };

    for (size_t i = 0; i < sizeof paths / sizeof *paths; i++) {
        if (paths[i] && t2_refuse_remote_list(paths[i], err) != T2_OK)
            return t2_wrap(err, "'%s'", f->path);
    }
    return T2_OK;
}

/* Paths that are not absolute are beside the file; those of text may be in tmp_dir too. */
static void complete_path(struct problem_file *f, const char **path)
{
    char *dir;

    if (!*path || (*path)[0] == '\0' || (*path)[0] == '/')
        return;
    dir = t2_path_dir(f->path);
    t2_strs_take(&f->strings, t2_path_join(dir, *path));
    t2_free(dir);
    *path = f->strings.items[f->strings.n - 1];
}

static enum t2_status read_all(struct problem_file *f, const char **summary, const char **licence,
                               int64_t n_shards[DG_N_SPLITS], struct t2_err *err)
{
    struct dg_own_text *own = &f->own;
    const struct key keys[] = {
        {"name", &own->name, NULL},
        {"summary", summary, NULL},
        {"licence", licence, NULL},
        {"kind", &own->kind, NULL},
        {"train", &own->files[DG_TRAIN], NULL},
        {"dev", &own->files[DG_DEV], NULL},
        {"test", &own->files[DG_TEST], NULL},
        {"tsv", &own->tsv, NULL},
        {"csv", &own->csv, NULL},
        {"jsonl", &own->jsonl, NULL},
        {"classes", &own->classes, NULL},
        {"mix", &own->mix, NULL},
        {"clean", &own->clean, NULL},
        {"drop_duplicates", &own->drop_duplicates, NULL},
        {"min_length", NULL, &own->filters.min_length},
        {"max_length", NULL, &own->filters.max_length},
        {"max_tokens", NULL, &own->filters.max_tokens},
        {"inputs_script", &own->filters.script[DG_INPUTS], NULL},
        {"targets_script", &own->filters.script[DG_TARGETS], NULL},
        {"inputs_prefix", &own->prefix[DG_INPUTS], NULL},
        {"targets_prefix", &own->prefix[DG_TARGETS], NULL},
        {"packed_length", NULL, &own->packed_length},
        {"vocab_type", &own->vocab_type, NULL},
        {"vocab_size", NULL, &own->vocab_size},
        {"source_vocab_size", NULL, &own->source_vocab_size},
        {"target_vocab_size", NULL, &own->target_vocab_size},
        {"vocab", &own->vocab, NULL},
        {"source_vocab", &own->source_vocab, NULL},
        {"target_vocab", &own->target_vocab, NULL},
        {"oov_token", &own->oov_token, NULL},
        {"train_shards", NULL, &n_shards[DG_TRAIN]},
        {"dev_shards", NULL, &n_shards[DG_DEV]},
        {"test_shards", NULL, &n_shards[DG_TEST]},
    };
    const struct t2_json_value *root = t2_json_root(f->doc);

    if (t2_json_type(root) != T2_JSON_OBJECT)
        return t2_fail(err, T2_EFORMAT, "'%s': a problem is a mapping: 'train: a.en,a.de' ...",
                       f->path);
    for (size_t i = 0; i < t2_json_size(root); i++) {
        const struct t2_json_value *value;
        const char *name = t2_json_member(root, i, &value);
        T2_TRY(read_key(f, keys, sizeof keys / sizeof *keys, name, value, err));
    }
    T2_TRY(refuse_remote(f, err));
    complete_path(f, &own->vocab);
    complete_path(f, &own->source_vocab);
    complete_path(f, &own->target_vocab);
    return T2_OK;
}

/* ---- the problem
 * ------------------------------------------------------------------------------ */

/* The files of a split; when some are missing, what they are downloaded as or unpacked from. */
static enum t2_status describe(const struct dg_problem *p, const struct dg_options *options,
                               enum dg_split split, struct dg_input_sizes *sizes,
                               struct t2_err *err)
{
    const struct problem_file *f = file_of(p);
    bool is_offline = options->fetch && options->fetch->offline;
    struct dg_stream *stream = NULL;
    struct t2_err missing = T2_ERR_INIT;
    enum t2_status st;

    T2_TRY(p->open(p, options, split, &stream, err));
    st = dg_stream_describe(stream, sizes, &missing);
    dg_stream_free(stream);
    for (size_t i = 0; i < f->n_sources && st == T2_ENOTFOUND; i++) {
        const struct source *s = &f->sources[i];
        struct dg_source one = {.file = &s->file, .is_plain = true};
        dg_source_tell(&one, NULL, options, s->members.n > 0, sizes);
        if (!is_offline || dg_source_is_there(&one, options))
            missing.status = T2_OK;
    }
    if (missing.status != T2_OK)
        *err = missing;
    return missing.status;
}

/* The name of the file without folder and end. */
static void default_name(struct problem_file *f)
{
    const char *base = t2_path_base(f->path), *dot = strrchr(base, '.');

    t2_strs_take(&f->strings, t2_strndup(base, (size_t) (dot - base)));
    f->own.name = f->strings.items[f->strings.n - 1];
}

static enum t2_status make_problem(struct problem_file *f, struct t2_err *err)
{
    const char *summary = "a problem of your own", *licence = NULL;
    int64_t n_shards[DG_N_SPLITS] = {0};
    struct dg_problem *p;
    char *dir;

    T2_TRY(read_all(f, &summary, &licence, n_shards, err));
    if (!f->own.name || f->own.name[0] == '\0')
        default_name(f);
    if (f->own.kind && strcmp(f->own.kind, "text2class") == 0 && !f->own.classes)
        return t2_fail(
            err, T2_EFORMAT,
            "'%s': text2class in a file needs classes: [neg, pos], in the order of their "
            "numbers",
            f->path);
    dir = t2_path_dir(f->path);
    t2_strs_take(&f->strings, dir);
    f->own.base_dir = dir;
    T2_TRY(dg_own_text_new(&f->own, &f->problem, err));
    p = f->problem;
    p->summary = summary;
    p->licence = licence;
    for (int split = 0; split < DG_N_SPLITS; split++) {
        if (n_shards[split] && p->n_shards[split])
            p->n_shards[split] = (int) n_shards[split];
    }
    if (f->n_sources) {
        p->sources = f->files;
        p->prepare = prepare;
        p->describe = describe;
        p->can_be_edited = true;
    }
    return dg_register(p, err);
}

static struct problem_file *all[1024];
static size_t n_all;

static const struct problem_file *file_of(const struct dg_problem *p)
{
    size_t i = 0;

    while (all[i]->problem != p)
        i++;
    return all[i];
}

enum t2_status dg_problem_file_register(const char *path, struct t2_err *err)
{
    struct problem_file *f = t2_alloc(1, sizeof *f);
    enum t2_status st;

    if (n_all == sizeof all / sizeof *all) {
        t2_free(f);
        return t2_fail(err, T2_EUSAGE, "'%s': too many problem files", path);
    }
    all[n_all++] = f;
    t2_strs_push(&f->strings, path);
    f->path = f->strings.items[0];
    st = t2_yaml_load(f->path, &f->doc, err);
    if (st == T2_OK && make_problem(f, err) != T2_OK)
        st = strstr(err->message, f->path) ? err->status : t2_wrap(err, "'%s'", f->path);
    return st;
}

enum t2_status dg_usr_dir_register(const char *dir, struct t2_err *err)
{
    struct t2_strs names = {0};
    enum t2_status st = t2_list_dir(dir, &names, err);
    size_t n_found = 0;

    if (st != T2_OK)
        return t2_wrap(err, "--t2t_usr_dir");
    t2_strs_sort(&names);
    for (size_t i = 0; i < names.n && st == T2_OK; i++) {
        char *path = t2_path_join(dir, names.items[i]);
        bool is_yaml = t2_ends_with(path, ".yaml") || t2_ends_with(path, ".yml");
        bool is_object = t2_ends_with(path, ".so");
        if (is_yaml)
            st = dg_problem_file_register(path, err);
        else if (is_object)
            st = dg_plugin_load(path, err);
        n_found += is_yaml || is_object;
        t2_free(path);
    }
    t2_strs_release(&names);
    if (st == T2_OK && n_found == 0)
        st = t2_fail(err, T2_ENOTFOUND,
                     "--t2t_usr_dir='%s' has no problems: no .yaml and no .so files (T2T's Python "
                     "modules cannot be loaded; docs/problem-files.md)",
                     dir);
    return st;
}
