/*
 * vocab/cmd_convert.c - t2t-vocab convert: one kind of vocabulary file from another.
 */
#include <string.h>

#include "base/file.h"
#include "base/flags.h"
#include "base/log.h"
#include "tokenizer/convert.h"
#include "tokenizer/sp_scores.h"
#include "vocab/vocab_commands.h"

enum { MAX_FILE_BYTES = 256 << 20 };

static const char *from_name = "", *to_name = "", *output = "";
static bool lossy, cased;

/* clang-format off */
static const struct t2_flag table[] = {
    {"from", T2_FLAG_STRING, &from_name, "KIND",
     "What INPUT is, when its content does not say it (wordpiece; spm-vocab: SentencePiece's list of pieces "
     "and scores), or to check it.", NULL},
    {"to", T2_FLAG_STRING, &to_name, "KIND",
     "t2t, official, sentencepiece, tokenizer.json, tiktoken, subword-nmt, wordpiece or list.", NULL},
    {"output", T2_FLAG_STRING, &output, "FILE", "The new file; - is the standard output.", NULL},
    {"o", T2_FLAG_STRING, &output, "FILE", "The same.", NULL},
    {"lossy", T2_FLAG_BOOL, &lossy, NULL, "Write the file though it differs; say in what.", NULL},
    {"cased", T2_FLAG_BOOL, &cased, NULL,
     "--from=wordpiece: keep case and accents, as BERT's cased models do.", NULL},
};
/* clang-format on */

static const struct t2_tool tool = {
    .name = "t2t-vocab convert",
    .usage = "--to=KIND --output=FILE [flags] INPUT",
    .summary =
        "Writes a vocabulary as another kind of file. Exact where the program that reads the new "
        "file gives every text the same ids: t2t and official; tiktoken to tokenizer.json and "
        "byte-level BPE back; SentencePiece BPE without a character map to tokenizer.json and "
        "back; subword-nmt and wordpiece to tokenizer.json, WordPiece back. t2t and official to "
        "tokenizer.json, SentencePiece unigram, character maps, special and added tokens, any "
        "kind to a list: only with --lossy. What "
        "differs is said, and checked file by file; docs/vocabularies.md has the table.",
    .examples = "  t2t-vocab convert --to=tokenizer.json -o tokenizer.json cl100k_base.tiktoken\n"
                "  t2t-vocab convert --from=wordpiece --to=tokenizer.json -o t.json vocab.txt\n",
    .flags = table,
    .n_flags = sizeof table / sizeof *table,
};

/* No kind of its own: a model once it is read. */
static bool is_scores(void)
{
    return strcmp(from_name, "spm-vocab") == 0;
}

static enum t2_status find_kinds(const struct tok_encoder *e, const char *path,
                                 enum tok_vocab_kind *from, struct t2_err *err)
{
    enum tok_vocab_kind found = tok_vocab_kind_of(e);

    *from = found;
    if (from_name[0] == 0 || is_scores())
        return T2_OK;
    if (!tok_vocab_kind_named(from_name, from))
        return t2_fail(err, T2_EUSAGE, "--from='%s' is no kind; see --help", from_name);
    if (!tok_vocab_kind_fits(found, *from))
        return t2_fail(err, T2_EFORMAT, "'%s' is %s by its content, not %s", path,
                       tok_vocab_kind_name(found), from_name);
    return T2_OK;
}

/* Where both can encode: how to see what the differences mean for a corpus. */
static void point_to_verify(const char *path, enum tok_vocab_kind from, enum tok_vocab_kind to)
{
    if (strcmp(output, "-") != 0 && !is_scores() && from != TOK_VOCAB_WORDPIECE &&
        to != TOK_VOCAB_WORDPIECE && to != TOK_VOCAB_LIST)
        t2_info("note: how many lines of a corpus differ says: "
                "t2t-vocab verify --decode --with=CORPUS '%s' '%s'",
                path, output);
}

static enum t2_status convert_file(const char *path, const struct tok_encoder *e,
                                   enum tok_vocab_kind to, struct tok_conversion *c,
                                   struct t2_err *err)
{
    enum tok_vocab_kind from;

    T2_TRY(find_kinds(e, path, &from, err));
    if (tok_convert(e, from, to, c, err) != T2_OK)
        return t2_wrap(err, "'%s'", path);
    for (size_t i = 0; i < c->differences.n; i++)
        t2_warn("'%s' as %s differs: %s", path, to_name, c->differences.items[i]);
    if (c->differences.n > 0 && !lossy)
        return t2_fail(err, T2_EUNSUPPORTED,
                       "'%s': no exact %s exists; --lossy writes it all the same", path, to_name);
    if (c->file.len_bytes > MAX_FILE_BYTES)
        return t2_fail(err, T2_EUNSUPPORTED, "'%s' as %s has %zu bytes, more than would be read",
                       path, to_name, c->file.len_bytes);
    for (size_t i = 0; i < c->notes.n; i++)
        t2_info("note: %s", c->notes.items[i]);
    T2_TRY(t2_write_file(output, c->file.data, c->file.len_bytes, err));
    if (c->differences.n > 0)
        point_to_verify(path, from, to);
    return T2_OK;
}

static enum t2_status convert(const struct t2_strs *args, struct t2_err *err)
{
    struct tok_conversion c = {.cased = cased};
    struct tok_encoder *e = NULL;
    enum tok_vocab_kind to;
    enum t2_status st;

    if (args->n != 1 || to_name[0] == 0 || output[0] == 0)
        return t2_fail(err, T2_EUSAGE, "give --to=KIND, --output=FILE and one vocabulary file");
    if (!tok_vocab_kind_named(to_name, &to))
        return t2_fail(err, T2_EUSAGE, "--to='%s' is no kind; see --help", to_name);
    if (is_scores())
        st = tok_sp_load_scores(args->items[0], &e, &c.differences, err);
    else
        st = tok_load(args->items[0], &e, err);
    if (st == T2_OK)
        st = convert_file(args->items[0], e, to, &c, err);
    tok_conversion_release(&c);
    tok_free(e);
    return st;
}

static enum t2_status run(int argc, char **argv, struct t2_err *err)
{
    struct t2_strs args = {NULL, 0, 0};
    enum t2_status st = t2_flags_parse(&tool, argc, argv, &args, err);

    if (st == T2_OK)
        st = convert(&args, err);
    t2_strs_release(&args);
    return st;
}

const struct t2_command voc_cmd_convert = {"convert",
                                           "Writes a vocabulary as another kind of file.", run};
