/*
 * train/eval/bleu_mecab.c - see the header.  The declarations are those of MeCab 0.996, so that
 * nothing of it is needed to build.
 */
#include "train/eval/bleu_mecab.h"

#include <string.h>

#include "base/alloc.h"
#include "base/file.h"
#include "base/library.h"

struct dictionary_info {
    const char *filename, *charset;
    unsigned int size;
    int type;
    unsigned int lsize, rsize;
    unsigned short version;
    struct dictionary_info *next;
};

static struct {
    void *(*model_new)(int argc, char **argv);
    void (*model_destroy)(void *model);
    void *(*new_tagger)(void *model);
    const struct dictionary_info *(*dictionary_info)(void *model);
    const char *(*sparse_tostr2)(void *tagger, const char *text, size_t len_bytes);
    const char *(*strerror)(void *tagger);
    void (*destroy)(void *tagger);
    const char *(*version)(void);
} mecab;

static const struct t2_symbol symbols[] = {
    {"mecab_model_new", &mecab.model_new},
    {"mecab_model_destroy", &mecab.model_destroy},
    {"mecab_model_new_tagger", &mecab.new_tagger},
    {"mecab_model_dictionary_info", &mecab.dictionary_info},
    {"mecab_sparse_tostr2", &mecab.sparse_tostr2},
    {"mecab_strerror", &mecab.strerror},
    {"mecab_destroy", &mecab.destroy},
    {"mecab_version", &mecab.version},
};

struct ev_mecab {
    void *model;
};

struct ev_mecab_tagger {
    void *tagger;
};

static const char debian_dictionary[] = "/var/lib/mecab/dic/ipadic-utf8";
/* What sacreBLEU asks for, and Debian's copy of the same dictionary, which has a word more. */
enum { IPA_WORDS = 392126, DEBIAN_IPA_WORDS = IPA_WORDS + 1 };

static enum t2_status check_dictionary(const struct dictionary_info *d, const char *path,
                                       struct t2_err *err)
{
    if (!d || (d->size != IPA_WORDS && d->size != DEBIAN_IPA_WORDS) || d->next)
        return t2_fail(err, T2_EFORMAT,
                       "'%s' has %u words%s: ja-mecab is defined by the IPA dictionary alone, %d "
                       "words (apt-get install mecab-ipadic-utf8)",
                       path, d ? d->size : 0, d && d->next ? " and a user dictionary" : "",
                       IPA_WORDS);
    if (strcmp(d->charset, "UTF-8") != 0 && strcmp(d->charset, "utf8") != 0 &&
        strcmp(d->charset, "UTF8") != 0)
        return t2_fail(err, T2_EFORMAT,
                       "'%s' is in %s, not UTF-8 (apt-get install mecab-ipadic-utf8)", path,
                       d->charset);
    return T2_OK;
}

enum t2_status ev_mecab_new(const char *dictionary, struct ev_mecab **m, struct t2_err *err)
{
    const char *path = dictionary && dictionary[0] ? dictionary : debian_dictionary;
    char *argv[] = {t2_strdup("t2t"), t2_strdup("-r"), t2_strdup("/dev/null"),
                    t2_strdup("-d"),  t2_strdup(path), t2_strdup("-Owakati")};
    enum { ARGC = sizeof argv / sizeof *argv };
    char why[512];
    void *model = NULL;
    enum t2_status st = T2_OK;

    *m = NULL;
    if (!t2_library_open(&t2_libmecab, symbols, sizeof symbols / sizeof *symbols, why, sizeof why))
        st = t2_fail(err, T2_ENOTFOUND, "ja-mecab: %s", why);
    else if (!t2_is_dir(path) || !(model = mecab.model_new(ARGC, argv)))
        st = t2_fail(err, T2_ENOTFOUND,
                     "'%s' is no dictionary of MeCab: apt-get install mecab-ipadic-utf8, or give "
                     "its folder with --mecab_dictionary",
                     path);
    else
        st = check_dictionary(mecab.dictionary_info(model), path, err);
    for (int i = 0; i < ARGC; i++)
        t2_free(argv[i]);
    if (st == T2_OK) {
        *m = t2_alloc(1, sizeof **m);
        (*m)->model = model;
    } else if (model) {
        mecab.model_destroy(model);
    }
    return st;
}

void ev_mecab_free(struct ev_mecab *m)
{
    if (!m)
        return;
    mecab.model_destroy(m->model);
    t2_free(m);
}

const char *ev_mecab_version(const struct ev_mecab *m)
{
    (void) m;
    return mecab.version();
}

struct ev_mecab_tagger *ev_mecab_tagger_new(const struct ev_mecab *m)
{
    struct ev_mecab_tagger *t;
    void *tagger = mecab.new_tagger(m->model);

    if (!tagger)
        return NULL;
    t = t2_alloc(1, sizeof *t);
    t->tagger = tagger;
    return t;
}

void ev_mecab_tagger_free(struct ev_mecab_tagger *t)
{
    if (!t)
        return;
    mecab.destroy(t->tagger);
    t2_free(t);
}

enum t2_status ev_mecab_cut(struct ev_mecab_tagger *t, struct t2_slice line, struct t2_buf *out,
                            struct t2_err *err)
{
    const char *words;

    if (line.len_bytes == 0)
        return T2_OK;
    words = mecab.sparse_tostr2(t->tagger, (const char *) line.data, line.len_bytes);
    if (!words)
        return t2_fail(err, T2_EFORMAT, "MeCab: %s", mecab.strerror(t->tagger));
    t2_buf_puts(out, words);
    return T2_OK;
}
