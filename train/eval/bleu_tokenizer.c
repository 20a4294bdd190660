/*
 * train/eval/bleu_tokenizer.c - see the header.
 */
#include "train/eval/bleu_tokenizer.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/file.h"
#include "base/str.h"
#include "tokenizer/encoder.h"
#include "tokenizer/unicode.h"
#include "train/eval/bleu_mecab.h"
#include "train/eval/bleu_spm.h"
#include "train/eval/bleu_tokenize.h"
#include "train/eval/mteval_rules.h"

const char ev_tokenizer_names[] =
    "13a intl zh ja-mecab flores200 flores101 spm spBLEU-1K char none";

enum kind { KIND_13A, KIND_INTL, KIND_ZH, KIND_CHAR, KIND_NONE, KIND_MECAB, KIND_SPM };

static const struct named {
    const char *name;
    enum kind kind;
    const char *signature;
    const char *file; /* of the model, in sacreBLEU's folder */
} named[] = {
    {"13a", KIND_13A, "13a", NULL},
    {"intl", KIND_INTL, "intl", NULL},
    {"zh", KIND_ZH, "zh", NULL},
    {"char", KIND_CHAR, "char", NULL},
    {"none", KIND_NONE, "none", NULL},
    {"ja-mecab", KIND_MECAB, NULL, NULL},
    {"flores200", KIND_SPM, "flores200", "flores200sacrebleuspm"},
    {"flores101", KIND_SPM, "flores101", "sacrebleu_tokenizer_spm.model"},
    {"spm", KIND_SPM, "flores101", "sacrebleu_tokenizer_spm.model"},
    {"spBLEU-1K", KIND_SPM, "spBLEU-1K", "spbleu-1k_tokenizer_spm.model"},
};

struct ev_tokenizer {
    enum kind kind;
    char signature[64];
    struct ev_mecab *mecab;
    struct tok_encoder *model;
};

struct ev_tokenizer_work {
    const struct ev_tokenizer *tokenizer;
    struct ev_13a_scratch mteval;
    struct ev_intl_scratch intl;
    struct ev_mecab_tagger *tagger;
    struct t2_buf pieces;
};

static const struct named *find(const char *name)
{
    for (size_t i = 0; i < sizeof named / sizeof *named; i++)
        if (strcmp(named[i].name, name) == 0)
            return &named[i];
    return NULL;
}

/* Where sacreBLEU keeps the models that it downloads.  Owned by the caller. */
static char *model_path(const char *file)
{
    const char *folder = getenv("SACREBLEU");

    return folder
               ? t2_asprintf("%s/models/%s", folder, file)
               : t2_asprintf("%s/.sacrebleu/models/%s", getenv("HOME") ? getenv("HOME") : "", file);
}

static enum t2_status load_model(const struct named *n, const char *model, struct ev_tokenizer *t,
                                 struct t2_err *err)
{
    char *path = model && model[0] ? t2_strdup(model) : model_path(n->file);
    enum t2_status st;

    if (!(model && model[0]) && !t2_exists(path))
        st = t2_fail(err, T2_ENOTFOUND,
                     "the tokenizer %s needs its SentencePiece model, and '%s' is not there: give "
                     "the file with --spm_model",
                     n->name, path);
    else
        st = ev_spm_load(path, &t->model, err);
    t2_free(path);
    return st;
}

enum t2_status ev_tokenizer_new(const char *name, const char *model, const char *dictionary,
                                struct ev_tokenizer **t, struct t2_err *err)
{
    const struct named *n = find(name);
    struct ev_tokenizer *new;
    enum t2_status st = T2_OK;

