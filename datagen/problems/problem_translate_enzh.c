/*
 * datagen/problems/problem_translate_enzh.c - English-Chinese: T2T's translate_enzh.py, with a
 * vocabulary for each language.  CWMT and the UN's corpus are used when their archives are in
 * --tmp_dir: they are only given to people who register.
 */
#include <stddef.h>

#include "datagen/problem_registry.h"
#include "datagen/problems/translate.h"
#include "datagen/problems/translate_files.h"

static const struct dg_source_file wmt18_dev = {
    .urls = (const char *const[]){"http://data.statmt.org/wmt18/translation-task/dev.tgz", NULL},
    .licence = DG_LICENCE_WMT,
};
static const struct dg_source_file cwmt = {
    .name = "cwmt.tgz",
    .gone = "CWMT is given to those who register (nlp.nju.edu.cn/cwmt-wmt); optional",
};
static const struct dg_source_file un_corpus = {
    .name = "UNv1.0.en-zh.tar.gz",
    .gone = "the UN corpus is given to those who register (conferences.unite.un.org/UNCorpus); "
            "optional",
};

#define NEWS                                                                                       \
    DG_STEM(dg_file_nc_v13, "training-parallel-nc-v13/news-commentary-v13.zh-en", "en", "zh")
#define CWMT(stem, english, chinese)                                                               \
    {                                                                                              \
        .file = &cwmt, .kind = DG_PARALLEL_PAIR, .lang1 = "cwmt/" stem english,                    \
        .lang2 = "cwmt/" stem chinese, .is_optional = true                                         \
    }
#define BOOK(n) CWMT("datum2017/Book" #n, "_en.txt", "_cn.txt")

static const struct dg_parallel_source news_train[] = {NEWS, {.file = NULL}};
static const struct dg_parallel_source full_train[] = {
    NEWS,
    CWMT("casia2015/casia2015", "_en.txt", "_ch.txt"),
    CWMT("casict2015/casict2015", "_en.txt", "_ch.txt"),
    CWMT("neu2017/NEU", "_en.txt", "_cn.txt"),
    CWMT("datum2015/datum", "_en.txt", "_ch.txt"),
    BOOK(1),
    BOOK(2),
    BOOK(3),
    BOOK(4),
    BOOK(5),
    BOOK(6),
    BOOK(7),
    BOOK(8),
    BOOK(9),
    BOOK(10),
    BOOK(11),
    BOOK(12),
    BOOK(13),
    BOOK(14),
    BOOK(15),
    BOOK(16),
    BOOK(17),
    BOOK(18),
    BOOK(19),
    BOOK(20),
    {.file = &un_corpus,
     .kind = DG_PARALLEL_PAIR,
     .lang1 = "en-zh/UNv1.0.en-zh.en",
     .lang2 = "en-zh/UNv1.0.en-zh.zh",
     .is_optional = true},
    {.file = NULL},
};
static const struct dg_parallel_source dev[] = {DG_SGM(wmt18_dev, "dev/newsdev2017-enzh-src.en.sgm",
                                                       "dev/newsdev2017-enzh-ref.zh.sgm"),
                                                {.file = NULL}};

static const struct dg_source_file *const news_files[] = {&dg_file_nc_v13, &wmt18_dev, NULL};
static const struct dg_source_file *const full_files[] = {&dg_file_nc_v13, &cwmt, &un_corpus,
                                                          &wmt18_dev, NULL};

enum { BUDGET = 100000000 };
/* The "k" behind the whole size is the original's. */
static const struct dg_translate of_news = {.train = news_train,
                                            .dev = dev,
                                            .compiled = "wmt_enzh_8192k_tok_",
                                            .vocab_budget = BUDGET};
static const struct dg_translate of_all = {.train = full_train,
                                           .dev = dev,
                                           .compiled = "wmt_enzh_32768k_tok_",
                                           .vocab_budget = BUDGET};

#define VOCAB(problem, size, language)                                                             \
    {                                                                                              \
        .kind = DG_VOCAB_SUBWORDS, .approx_size = size,                                            \
        .file = "vocab." problem "." #size ".subwords." language                                   \
    }
#define PROBLEM(name_, summary_, spec_, files_, n_train, size)                                     \
    static const struct dg_problem name_ = {                                                       \
        .name = #name_,                                                                            \
        .summary = "English-Chinese, " summary_,                                                   \
        .has_inputs = true,                                                                        \
        .inputs_vocab = VOCAB(#name_, size, "en"),                                                 \
        .targets_vocab = VOCAB(#name_, size, "zh"),                                                \
        .n_shards = {n_train, 1, 0},                                                               \
        .sources = (files_),                                                                       \
        .prepare = dg_translate_prepare,                                                           \
        .open = dg_translate_open,                                                                 \
        .vocab.open_text = dg_translate_open_vocab_text,                                           \
        .context = &(spec_),                                                                       \
    }

PROBLEM(translate_enzh_wmt32k,
        "news commentary, and CWMT and the UN corpus when they are in --tmp_dir", of_all,
        full_files, 100, 32768);
PROBLEM(translate_enzh_wmt8k, "news commentary", of_news, news_files, 10, 8192);

static const struct dg_problem *const problems[] = {&translate_enzh_wmt32k, &translate_enzh_wmt8k};
const struct dg_family dg_family_translate_enzh = {"Translation, English-Chinese", problems,
                                                   sizeof problems / sizeof *problems};
