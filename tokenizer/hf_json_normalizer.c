/*
 * tokenizer/hf_json_normalizer.c - the normalizer of a tokenizer.json, step by step.
 */
#include <string.h>

#include "base/base64.h"
#include "tokenizer/hf_reading.h"
#include "tokenizer/small_regex.h"

static enum t2_status add_step(struct tok_hf_reading *r, struct tok_hf_step step)
{
    struct tok_hf_steps *steps = &r->h->normalizer;

    if (steps->n == TOK_HF_MAX_STEPS)
        return tok_hf_broken(r, "more normalizers than fit");
    steps->items[steps->n++] = step;
    return T2_OK;
}

static enum t2_status add_simple(struct tok_hf_reading *r, enum tok_hf_step_type type)
{
    return add_step(r, (struct tok_hf_step){.type = type});
}

static enum t2_status read_bert_normalizer(struct tok_hf_reading *r, const struct t2_json_value *v)
{
    bool lower = tok_hf_flag_of(v, "lowercase", true);

    if (tok_hf_flag_of(v, "clean_text", true))
        T2_TRY(add_simple(r, TOK_HF_BERT_CLEAN));
    if (tok_hf_flag_of(v, "handle_chinese_chars", true))
        T2_TRY(add_simple(r, TOK_HF_BERT_CHINESE));
    if (tok_hf_flag_of(v, "strip_accents", lower)) { /* null: as lowercase */
        T2_TRY(add_simple(r, TOK_HF_NFD));
        T2_TRY(add_simple(r, TOK_HF_BERT_STRIP_ACCENTS));
    }
    return lower ? add_simple(r, TOK_HF_LOWERCASE) : T2_OK;
}

/* The characters between brackets, none of which may mean something there: "[ab]+" -> "ab". */
static bool read_set(struct t2_slice text, struct t2_slice *set)
{
    if (text.len_bytes < 4 || text.data[0] != '[' ||
        memcmp(text.data + text.len_bytes - 2, "]+", 2) != 0)
        return false;
    *set = (struct t2_slice){text.data + 1, text.len_bytes - 3};
    for (size_t i = 0; i < set->len_bytes; i++)
        if (strchr("\\[]^-&", set->data[i]))
            return false;
    return true;
}

/* The few regular expressions with repetition that conversions write (write_hf_sp.c): \A[..]+
 * [..]+\z x{2,} */
static bool read_repeated(struct t2_slice regex, struct tok_hf_step *step)
{
    const uint8_t *s = regex.data;
    size_t n = regex.len_bytes;

    if (n > 2 && memcmp(s, "\\A", 2) == 0) {
        *step = (struct tok_hf_step){.type = TOK_HF_TRIM, .left = true, .to = step->to};
        return read_set((struct t2_slice){s + 2, n - 2}, &step->from);
    }
    if (n > 2 && memcmp(s + n - 2, "\\z", 2) == 0) {
        *step = (struct tok_hf_step){.type = TOK_HF_TRIM, .right = true, .to = step->to};
        return read_set((struct t2_slice){s, n - 2}, &step->from);
    }
    if (n > 4 && memcmp(s + n - 4, "{2,}", 4) == 0 && tok_sp_char_bytes(s, n) == n - 4 &&
        !strchr("\\[](){}.*+?^$|", s[0])) {
        *step = (struct tok_hf_step){.type = TOK_HF_COLLAPSE, .from = {s, n - 4}, .to = step->to};
        return true;
    }
    return false;
}

enum t2_status tok_hf_read_replace(struct tok_hf_reading *r, const char *part,
                                   const struct t2_json_value *v, struct tok_hf_step *step)
{
    const struct t2_json_value *pattern = t2_json_get(v, "pattern");
    const char *from = t2_json_as_string(t2_json_get(pattern, "String"), NULL);
    struct t2_slice regex = tok_hf_string_of(pattern, "Regex", "");
    struct t2_slice to = tok_hf_string_of(v, "content", "");

    *step = (struct tok_hf_step){.type = TOK_HF_REPLACE, .to = to};
    if (from) {
        step->from = t2_slice_of(from);
        return T2_OK;
    }
    if (read_repeated(regex, step))
        return T2_OK;
    *step =
        (struct tok_hf_step){.type = TOK_HF_REPLACE_REGEX, .to = to, .regex = tok_regex_new(regex)};
    if (!step->regex)
        return tok_hf_unknown_part(r, part, "Replace with a regular expression");
    return T2_OK;
}

static enum t2_status add_replace(struct tok_hf_reading *r, const struct t2_json_value *v)
{
    struct tok_hf_step step;
    enum t2_status st;

    T2_TRY(tok_hf_read_replace(r, "normalizer", v, &step));
    st = add_step(r, step);
    if (st != T2_OK)
        tok_regex_free(step.regex);
    return st;
}

static enum t2_status read_precompiled(struct tok_hf_reading *r, const struct t2_json_value *v)
{
    struct tok_hf_steps *steps = &r->h->normalizer;

    if (steps->charsmap.len_bytes > 0)
        return tok_hf_unknown_part(r, "normalizer", "Precompiled a second time");
    if (!t2_base64_decode(tok_hf_string_of(v, "precompiled_charsmap", ""), &steps->charsmap) ||
        !tok_sp_map_of(t2_buf_slice(&steps->charsmap), &steps->map))
        return tok_hf_broken(r, "the precompiled_charsmap is no character map");
    T2_TRY(tok_sp_check_map(&steps->map, r->origin, r->err));
    return add_simple(r, TOK_HF_PRECOMPILED);
}

enum t2_status tok_hf_read_normalizer(struct tok_hf_reading *r, const struct t2_json_value *v,
                                      int depth)
{
    static const struct {
        const char *name;
        enum tok_hf_step_type type;
    } simple[] = {{"NFC", TOK_HF_NFC},
                  {"NFD", TOK_HF_NFD},
                  {"NFKC", TOK_HF_NFKC},
                  {"NFKD", TOK_HF_NFKD},
                  {"Lowercase", TOK_HF_LOWERCASE},
                  {"StripAccents", TOK_HF_STRIP_ACCENTS},
                  {"Nmt", TOK_HF_NMT}};

    if (t2_json_type(v) == T2_JSON_NULL)
        return T2_OK;
    for (size_t i = 0; i < sizeof simple / sizeof *simple; i++)
        if (tok_hf_is(v, simple[i].name))
            return add_simple(r, simple[i].type);
    if (tok_hf_is(v, "BertNormalizer"))
        return read_bert_normalizer(r, v);
    if (tok_hf_is(v, "Replace"))
        return add_replace(r, v);
    if (tok_hf_is(v, "Precompiled"))
        return read_precompiled(r, v);
    if (tok_hf_is(v, "Prepend"))
        return add_step(r, (struct tok_hf_step){.type = TOK_HF_PREPEND,
                                                .to = tok_hf_string_of(v, "prepend", "")});
    if (tok_hf_is(v, "Strip"))
        return add_step(r, (struct tok_hf_step){.type = TOK_HF_STRIP,
                                                .left = tok_hf_flag_of(v, "strip_left", true),
                                                .right = tok_hf_flag_of(v, "strip_right", true)});
    if (tok_hf_is(v, "Sequence") && depth < 4) {
        const struct t2_json_value *list = t2_json_get(v, "normalizers");
        for (size_t i = 0; i < t2_json_size(list); i++)
            T2_TRY(tok_hf_read_normalizer(r, t2_json_item(list, i), depth + 1));
        return T2_OK;
    }
    return tok_hf_unknown_part(r, "normalizer", tok_hf_type_of(v));
}
