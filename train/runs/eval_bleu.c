/*
 * train/runs/eval_bleu.c - see the header.
 */
#include "train/runs/eval_bleu.h"

#include <inttypes.h>
#include <string.h>

#include "base/alloc.h"
#include "base/file.h"
#include "base/log.h"
#include "train/decode/decode_file.h"
#include "train/eval/corpus_bleu.h"
#include "train/runs/sample_texts.h"

enum { N_FILES = 3 }; /* what is said, what was meant, what it is said of */
static const char *const endings[N_FILES] = {"decodes", "targets", "inputs"};

struct translations {
    struct ev_corpus_bleu *bleu;
    struct t2_out *files[N_FILES]; /* all NULL: none */
    const char *delimiter;
    int64_t n;
};

static enum t2_status add(void *context, int64_t i, const char *source, const char *target,
                          const char *output, struct t2_err *err)
{
    struct translations *t = context;
    const char *const texts[N_FILES] = {output, target, source};

    (void) i;
    t->n++;
    for (int k = 0; k < N_FILES && t->files[k]; k++) {
        t2_out_puts(t->files[k], texts[k]);
        t2_out_puts(t->files[k], t->delimiter);
    }
    return ev_corpus_bleu_add(t->bleu, output, target, err);
}

/* Up to the last dot, which all names have; NULL: no files.  Owned by the caller. */
static char *stem_of_files(const struct tr_run *r)
{
    const struct dec_hparams *hp = r->options.decodes;
    char *given, *stem;

    if (!hp || dist_size(r->dist) > 1 || (hp->decode_to_file[0] == '\0' && hp->decode_in_memory))
        return NULL;
    if (hp->decode_to_file[0] == '\0')
        return t2_asprintf("%s/decode_00000/%s-%" PRId64, r->output_dir, r->state.problem,
                           r->state.step);
    given = t2_path_expand(hp->decode_to_file);
    stem = dec_output_name(given, r->state.model, r->state.hparams_set, r->state.problem, hp);
    t2_free(given);
    if (strrchr(t2_path_base(stem), '.'))
        *strrchr(stem, '.') = '\0';
    return stem;
}

static enum t2_status open_files(struct translations *t, const char *stem, struct t2_err *err)
{
    enum t2_status st = T2_OK;

    for (int i = 0; i < N_FILES && stem && st == T2_OK; i++) {
        char *path = t2_asprintf("%s.%s", stem, endings[i]);

        st = t2_out_new(path, &t->files[i], err);
        t2_free(path);
    }
    return st;
}

static enum t2_status close_files(struct translations *t, const char *stem, enum t2_status st,
                                  struct t2_err *err)
{
    for (int i = 0; i < N_FILES; i++) {
        if (st == T2_OK && t->files[i])
            st = t2_out_commit(t->files[i], err);
        else
            t2_out_abort(t->files[i]);
    }
    if (st == T2_OK && stem)
        t2_info("%" PRId64 " translations are in '%s.%s'", t->n, stem, endings[0]);
    return st;
}

/* Each rank has translated its rows. */
static enum t2_status gather(struct tr_run *r, struct ev_corpus_bleu *bleu, struct t2_err *err)
{
    int n = dist_size(r->dist);
    double mine[EV_CORPUS_BLEU_SUMS],
        (*all)[EV_CORPUS_BLEU_SUMS] = t2_alloc((size_t) n, sizeof *all);
    enum t2_status st;

    ev_corpus_bleu_sums(bleu, mine);
    st = dist_all_gather(r->dist, mine, sizeof mine, all, err);
    for (int k = 0; k < n && st == T2_OK; k++)
        if (k != dist_rank(r->dist))
            ev_corpus_bleu_add_sums(bleu, all[k]);
    t2_free(all);
    return st;
}

static enum t2_status translate(struct tr_run *r, struct translations *t, struct t2_err *err)
{
    const struct dec_hparams *hp = r->options.decodes;
    char *stem = stem_of_files(r);
    enum t2_status st = open_files(t, stem, err);

    if (st == T2_OK)
        st = tr_translate_eval(r, hp ? INT64_MAX : r->options.eval_steps,
                               hp && hp->num_samples >= 0 ? hp->num_samples : INT64_MAX, add, t,
                               err);
    st = close_files(t, stem, st, err);
    t2_free(stem);
    return st;
}

enum t2_status tr_eval_bleu(struct tr_run *r, double *score, struct t2_err *err)
{
    struct translations t = {.delimiter =
                                 r->options.decodes ? r->options.decodes->delimiter : "\n"};
    enum t2_status st;

    T2_TRY(ev_corpus_bleu_new(&t.bleu, err));
    st = dist_agree(r->dist, translate(r, &t, err), err);
    if (st == T2_OK)
        st = gather(r, t.bleu, err);
    *score = ev_corpus_bleu_score(t.bleu);
    ev_corpus_bleu_free(t.bleu);
    return st;
}
