/*
 * train/t2t_bleu_main.c - t2t-bleu: scores of translations, summaries and transcripts.
 */
#include <stdio.h>
#include <string.h>

#include "base/run_tool.h"
#include "train/eval/line_scorers.h"
#include "train/eval/sacrebleu_scorer.h"
#include "train/eval/score_flags.h"
#include "train/eval/t2t_scorer.h"

static enum t2_status run(struct t2_err *err)
{
    const struct ev_score_flags *f = &ev_score_flags;
    enum ev_scorer scorer = EV_SCORER_T2T;
    struct t2_buf out = {NULL, 0, 0};
    enum t2_status st = ev_score_flags_check(&scorer, err);

    if (st == T2_OK && scorer == EV_SCORER_T2T)
        st = ev_score_t2t(f, &out, err);
    else if (st == T2_OK && scorer == EV_SCORER_SACREBLEU)
        st = ev_score_sacrebleu(f, &out, err);
    else if (st == T2_OK && scorer == EV_SCORER_ROUGE)
        st = ev_score_rouge(f, &out, err);
    else if (st == T2_OK)
        st = ev_score_wer(f, &out, err);
    if (st == T2_OK)
        (void) fputs(t2_buf_cstr(&out), stdout);
    t2_buf_release(&out);
    t2_strs_release(&ev_score_flags.translations);
    t2_strs_release(&ev_score_flags.references);
    return st;
}

int main(int argc, char **argv)
{
    const struct t2_tool tool = {
        .name = "t2t-bleu",
        .usage = "--translation=FILE --reference=FILE [flags]",
        .summary = "Scores a translation, a summary or a transcript against a reference: BLEU, "
                   "chrF, TER, ROUGE, error rates.",
        .examples = "  t2t-bleu --translation=out.de --reference=ref.de --scorer=sacrebleu -lc\n"
                    "  t2t-bleu --translation=a.de --translation=b.de --reference=ref.de \\\n"
                    "      --scorer=sacrebleu --metrics=bleu,chrf,ter --paired_bs\n"
                    "  t2t-bleu --translations_dir=translations --event_dir=run \\\n"
                    "      --reference=ref.de --wait_minutes=60\n"
                    "  t2t-bleu --translation=out.txt --reference=ref.txt --scorer=rouge\n",
        .flags = ev_score_flag_table,
        .n_flags = ev_score_n_flags,
        .values = ev_score_flag_values,
    };

    return t2_run_tool(&tool, argc, argv, run);
}
