/*
 * datagen/own/own_vocabs.c - see the header.
 */
#include "datagen/own/own_vocabs.h"

#include <inttypes.h>
#include <string.h>

#include "base/alloc.h"
#include "datagen/vocabs/problem_vocab.h"
#include "datagen/vocabs/words_vocab.h"
#include "tokenizer/tokens.h"

enum { DEFAULT_VOCAB_SIZE = 32768 }; /* T2T's for text problems */

enum { MAX_WORDS = INT32_MAX - 2 };

struct choice {
    const struct dg_own_kind *kind;
    struct dg_problem *p;
    struct dg_own_vocabs *v;
};

/* The entry for words that are not listed: as asked for, else the one that the list has itself. */
static enum t2_status choose_oov(const char *path, const char *oov_token, struct tok_encoder *e,
                                 char **chosen, struct t2_err *err)
{
    struct t2_slice entry = tok_entry(e, tok_special(e).unknown);

    if (oov_token[0]) {
        if (tok_tokens_replace(e, oov_token, err) != T2_OK)
            return t2_wrap(err, "--oov_token: '%s'", path);
        *chosen = t2_strdup(oov_token);
    } else if (entry.len_bytes > 0) {
        *chosen = t2_strndup((const char *) entry.data, entry.len_bytes);
    }
    return T2_OK;
}

/* A vocabulary that is given carries its true size in its name. */
static enum t2_status take_vocab(struct choice *o, const struct dg_own_text *flags,
                                 const char *path, enum dg_side_index side, struct t2_err *err)
{
    struct dg_vocab_spec *spec = side == DG_INPUTS ? &o->p->inputs_vocab : &o->p->targets_vocab;
    struct tok_encoder *e = NULL;
    enum t2_status st = T2_OK;

    T2_TRY(tok_load(path, &e, err));
    tok_shift(e);
    tok_file_suffix(e, o->v->suffix[side]);
    spec->kind = dg_vocab_kind_of(e);
    spec->ready_file = path;
    spec->approx_size = tok_size(e);
    spec->suffix = o->v->suffix[side];
    if (spec->kind == DG_VOCAB_TOKENS) {
        st = choose_oov(path, flags->oov_token, e, &o->v->oov_token[side], err);
        spec->oov_token = o->v->oov_token[side];
    }
    tok_free(e);
    return st;
}

static enum t2_status check_size(const char *flag, int64_t size, struct t2_err *err)
{
    if (size < 1 || size > INT32_MAX)
        return t2_fail(err, T2_EUSAGE, "--%s=%" PRId64 ": must be positive", flag, size);
    return T2_OK;
}

static enum t2_status two_vocabs(struct choice *o, const struct dg_own_text *flags,
                                 struct t2_err *err)
{
    struct dg_problem *p = o->p;

    p->shared_vocab = false;
    if (flags->source_vocab[0] || flags->target_vocab[0]) {
        if (!flags->source_vocab[0] || !flags->target_vocab[0])
            return t2_fail(err, T2_EUSAGE,
                           "--source_vocab and --target_vocab belong together (--vocab: one for "
                           "both sides)");
        T2_TRY(take_vocab(o, flags, flags->source_vocab, DG_INPUTS, err));
        return take_vocab(o, flags, flags->target_vocab, DG_TARGETS, err);
    }
    if (!flags->source_vocab_size || !flags->target_vocab_size)
        return t2_fail(err, T2_EUSAGE,
                       "--source_vocab_size and --target_vocab_size belong together (--vocab_size: "
                       "one vocabulary for both sides)");
    T2_TRY(check_size("source_vocab_size", flags->source_vocab_size, err));
    T2_TRY(check_size("target_vocab_size", flags->target_vocab_size, err));
    p->inputs_vocab.approx_size = flags->source_vocab_size;
    p->targets_vocab.approx_size = flags->target_vocab_size;
    return T2_OK;
}

static enum t2_status check_oov(const struct dg_problem *p, const struct dg_own_text *flags,
                                struct t2_err *err)
{
    if (flags->oov_token[0] && p->inputs_vocab.kind != DG_VOCAB_TOKENS &&
        p->targets_vocab.kind != DG_VOCAB_TOKENS)
        return t2_fail(err, T2_EUSAGE,
                       "--oov_token: only a vocabulary that is a list of words (--vocab) has words "
                       "that are not in it");
    return T2_OK;
}

