/*
 * datagen/runs/existing_set.c - what is in data_dir already.
 */
#include "datagen/runs/existing_set.h"

#include <inttypes.h>
#include <string.h>
#include <sys/stat.h>

#include "base/alloc.h"
#include "base/file.h"
#include "base/hash.h"
#include "base/io.h"
#include "base/json.h"
#include "base/log.h"
#include "datagen/vocabs/problem_vocab.h"

char *dg_plan_path(const char *data_dir, const char *name)
{
    char *file = t2_asprintf("%s.plan.json", name);
    char *path = t2_path_join(data_dir, file);

    t2_free(file);
    return path;
}

/* ---- names ---- */

static size_t digits(const char *s)
{
    return strspn(s, "0123456789");
}

/* True for "<stem>[-unshuffled]-<split>-NNNNN-of-MMMMM" of this stem.  Nothing else is ever
 * removed. */
static bool is_shard_name(const char *name, const char *stem)
{
    size_t split, n;
    const char *s;

    if (!t2_starts_with(name, stem))
        return false;
    s = name + strlen(stem);
    if (t2_starts_with(s, "-unshuffled"))
        s += strlen("-unshuffled");
    for (split = 0; split < DG_N_SPLITS; split++) {
        const char *split_name = dg_split_name((enum dg_split) split);
        if (*s == '-' && t2_starts_with(s + 1, split_name)) {
            s += 1 + strlen(split_name);
            break;
        }
    }
    if (split == DG_N_SPLITS || *s++ != '-' || (n = digits(s)) < 5)
        return false;
    s += n;
    if (!t2_starts_with(s, "-of-"))
        return false;
    s += strlen("-of-");
    n = digits(s);
    return n >= 5 && (s[n] == '\0' || strcmp(s + n, ".incomplete") == 0);
}

static enum t2_status shards_there(const struct dg_problem *p, const struct dg_generate *g,
                                   struct t2_strs *names, struct t2_err *err)
{
    struct t2_strs all = {0};
    enum t2_status st = t2_list_dir(g->options.data_dir, &all, err);

    for (size_t i = 0; i < all.n; i++) {
        if (is_shard_name(all.items[i], dg_problem_stem(p)))
            t2_strs_push(names, all.items[i]);
    }
    t2_strs_release(&all);
    return st;
}

/* ---- comparing ---- */

static enum t2_status compare(const char *path, const struct dg_made_from *made_from,
                              struct t2_err *err)
{
    struct dg_made_from there = {0};
    struct t2_buf text = {0};
    enum t2_status st = dg_made_from_load(path, "made_from", &there, err);

    if (st == T2_OK && dg_made_from_compare(&there, made_from, &text) > 0)
        st = t2_fail(err, T2_EFORMAT,
                     "'%s' tells of a data set made from something else (%s); choose another "
                     "--data_dir or --name, or replace it with --overwrite",
                     path, t2_buf_cstr(&text));
    t2_buf_release(&text);
    dg_made_from_release(&there);
    return st;
}

static bool has_size(const char *data_dir, const char *file, uint64_t bytes)
{
    char *path = t2_path_join(data_dir, file);
    struct t2_err ignored = T2_ERR_INIT;
    uint64_t there = 0;
    bool ok = t2_file_size(path, &there, &ignored) == T2_OK && there == bytes;

    t2_free(path);
    return ok;
}

/* false when a file that the manifest names is lost or has another size. */
static bool shards_are_whole(const struct dg_manifest *m, const char *data_dir)
{
    for (size_t split = 0; split < DG_N_SPLITS; split++) {
        for (size_t i = 0; i < m->splits[split].n_shards; i++) {
            const struct tfr_manifest_shard *s = &m->splits[split].shards[i];
            if (!has_size(data_dir, s->file, s->bytes)) {
                t2_warn("'%s/%s' is missing or has changed: making the data set again", data_dir,
                        s->file);
                return false;
            }
        }
    }
    return true;
}

