/*
 * tokenizer/write_lines.c - conversions to files of one entry a line: T2T's and the official
 * Transformer's subwords, BERT's vocab.txt, plain lists.
 */
#include <inttypes.h>
#include <string.h>

#include "tokenizer/convert_kinds.h"
#include "tokenizer/hf_tokenizer.h"
#include "tokenizer/unicode.h"

/* ---- subwords ---- */

static void put_quoted(struct t2_slice s, struct t2_buf *file)
{
    t2_buf_push(file, '\'');
    t2_buf_append(file, s.data, s.len_bytes);
    t2_buf_puts(file, "'\n");
}

static bool is_reserved(struct t2_slice s, const char *suffix)
{
    static const char *const reserved[] = {"<pad>", "<EOS>"};

    for (int i = 0; i < 2; i++) {
        size_t n = strlen(reserved[i]);
        if (s.len_bytes == n + strlen(suffix) && memcmp(s.data, reserved[i], n) == 0 &&
            memcmp(s.data + n, suffix, strlen(suffix)) == 0)
            return true;
    }
    return false;
}

static bool begins_with_reserved(const struct tok_encoder *e)
{
    static const char *const first[] = {"<pad>_", "<EOS>_", "<pad>", "<EOS>"};

    return e->n >= 2 && ((t2_slice_eq(e->entries[0], t2_slice_of(first[0])) &&
                          t2_slice_eq(e->entries[1], t2_slice_of(first[1]))) ||
                         (t2_slice_eq(e->entries[0], t2_slice_of(first[2])) &&
                          t2_slice_eq(e->entries[1], t2_slice_of(first[3]))));
}

/* The official reader puts the reserved tokens first and drops lines that equal them. */
enum t2_status tok_official_from_t2t(const struct tok_encoder *e, struct tok_conversion *c,
                                     struct t2_err *err)
{
    bool reserved = begins_with_reserved(e);
    size_t n_dropped = 0;

    (void) err;
    if (!reserved)
        tok_differs(c, "ids: the file does not begin with <pad>_ and <EOS>_, which its reader puts "
                       "in front: all ids are raised by 2");
    put_quoted(t2_slice_of("<pad>"), &c->file);
    put_quoted(t2_slice_of("<EOS>"), &c->file);
    for (int32_t i = reserved ? 2 : 0; i < e->n; i++) {
        n_dropped += is_reserved(e->entries[i], "");
        put_quoted(e->entries[i], &c->file);
    }
    if (n_dropped > 0)
        tok_differs(c,
                    "ids: %zu entries equal <pad> or <EOS>; its reader drops them, and the ids "
                    "after them are lowered",
                    n_dropped);
    return T2_OK;
}

enum t2_status tok_t2t_from_official(const struct tok_encoder *e, struct tok_conversion *c,
                                     struct t2_err *err)
{
    (void) err;
    put_quoted(t2_slice_of("<pad>_"), &c->file);
    put_quoted(t2_slice_of("<EOS>_"), &c->file);
    /* as the official reader: reserved tokens wherever they stand are the two in front */
    for (int32_t i = 0; i < e->n; i++)
        if (!is_reserved(e->entries[i], ""))
            put_quoted(e->entries[i], &c->file);
    return T2_OK;
}

/* ---- plain lists ---- */

static bool is_plain(struct t2_slice s)
{
    bool plain = s.len_bytes > 0 && tok_utf8_invalid_at(s.data, s.len_bytes) == s.len_bytes;

    for (size_t at = 0; plain && at < s.len_bytes;) {
        uint32_t x;
        bool valid;
        at += tok_utf8_decode(s.data + at, s.len_bytes - at, &x, &valid);
        plain = !tok_is_space(x) && x != 0;
    }
    return plain;
}

enum t2_status tok_list_from_any(const struct tok_encoder *e, struct tok_conversion *c,
                                 struct t2_err *err)
{
    size_t n_spelled = 0;

    (void) err;
    tok_differs(c,
                "cutting: a list holds the entries of '%s' alone; its reader takes each word "
                "between blanks for one entry, and others for unknown",
                e->kind->name);
    for (int32_t i = 0; i < e->n; i++) {
        struct t2_slice s = e->entries[i];
        if (is_plain(s)) {
            t2_buf_append(&c->file, s.data, s.len_bytes);
        } else {
            n_spelled++;
            for (size_t k = 0; k < s.len_bytes; k++)
                if (s.data[k] > ' ' && s.data[k] < 0x7F)
                    t2_buf_push(&c->file, s.data[k]);
                else
                    t2_buf_printf(&c->file, "<0x%02X>", s.data[k]);
            if (s.len_bytes == 0)
                t2_buf_printf(&c->file, "<id_%" PRId32 ">", i);
        }
        t2_buf_push(&c->file, '\n');
    }
    if (n_spelled > 0)
        tok_differs(c,
                    "entries: %zu are empty or hold blanks or bytes that are no text; they are "
                    "spelled out (<0x20>, <id_7>)",
                    n_spelled);
    return T2_OK;
}

