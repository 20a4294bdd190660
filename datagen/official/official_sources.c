/*
 * datagen/official/official_sources.c - the table of archives.
 */
#include "datagen/official/official_sources.h"

static const struct dg_official_source train[] = {
    {"http://data.statmt.org/wmt17/translation-task/training-parallel-nc-v12.tgz",
     "news-commentary-v12.de-en.en", "news-commentary-v12.de-en.de", 168591139,
     "2b45f30ef1d550d302fd17dd3a5cbe19134ccc4c2cf50c2dae534aee600101a2"},
    {"http://www.statmt.org/wmt13/training-parallel-commoncrawl.tgz", "commoncrawl.de-en.en",
     "commoncrawl.de-en.de", 918311367,
     "c7a74e2ea01ac6c920123108627e35278d4ccb5701e15428ffa34de86fa3a9e5"},
    {"http://www.statmt.org/wmt13/training-parallel-europarl-v7.tgz", "europarl-v7.de-en.en",
     "europarl-v7.de-en.de", 657632379,
     "0224c7c710c8a063dfd893b0cc0830202d61f4c75c17eb8e31836103d27d96e7"},
};

static const struct dg_official_source dev[] = {
    {"http://data.statmt.org/wmt17/translation-task/dev.tgz", "newstest2013.en", "newstest2013.de",
     0, NULL},
};

static const struct dg_official_source test[] = {
    {"https://storage.googleapis.com/tf-perf-public/official_transformer/test_data/"
     "newstest2014.tgz",
     "newstest2014.en", "newstest2014.de", 0, NULL},
};

const struct dg_official_source *dg_official_sources(enum dg_split split, size_t *n)
{
    switch (split) {
    case DG_TRAIN:
        *n = sizeof train / sizeof *train;
        return train;
    case DG_DEV:
        *n = sizeof dev / sizeof *dev;
        return dev;
    case DG_TEST:
        break;
    }
    *n = sizeof test / sizeof *test;
    return test;
}
