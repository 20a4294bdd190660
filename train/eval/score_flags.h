/*
 * train/eval/score_flags.h - the flags of t2t-bleu.
 */
#ifndef EV_SCORE_FLAGS_H
#define EV_SCORE_FLAGS_H

#include "base/flags.h"

enum ev_scorer { EV_SCORER_T2T, EV_SCORER_SACREBLEU, EV_SCORER_ROUGE, EV_SCORER_WER };

struct ev_score_flags {
    struct t2_strs translations, references;
    const char *scorer, *source;
    bool json;
    int64_t width; /* -1: the scorer's own */
    /* t2t */
    const char *bleu_variant, *translations_dir, *event_dir, *tag_suffix;
    int64_t min_steps, wait_minutes;
    bool report_zero, report_zero_given;
    /* sacrebleu */
    const char *metrics, *tokenize, *spm_model, *mecab_dictionary, *smooth_method, *format;
    const char *smooth_value; /* "": the method's own */
    bool lowercase, lc, effective_order, sentence_level, score_only, short_signature;
    int64_t num_refs;
    int64_t chrf_char_order, chrf_word_order, chrf_beta;
    bool chrf_lowercase, chrf_whitespace, chrf_eps_smoothing;
    bool ter_normalized, ter_no_punct, ter_asian_support, ter_case_sensitive;
    bool confidence, paired_bs, paired_ar;
    int64_t confidence_n, paired_bs_n, paired_ar_n;
    /* rouge */
    const char *rouge_variant;
    bool use_stemmer;
};

extern struct ev_score_flags ev_score_flags;
extern const struct t2_flag ev_score_flag_table[];
extern const size_t ev_score_n_flags;
extern const struct t2_flag_values ev_score_flag_values[];

/* The scorer that is asked for; T2_EUSAGE: an unknown one, or a flag that belongs to another. */
T2_MUST_CHECK enum t2_status ev_score_flags_check(enum ev_scorer *scorer, struct t2_err *err);

#endif
