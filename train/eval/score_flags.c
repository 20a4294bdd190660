/*
 * train/eval/score_flags.c - the flags of t2t-bleu: those of each scorer are a group, and given to
 * another scorer they are an error.
 */
#include "train/eval/score_flags.h"

#include <string.h>

#include "base/log.h"

struct ev_score_flags ev_score_flags = {
    .scorer = "t2t",
    .source = "",
    .width = -1,
    .bleu_variant = "both",
    .translations_dir = "",
    .event_dir = "",
    .tag_suffix = "",
    .min_steps = -1,
    .metrics = "bleu",
    .tokenize = "13a",
    .spm_model = "",
    .mecab_dictionary = "",
    .smooth_method = "exp",
    .format = "text",
    .smooth_value = "",
    .num_refs = 1,
    .chrf_char_order = 6,
    .chrf_beta = 2,
    .confidence_n = 1000,
    .paired_bs_n = 1000,
    .paired_ar_n = 10000,
    .rouge_variant = "t2t",
};

enum { MOST_FLAGS = 64 };
static bool given[MOST_FLAGS];
static bool given_source;

#define F ev_score_flags

/* clang-format off */
const struct t2_flag ev_score_flag_table[] = {
    {NULL, T2_FLAG_GROUP, NULL, NULL, "What to compare", NULL},
    {"translation", T2_FLAG_LIST, &F.translations, "FILE",
     "The program's translation, one sentence a line; .gz is understood. Several times: several "
     "systems (sacrebleu).", NULL},
    {"reference", T2_FLAG_LIST, &F.references, "FILE",
     "The translation by people, line by line. Several times: several references (sacrebleu).",
     NULL},
    {"source", T2_FLAG_STRING, &F.source, "FILE", "Not used, as in the original.", &given_source},
    {"scorer", T2_FLAG_STRING, &F.scorer, "NAME",
     "t2t: Tensor2Tensor's own BLEU. sacrebleu: BLEU, chrF and TER of sacreBLEU, the ones to "
     "publish, with their signatures. rouge: summaries. wer: word and character error rate.",
     NULL},
    {"width", T2_FLAG_INT, &F.width, "N",
     "Decimals of a score; -1: 2 of sacrebleu, 4 of rouge and wer.", &given[0]},
    {"json", T2_FLAG_BOOL, &F.json, NULL,
     "Print one JSON object with scores and counts.", NULL},

    {NULL, T2_FLAG_GROUP, NULL, NULL, "--scorer=t2t", NULL},
    {"bleu_variant", T2_FLAG_STRING, &F.bleu_variant, "NAME", "cased, uncased or both.", &given[1]},
    {"translations_dir", T2_FLAG_STRING, &F.translations_dir, "DIR",
     "Instead of --translation: score all its files whose names end with -<steps>.", &given[2]},
    {"event_dir", T2_FLAG_STRING, &F.event_dir, "DIR",
     "Where the scores go, as an event file of TensorBoard; last_evaluated_step.txt too.",
     &given[3]},
    {"tag_suffix", T2_FLAG_STRING, &F.tag_suffix, "TEXT", "Appended to the events' tags.",
     &given[4]},
    {"min_steps", T2_FLAG_INT, &F.min_steps, "N",
     "First step to score; -1: the one in last_evaluated_step.txt, else 0.", &given[5]},
    {"wait_minutes", T2_FLAG_INT, &F.wait_minutes, "N",
     "How long to wait for the next file.", &given[6]},
    {"report_zero", T2_FLAG_BOOL, &F.report_zero, NULL,
     "Report 0 at step 0, at the time of the oldest file; without the flag: when the first step "
     "is 0.", &F.report_zero_given},

    {NULL, T2_FLAG_GROUP, NULL, NULL, "--scorer=sacrebleu", NULL},
    {"metrics", T2_FLAG_STRING, &F.metrics, "LIST", "bleu, chrf, ter, with commas.", &given[7]},
    {"tokenize", T2_FLAG_STRING, &F.tokenize, "NAME",
     "BLEU's tokenizer: 13a, intl, zh, ja-mecab, flores200, flores101, spm, spBLEU-1K, char or "
     "none.", &given[8]},
    {"spm_model", T2_FLAG_STRING, &F.spm_model, "FILE",
     "SentencePiece model of flores200 and the like; default: where sacreBLEU keeps it, "
     "$SACREBLEU/models or ~/.sacrebleu/models.", &given[9]},
    {"mecab_dictionary", T2_FLAG_STRING, &F.mecab_dictionary, "DIR",
     "MeCab's IPA dictionary in UTF-8; default: Debian's.", &given[10]},
    {"smooth_method", T2_FLAG_STRING, &F.smooth_method, "NAME", "none, floor, add-k or exp.",
     &given[11]},
    {"smooth_value", T2_FLAG_STRING, &F.smooth_value, "X",
     "Of floor (0.1 without it) and add-k (1).", &given[12]},
    {"lowercase", T2_FLAG_BOOL, &F.lowercase, NULL, "BLEU in lower case.", &given[13]},
    {"lc", T2_FLAG_BOOL, &F.lc, NULL, "The same; also -lc.", &given[14]},
    {"effective_order", T2_FLAG_BOOL, &F.effective_order, NULL,
     "BLEU leaves out orders without n-grams; always so with --sentence_level.", &given[15]},
    {"num_refs", T2_FLAG_INT, &F.num_refs, "N",
     "Lines of the one reference file hold so many references, with tabs between.", &given[16]},
    {"sentence_level", T2_FLAG_BOOL, &F.sentence_level, NULL, "A score for each line.",
     &given[17]},
    {"chrf_char_order", T2_FLAG_INT, &F.chrf_char_order, "N", "Longest n-grams of characters.",
     &given[18]},
    {"chrf_word_order", T2_FLAG_INT, &F.chrf_word_order, "N",
     "Longest n-grams of words; 2 is chrF++.", &given[19]},
    {"chrf_beta", T2_FLAG_INT, &F.chrf_beta, "N", "Weight of recall.", &given[20]},
    {"chrf_lowercase", T2_FLAG_BOOL, &F.chrf_lowercase, NULL, "chrF in lower case.", &given[21]},
    {"chrf_whitespace", T2_FLAG_BOOL, &F.chrf_whitespace, NULL, "White space counts.",
     &given[22]},
    {"chrf_eps_smoothing", T2_FLAG_BOOL, &F.chrf_eps_smoothing, NULL,
     "Smooth as chrF++.py, NLTK and Moses do.", &given[23]},
    {"ter_normalized", T2_FLAG_BOOL, &F.ter_normalized, NULL,
     "Undo entities, cut punctuation off.", &given[24]},
    {"ter_no_punct", T2_FLAG_BOOL, &F.ter_no_punct, NULL, "Delete punctuation.", &given[25]},
    {"ter_asian_support", T2_FLAG_BOOL, &F.ter_asian_support, NULL,
     "Both also of Chinese and Japanese.", &given[26]},
    {"ter_case_sensitive", T2_FLAG_BOOL, &F.ter_case_sensitive, NULL, "Case counts.", &given[27]},
    {"confidence", T2_FLAG_BOOL, &F.confidence, NULL,
     "Mean and 95 % interval by resampling; the seed is $SACREBLEU_SEED, else 12345.",
     &given[28]},
    {"confidence_n", T2_FLAG_INT, &F.confidence_n, "N", "How many resamples.", &given[29]},
    {"paired_bs", T2_FLAG_BOOL, &F.paired_bs, NULL,
     "Compare systems with the first by paired bootstrap resampling.", &given[30]},
    {"paired_bs_n", T2_FLAG_INT, &F.paired_bs_n, "N", "How many resamples.", &given[31]},
    {"paired_ar", T2_FLAG_BOOL, &F.paired_ar, NULL,
     "Compare systems with the first by paired approximate randomisation.", &given[32]},
    {"paired_ar_n", T2_FLAG_INT, &F.paired_ar_n, "N", "How many trials.", &given[33]},
    {"format", T2_FLAG_STRING, &F.format, "NAME",
     "text, json or latex (several systems), as sacreBLEU prints them.", &given[34]},
    {"score_only", T2_FLAG_BOOL, &F.score_only, NULL, "Print the number alone.", &given[35]},
    {"short", T2_FLAG_BOOL, &F.short_signature, NULL, "Print short signatures.", &given[36]},

    {NULL, T2_FLAG_GROUP, NULL, NULL, "--scorer=rouge", NULL},
    {"rouge_variant", T2_FLAG_STRING, &F.rouge_variant, "NAME",
     "t2t: F-scores of Tensor2Tensor's rouge.py. rouge-score: precision, recall and F-score of "
     "the package rouge-score.", &given[37]},
    {"use_stemmer", T2_FLAG_BOOL, &F.use_stemmer, NULL,
     "rouge-score compares stems of English words (Porter).", &given[38]},
};
const size_t ev_score_n_flags = sizeof ev_score_flag_table / sizeof *ev_score_flag_table;

