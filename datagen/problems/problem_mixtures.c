/*
 * datagen/problems/problem_mixtures.c - mixtures of other problems (T2T's MultiProblem; spec
 * t2t-datagen.md §8.3): they have no data of their own, generating one generates its members.
 */
#include "datagen/problem_registry.h"

/* clang-format off */
#define MIXTURE(name_, summary_, ...)                                                               \
    &(const struct dg_problem){                                                                     \
        .name = name_, .summary = summary_,                                                         \
        .members = (const char *const[]){__VA_ARGS__, NULL}}
#define WITH_SUMMARIES(name, summary, summaries)                                                    \
    MIXTURE(name, summary, "languagemodel_en_wiki64k", summaries)

#define PACKED                                                                                      \
    "languagemodel_de_en_fr_ro_wiki64k_fitb_packed1k", "translate_ende_wmt_multi64k_packed1k",      \
    "translate_enfr_wmt_multi64k_packed1k", "translate_enro_wmt_multi_tiny64k_packed1k",            \
    "summarize_cnn_dailymail_multi64k_packed1k", "multi_nli_text2text_multi64k_packed1k",           \
    "squad_text2text_multi64k_packed1k"

static const struct dg_problem *const problems[] = {
    MIXTURE("languagemodel_en_wiki_lm_multi_nli_subwords", "English Wikipedia and MultiNLI",
            "languagemodel_en_wiki32k", "multi_nli_wiki_lm_shared_vocab"),
    MIXTURE("languagemodel_en_wiki_lm_multi_nli_subwords64k", "the same with 64000 subwords",
            "languagemodel_en_wiki64k", "multi_nli_wiki_lm_shared_vocab64k"),
    MIXTURE("languagemodel_en_wiki_lm_multi_nli_subwords_v2",
            "English Wikipedia and MultiNLI, half and half",
            "languagemodel_en_wiki32k", "multi_nli_wiki_lm_shared_vocab"),
    MIXTURE("languagemodel_en_wiki_lm_short_multi_nli_subwords64k",
            "English Wikipedia in shorter texts and MultiNLI",
            "languagemodel_en_wiki64k_shorter", "multi_nli_wiki_lm_shared_vocab64k"),
    MIXTURE("languagemodel_en_wiki_lm_squad_concat_subwords", "English Wikipedia and SQuAD",
            "languagemodel_en_wiki32k", "squad_concat_shared_vocab"),
    MIXTURE("languagemodel_en_wiki_lm_summarize_cnndm_subwords",
            "English Wikipedia and CNN/DailyMail",
            "languagemodel_en_wiki32k", "summarize_cnn_dailymail_wiki_lm_shared_vocab"),
    WITH_SUMMARIES("languagemodel_en_wiki_lm_summarize_cnndm_subwords64k",
                   "the same with 64000 subwords",
                   "summarize_cnn_dailymail_wiki_lm_shared_vocab64k"),
    WITH_SUMMARIES("languagemodel_en_wiki_lm_summarize_frac10_cnndm_subwords64k",
                   "the same with 10 % of CNN/DailyMail",
                   "summarize_frac10_cnn_dailymail_wiki_lm_shared_vocab64k"),
    WITH_SUMMARIES("languagemodel_en_wiki_lm_summarize_frac1_cnndm_subwords64k",
                   "the same with 1 % of CNN/DailyMail",
                   "summarize_frac1_cnn_dailymail_wiki_lm_shared_vocab64k"),
    WITH_SUMMARIES("languagemodel_en_wiki_lm_summarize_frac20_cnndm_subwords64k",
                   "the same with 20 % of CNN/DailyMail",
                   "summarize_frac20_cnn_dailymail_wiki_lm_shared_vocab64k"),
    WITH_SUMMARIES("languagemodel_en_wiki_lm_summarize_frac2_cnndm_subwords64k",
                   "the same with 2 % of CNN/DailyMail",
                   "summarize_frac2_cnn_dailymail_wiki_lm_shared_vocab64k"),
    WITH_SUMMARIES("languagemodel_en_wiki_lm_summarize_frac50_cnndm_subwords64k",
                   "the same with 50 % of CNN/DailyMail",
                   "summarize_frac50_cnn_dailymail_wiki_lm_shared_vocab64k"),
    WITH_SUMMARIES("languagemodel_en_wiki_lm_summarize_frac5_cnndm_subwords64k",
                   "the same with 5 % of CNN/DailyMail",
                   "summarize_frac5_cnn_dailymail_wiki_lm_shared_vocab64k"),
    MIXTURE("languagemodel_lm1b_multi_nli", "One Billion Words and MultiNLI, characters",
            "languagemodel_lm1b_characters", "multi_nli_characters"),
    MIXTURE("languagemodel_lm1b_multi_nli_subwords", "One Billion Words and MultiNLI",
            "languagemodel_lm1b32k", "multi_nli_shared_vocab"),
    MIXTURE("languagemodel_lm1b_sentiment_imdb", "One Billion Words and IMDB, characters",
            "languagemodel_lm1b_characters", "sentiment_imdb_characters"),
    MIXTURE("languagemodel_multi_wiki_translate",
            "Wikipedia in four languages, translation, summaries, MultiNLI, SQuAD",
            "languagemodel_de_en_fr_ro_wiki64k", "translate_ende_wmt_multi64k",
            "translate_enfr_wmt_multi64k", "translate_enro_wmt_multi_tiny64k",
            "summarize_cnn_dailymail_wiki_lm_multi_vocab64k", "multi_nli_wiki_lm_multi_vocab64k",
            "squad_concat_multi64k"),
    MIXTURE("languagemodel_multi_wiki_translate_fr",
            "Wikipedia in four languages and English-French",
            "languagemodel_de_en_fr_ro_wiki64k", "translate_enfr_wmt_multi64k"),
    MIXTURE("languagemodel_multi_wiki_translate_packed1k", "seven packed problems", PACKED),
    MIXTURE("languagemodel_multi_wiki_translate_packed1k_v2", "the same, the rare ones more often",
            PACKED),
};
/* clang-format on */

const struct dg_family dg_family_mixtures = {"Mixtures of other problems", problems,
                                             sizeof problems / sizeof *problems};
