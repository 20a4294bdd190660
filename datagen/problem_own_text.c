/*
 * datagen/problem_own_text.c - a problem out of a user's own files.
 */
#include "datagen/problem_own_text.h"

#include <inttypes.h>
#include <string.h>

#include "base/alloc.h"
#include "base/str.h"
#include "datagen/problem_registry.h"
#include "datagen/problem_vocab.h"
#include "datagen/stream.h"
#include "tokenizer/tokens.h"

/* T2T's defaults for text problems. */
enum { DEFAULT_TRAIN_SHARDS = 100, DEFAULT_OTHER_SHARDS = 1, DEFAULT_VOCAB_SIZE = 32768 };

struct own_text {
    struct dg_problem problem;
    struct dg_text_parts parts[DG_N_SPLITS];
    char suffix[DG_N_SIDES][TOK_FILE_SUFFIX_BYTES];
    char *oov_token[DG_N_SIDES];
};

static enum t2_status own_open(const struct dg_problem *p, const struct dg_options *options,
                               enum dg_split split, struct dg_stream **stream, struct t2_err *err)
{
    const struct own_text *own = p->context;

    (void) options;
    return dg_text_stream_new(&own->parts[split], false, stream, err);
}

static enum t2_status parse_files(struct own_text *o, const struct dg_own_text *flags,
                                  struct t2_err *err)
{
    int split;

    for (split = 0; split < DG_N_SPLITS; ++split) {
        if (flags->files[split][0] == '\0')
            continue;
        T2_TRY(dg_text_parts_parse(dg_split_name((enum dg_split) split), flags->files[split],
                                   &o->parts[split], err));
        o->problem.n_shards[split] =
            split == DG_TRAIN ? DEFAULT_TRAIN_SHARDS : DEFAULT_OTHER_SHARDS;
    }
    return T2_OK;
}

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
static enum t2_status take_vocab(struct own_text *o, const struct dg_own_text *flags,
                                 const char *path, enum dg_side_index side, struct t2_err *err)
{
    struct dg_vocab_wish *wish =
        side == DG_INPUTS ? &o->problem.inputs_vocab : &o->problem.targets_vocab;
    struct tok_encoder *e = NULL;
    enum t2_status st = T2_OK;

    T2_TRY(tok_load(path, &e, err));
    tok_shift(e);
    tok_file_suffix(e, o->suffix[side]);
    wish->kind = dg_vocab_kind_of(e);
    wish->ready_file = path;
    wish->approx_size = tok_size(e);
    wish->suffix = o->suffix[side];
    if (wish->kind == DG_VOCAB_TOKENS) {
        st = choose_oov(path, flags->oov_token, e, &o->oov_token[side], err);
        wish->oov_token = o->oov_token[side];
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

static enum t2_status two_vocabs(struct own_text *o, const struct dg_own_text *flags,
                                 struct t2_err *err)
{
    struct dg_problem *p = &o->problem;

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

static enum t2_status choose_vocabs(struct own_text *o, const struct dg_own_text *flags,
                                    struct t2_err *err)
{
    struct dg_problem *p = &o->problem;
    bool two = flags->source_vocab_size || flags->target_vocab_size || flags->source_vocab[0] ||
               flags->target_vocab[0];
    int ways = (flags->vocab[0] != '\0') + (flags->vocab_size != 0) + two;

    p->shared_vocab = true;
    if (strcmp(flags->vocab_type, "character") == 0) {
        if (ways > 0)
            return t2_fail(err, T2_EUSAGE,
                           "--vocab_type=character has no vocabulary file and no size: leave out "
                           "--vocab, --vocab_size and their like");
        p->inputs_vocab.kind = p->targets_vocab.kind = DG_VOCAB_BYTES;
        return T2_OK;
    }
    if (strcmp(flags->vocab_type, "subwords") != 0)
        return t2_fail(err, T2_EUSAGE, "--vocab_type='%s': must be subwords or character",
                       flags->vocab_type);
    if (ways > 1)
        return t2_fail(err, T2_EUSAGE,
                       "give one of --vocab_size, --vocab, --source_vocab_size with "
                       "--target_vocab_size, --source_vocab with --target_vocab");
    if (two)
        return two_vocabs(o, flags, err);
    if (flags->vocab[0])
        return take_vocab(o, flags, flags->vocab, DG_TARGETS, err);
    p->targets_vocab.approx_size = flags->vocab_size ? flags->vocab_size : DEFAULT_VOCAB_SIZE;
    return check_size("vocab_size", p->targets_vocab.approx_size, err);
}

static enum t2_status fill(struct own_text *o, const struct dg_own_text *flags, struct t2_err *err)
{
    struct dg_problem *p = &o->problem;

    if (flags->files[DG_TRAIN][0] == '\0')
        return t2_fail(err, T2_EUSAGE, "--dev and --test need --train");
    if (flags->name[0] == '\0')
        return t2_fail(err, T2_EUSAGE, "--train needs --name: what the data set is called");
    T2_TRY(dg_check_name(flags->name, err));
    if (dg_find(flags->name))
        return t2_fail(err, T2_EUSAGE, "--name='%s' is a problem of its own; choose another name",
                       flags->name);
    p->name = flags->name;
    p->summary = "text of your own";
    p->has_inputs = true;
    p->open = own_open;
    p->context = o;
    T2_TRY(parse_files(o, flags, err));
    T2_TRY(choose_vocabs(o, flags, err));
    return check_oov(p, flags, err);
}

enum t2_status dg_own_text_new(const struct dg_own_text *own, struct dg_problem **p,
                               struct t2_err *err)
{
    struct own_text *o = t2_alloc(1, sizeof *o);
    enum t2_status st = fill(o, own, err);

    *p = &o->problem;
    if (st != T2_OK) {
        dg_own_text_free(*p);
        *p = NULL;
    }
    return st;
}

void dg_own_text_free(struct dg_problem *p)
{
    struct own_text *o = (struct own_text *) p;
    int split;

    if (!o)
        return;
    for (split = 0; split < DG_N_SPLITS; ++split)
        dg_text_parts_release(&o->parts[split]);
    t2_free(o->oov_token[DG_INPUTS]);
    t2_free(o->oov_token[DG_TARGETS]);
    t2_free(o);
}
