/*
 * tfrec/edit_vocab.c - where the ids of appended records come from.
 */
#include "tfrec/edit_vocab.h"

#include <string.h>
#include <sys/stat.h>

#include "base/alloc.h"
#include "base/file.h"
#include "base/io.h"
#include "base/json.h"
#include "tfrec/open_vocab.h"
#include "tfrec/values.h"
#include "tfrecord/reader.h"
#include "tokenizer/reencode.h"

enum { N_SIDES = 2, TRIED_RECORDS = 200, HASH_SHOWN = 12 };

static const char *const sides[N_SIDES] = {"inputs", "targets"};

static const char *vocab_text(const struct tfr_manifest *m, const char *side, const char *key)
{
    const struct t2_json_value *vocabs = t2_json_get(t2_json_root(m->doc), "vocabularies");

    return t2_json_as_string(t2_json_get(t2_json_get(vocabs, side), key), "");
}

/* ---- by manifests ---- */

static bool lists_file(const struct tfr_manifest *m, const char *file)
{
    for (size_t s = 0; s < m->n_splits; s++) {
        for (size_t i = 0; i < m->splits[s].n_shards; i++) {
            if (strcmp(m->splits[s].shards[i].file, file) == 0)
                return true;
        }
    }
    return false;
}

/* The manifest that knows a file; NULL: none beside it does.  Owned by the caller. */
static struct tfr_manifest *manifest_of(const struct tfr_input_file *f)
{
    char *dir = t2_path_dir(f->path);
    struct t2_strs names = {NULL, 0, 0};
    struct t2_err ignored = T2_ERR_INIT;
    struct tfr_manifest *found = NULL;

    if (t2_list_dir(dir, &names, &ignored) != T2_OK)
        names.n = 0;
    for (size_t i = 0; i < names.n && !found; i++) {
        char *path = t2_path_join(dir, names.items[i]);

        if (t2_ends_with(names.items[i], TFR_MANIFEST_SUFFIX) &&
            tfr_manifest_load(path, &found, &ignored) != T2_OK)
            found = NULL;
        if (found && !lists_file(found, t2_path_base(f->path))) {
            tfr_manifest_free(found);
            found = NULL;
        }
        t2_free(path);
    }
    t2_strs_release(&names);
    t2_free(dir);
    return found;
}

static enum t2_status compare(const struct rec_edit *e, const struct tfr_input_file *f,
                              const struct tfr_manifest *m, struct t2_err *err)
{
    for (int i = 0; i < N_SIDES; i++) {
        const char *ours = vocab_text(e->m, sides[i], "sha256");
        const char *theirs = vocab_text(m, sides[i], "sha256");
        const char *our_kind = vocab_text(e->m, sides[i], "kind");
        const char *their_kind = vocab_text(m, sides[i], "kind");

        if (our_kind[0] != '\0' && strcmp(our_kind, their_kind) != 0)
            return t2_fail(err, T2_EFORMAT, "'%s' has %s of kind %s (says '%s'), '%s' of kind %s",
                           f->path, sides[i], their_kind[0] ? their_kind : "none", m->path, e->path,
                           our_kind);
        if (ours[0] == '\0' || strcmp(ours, theirs) == 0)
            continue;
        return t2_fail(err, T2_EFORMAT,
                       "'%s' was made with the %s vocabulary '%s' (SHA-256 %.*s..., says '%s'), "
                       "'%s' with '%s' (SHA-256 %.*s...): its ids mean other texts; make the "
                       "records again with t2t-datagen --vocab='%s/%s'",
                       f->path, sides[i], vocab_text(m, sides[i], "file"), HASH_SHOWN, theirs,
                       m->path, e->path, vocab_text(e->m, sides[i], "file"), HASH_SHOWN, ours,
                       e->dir, vocab_text(e->m, sides[i], "file"));
    }
    return T2_OK;
}

/* ---- by trying ---- */

struct vocab {
    struct tok_encoder *encoder;
    struct tok_cache *cache;
    struct tok_reencoded usual; /* of the set's own records */
};

/* The first records of a file. */
static enum t2_status try_file(const char *path, const char *side, const struct vocab *v,
                               struct tok_reencoded *r, struct t2_err *err)
{
    struct tfr_reader *reader = NULL;
    struct tfr_example ex = {0};
    struct rec_values values = {0};
    struct t2_err ignored = T2_ERR_INIT;
    struct t2_slice record;
    enum t2_status st = T2_OK;

