/*
 * train/trained/translate_api.c - the border of libt2t_translate.so: every function returns a T2T_*
 * status, and the message of the last failure is kept per thread.  NULL and other misuse is a
 * status as well.
 */
#include "train/trained/translate_api.h"

#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/log.h"
#include "base/version.h"
#include "train/decode/translate_list.h"
#include "train/trained/trained.h"

static _Thread_local struct t2_err last;

struct t2t_translator {
    struct tr_trained trained;
    struct dec_hparams hp;
    struct dec_translator *translator;
    struct dec_hypothesis *results; /* (n, n_best) */
    size_t n, n_cut;
};

/* ---- errors ---- */

int t2t_translate_api_version(void)
{
    return T2T_TRANSLATE_API_VERSION;
}

const char *t2t_translate_version(void)
{
    return t2_version();
}

const char *t2t_translate_error(void)
{
    return last.message;
}

/* The status for the caller; a failure's words are kept. */
static int status_of(enum t2_status st, const struct t2_err *err)
{
    static const int public[] = {
        [T2_OK] = T2T_OK,           [T2_EUSAGE] = T2T_EUSAGE,
        [T2_EIO] = T2T_EIO,         [T2_EFORMAT] = T2T_EFORMAT,
        [T2_ENOMEM] = T2T_ENOMEM,   [T2_ENOTFOUND] = T2T_ENOTFOUND,
        [T2_EDEVICE] = T2T_EDEVICE, [T2_EUNSUPPORTED] = T2T_EUNSUPPORTED,
    };

    if (st == T2_OK)
        return T2T_OK;
    last = *err;
    return (size_t) st < sizeof public / sizeof *public && public[st] ? public[st] : T2T_EIO;
}

static int misuse(const char *what)
{
    struct t2_err err = T2_ERR_INIT;

    return status_of(t2_fail(&err, T2_EUSAGE, "%s", what), &err);
}

/* ---- life ---- */

static void forget_results(struct t2t_translator *t)
{
    size_t n = t->results ? t->n * (size_t) dec_n_best(&t->hp) : 0;

    for (size_t i = 0; i < n; i++) {
        t2_buf_release(&t->results[i].text);
        t2_free(t->results[i].ids);
    }
    t2_free(t->results);
    t->results = NULL;
    t->n = t->n_cut = 0;
}

static enum t2_status open_translator(const char *path, const char *clauses, const char *device,
                                      int n_threads, struct t2t_translator *t, struct t2_err *err)
{
    const struct tr_trained_options o = {.output_dir = "",
                                         .checkpoint_path = "",
                                         .data_dir = "",
                                         .problem = "",
                                         .model = "",
                                         .hparams_set = "",
                                         .hparams = "",
                                         .device = device,
                                         .num_threads = n_threads,
                                         .model_file = path};
    struct dec_parts parts;

    T2_TRY(dec_hparams_parse(clauses, &t->hp, err)); /* before anything is read */
    T2_TRY(tr_trained_open(&o, &t->trained, err));
    T2_TRY(dec_hparams_join(t->trained.decode_hparams, clauses, &t->hp, err));
    parts = (struct dec_parts){.m = t->trained.m,
                               .inputs = t->trained.inputs,
                               .targets = t->trained.targets,
                               .hp = &t->hp,
                               .seed = t->trained.state.seed,
                               .context_separator = t->trained.data.view->context_separator};
    return dec_translator_new(&parts, &t->translator, err);
}

int t2t_translator_open(const char *model_file, const char *decode_hparams, const char *device,
                        int n_threads, struct t2t_translator **translator)
{
    struct t2_err err = T2_ERR_INIT;
    enum t2_status st;

    if (!translator)
        return misuse("t2t_translator_open: no place for the translator");
    *translator = NULL;
    if (!model_file || model_file[0] == '\0' || n_threads < 0)
        return misuse("t2t_translator_open: a model file, and n_threads of at least 0");
    if (!getenv("T2_LOG"))
        t2_log_set_level(T2_LOG_ERROR);
    *translator = t2_alloc(1, sizeof **translator);
    st = open_translator(model_file, decode_hparams ? decode_hparams : "", device ? device : "auto",
                         n_threads, *translator, &err);
    if (st != T2_OK) {
        t2t_translator_close(*translator);
        *translator = NULL;
    }
    return status_of(st, &err);
}

void t2t_translator_close(struct t2t_translator *t)
{
    if (!t)
        return;
    forget_results(t);
    dec_translator_free(t->translator);
    tr_trained_close(&t->trained);
    t2_free(t);
}

/* ---- translating ---- */

int t2t_translator_run(struct t2t_translator *t, const char *const *texts, const size_t *n_bytes,
                       size_t n)
{
    struct t2_err err = T2_ERR_INIT;
    struct t2_slice *slices;
    enum t2_status st;

    if (!t || (n > 0 && !texts))
        return misuse("t2t_translator_run: a translator and texts");
    for (size_t i = 0; i < n; i++)
        if (!texts[i])
            return misuse("t2t_translator_run: a text is NULL");
    forget_results(t);
    slices = t2_alloc(n, sizeof *slices);
    for (size_t i = 0; i < n; i++)
        slices[i] =
            (struct t2_slice){(const uint8_t *) texts[i], n_bytes ? n_bytes[i] : strlen(texts[i])};
    t->results = t2_alloc(n * (size_t) dec_n_best(&t->hp), sizeof *t->results);
    t->n = n;
    st = dec_translate_list(t->translator, &t->hp, slices, n, t->results, &t->n_cut, &err);
    t2_free(slices);
    if (st != T2_OK)
        forget_results(t);
    return status_of(st, &err);
}

size_t t2t_translator_n_best(const struct t2t_translator *t)
{
    return t ? (size_t) dec_n_best(&t->hp) : 0;
}

static const struct dec_hypothesis *result(const struct t2t_translator *t, size_t i, size_t k)
{
    if (!t || i >= t->n || k >= (size_t) dec_n_best(&t->hp))
        return NULL;
    return &t->results[i * (size_t) dec_n_best(&t->hp) + k];
}

const char *t2t_translator_text(const struct t2t_translator *t, size_t i, size_t k, size_t *n_bytes)
{
    const struct dec_hypothesis *h = result(t, i, k);

    if (n_bytes)
        *n_bytes = h ? h->text.len_bytes : 0;
    return h ? t2_buf_cstr(&h->text) : NULL;
}

double t2t_translator_score(const struct t2t_translator *t, size_t i, size_t k)
{
    const struct dec_hypothesis *h = result(t, i, k);

    return h ? h->score : 0;
}

size_t t2t_translator_n_cut(const struct t2t_translator *t)
{
    return t ? t->n_cut : 0;
}
