/*
 * datagen/problems/problem_tmpdir.c - text2text_tmpdir, text2text_tmpdir_tokens,
 * text2text_copyable_tokens: files under fixed names in --tmp_dir, as in the original (spec
 * t2t-datagen.md §5.5).
 */
#include <string.h>

#include "base/alloc.h"
#include "base/file.h"
#include "base/map.h"
#include "base/text.h"
#include "datagen/feature_list.h"
#include "datagen/problem_registry.h"
#include "datagen/stream.h"
#include "tokenizer/encoder.h"
#include "tokenizer/tokens.h"
#include "tokenizer/unicode.h"

static enum t2_status tmpdir_open(const struct dg_problem *p, const struct dg_options *options,
                                  enum dg_split split, struct dg_stream **stream,
                                  struct t2_err *err)
{
    const char *tag = split == DG_TRAIN ? "train" : "eval";
    char *inputs_name = t2_asprintf("inputs.%s.txt", tag);
    char *targets_name = t2_asprintf("targets.%s.txt", tag);
    char *inputs = t2_path_join(options->tmp_dir, inputs_name);
    char *targets = t2_path_join(options->tmp_dir, targets_name);
    struct dg_text_parts parts = {0};
    enum t2_status st;

    (void) p;
    dg_text_parts_add(&parts, inputs, targets);
    parts.max_memory = options->max_memory;
    st = dg_text_stream_new(&parts, true, stream, err);
    dg_text_parts_release(&parts);
    t2_free(inputs);
    t2_free(targets);
    t2_free(inputs_name);
    t2_free(targets_name);
    return st;
}

/* ---- tokens ---- */

static char *tokens_source(const struct dg_problem *p, const struct dg_options *options)
{
    (void) p;
    return t2_path_join(options->tmp_dir, "vocab.txt");
}

static bool is_reserved(const uint8_t *s, size_t len_bytes)
{
    return len_bytes == 5 && (memcmp(s, "<pad>", 5) == 0 || memcmp(s, "<EOS>", 5) == 0);
}

/* <pad>, <EOS>, <UNK>, then the stripped lines of the user's list without the first two. */
static enum t2_status tokens_make(const struct dg_problem *p, const struct dg_options *options,
                                  enum dg_side_index side, const char *path, struct t2_err *err)
{
    char *source = tokens_source(p, options);
    struct t2_in *in = NULL;
    struct t2_out *out = NULL;
    struct t2_slice raw;
    struct t2_buf line = {0};
    enum t2_status st;

    (void) side;
    T2_GOTO(st, out, t2_in_new(source, &in, err));
    t2_in_limit_line(in, options->max_memory);
    T2_GOTO(st, out, t2_out_new(path, &out, err));
    t2_out_printf(out, "<pad>\n<EOS>\n%s\n", p->targets_vocab.oov_token);
    while ((st = t2_in_line(in, &raw, err)) == T2_OK) {
        const uint8_t *s;
        size_t len;
        t2_buf_clear(&line);
        t2_buf_append(&line, raw.data, raw.len_bytes);
        s = line.data;
        len = t2_delete_cr(line.data, line.len_bytes);
        if (len)
            tok_strip(&s, &len);
        if (is_reserved(s, len))
            continue;
        if (len)
            t2_out_write(out, s, len);
        t2_out_write(out, "\n", 1);
    }
    if (st == T2_EOF) {
        st = t2_out_commit(out, err);
        out = NULL;
    }
out:
    t2_out_abort(out);
    t2_buf_release(&line);
    t2_in_free(in);
    t2_free(source);
    return st;
}

/* ---- copyable tokens ---- */

/* Words of a text that are not listed, in the order of their first appearance. */
struct unknown_words {
    struct t2_map *numbers;
    const struct tok_encoder *encoder;
};

static bool is_unknown(const struct unknown_words *u, struct t2_slice word, int64_t id)
{
    int unknown = tok_special(u->encoder).unknown;

    return id == unknown && !t2_slice_eq(word, tok_entry(u->encoder, unknown));
}

static void note(struct t2_map *numbers, struct t2_slice word)
{
    bool is_new;
    uint64_t n = t2_map_count(numbers), *number;

    number = t2_map_at(numbers, word.data, word.len_bytes, &is_new);
    if (is_new)
        *number = n;
}

/* Adds <name>_extend: an unknown word of the inputs has a number behind the vocabulary there. */
static void extend(struct unknown_words *u, struct dg_record *r, const char *name,
                   const char *extended, struct t2_slice text, bool collect)
{
    const struct dg_feature *ids = dg_record_find(r, name);
    struct dg_feature *more = dg_record_add(r, extended, TFR_INT64);
    struct t2_slice word;
    size_t at = 0;

    for (size_t i = 0; i < ids->n; i++) {
        int64_t id = ids->ints[i];
        const uint64_t *number = NULL;
        if (tok_next_word(text.data, text.len_bytes, &at, &word) && is_unknown(u, word, id)) {
            if (collect)
                note(u->numbers, word);
            number = t2_map_find(u->numbers, word.data, word.len_bytes);
        }
        dg_feature_push(more, number ? tok_size(u->encoder) + (int64_t) *number : id);
    }
}

/* T2T's TokenTextEncoderOov: a model can copy words that no vocabulary lists. */
static enum t2_status add_extended(const struct dg_problem *p, const struct dg_texts *texts,
                                   struct dg_record *r, struct t2_err *err)
{
    struct unknown_words u = {t2_map_new(), texts->encoders[DG_INPUTS]};

    (void) p;
    (void) err;
    extend(&u, r, "inputs", "inputs_extend", texts->text[DG_INPUTS], true);
    extend(&u, r, "targets", "targets_extend", texts->text[DG_TARGETS], false);
    t2_map_free(u.numbers);
    return T2_OK;
}

static const struct dg_problem problems[] = {
    {
        .name = "text2text_copyable_tokens",
        .summary = "the same for models that copy words: numbers of their own for unknown ones",
        .has_inputs = true,
        .shared_vocab = true,
        .targets_vocab = {.kind = DG_VOCAB_TOKENS, .approx_size = 32768, .oov_token = "<UNK>"},
        .n_shards = {100, 1, 0},
        .open = tmpdir_open,
        .vocab.source = tokens_source,
        .vocab.make = tokens_make,
        .record.finish = add_extended,
        .record.more_fields =
            (const char *const[]){"inputs_extend int64", "targets_extend int64", NULL},
    },
    {
        .name = "text2text_tmpdir",
        .summary =
            "inputs.train.txt, targets.train.txt, inputs.eval.txt, targets.eval.txt of --tmp_dir",
        .has_inputs = true,
        .shared_vocab = true,
        .targets_vocab = {.kind = DG_VOCAB_SUBWORDS, .approx_size = 32768},
        .n_shards = {100, 1, 0},
        .open = tmpdir_open,
    },
    {
        .name = "text2text_tmpdir_tokens",
        .summary = "the same with words as tokens: vocab.txt of --tmp_dir lists them",
        .has_inputs = true,
        .shared_vocab = true,
        .targets_vocab = {.kind = DG_VOCAB_TOKENS, .approx_size = 32768, .oov_token = "<UNK>"},
        .n_shards = {100, 1, 0},
        .open = tmpdir_open,
        .vocab.source = tokens_source,
        .vocab.make = tokens_make,
    },
};
const struct dg_family dg_family_own_text = {"Text of your own", problems,
                                             sizeof problems / sizeof *problems};
