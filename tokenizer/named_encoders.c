/*
 * tokenizer/named_encoders.c - opening an encoder by a word.
 */
#include "tokenizer/named_encoders.h"

#include <string.h>

#include "base/str.h"
#include "tokenizer/tokens.h"

static enum t2_status open_dna(const char *word, const char *size, bool is_delimited,
                               struct tok_encoder **e, struct t2_err *err)
{
    int64_t chunk_size;

    if (!t2_parse_i64(size, &chunk_size) || chunk_size < 1 || chunk_size > TOK_DNA_MAX_CHUNK)
        return t2_fail(err, T2_EUSAGE, "'%s': bases of an id are 1 to %d", word,
                       (int) TOK_DNA_MAX_CHUNK);
    *e = tok_dna_new((int) chunk_size, is_delimited);
    return T2_OK;
}

enum t2_status tok_open(const char *word, struct tok_encoder **e, struct t2_err *err)
{
    const char *rest = strchr(word, ':');

    *e = NULL;
    rest = rest ? rest + 1 : "";
    if (strcmp(word, "bytes") == 0)
        *e = tok_bytes_new();
    else if (strcmp(word, "bytes_eos") == 0)
        *e = tok_bytes_eos_new();
    else if (strcmp(word, "integers") == 0)
        *e = tok_integers_new();
    if (*e)
        return T2_OK;
    if (t2_starts_with(word, "dna:") || t2_starts_with(word, "delimited_dna:"))
        return open_dna(word, rest, word[1] == 'e', e, err);
    if (t2_starts_with(word, "labels:") || t2_starts_with(word, "one_hot:"))
        return tok_labels_load(rest, word[0] == 'o', e, err);
    if (t2_starts_with(word, "tokens:"))
        return tok_tokens_load(rest, e, err);
    return tok_load(word, e, err);
}