static enum t2_status check_vocab(const struct dg_vocab_info *v, const char *data_dir, bool *whole,
                                  struct t2_err *err)
{
    char sha256[65], *path;
    uint64_t bytes;
    enum t2_status st = T2_OK;

    if (!v->file)
        return T2_OK;
    path = t2_path_join(data_dir, v->file);
    if (!t2_exists(path)) {
        t2_warn("'%s' is missing: making the data set again", path);
        *whole = false;
    } else if ((st = t2_sha256_file(path, sha256, &bytes, err)) == T2_OK &&
               strcmp(sha256, v->sha256) != 0) {
        st = t2_fail(err, T2_EFORMAT,
                     "'%s' is not the vocabulary that the data set was made with (SHA-256 %s, the "
                     "manifest says %s); put it back, or make all again with --overwrite",
                     path, sha256, v->sha256);
    }
    t2_free(path);
    return st;
}

static bool same_text(const char *a, const char *b)
{
    return a && b && strcmp(a, b) == 0;
}

static enum t2_status check_files(const char *manifest_path, const char *data_dir, bool *whole,
                                  struct t2_err *err)
{
    struct dg_manifest *m = NULL;
    enum t2_status st;

    T2_TRY(dg_manifest_load(manifest_path, &m, err));
    *whole = shards_are_whole(m, data_dir);
    if (!*whole &&
        m->n_edits > 0) { /* making it again would lose the edits, and mix old and new names */
        dg_manifest_free(m);
        return t2_fail(
            err, T2_EFORMAT,
            "'%s': files of this data set are missing or have changed, and it was edited "
            "by tfrec after it was made: put the files back, or make it as it was before "
            "the edits with --overwrite",
            manifest_path);
    }
    st = check_vocab(&m->targets_vocab, data_dir, whole, err);
    if (st == T2_OK && m->has_inputs && !same_text(m->inputs_vocab.file, m->targets_vocab.file))
        st = check_vocab(&m->inputs_vocab, data_dir, whole, err);
    dg_manifest_free(m);
    return st;
}

static enum t2_status not_foreign(const char *path, struct t2_err *err)
{
    struct dg_manifest *m = NULL;
    bool is_foreign;

    T2_TRY(dg_manifest_load(path, &m, err));
    is_foreign = m->is_foreign;
    dg_manifest_free(m);
    if (!is_foreign)
        return T2_OK;
    return t2_fail(err, T2_EFORMAT,
                   "'%s' was made by tfrec for shards of another program; use them as they are, "
                   "choose another --data_dir, or replace them with --overwrite",
                   path);
}

static enum t2_status finished_set(const char *path, const struct dg_generate *g,
                                   const struct dg_made_from *made_from, enum dg_there *there,
                                   struct t2_err *err)
{
    bool whole = true;

    T2_TRY(not_foreign(path, err));
    T2_TRY(compare(path, made_from, err));
    T2_TRY(check_files(path, g->options.data_dir, &whole, err));
    *there = whole ? DG_THERE_ALL : DG_THERE_PART;
    return T2_OK;
}

/* The problem whose set has shards of the same names, by its manifest: squad and squad_concat share
 * them.  Owned by the caller; NULL: there is none. */
static char *namesake(const struct dg_problem *p, const struct dg_generate *g)
{
    static const char suffix[] = ".manifest.json";
    struct t2_err ignored = T2_ERR_INIT;
    struct dg_manifest *m;
    struct t2_strs names = {0};
    char *found = NULL;

    if (t2_list_dir(g->options.data_dir, &names, &ignored) != T2_OK)
        return NULL;
    for (size_t i = 0; i < names.n && !found; i++) {
        char *path = t2_path_join(g->options.data_dir, names.items[i]);
        if (t2_ends_with(names.items[i], suffix) && dg_manifest_load(path, &m, &ignored) == T2_OK) {
            if (strcmp(m->dataset_filename, dg_problem_stem(p)) == 0 &&
                strcmp(m->problem, p->name) != 0)
                found = t2_strdup(m->problem);
            dg_manifest_free(m);
        }
        t2_free(path);
    }
    t2_strs_release(&names);
    return found;
}

