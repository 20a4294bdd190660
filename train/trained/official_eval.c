/*
 * train/trained/official_eval.c - the official Transformer's translate_file, with its order of
 * lines and its way of cutting long ones, and what is done with the result.
 */
#include "train/trained/official_eval.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/file.h"
#include "base/log.h"
#include "tokenizer/unicode.h"
#include "train/decode/translator.h"
#include "train/eval/official_bleu.h"
#include "train/input/input.h"
#include "train/trained/trained.h"

/* ---- sources ---- */

struct source {
    struct tok_ids ids;       /* EOS at the end */
    struct dec_hypothesis to; /* its translation */
    size_t n_words, number;
};

struct sources {
    struct source *items;
    size_t n;
};

static void release(struct sources *s)
{
    for (size_t i = 0; i < s->n; i++) {
        tok_ids_release(&s->items[i].ids);
        t2_buf_release(&s->items[i].to.text);
    }
    t2_free(s->items);
    *s = (struct sources){0};
}

static struct source *add(struct sources *s)
{
    if ((s->n & (s->n - 1)) == 0) /* a power of two, or none */
        s->items = t2_realloc(s->items, s->n ? 2 * s->n : 1, sizeof *s->items);
    s->items[s->n] = (struct source){.number = s->n};
    return &s->items[s->n++];
}

/* The last ids of a source that is too long stay, as Keras' pad_sequences cuts. */
static void cut(struct tok_ids *ids, int64_t most)
{
    size_t extra = ids->n > (size_t) most ? ids->n - (size_t) most : 0;

    if (extra == 0)
        return;
    memmove(ids->items, ids->items + extra, (ids->n - extra) * sizeof *ids->items);
    ids->n -= extra;
}

static size_t count_words(struct t2_slice line)
{
    size_t words = 0;
    bool inside = false;

    for (size_t i = 0; i < line.len_bytes; i++) {
        bool blank = line.data[i] <= ' ';

        words += inside == false && !blank;
        inside = !blank;
    }
    return words;
}

static enum t2_status encode_lines(const struct tr_trained *t, struct t2_slice text, int64_t most,
                                   struct sources *s, struct t2_err *err)
{
    struct tok_cache *cache = tok_cache_new(t->inputs, 0);
    const uint8_t *end = text.data + text.len_bytes;
    enum t2_status st = T2_OK;

    for (const uint8_t *at = text.data; at < end && st == T2_OK;) {
        const uint8_t *stop = memchr(at, '\n', (size_t) (end - at));
        struct t2_slice line =
            tok_stripped((struct t2_slice){at, (size_t) ((stop ? stop : end) - at)});
        struct source *source = add(s);

        source->n_words = count_words(line);
        if (line.len_bytes > 0)
            st = tok_encode(t->inputs, cache, line.data, line.len_bytes, &source->ids, err);
        tok_ids_push(&source->ids, TOK_EOS);
        cut(&source->ids, most);
        at = stop ? stop + 1 : end;
    }
    tok_cache_free(cache);
    return st;
}

static int by_words(const void *a, const void *b)
{
    const struct source *x = a, *y = b;

    if (x->n_words != y->n_words)
        return x->n_words < y->n_words ? 1 : -1;
    return x->number < y->number ? -1 : 1;
}

static int by_number(const void *a, const void *b)
{
    const struct source *x = a, *y = b;

    return x->number < y->number ? -1 : 1;
}

/* ---- translating ---- */

static enum t2_status translate_batch(struct dec_translator *tr, struct source *items, int32_t n,
                                      struct t2_err *err)
{
    struct tok_ids *ids = t2_alloc((size_t) n, sizeof *ids);
    struct dec_hypothesis *to = t2_alloc((size_t) n, sizeof *to);
    enum t2_status st;

    for (int32_t i = 0; i < n; i++)
        ids[i] = items[i].ids;
    st = dec_translate(tr, ids, n, to, err);
    for (int32_t i = 0; i < n; i++)
        items[i].to = to[i];
    t2_free(to);
    t2_free(ids);
    return st;
}

static size_t longest(const struct source *items, size_t n)
{
    size_t most = 0;

    for (size_t i = 0; i < n; i++)
        most = items[i].ids.n > most ? items[i].ids.n : most;
    return most;
}

static enum t2_status translate(const struct tr_trained *t, const struct tr_official_options *o,
                                struct sources *s, struct t2_err *err)
{
    struct dec_hparams hp;
    struct dec_parts parts = {.m = t->m, .inputs = t->inputs, .targets = t->targets, .hp = &hp};
    struct dec_translator *tr = NULL;
    enum t2_status st;
    size_t n_batches =
        s->n / (size_t) o->decode_batch_size + (s->n % (size_t) o->decode_batch_size != 0);

