/*
 * datagen/problems/translate_files.c - addresses, sizes and digests of the files that language
 * pairs share.
 */
#include "datagen/problems/translate_files.h"

#include <stddef.h>

/* Archives of several language pairs: text_factor is what one of them takes. */
#define URL(url) ((const char *const[]){url, NULL})

const struct dg_source_file dg_file_nc_v9 = {
    .urls = URL("http://www.statmt.org/wmt14/training-parallel-nc-v9.tgz"),
    .size_bytes = 80418416,
    .sha256 = "cb8953f292298e6877ae433c98912b927cb0766b303f4540512ddd286c748485",
    .text_factor = 0.8,
    .licence = DG_LICENCE_WMT,
};
const struct dg_source_file dg_file_nc_v13 = {
    .urls = URL("http://data.statmt.org/wmt18/translation-task/training-parallel-nc-v13.tgz"),
    .size_bytes = 113157482,
    .sha256 = "17992b7e919cfb754c60f4e754148bc23b80706ad0ed7b34150831a554b40c91",
    .text_factor = 0.7,
    .licence = DG_LICENCE_WMT,
};
const struct dg_source_file dg_file_commoncrawl = {
    .urls = URL("http://www.statmt.org/wmt13/training-parallel-commoncrawl.tgz"),
    .size_bytes = 918311367,
    .sha256 = "c7a74e2ea01ac6c920123108627e35278d4ccb5701e15428ffa34de86fa3a9e5",
    .text_factor = 0.7,
    .licence = DG_LICENCE_WMT,
};
const struct dg_source_file dg_file_europarl_v7 = {
    .urls = URL("http://www.statmt.org/wmt13/training-parallel-europarl-v7.tgz"),
    .size_bytes = 657632379,
    .sha256 = "0224c7c710c8a063dfd893b0cc0830202d61f4c75c17eb8e31836103d27d96e7",
    .text_factor = 0.9,
    .licence = DG_LICENCE_WMT,
};
const struct dg_source_file dg_file_un = {
    .urls = URL("http://www.statmt.org/wmt13/training-parallel-un.tgz"),
    .size_bytes = UINT64_C(2365634246),
    .sha256 = "29141b5c1eba149a94f7a59d3b1a834b2e47fe0f8758d68dcd77a3d3f497ee47",
    .text_factor = 1.6,
    .licence = DG_LICENCE_WMT,
};
const struct dg_source_file dg_file_rapid2016 = {
    .urls = URL("http://data.statmt.org/wmt18/translation-task/rapid2016.tgz"),
    .size_bytes = 161050516,
    .sha256 = "41557dd5d8f0ed3a6d98bce3b798b1a9d3b68361eb99d902329ddbb943a6b55a",
    .text_factor = 1.5,
    .licence = DG_LICENCE_WMT,
};
const struct dg_source_file dg_file_wmt17_dev = {
    .urls = URL("http://data.statmt.org/wmt17/translation-task/dev.tgz"),
    .about_bytes = 38714274,
    .text_factor = 0.1,
    .licence = DG_LICENCE_WMT,
};
