/*
 * datagen/problems/problem_translate_enfr.c - English-French: T2T's translate_enfr.py.
 */
#include <stddef.h>

#include "datagen/problem_registry.h"
#include "datagen/problems/translate.h"
#include "datagen/problems/translate_files.h"

#define URL(url) ((const char *const[]){url, NULL})

static const struct dg_source_file baseline_1m = {
    .urls = URL("https://s3.amazonaws.com/opennmt-trainingdata/baseline-1M-enfr.tgz"),
    .gone = "OpenNMT's public bucket was closed (translate_enfr_wmt8k has other sources)",
};
static const struct dg_source_file giga = {
    .urls = URL("http://www.statmt.org/wmt10/training-giga-fren.tar"),
    .size_bytes = UINT64_C(2595102720),
    .text_factor = 3, /* two gzip files */
    .sha256 = "3ff8319f6919393520559bfbc7ad6a747ec81b3abc7be9993b338d4b017b4d9a",
    .licence = DG_LICENCE_WMT,
};

static const struct dg_parallel_source small_train[] = {
    DG_STEM(baseline_1m, "baseline-1M-enfr/baseline-1M_train", "en", "fr"), {.file = NULL}};
static const struct dg_parallel_source small_dev[] = {
    DG_STEM(baseline_1m, "baseline-1M-enfr/baseline-1M_valid", "en", "fr"), {.file = NULL}};
static const struct dg_parallel_source large_train[] = {
    DG_STEM(dg_file_commoncrawl, "commoncrawl.fr-en", "en", "fr"),
    DG_STEM(dg_file_europarl_v7, "training/europarl-v7.fr-en", "en", "fr"),
    DG_STEM(dg_file_nc_v9, "training/news-commentary-v9.fr-en", "en", "fr"),
    DG_STEM(giga, "giga-fren.release2.fixed", "en.gz", "fr.gz"),
    DG_STEM(dg_file_un, "un/undoc.2000.fr-en", "en", "fr"),
    {.file = NULL}};
static const struct dg_parallel_source large_dev[] = {DG_STEM(dg_file_wmt17_dev, "dev/newstest2013",
                                                              "en", "fr"),
                                                      {.file = NULL}};

static const struct dg_source_file *const small_files[] = {&baseline_1m, NULL};
static const struct dg_source_file *const large_files[] = {&dg_file_commoncrawl,
                                                           &dg_file_europarl_v7,
                                                           &dg_file_nc_v9,
                                                           &giga,
                                                           &dg_file_un,
                                                           &dg_file_wmt17_dev,
                                                           NULL};

static const char *const french_mono[][2] = {{"fr_mono_en.txt", "fr_mono_fr.txt"}, {NULL, NULL}};
static const char *const english_mono[][2] = {{"en_mono_en.txt0", "en_mono_fr.txt0"},
                                              {"en_mono_en.txt1", "en_mono_fr.txt1"},
                                              {"en_mono_en.txt2", "en_mono_fr.txt2"},
                                              {NULL, NULL}};

static const struct dg_translate of_small = {.train = small_train, .dev = small_dev};
static const struct dg_translate of_large = {.train = large_train, .dev = large_dev};
static const struct dg_translate with_french = {.train = large_train,
                                                .dev = large_dev,
                                                .synthetic = french_mono};
static const struct dg_translate with_english = {.train = large_train,
                                                 .dev = large_dev,
                                                 .synthetic = english_mono};

#define VOCAB_32K DG_SUBWORDS_OF("translate_enfr_wmt32k", 32768)
DG_TRANSLATE_PROBLEM(translate_enfr_wmt_small8k, "English-French, a million pairs", of_small,
                     small_files, 100, DG_SUBWORDS(8192));
DG_TRANSLATE_PROBLEM(translate_enfr_wmt_small32k, "English-French, a million pairs", of_small,
                     small_files, 100, DG_SUBWORDS(32768));
DG_TRANSLATE_PROBLEM(translate_enfr_wmt_small_characters,
                     "English-French, a million pairs, as bytes", of_small, small_files, 100,
                     DG_CHARACTERS);
DG_TRANSLATE_PROBLEM(translate_enfr_wmt8k, "English-French, WMT", of_large, large_files, 100,
                     DG_SUBWORDS(8192));
DG_TRANSLATE_PROBLEM(translate_enfr_wmt32k,
                     "English-French, WMT: Common Crawl, Europarl, news commentary, Giga, UN",
                     of_large, large_files, 100, DG_SUBWORDS(32768));
DG_TRANSLATE_PROBLEM(translate_enfr_wmt_characters, "English-French, WMT, as bytes", of_large,
                     large_files, 100, DG_CHARACTERS);
DG_TRANSLATE_PROBLEM(translate_enfr_wmt32k_packed, "English-French, WMT, packed to 256", of_large,
                     large_files, 100, VOCAB_32K, .packing.length = 256);
DG_TRANSLATE_PROBLEM(translate_enfr_wmt_multi64k,
                     "English-French, WMT, vocabulary of four languages", of_large, large_files,
                     100, DG_SUBWORDS_OF_FOUR);
DG_TRANSLATE_PROBLEM(translate_enfr_wmt_multi64k_packed1k,
                     "English-French, WMT, vocabulary of four languages, packed to 1024", of_large,
                     large_files, 100, DG_SUBWORDS_OF_FOUR, .packing.length = 1024,
                     .text.prefix = {"translate English French ", "translate French English "});

/* Blocks of synthetic and of authentic text in turn: one shard, in order. */
DG_TRANSLATE_PROBLEM(
    translate_enfr_wmt32k_with_backtranslate_fr,
    "English-French, WMT and back-translated French: fr_mono_en.txt, fr_mono_fr.txt of "
    "--tmp_dir",
    with_french, large_files, 1, VOCAB_32K, .sharding.already_shuffled = true);
DG_TRANSLATE_PROBLEM(
    translate_enfr_wmt32k_with_backtranslate_en,
    "English-French, WMT and back-translated English: en_mono_en.txt0, en_mono_fr.txt0 "
    "to 2 of --tmp_dir",
    with_english, large_files, 1, VOCAB_32K, .sharding.already_shuffled = true);

static const struct dg_problem *const problems[] = {
    &translate_enfr_wmt_small8k,
    &translate_enfr_wmt_small32k,
    &translate_enfr_wmt_small_characters,
    &translate_enfr_wmt8k,
    &translate_enfr_wmt32k,
    &translate_enfr_wmt_characters,
    &translate_enfr_wmt32k_packed,
    &translate_enfr_wmt_multi64k,
    &translate_enfr_wmt_multi64k_packed1k,
    &translate_enfr_wmt32k_with_backtranslate_fr,
    &translate_enfr_wmt32k_with_backtranslate_en,
};
const struct dg_family dg_family_translate_enfr = {"Translation, English-French", problems,
                                                   sizeof problems / sizeof *problems};
