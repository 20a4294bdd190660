/*
 * tests/unit/tokenizer/conversions.h - converting small vocabularies and reading the result back.
 */
#ifndef T2_TESTS_UNIT_TOKENIZER_CONVERSIONS_H
#define T2_TESTS_UNIT_TOKENIZER_CONVERSIONS_H

#include "tests/unit/tokenizer/foreign_models.h"
#include "tokenizer/convert.h"

/* Converts as the file is found to be; the number of differences must be n. */
static inline struct tok_conversion cv_convert(const struct tok_encoder *e, enum tok_vocab_kind to,
                                               size_t n_differences)
{
    struct tok_conversion c = {.cased = false};
    struct t2_err err = T2_ERR_INIT;

    if (tok_convert(e, tok_vocab_kind_of(e), to, &c, &err) != T2_OK)
        fail_msg("%s", err.message);
    if (c.differences.n != n_differences)
        fail_msg("%zu differences, the first '%s'", c.differences.n,
                 c.differences.n > 0 ? c.differences.items[0] : "");
    return c;
}

/* The difference i begins so. */
static inline void cv_says(const struct tok_conversion *c, size_t i, const char *begin)
{
    assert_true(i < c->differences.n);
    if (strncmp(c->differences.items[i], begin, strlen(begin)) != 0)
        fail_msg("'%s' does not begin with '%s'", c->differences.items[i], begin);
}

/* The conversion, read again; exact. */
static inline struct tok_encoder *cv_read(const struct tok_encoder *e, enum tok_vocab_kind to)
{
    struct tok_conversion c = cv_convert(e, to, 0);
    struct tok_encoder *read = fm_parse(&c.file);

    assert_int_equal(tok_vocab_kind_of(read), to);
    tok_conversion_release(&c);
    return read;
}

static inline void cv_refused(const struct tok_encoder *e, enum tok_vocab_kind from,
                              enum tok_vocab_kind to, const char *message)
{
    struct tok_conversion c = {.cased = false};
    struct t2_err err = T2_ERR_INIT;

    assert_int_equal(tok_convert(e, from, to, &c, &err), T2_EUNSUPPORTED);
    assert_string_equal(err.message, message);
    tok_conversion_release(&c);
}

/* Both give each text the same ids. */
static inline void cv_same(const struct tok_encoder *a, const struct tok_encoder *b,
                           const char *const *texts, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        struct tok_ids x = {0}, y = {0};
        struct t2_err err = T2_ERR_INIT;

        assert_int_equal(tok_encode(a, NULL, (const uint8_t *) texts[i], strlen(texts[i]), &x,
                                    &err),
                         T2_OK);
        assert_int_equal(tok_encode(b, NULL, (const uint8_t *) texts[i], strlen(texts[i]), &y,
                                    &err),
                         T2_OK);
        assert_int_equal(x.n, y.n);
        if (x.n > 0)
            assert_memory_equal(x.items, y.items, x.n * sizeof *x.items);
        tok_ids_release(&x);
        tok_ids_release(&y);
    }
}

static const char *const cv_texts[] = {"",
                                       " ",
                                       "a",
                                       "the cat",
                                       "  the  cat ",
                                       "thethe cathe",
                                       "\xE2\x96\x81the\xE2\x96\x81",
                                       "x\xC3\xA9y caat",
                                       "the\ncat\r",
                                       "\xE6\x97\xA5\xE6\x9C\xAC the",
                                       "aaaa aaaaa",
                                       "<unk> <s> <0x41>"};
#define CV_SAME(a, b) cv_same((a), (b), cv_texts, sizeof cv_texts / sizeof *cv_texts)

/* Bytes, and th the " c" " ca" at. */
static inline struct tok_encoder *cv_ranks(void)
{
    static const char *const more[] = {"th", "the", " c", " ca", "at"};
    struct t2_buf file = {0};
    struct tok_encoder *e;

    fm_put_bytes(&file);
    for (unsigned i = 0; i < 5; i++)
        fm_put_rank(&file, more[i], strlen(more[i]), 256 + i);
    e = fm_parse(&file);
    t2_buf_release(&file);
    return e;
}

#define CV_MARK "\xE2\x96\x81"

/* BPE over characters in Llama's form; more is put behind "added_tokens": [...]. */
static inline struct tok_encoder *cv_llama(const char *added, const char *merges)
{
    struct t2_buf file = {0};
    struct tok_encoder *e;

    t2_buf_printf(
        &file,
        "{\"added_tokens\": [%s], \"normalizer\": {\"type\": \"Sequence\", \"normalizers\": ["
        "{\"type\": \"Prepend\", \"prepend\": \"" CV_MARK "\"},"
        "{\"type\": \"Replace\", \"pattern\": {\"String\": \" \"}, \"content\": \"" CV_MARK "\"}]},"
        "\"pre_tokenizer\": null, \"post_processor\": null, \"decoder\": null, \"model\": {"
        "\"type\": \"BPE\", \"unk_token\": \"<unk>\", \"fuse_unk\": true, \"vocab\": {\"<unk>\": 0,"
        "\"<s>\": 1, \"" CV_MARK "\": 2, \"t\": 3, \"h\": 4, \"e\": 5, \"a\": 6, \"c\": 7,"
        "\"" CV_MARK "t\": 8, \"he\": 9, \"" CV_MARK "the\": 10, \"at\": 11, \"aa\": 12},"
        "\"merges\": [%s]}}",
        added, merges);
    e = fm_parse(&file);
    t2_buf_release(&file);
    return e;
}

#define CV_MERGES "\"" CV_MARK " t\", \"h e\", \"" CV_MARK "t he\", \"a t\", \"a a\""

#endif
