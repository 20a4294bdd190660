/*
 * tests/fuzz/fuzz_decode_ids.c - any ids with a vocabulary of each kind, raised for data sets or
 * not: the text is UTF-8, appended, and the same in one go and again.
 *
 * The first byte of the input chooses the kind, pairs of the others are ids, from below 0 to beyond
 * the last.
 */
#include "tests/fuzz/kinds_of_vocab.h"
#include "tokenizer/vocab_builder.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static struct tok_encoder *subwords(void)
{
    static const char *const entries[] = {"<pad>_", "<EOS>_",    "the_", "a_", "a", "\\",
                                          "_",      "u",         ";",    "5",  "6", "\\u_",
                                          "\\6",    "\xC3\xA9_", ", _",  ""};
    struct t2_slice slices[sizeof entries / sizeof *entries];

    for (size_t i = 0; i < sizeof entries / sizeof *entries; i++)
        slices[i] = t2_slice_of(entries[i]);
    return tok_subwords_new(slices, sizeof entries / sizeof *entries);
}

static struct tok_encoder *words(void)
{
    static const char file[] = "<pad>\n<EOS>\n<UNK>\nhund\nkatze\n";
    struct t2_err err = T2_ERR_INIT;
    struct tok_encoder *e;

    fv_must(tok_parse("words", file, sizeof file - 1, &e, &err) == T2_OK);
    return e;
}

static const struct tok_encoder *get(unsigned which, bool shifted)
{
    static struct tok_encoder *all[FV_KINDS + 3][2];
    struct tok_encoder **e = &all[which][shifted];

    if (*e)
        return *e;
    if (which < FV_KINDS)
        *e = fv_of(which);
    else if (which == FV_KINDS)
        *e = subwords();
    else
        *e = which == FV_KINDS + 1 ? words() : tok_bytes_new();
    if (shifted)
        tok_shift(*e);
    return *e;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct tok_ids ids = {0};
    struct t2_buf text = {0}, again = {0};
    const struct tok_encoder *e;

    if (size < 1)
        return 0;
    e = get((*data & 127) % (FV_KINDS + 3), *data > 127);
    for (size_t i = 1; i + 1 < size; i += 2) {
        int32_t id = (int32_t) data[i] | (int32_t) data[i + 1] << 8;

        if (id >= 0xFFF0)
            id = id == 0xFFFF ? INT32_MIN : id == 0xFFFE ? INT32_MAX : id - 0x10000;
        tok_ids_push(&ids, id % 3 ? id % (tok_size(e) + 2) : id);
    }
    tok_decode(e, ids.items, ids.n, &text);
    fv_must(tok_utf8_invalid_at(text.data, text.len_bytes) == text.len_bytes);
    fv_must(!text.data || text.data[text.len_bytes] == 0);
    t2_buf_puts(&again, "x");
    tok_decode(e, ids.items, ids.n, &again);
    fv_must(again.len_bytes == text.len_bytes + 1 && *again.data == 'x');
    fv_must(text.len_bytes == 0 || memcmp(again.data + 1, text.data, text.len_bytes) == 0);
    for (size_t i = 0; i < ids.n; i++)
        (void) tok_entry(e, ids.items[i]);
    tok_ids_release(&ids);
    t2_buf_release(&text);
    t2_buf_release(&again);
    return 0;
}