    T2_TRY(tfr_reader_new(path, &reader, err));
    for (int i = 0; i < TRIED_RECORDS && st == T2_OK; i++) {
        const struct tfr_view *view;

        /* what fails is reported when the file is read */
        if (tfr_reader_next(reader, &record, &ignored) != T2_OK || !tfr_is_example(&ex, record))
            break;
        view = tfr_example_find(&ex, side);
        if (!view || view->kind != TFR_INT64)
            continue;
        st = rec_values_load(&values, view, err);
        if (st == T2_OK)
            tok_reencode(v->encoder, v->cache, values.ints, values.n, r);
    }
    tfr_reader_free(reader);
    tfr_example_release(&ex);
    rec_values_release(&values);
    return st;
}

static void close_vocab(struct vocab *v)
{
    tok_cache_free(v->cache);
    tok_free(v->encoder);
    *v = (struct vocab){0};
}

/* A vocabulary that cannot be opened, or a list of words, cannot be used for the test: no encoder.
 */
static enum t2_status open_vocab(const struct rec_edit *e, const char *side, struct vocab *v,
                                 struct t2_err *err)
{
    const char *file = vocab_text(e->m, side, "file");
    const char *kind = vocab_text(e->m, side, "kind");
    struct t2_err ignored = T2_ERR_INIT;
    char *path;

    *v = (struct vocab){0};
    if (file[0] == '\0' || (strcmp(kind, "subwords") != 0 && strcmp(kind, "model") != 0))
        return T2_OK;
    path = t2_path_join(e->dir, file);
    if (rec_open_vocab(path, &e->files, &v->encoder, &ignored) != T2_OK)
        v->encoder = NULL;
    t2_free(path);
    if (!v->encoder)
        return T2_OK;
    v->cache = tok_cache_new(v->encoder, 0);
    for (size_t i = 0; i < e->files.n && v->usual.n_texts == 0; i++)
        T2_TRY(try_file(e->files.files[i].path, side, v, &v->usual, err));
    return T2_OK;
}

static enum t2_status judge(const struct rec_edit *e, const struct tfr_input_file *f,
                            const char *side, const struct vocab *v, bool *known,
                            struct t2_err *err)
{
    struct tok_reencoded r = {0, 0};
    struct stat info;

    if (!v->encoder || t2_stat(f->path, &info) != 0 || !S_ISREG(info.st_mode))
        return T2_OK; /* a stream is read once */
    T2_TRY(try_file(f->path, side, v, &r, err));
    if (tok_is_another(&v->usual, &r))
        return t2_fail(err, T2_EFORMAT,
                       "'%s': its %s are not of the vocabulary '%s': of its first texts %.0f %% "
                       "come back when they are encoded again, of those of '%s' %.0f %%; make the "
                       "records again with t2t-datagen --vocab='%s/%s'",
                       f->path, side, vocab_text(e->m, side, "file"), tok_reencoded_share(&r),
                       e->path, tok_reencoded_share(&v->usual), e->dir,
                       vocab_text(e->m, side, "file"));
    *known = *known || tok_is_same(&v->usual, &r);
    return T2_OK;
}

/* ---- both ---- */

/* Bytes, numbers and classes are the same everywhere. */
static bool has_file(const struct rec_edit *e)
{
    return vocab_text(e->m, "inputs", "sha256")[0] != '\0' ||
           vocab_text(e->m, "targets", "sha256")[0] != '\0';
}

static enum t2_status check_file(const struct rec_edit *e, const struct tfr_input_file *f,
                                 const struct vocab *vocabs, size_t *n_not_known,
                                 struct t2_err *err)
{
    struct tfr_manifest *m = manifest_of(f);
    bool known = false;
    enum t2_status st = T2_OK;

    if (m && t2_json_get(t2_json_root(m->doc), "vocabularies")) {
        st = compare(e, f, m, err);
        known = true;
    }
    for (int i = 0; i < N_SIDES && st == T2_OK && !known; i++)
        st = judge(e, f, sides[i], &vocabs[i], &known, err);
    *n_not_known += !known && has_file(e);
    tfr_manifest_free(m);
    return st;
}

enum t2_status rec_edit_check_vocab(const struct rec_edit *e, const struct tfr_inputs *records,
                                    size_t *n_not_known, struct t2_err *err)
{
    struct vocab vocabs[N_SIDES] = {{0}};
    enum t2_status st = T2_OK;

    *n_not_known = 0;
    if (vocab_text(e->m, "targets", "kind")[0] == '\0')
        return T2_OK;
    for (int i = 0; i < N_SIDES && st == T2_OK; i++)
        st = open_vocab(e, sides[i], &vocabs[i], err);
    for (size_t i = 0; i < records->n && st == T2_OK; i++)
        st = check_file(e, &records->files[i], vocabs, n_not_known, err);
    for (int i = 0; i < N_SIDES; i++)
        close_vocab(&vocabs[i]);
    return st;
}