/* ---- BERT's vocab.txt ---- */

static const char *const bert_specials[] = {"[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]"};
enum { N_BERT_SPECIALS = 5 };

/* The steps of BertNormalizer with its usual flags. */
static bool is_bert_normalizer(const struct tok_hf_steps *s, bool *lower)
{
    static const enum tok_hf_step_type steps[] = {TOK_HF_BERT_CLEAN, TOK_HF_BERT_CHINESE,
                                                  TOK_HF_NFD, TOK_HF_BERT_STRIP_ACCENTS,
                                                  TOK_HF_LOWERCASE};

    *lower = s->n == 5;
    if (s->n != 5 && s->n != 2)
        return false;
    for (size_t i = 0; i < s->n; i++)
        if (s->items[i].type != steps[i])
            return false;
    return true;
}

static void check_specials(const struct tok_hf_tokenizer *h, const struct tok_encoder *e,
                           struct tok_conversion *c)
{
    const struct tok_hf_added *a = &h->added;
    size_t n_expected = 0, n_plain = 0;

    for (int k = 0; k < N_BERT_SPECIALS; k++)
        for (int32_t i = 0; i < e->n; i++)
            n_expected += t2_slice_eq(e->entries[i], t2_slice_of(bert_specials[k]));
    for (size_t i = 0; i < a->n; i++)
        for (int k = 0; k < N_BERT_SPECIALS; k++)
            n_plain += t2_slice_eq(a->items[i].content, t2_slice_of(bert_specials[k])) &&
                       !a->items[i].lstrip && !a->items[i].rstrip && !a->items[i].single_word;
    if (n_plain < n_expected)
        tok_differs(c, "added tokens: readers of vocab.txt look for [PAD], [UNK], [CLS], [SEP] and "
                       "[MASK] in a text; here not all of them are, or not plainly");
    if (a->n > n_plain)
        tok_differs(c,
                    "added tokens: %zu others are entries like any in vocab.txt, not looked for "
                    "before words are cut",
                    a->n - n_plain);
}

static void check_ends(const struct tok_hf_tokenizer *h, const struct tok_encoder *e,
                       struct tok_conversion *c)
{
    bool has = h->n_before == 1 && h->n_after == 1 &&
               t2_slice_eq(e->entries[h->before[0]], t2_slice_of("[CLS]")) &&
               t2_slice_eq(e->entries[h->after[0]], t2_slice_of("[SEP]"));

    if (!has)
        tok_differs(c, "ends: readers of vocab.txt put [CLS] before a text and [SEP] after it; "
                       "this vocabulary does not do just that");
}

enum t2_status tok_wordpiece_from_hf(const struct tok_encoder *e, struct tok_conversion *c,
                                     struct t2_err *err)
{
    const struct tok_hf_tokenizer *h = tok_hf_model_of(e);
    bool lower = false;

    if (h->model.type != TOK_HF_WORDPIECE)
        return t2_fail(err, T2_EUNSUPPORTED, "'%s' is no WordPiece vocabulary: vocab.txt holds one",
                       e->kind->name);
    if (!is_bert_normalizer(&h->normalizer, &lower))
        tok_differs(c, "normalizer: it is not BERT's with its usual flags, uncased or cased");
    if (h->pre.cut != TOK_HF_CUT_BERT)
        tok_differs(c, "pre-tokenizer: words are not cut as BERT cuts them");
    if (!t2_slice_eq(h->model.prefix, t2_slice_of("##")))
        tok_differs(c, "prefix: pieces inside a word are not marked by ##");
    if (h->model.max_chars != 100)
        tok_differs(c,
                    "words: longer than %zu characters are unknown; for readers of vocab.txt "
                    "it is 100 (200 in Google's BERT)",
                    h->model.max_chars);
    if (h->model.unknown < 0 || !t2_slice_eq(e->entries[h->model.unknown], t2_slice_of("[UNK]")))
        tok_differs(c, "unknown: its token is not [UNK]");
    check_specials(h, e, c);
    check_ends(h, e, c);
    for (int32_t i = 0; i < e->n; i++) {
        if (!is_plain(e->entries[i]))
            return t2_fail(err, T2_EUNSUPPORTED,
                           "id %" PRId32 " is no word of its own, so vocab.txt cannot have it", i);
        t2_buf_append(&c->file, e->entries[i].data, e->entries[i].len_bytes);
        t2_buf_push(&c->file, '\n');
    }
    tok_note(c, "vocab.txt does not say so: read it with do_lower_case=%s%s",
             lower ? "True" : "False",
             lower ? "" : ", and back with `convert --from=wordpiece --cased`");
    return T2_OK;
}
