/*
 * datagen/problem_own_text.c - a problem out of a user's own files.
 */
#include "datagen/problem_own_text.h"

#include <inttypes.h>
#include <string.h>

#include "base/alloc.h"
#include "datagen/problem_registry.h"
#include "datagen/stream.h"
#include "tokenizer/encoder.h"

/* T2T's defaults for text problems. */
enum { DEFAULT_TRAIN_SHARDS = 100, DEFAULT_OTHER_SHARDS = 1, DEFAULT_VOCAB_SIZE = 32768 };

struct own_text {
    struct dg_problem problem;
    struct dg_text_parts parts[DG_N_SPLITS];
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

/* A vocabulary that is given carries its true size in its name. */
static enum t2_status take_vocab(const char *path, struct dg_vocab_wish *wish, struct t2_err *err)
{
    struct tok_encoder *e = NULL;

    T2_TRY(tok_load(path, &e, err));
    if (strcmp(tok_kind(e), "subwords") != 0) {
        enum t2_status st = t2_fail(err, T2_EFORMAT, "'%s' is a vocabulary of %s, not of subwords",
                                    path, tok_kind(e));
        tok_free(e);
        return st;
    }
    wish->ready_file = path;
    wish->approx_size = tok_size(e);
    tok_free(e);
    return T2_OK;
}

static enum t2_status check_size(const char *flag, int64_t size, struct t2_err *err)
{
    if (size < 1 || size > INT32_MAX)
        return t2_fail(err, T2_EUSAGE, "--%s=%" PRId64 ": must be positive", flag, size);
    return T2_OK;
}

static enum t2_status two_vocabs(struct dg_problem *p, const struct dg_own_text *flags,
                                 struct t2_err *err)
{
    p->shared_vocab = false;
    if (flags->source_vocab[0] || flags->target_vocab[0]) {
        if (!flags->source_vocab[0] || !flags->target_vocab[0])
            return t2_fail(err, T2_EUSAGE,
                           "--source_vocab and --target_vocab belong together (--vocab: one for "
                           "both sides)");
        T2_TRY(take_vocab(flags->source_vocab, &p->inputs_vocab, err));
        return take_vocab(flags->target_vocab, &p->targets_vocab, err);
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

static enum t2_status choose_vocabs(struct dg_problem *p, const struct dg_own_text *flags,
                                    struct t2_err *err)
{
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
        return two_vocabs(p, flags, err);
    if (flags->vocab[0])
        return take_vocab(flags->vocab, &p->targets_vocab, err);
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
    return choose_vocabs(p, flags, err);
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
    t2_free(o);
}