static enum t2_status foreign_set(const struct dg_problem *p, const struct dg_generate *g,
                                  struct t2_err *err)
{
    struct t2_strs shards = {0};
    enum t2_status st = shards_there(p, g, &shards, err);
    char *other = st == T2_OK && shards.n > 0 ? namesake(p, g) : NULL;

    if (other)
        st = t2_fail(err, T2_EFORMAT,
                     "'%s' holds the data set of '%s', whose shards have the names that '%s' gives "
                     "its own ('%s'): both cannot be in one folder, choose another --data_dir",
                     g->options.data_dir, other, p->name, shards.items[0]);
    else if (st == T2_OK && shards.n > 0)
        st = t2_fail(err, T2_EFORMAT,
                     "'%s' holds %zu shards of '%s' (the first: '%s') without a manifest, made by "
                     "another program or version; use them as they are, choose another --data_dir, "
                     "or replace them with --overwrite",
                     g->options.data_dir, shards.n, p->name, shards.items[0]);
    t2_free(other);
    t2_strs_release(&shards);
    return st;
}

enum t2_status dg_existing_set(const struct dg_problem *p, const struct dg_generate *g,
                               const struct dg_made_from *made_from, enum dg_there *there,
                               struct dg_made_from *vocab_origin, struct t2_err *err)
{
    char *manifest = dg_manifest_path(g->options.data_dir, p->name);
    char *plan = dg_plan_path(g->options.data_dir, p->name);
    enum t2_status st;

    *there = DG_THERE_NOTHING;
    if (t2_exists(manifest)) {
        st = finished_set(manifest, g, made_from, there, err);
        if (st == T2_OK)
            st = dg_made_from_load(manifest, "vocab_origin", vocab_origin, err);
    } else if (t2_exists(plan)) {
        *there = DG_THERE_PART;
        st = compare(plan, made_from, err);
        if (st == T2_OK)
            st = dg_made_from_load(plan, "vocab_origin", vocab_origin, err);
    } else {
        st = foreign_set(p, g, err);
    }
    t2_free(manifest);
    t2_free(plan);
    return st;
}

/* ---- without reading the sources ---- */

/* "train file 1 (inputs)": known only after the scan. */
static bool is_of_input_file(const char *key)
{
    return strstr(key, " file ") && t2_ends_with(key, ")");
}

static bool is_same_work(const char *manifest, const struct dg_made_from *here)
{
    struct dg_made_from there = {0};
    struct t2_err ignored = T2_ERR_INIT;
    bool same = dg_made_from_load(manifest, "made_from", &there, &ignored) == T2_OK;

    for (size_t i = 0; i < here->keys.n && same; i++)
        same = same_text(here->values.items[i], dg_made_from_get(&there, here->keys.items[i]));
    for (size_t i = 0; i < there.keys.n && same; i++)
        same = is_of_input_file(there.keys.items[i]) || dg_made_from_get(here, there.keys.items[i]);
    dg_made_from_release(&there);
    return same;
}

/* True if the input files that still exist have not changed since the manifest was written. */
static bool inputs_are_same(const char *manifest)
{
    struct t2_json_doc *doc = NULL;
    const struct t2_json_value *inputs;
    struct t2_err ignored = T2_ERR_INIT;
    bool same = t2_json_load(manifest, &doc, &ignored) == T2_OK;

    inputs = same ? t2_json_get(t2_json_root(doc), "inputs") : NULL;
    for (size_t i = 0; i < t2_json_size(inputs) && same; i++) {
        const struct t2_json_value *input = t2_json_item(inputs, i);
        const char *path = t2_json_as_string(t2_json_get(input, "path"), "");
        char sha256[65];
        uint64_t bytes;
        if (t2_exists(path) && !t2_is_dir(path))
            same = t2_sha256_file(path, sha256, &bytes, &ignored) == T2_OK &&
                   same_text(sha256, t2_json_as_string(t2_json_get(input, "sha256"), ""));
    }
    t2_json_free(doc);
    return same;
}

