/*
 * tokenizer/list_kinds.c - see list_kinds.h.
 */
#include "tokenizer/list_kinds.h"

#include <string.h>

#include "base/str.h"

#define WORD_MARK "\xE2\x96\x81" /* U+2581 */

static bool begins_with(struct t2_slice s, const char *prefix)
{
    size_t n = strlen(prefix);

    return s.len_bytes >= n && memcmp(s.data, prefix, n) == 0;
}

static size_t count_equal(const struct t2_slice *entries, size_t n, const char *entry)
{
    size_t found = 0;

    for (size_t i = 0; i < n; i++)
        found += t2_slice_eq(entries[i], t2_slice_of(entry));
    return found;
}

const char *tok_list_of_pieces(const struct t2_slice *entries, size_t n)
{
    size_t inner = 0, marked = 0;

    for (size_t i = 0; i < n; i++) {
        inner += entries[i].len_bytes > 2 && begins_with(entries[i], "##");
        marked += entries[i].len_bytes > strlen(WORD_MARK) && begins_with(entries[i], WORD_MARK);
    }
    if (inner > 0 && inner >= n / 100 && count_equal(entries, n, "[UNK]") > 0)
        return "BERT's WordPiece (## inside words); `t2t-vocab convert --from=wordpiece "
               "--to=tokenizer.json` makes a file that cuts text";
    if (marked > 0 && marked >= n / 20 && count_equal(entries, n, "<unk>") > 0)
        return "pieces of words with U+2581 where a word begins, as lingvo's WPM has them; how "
               "they cut "
               "a text is not in the list: take SentencePiece's .model or a tokenizer.json";
    return NULL;
}

bool tok_table_line(struct t2_slice line, struct t2_slice *entry, double *number)
{
    const uint8_t *tab = line.len_bytes > 0 ? memrchr(line.data, '\t', line.len_bytes) : NULL;
    char digits[64];
    size_t n;

    if (!tab || tab == line.data)
        return false;
    n = (size_t) (line.data + line.len_bytes - tab - 1);
    if (n == 0 || n >= sizeof digits)
        return false;
    memcpy(digits, tab + 1, n);
    digits[n] = 0;
    *entry = (struct t2_slice){line.data, (size_t) (tab - line.data)};
    return strlen(digits) == n && t2_parse_double(digits, number);
}

const char *tok_table_of_entries(const struct t2_slice *lines, size_t n)
{
    bool are_ids = true;

    for (size_t i = 0; i < n; i++) {
        struct t2_slice entry;
        double number;

        if (!tok_table_line(lines[i], &entry, &number))
            return NULL;
        are_ids = are_ids && number >= 0 && (i == 0 || number > 0);
    }
    if (n == 0)
        return NULL;
    if (are_ids)
        return "entries with their ids, as lingvo's token files; a list of words has one word a "
               "line, and its number is the id";
    return "SentencePiece's list of pieces and scores (.vocab), which does not say how a text is "
           "normalised; take the .model, or `t2t-vocab convert --from=spm-vocab "
           "--to=sentencepiece`, "
           "which says what it assumes";
}