    *t = NULL;
    if (strcmp(name, "ko-mecab") == 0)
        return t2_fail(err, T2_EUNSUPPORTED,
                       "the tokenizer ko-mecab needs mecab-ko, a changed MeCab with a dictionary "
                       "of its own: cut both files by it and give --tokenize=none");
    if (!n)
        return t2_fail(err, T2_EUSAGE, "--tokenize='%s': one of %s", name, ev_tokenizer_names);
    new = t2_alloc(1, sizeof *new);
    new->kind = n->kind;
    if (n->kind == KIND_SPM)
        st = load_model(n, model, new, err);
    else if (n->kind == KIND_MECAB)
        st = ev_mecab_new(dictionary, &new->mecab, err);
    if (st != T2_OK) {
        ev_tokenizer_free(new);
        return st;
    }
    if (n->kind == KIND_MECAB)
        snprintf(new->signature, sizeof new->signature, "ja-mecab-%.32s-IPA",
                 ev_mecab_version(new->mecab));
    else
        snprintf(new->signature, sizeof new->signature, "%s", n->signature);
    *t = new;
    return T2_OK;
}

void ev_tokenizer_free(struct ev_tokenizer *t)
{
    if (!t)
        return;
    ev_mecab_free(t->mecab);
    tok_free(t->model);
    t2_free(t);
}

const char *ev_tokenizer_signature(const struct ev_tokenizer *t)
{
    return t->signature;
}

struct ev_tokenizer_work *ev_tokenizer_work_new(const struct ev_tokenizer *t)
{
    struct ev_tokenizer_work *w = t2_alloc(1, sizeof *w);

    w->tokenizer = t;
    return w;
}

void ev_tokenizer_work_free(struct ev_tokenizer_work *w)
{
    if (!w)
        return;
    ev_13a_scratch_release(&w->mteval);
    ev_intl_scratch_release(&w->intl);
    ev_mecab_tagger_free(w->tagger);
    t2_buf_release(&w->pieces);
    t2_free(w);
}

/* Every character that is no white space is a token. */
static void cut_characters(struct t2_slice line, struct t2_buf *tokens)
{
    for (size_t i = 0; i < line.len_bytes;) {
        uint32_t c;
        bool valid;
        size_t n = tok_utf8_decode(line.data + i, line.len_bytes - i, &c, &valid);

        if (!tok_is_space(c)) {
            if (tokens->len_bytes > 0)
                t2_buf_push(tokens, ' ');
            t2_buf_append(tokens, line.data + i, n);
        }
        i += n;
    }
}

static enum t2_status cut_by_mecab(struct ev_tokenizer_work *w, struct t2_slice line,
                                   struct t2_err *err)
{
    if (!w->tagger && !(w->tagger = ev_mecab_tagger_new(w->tokenizer->mecab)))
        return t2_fail(err, T2_ENOMEM, "no memory for MeCab");
    return ev_mecab_cut(w->tagger, tok_stripped(line), &w->pieces, err);
}

enum t2_status ev_tokenizer_cut(struct ev_tokenizer_work *w, struct t2_slice line,
                                struct t2_buf *tokens, struct t2_err *err)
{
    switch (w->tokenizer->kind) {
    case KIND_13A:
        ev_tokenize_13a(&w->mteval, line, tokens);
        return T2_OK;
    case KIND_INTL:
        ev_tokenize_intl(&w->intl, line, tokens);
        return T2_OK;
    case KIND_ZH:
        ev_tokenize_zh(&w->mteval, line, tokens);
        return T2_OK;
    case KIND_CHAR:
        cut_characters(line, tokens);
        return T2_OK;
    case KIND_NONE:
        ev_split_join(line, tokens);
        return T2_OK;
    case KIND_MECAB:
        t2_buf_clear(&w->pieces);
        T2_TRY(cut_by_mecab(w, line, err));
        break;
    case KIND_SPM:
        t2_buf_clear(&w->pieces);
        T2_TRY(ev_spm_cut(w->tokenizer->model, line, &w->pieces, err));
        break;
    }
    ev_split_join(t2_buf_slice(&w->pieces), tokens);
    return T2_OK;
}
