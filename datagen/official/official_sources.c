/*
 * datagen/official/official_sources.c - the table of archives.
 *
 * Sizes and digests are those that TensorFlow Datasets lists for the same addresses; it has none of
 * dev.tgz and newstest2014.tgz.
 */
#include "datagen/official/official_sources.h"

#define URLS(...) ((const char *const[]){__VA_ARGS__, NULL})
#define WMT_LICENCE                                                                                \
    "free for research, citing the WMT's overview paper; else ask the corpora's owners "           \
    "(statmt.org)"

enum { N_TRAIN = 3 };

static const struct dg_source_file
    news_commentary = {.urls = URLS("http://data.statmt.org/wmt17/translation-task/"
                                    "training-parallel-nc-v12.tgz"),
                       .size_bytes = 168591139,
                       .sha256 = "2b45f30ef1d550d302fd17dd3a5cbe19134ccc4c2cf50c2dae534aee600101a2",
                       .text_factor = 0.4,
                       .licence = WMT_LICENCE},
    common_crawl = {.urls = URLS("http://www.statmt.org/wmt13/training-parallel-commoncrawl.tgz"),
                    .size_bytes = 918311367,
                    .sha256 = "c7a74e2ea01ac6c920123108627e35278d4ccb5701e15428ffa34de86fa3a9e5",
                    .text_factor = 0.7,
                    .licence = WMT_LICENCE},
    europarl = {.urls = URLS("http://www.statmt.org/wmt13/training-parallel-europarl-v7.tgz"),
                .size_bytes = 657632379,
                .sha256 = "0224c7c710c8a063dfd893b0cc0830202d61f4c75c17eb8e31836103d27d96e7",
                .text_factor = 0.9,
                .licence = WMT_LICENCE},
    dev_sets = {.urls = URLS("http://data.statmt.org/wmt17/translation-task/dev.tgz"),
                .about_bytes = 38714274,
                .text_factor = 0.1,
                .licence = WMT_LICENCE},
    newstest = {.urls = URLS("https://storage.googleapis.com/tf-perf-public/official_transformer/"
                             "test_data/newstest2014.tgz",
                             "https://storage.googleapis.com/cloud-tpu-test-datasets/"
                             "transformer_data/newstest2014.tgz"),
                .licence = WMT_LICENCE};

const struct dg_source_file *const dg_official_archives[] = {
    &news_commentary, &common_crawl, &europarl, &dev_sets, &newstest, NULL,
};

static const struct dg_official_source train[N_TRAIN] = {
    {&news_commentary, "news-commentary-v12.de-en.en", "news-commentary-v12.de-en.de"},
    {&common_crawl, "commoncrawl.de-en.en", "commoncrawl.de-en.de"},
    {&europarl, "europarl-v7.de-en.en", "europarl-v7.de-en.de"},
};
static const struct dg_official_source dev = {&dev_sets, "newstest2013.en", "newstest2013.de"};
static const struct dg_official_source test = {&newstest, "newstest2014.en", "newstest2014.de"};

const struct dg_official_source *dg_official_sources(enum dg_split split, size_t *n)
{
    *n = split == DG_TRAIN ? N_TRAIN : 1;
    return split == DG_TRAIN ? train : split == DG_DEV ? &dev : &test;
}