    T2_TRY(dec_hparams_parse("", &hp, err));
    hp.padded_length = o->decode_max_length;
    T2_TRY(dec_translator_new(&parts, &tr, err));
    qsort(s->items, s->n, sizeof *s->items, by_words);
    for (size_t at = 0, batch = 0; at < s->n; batch++) {
        size_t wanted = (size_t) o->decode_batch_size, end;

        end = at + wanted < s->n ? at + wanted : s->n;
        t2_info("Decoding batch %zu out of %zu.", batch, n_batches);
        while (at < end) { /* once, or several times where memory is short */
            size_t n_ids = longest(s->items + at, end - at);
            int32_t n;

            T2_GOTO(st, out, dec_fit(tr, n_ids, (int32_t) (end - at), &n, err));
            T2_GOTO(st, out, translate_batch(tr, s->items + at, n, err));
            at += (size_t) n;
        }
    }
    qsort(s->items, s->n, sizeof *s->items, by_number);
    st = T2_OK;
out:
    dec_translator_free(tr);
    return st;
}

static void put_translations(const struct sources *s, struct t2_buf *out)
{
    for (size_t i = 0; i < s->n; i++) {
        t2_buf_append(out, s->items[i].to.text.data, s->items[i].to.text.len_bytes);
        t2_buf_push(out, '\n');
    }
}

static enum t2_status open_model(const struct tr_official_options *o, struct tr_trained *t,
                                 struct t2_err *err)
{
    const struct tr_trained_options wanted = {.output_dir = o->model_dir,
                                              .checkpoint_path = "",
                                              .data_dir = o->data_dir,
                                              .problem = o->problem,
                                              .model = "official_transformer",
                                              .hparams_set = "",
                                              .hparams = "",
                                              .device = o->device,
                                              .num_threads = o->num_threads};

    return tr_trained_open(&wanted, t, err);
}

/* ---- BLEU ---- */

enum t2_status tr_official_bleu(const struct tr_official_options *o, double scores[2],
                                struct t2_err *err)
{
    const char *const names[] = {o->bleu_source, o->bleu_ref};
    char *source = t2_path_expand(o->bleu_source), *ref = t2_path_expand(o->bleu_ref);
    struct t2_buf text = {0}, references = {0}, made = {0};
    struct sources s = {0};
    struct tr_trained t;
    enum t2_status st;

    T2_GOTO(st, out_text, t2_read_file(source, 0, &text, err));
    T2_GOTO(st, out_text, t2_read_file(ref, 0, &references, err));
    T2_GOTO(st, out_text, open_model(o, &t, err));
    T2_GOTO(st, out, encode_lines(&t, t2_buf_slice(&text), o->decode_max_length, &s, err));
    T2_GOTO(st, out, translate(&t, o, &s, err));
    put_translations(&s, &made);
    for (int i = 0; i < 2; i++)
        T2_GOTO(st, out,
                ev_official_bleu(t2_buf_slice(&made), t2_buf_slice(&references), names, i == 0,
                                 &scores[i], err));
out:
    tr_trained_close(&t);
out_text:
    release(&s);
    t2_buf_release(&made);
    t2_buf_release(&references);
    t2_buf_release(&text);
    t2_free(ref);
    t2_free(source);
    return st;
}

/* ---- a look at the dev data ---- */

static enum t2_status read_dev(const struct tr_trained *t, const struct tr_official_options *o,
                               int64_t n, struct sources *s, struct t2_err *err)
{
    const struct dg_view *v = t->data.view;
    char *data_dir = t2_path_expand(o->data_dir);
    const char *stem, *part = dg_view_shards(v, DG_DEV, &stem);
    const struct in_options options = {.data_dir = data_dir,
                                       .dataset = stem,
                                       .split = part,
                                       .inputs_feature = v->inputs.feature,
                                       .targets_feature = v->targets.feature,
                                       .inputs_vocab = t->data.problem.inputs_vocab,
                                       .targets_vocab = t->data.problem.targets_vocab,
                                       .num_threads = o->num_threads};
    struct in_input *in = NULL;
    struct mdl_batch batch;
    uint64_t samples;
    enum t2_status st;

    T2_GOTO(st, out, in_new(&options, mdl_hparams_of(t->m), &in, err));
    st = in_next(in, &batch, &samples, err);
    for (int32_t i = 0; st == T2_OK && i < batch.batch && i < n; i++) {
        const int32_t *row = batch.inputs + (size_t) i * (size_t) batch.inputs_length;
        struct source *source = add(s);

        for (int32_t k = 0; k < batch.inputs_length && row[k] != TOK_PAD; k++)
            tok_ids_push(&source->ids, row[k]);
        cut(&source->ids, o->decode_max_length);
    }
    if (st == T2_EOF)
        st = t2_fail(err, T2_EFORMAT, "there is no sample in the dev shards of '%s'", stem);
out:
    in_free(in);
    t2_free(data_dir);
    return st;
}

enum t2_status tr_official_predict(const struct tr_official_options *o, int64_t n,
                                   struct t2_buf *out, struct t2_err *err)
{
    struct sources s = {0};
    struct tr_trained t;
    enum t2_status st;

    T2_TRY(open_model(o, &t, err));
    st = read_dev(&t, o, n, &s, err);
    if (st == T2_OK)
        st = translate(&t, o, &s, err);
    if (st == T2_OK)
        put_translations(&s, out);
    release(&s);
    tr_trained_close(&t);
    return st;
}
