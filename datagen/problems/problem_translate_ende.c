/*
 * datagen/problems/problem_translate_ende.c - English-German: T2T's translate_ende.py, and the
 * legacy problem of ready-made BPE.
 */
#include <stddef.h>

#include "datagen/problem_registry.h"
#include "datagen/problems/translate.h"
#include "datagen/problems/translate_files.h"

static const struct dg_source_file paracrawl4 = {
    .urls = (const char *const[]){"https://s3.amazonaws.com/web-language-models/paracrawl/release4/"
                                  "en-de.bicleaner07.tmx.gz",
                                  NULL},
    .licence = DG_LICENCE_PARACRAWL,
};

#define WMT                                                                                        \
    DG_STEM(dg_file_nc_v13, "training-parallel-nc-v13/news-commentary-v13.de-en", "en", "de"),     \
        DG_STEM(dg_file_commoncrawl, "commoncrawl.de-en", "en", "de"),                             \
        DG_STEM(dg_file_europarl_v7, "training/europarl-v7.de-en", "en", "de")
#define WMT_FILES &dg_file_nc_v13, &dg_file_commoncrawl, &dg_file_europarl_v7
#define PARACRAWL                                                                                  \
    {                                                                                              \
        .file = &paracrawl4, .kind = DG_PARALLEL_TMX                                               \
    }
#define END                                                                                        \
    {                                                                                              \
        .file = NULL                                                                               \
    }

static const struct dg_parallel_source dev[] = {DG_STEM(dg_file_wmt17_dev, "dev/newstest2013", "en",
                                                        "de"),
                                                END};
static const struct dg_parallel_source wmt[] = {WMT, END};
static const struct dg_parallel_source wmt_2018[] = {
    WMT, DG_STEM(dg_file_rapid2016, "rapid2016.de-en", "en", "de"), END};
static const struct dg_parallel_source pc[] = {PARACRAWL, END};
static const struct dg_parallel_source wmt_pc[] = {WMT, PARACRAWL, END};

static const struct dg_source_file *const wmt_files[] = {WMT_FILES, &dg_file_wmt17_dev, NULL};
static const struct dg_source_file *const wmt_2018_files[] = {WMT_FILES, &dg_file_rapid2016,
                                                              &dg_file_wmt17_dev, NULL};
static const struct dg_source_file *const pc_files[] = {&paracrawl4, &dg_file_wmt17_dev, NULL};
static const struct dg_source_file *const wmt_pc_files[] = {WMT_FILES, &paracrawl4,
                                                            &dg_file_wmt17_dev, NULL};

static const struct dg_translate of_wmt = {.train = wmt, .dev = dev};
static const struct dg_translate of_wmt_clean = {.train = wmt, .dev = dev, .clean_text = true};
static const struct dg_translate of_2018 = {.train = wmt_2018, .dev = dev};
static const struct dg_translate of_pc = {.train = pc, .dev = dev};
static const struct dg_translate of_pc_clean = {.train = pc, .dev = dev, .clean_tmx = true};
static const struct dg_translate of_wmt_pc = {.train = wmt_pc, .dev = dev};
static const struct dg_translate of_wmt_clean_pc = {.train = wmt_pc,
                                                    .dev = dev,
                                                    .clean_text = true};
static const struct dg_translate of_wmt_pc_clean = {.train = wmt_pc, .dev = dev, .clean_tmx = true};
static const struct dg_translate of_wmt_clean_pc_clean = {.train = wmt_pc,
                                                          .dev = dev,
                                                          .clean_text = true,
                                                          .clean_tmx = true};

#define VOCAB_32K DG_SUBWORDS_OF("translate_ende_wmt32k", 32768)
DG_TRANSLATE_PROBLEM(translate_ende_wmt32k,
                     "English-German, WMT: news commentary, Common Crawl, Europarl", of_wmt,
                     wmt_files, 100, DG_SUBWORDS(32768));