bool dg_existing_set_is_complete(const struct dg_problem *p, const struct dg_generate *g,
                                 const struct dg_made_from *made_from)
{
    char *manifest = dg_manifest_path(g->options.data_dir, p->name);
    struct t2_err ignored = T2_ERR_INIT;
    bool whole = false;

    if (p->prepare && !p->can_be_edited && t2_exists(manifest) &&
        not_foreign(manifest, &ignored) == T2_OK && is_same_work(manifest, made_from) &&
        inputs_are_same(manifest) &&
        check_files(manifest, g->options.data_dir, &whole, &ignored) != T2_OK)
        whole = false;
    t2_free(manifest);
    return whole;
}

/* ---- clearing ---- */

static bool same_file(const char *a, const char *b)
{
    struct stat sa, sb;

    return a && b && t2_stat(a, &sa) == 0 && t2_stat(b, &sb) == 0 && sa.st_dev == sb.st_dev &&
           sa.st_ino == sb.st_ino;
}

static enum t2_status remove_vocab(const struct dg_problem *p, const struct dg_generate *g,
                                   enum dg_side_index side, struct t2_err *err)
{
    char *file = dg_vocab_file_name(p, side);
    char *path = file ? t2_path_join(g->options.data_dir, file) : NULL;
    enum t2_status st = T2_OK;

    if (path && !same_file(path, dg_vocab_spec_of(p, side)->ready_file))
        st = t2_remove(path, err);
    t2_free(path);
    t2_free(file);
    return st;
}

static enum t2_status remove_text(const struct dg_problem *p, const struct dg_generate *g,
                                  struct t2_err *err)
{
    if (!p->text_files[DG_TARGETS])
        return T2_OK;
    for (size_t split = DG_DEV; split < DG_N_SPLITS; split++) {
        for (size_t side = 0; side < DG_N_SIDES; side++) {
            char *file = t2_asprintf("%s.%s.%s", dg_problem_stem(p),
                                     dg_split_name((enum dg_split) split), p->text_files[side]);
            char *path = t2_path_join(g->options.data_dir, file);
            enum t2_status st = t2_remove(path, err);
            t2_free(path);
            t2_free(file);
            T2_TRY(st);
        }
    }
    return T2_OK;
}

enum t2_status dg_existing_set_clear(const struct dg_problem *p, const struct dg_generate *g,
                                     struct t2_err *err)
{
    char *manifest = dg_manifest_path(g->options.data_dir, p->name);
    char *plan = dg_plan_path(g->options.data_dir, p->name);
    struct t2_strs shards = {0};
    enum t2_status st;

    T2_GOTO(st, out, t2_remove(manifest, err));
    T2_GOTO(st, out, t2_remove(plan, err));
    T2_GOTO(st, out, shards_there(p, g, &shards, err));
    for (size_t i = 0; i < shards.n && st == T2_OK; i++) {
        char *path = t2_path_join(g->options.data_dir, shards.items[i]);
        st = t2_remove(path, err);
        t2_free(path);
    }
    if (st == T2_OK)
        st = remove_text(p, g, err);
    if (st == T2_OK)
        st = remove_vocab(p, g, DG_TARGETS, err);
    if (st == T2_OK && !p->shared_vocab && p->has_inputs)
        st = remove_vocab(p, g, DG_INPUTS, err);
out:
    t2_strs_release(&shards);
    t2_free(manifest);
    t2_free(plan);
    return st;
}