const struct t2_flag_values ev_score_flag_values[] = {
    {"scorer", "t2t sacrebleu rouge wer", NULL},
    {"bleu_variant", "cased uncased both", NULL},
    {"metrics", "bleu chrf ter", NULL},
    {"tokenize", "13a intl zh ja-mecab flores200 flores101 spm spBLEU-1K char none", NULL},
    {"smooth_method", "none floor add-k exp", NULL},
    {"format", "text json latex", NULL},
    {"rouge_variant", "t2t rouge-score", NULL},
    {NULL, NULL, NULL},
};
/* clang-format on */

static const char *const scorers[] = {"t2t", "sacrebleu", "rouge", "wer"};

/* Whether the rows behind a heading belong to a scorer; those of the first group to all. */
static bool group_is(const char *heading, const char *scorer)
{
    return !t2_starts_with(heading, "--scorer=") ||
           strcmp(heading + strlen("--scorer="), scorer) == 0;
}

static enum t2_status check_groups(struct t2_err *err)
{
    const char *heading = "";

    for (size_t i = 0; i < ev_score_n_flags; i++) {
        const struct t2_flag *f = &ev_score_flag_table[i];

        if (f->type == T2_FLAG_GROUP)
            heading = f->help;
        else if (f->given && *f->given && !group_is(heading, F.scorer))
            return t2_fail(err, T2_EUSAGE, "--%s belongs to %s", f->name, heading);
    }
    return T2_OK;
}

enum t2_status ev_score_flags_check(enum ev_scorer *scorer, struct t2_err *err)
{
    size_t i = 0;

    while (i < sizeof scorers / sizeof *scorers && strcmp(F.scorer, scorers[i]) != 0)
        i++;
    if (i == sizeof scorers / sizeof *scorers)
        return t2_fail(err, T2_EUSAGE, "--scorer='%s': t2t, sacrebleu, rouge or wer", F.scorer);
    *scorer = (enum ev_scorer) i;
    T2_TRY(check_groups(err));
    if (given[0] && (*scorer == EV_SCORER_T2T || F.width < 0 || F.width > 15))
        return t2_fail(err, T2_EUSAGE,
                       *scorer == EV_SCORER_T2T
                           ? "--width does not belong to --scorer=t2t, which prints two decimals"
                           : "--width must be 0 to 15");
    if (given_source)
        t2_warn("--source means nothing here and is passed over");
    return T2_OK;
}