DG_TRANSLATE_PROBLEM(translate_ende_wmt8k, "English-German, WMT", of_wmt, wmt_files, 100,
                     DG_SUBWORDS(8192));
DG_TRANSLATE_PROBLEM(translate_ende_wmt_characters, "English-German, WMT, as bytes", of_wmt,
                     wmt_files, 100, DG_CHARACTERS);
DG_TRANSLATE_PROBLEM(translate_ende_wmt32k_packed, "English-German, WMT, packed to 256", of_wmt,
                     wmt_files, 100, VOCAB_32K, .packing.length = 256);
DG_TRANSLATE_PROBLEM(translate_ende_wmt8k_packed, "English-German, WMT, packed to 256", of_wmt,
                     wmt_files, 100, DG_SUBWORDS_OF("translate_ende_wmt8k", 8192),
                     .packing.length = 256);
DG_TRANSLATE_PROBLEM(translate_ende_wmt_clean32k, "English-German, WMT, cleaned", of_wmt_clean,
                     wmt_files, 100, VOCAB_32K);
DG_TRANSLATE_PROBLEM(translate_ende2018_wmt32k, "English-German, WMT with Rapid 2016", of_2018,
                     wmt_2018_files, 100, VOCAB_32K);
DG_TRANSLATE_PROBLEM(translate_ende_pc32k, "English-German, ParaCrawl", of_pc, pc_files, 100,
                     VOCAB_32K);
DG_TRANSLATE_PROBLEM(translate_ende_pc_clean32k, "English-German, ParaCrawl, cleaned", of_pc_clean,
                     pc_files, 100, VOCAB_32K);
DG_TRANSLATE_PROBLEM(translate_ende_wmt_pc32k, "English-German, WMT and ParaCrawl", of_wmt_pc,
                     wmt_pc_files, 100, VOCAB_32K);
DG_TRANSLATE_PROBLEM(translate_ende_wmt_clean_pc32k, "English-German, cleaned WMT and ParaCrawl",
                     of_wmt_clean_pc, wmt_pc_files, 100, VOCAB_32K);
DG_TRANSLATE_PROBLEM(translate_ende_wmt_pc_clean32k, "English-German, WMT and cleaned ParaCrawl",
                     of_wmt_pc_clean, wmt_pc_files, 100, VOCAB_32K);
DG_TRANSLATE_PROBLEM(translate_ende_wmt_clean_pc_clean32k,
                     "English-German, WMT and ParaCrawl, both cleaned", of_wmt_clean_pc_clean,
                     wmt_pc_files, 100, VOCAB_32K);
DG_TRANSLATE_PROBLEM(translate_ende_wmt_multi64k,
                     "English-German, WMT, vocabulary of four languages", of_wmt, wmt_files, 100,
                     DG_SUBWORDS_OF_FOUR);
DG_TRANSLATE_PROBLEM(translate_ende_wmt_multi64k_packed1k,
                     "English-German, WMT, vocabulary of four languages, packed to 1024", of_wmt,
                     wmt_files, 100, DG_SUBWORDS_OF_FOUR, .packing.length = 1024,
                     .text.prefix = {"translate English German ", "translate German English "});

static const struct dg_problem *const problems[] = {
    &translate_ende_wmt32k,
    &translate_ende_wmt8k,
    &translate_ende_wmt_characters,
    &translate_ende_wmt32k_packed,
    &translate_ende_wmt8k_packed,
    &translate_ende_wmt_clean32k,
    &translate_ende2018_wmt32k,
    &translate_ende_pc32k,
    &translate_ende_pc_clean32k,
    &translate_ende_wmt_pc32k,
    &translate_ende_wmt_clean_pc32k,
    &translate_ende_wmt_pc_clean32k,
    &translate_ende_wmt_clean_pc_clean32k,
    &translate_ende_wmt_multi64k,
    &translate_ende_wmt_multi64k_packed1k,
};
const struct dg_family dg_family_translate_ende = {"Translation, English-German", problems,
                                                   sizeof problems / sizeof *problems};