/* "character", "tokens" and "ids"; the ways to name subwords are for subwords. */
static enum t2_status other_vocab_type(struct choice *o, const struct dg_own_text *flags, int ways,
                                       struct t2_err *err)
{
    struct dg_problem *p = o->p;
    const char *type = flags->vocab_type;

    if (strcmp(type, "character") == 0) {
        if (ways > 0)
            return t2_fail(err, T2_EUSAGE,
                           "--vocab_type=character has no vocabulary file and no size: leave out "
                           "--vocab, --vocab_size and their like");
        p->inputs_vocab.kind = p->targets_vocab.kind = DG_VOCAB_BYTES;
        return T2_OK;
    }
    if (strcmp(type, "tokens") != 0 && strcmp(type, "ids") != 0)
        return t2_fail(err, T2_EUSAGE,
                       "--vocab_type='%s': must be subwords, character, tokens or ids", type);
    if (ways > (flags->vocab_size != 0))
        return t2_fail(err, T2_EUSAGE,
                       "--vocab_type=%s has one vocabulary, with --vocab_size; for a list of words "
                       "that exists leave out --vocab_type and give --vocab",
                       type);
    if (flags->vocab_size)
        T2_TRY(check_size("vocab_size", flags->vocab_size, err));
    p->targets_vocab.approx_size = flags->vocab_size ? flags->vocab_size : MAX_WORDS;
    if (strcmp(type, "ids") == 0) {
        p->inputs_vocab.kind = p->targets_vocab.kind = DG_VOCAB_NUMBERS;
        p->targets_vocab.raw_ids = true;
        return flags->vocab_size ? T2_OK
                                 : t2_fail(err, T2_EUSAGE,
                                           "--vocab_type=ids needs --vocab_size: one more than the "
                                           "greatest id");
    }
    p->targets_vocab.kind = DG_VOCAB_TOKENS;
    p->targets_vocab.oov_token = flags->oov_token[0] ? flags->oov_token : "<UNK>";
    p->vocab.make = dg_make_words_vocab;
    return T2_OK;
}

static enum t2_status choose_vocabs(struct choice *o, const struct dg_own_text *flags,
                                    struct t2_err *err)
{
    struct dg_problem *p = o->p;
    bool two = flags->source_vocab_size || flags->target_vocab_size || flags->source_vocab[0] ||
               flags->target_vocab[0];
    int ways = (flags->vocab[0] != '\0') + (flags->vocab_size != 0) + two;

    p->shared_vocab = true;
    if (o->kind->sides[DG_INPUTS] == DG_OWN_NUMBERS) {
        if (ways > 0 || strcmp(flags->vocab_type, "subwords") != 0)
            return t2_fail(err, T2_EUSAGE,
                           "--kind=%s has no text: leave out --vocab_type, --vocab, --vocab_size "
                           "and their like",
                           o->kind->name);
        return T2_OK;
    }
    if (strcmp(flags->vocab_type, "subwords") != 0)
        return other_vocab_type(o, flags, ways, err);
    if (ways > 1)
        return t2_fail(err, T2_EUSAGE,
                       "give one of --vocab_size, --vocab, --source_vocab_size with "
                       "--target_vocab_size, --source_vocab with --target_vocab");
    if (two && !p->has_inputs)
        return t2_fail(err, T2_EUSAGE,
                       "--kind=text2self has one side: give --vocab or "
                       "--vocab_size");
    if (two)
        return two_vocabs(o, flags, err);
    if (flags->vocab[0])
        return take_vocab(o, flags, flags->vocab, DG_TARGETS, err);
    p->targets_vocab.approx_size = flags->vocab_size ? flags->vocab_size : DEFAULT_VOCAB_SIZE;
    return check_size("vocab_size", p->targets_vocab.approx_size, err);
}

enum t2_status dg_own_vocabs_choose(const struct dg_own_text *flags, const struct dg_own_kind *kind,
                                    struct dg_problem *p, struct dg_own_vocabs *v,
                                    struct t2_err *err)
{
    struct choice o = {kind, p, v};

    T2_TRY(choose_vocabs(&o, flags, err));
    return check_oov(p, flags, err);
}

void dg_own_vocabs_release(struct dg_own_vocabs *v)
{
    for (int side = 0; side < DG_N_SIDES; side++)
        t2_free(v->oov_token[side]);
}
