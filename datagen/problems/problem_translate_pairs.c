/*
 * datagen/problems/problem_translate_pairs.c - English with Czech, Spanish, Estonian, Indonesian,
 * Macedonian, Romanian, Setswana, Vietnamese: T2T's translate_en*.py.
 */
#include <stddef.h>

#include "datagen/problem_registry.h"
#include "datagen/problems/translate.h"
#include "datagen/problems/translate_files.h"

#define URL(url) ((const char *const[]){url, NULL})
#define END                                                                                        \
    {                                                                                              \
        .file = NULL                                                                               \
    }

/* ---- Czech ---- */

static const struct dg_source_file czeng = {
    .urls = URL("https://lindat.mff.cuni.cz/repository/xmlui/bitstream/handle/11234/1-1458/"
                "data-plaintext-format.tar"),
    .licence = "CC BY-NC-SA 3.0 (CzEng 1.6)",
};

static const struct dg_parallel_source cs_train[] = {
    {.file = &czeng,
     .kind = DG_PARALLEL_TSV,
     .lang1 = "data.plaintext-format/*train.gz",
     .column1 = 3,
     .column2 = 2},
    DG_STEM(dg_file_nc_v13, "training-parallel-nc-v13/news-commentary-v13.cs-en", "en", "cs"),
    DG_STEM(dg_file_commoncrawl, "commoncrawl.cs-en", "en", "cs"),
    DG_STEM(dg_file_europarl_v7, "training/europarl-v7.cs-en", "en", "cs"),
    END};
static const struct dg_parallel_source cs_dev[] = {DG_STEM(dg_file_wmt17_dev, "dev/newstest2013",
                                                           "en", "cs"),
                                                   END};
static const struct dg_source_file *const cs_files[] = {
    &czeng, &dg_file_nc_v13, &dg_file_commoncrawl, &dg_file_europarl_v7, &dg_file_wmt17_dev, NULL};

static const char *const czech_mono[][2] = {{"cs_mono_en.txt0", "cs_mono_cs.txt0"},
                                            {"cs_mono_en.txt1", "cs_mono_cs.txt1"},
                                            {"cs_mono_en.txt2", "cs_mono_cs.txt2"},
                                            {NULL, NULL}};

static const struct dg_translate of_cs = {.train = cs_train, .dev = cs_dev};
static const struct dg_translate of_cs_characters = {.train = cs_train,
                                                     .dev = cs_dev,
                                                     .compiled = "wmt_encs_chr_"};
static const struct dg_translate of_cs_blocks = {.train = cs_train,
                                                 .dev = cs_dev,
                                                 .synthetic = czech_mono};

DG_TRANSLATE_PROBLEM(translate_encs_wmt32k,
                     "English-Czech, CzEng, news commentary, Common Crawl, Europarl", of_cs,
                     cs_files, 100, DG_SUBWORDS(32768));
DG_TRANSLATE_PROBLEM(translate_encs_wmt_characters, "English-Czech, the same as bytes",
                     of_cs_characters, cs_files, 100, DG_CHARACTERS);
DG_TRANSLATE_PROBLEM(translate_encs_cubbitt,
                     "English-Czech, the same and back-translated Czech: cs_mono_en.txt0, "
                     "cs_mono_cs.txt0 to 2 of --tmp_dir",
                     of_cs_blocks, cs_files, 1, DG_SUBWORDS_OF("translate_encs_wmt32k", 32768),
                     .already_shuffled = true);

/* ---- Spanish ---- */

static const struct dg_source_file paracrawl_es = {
    .urls = URL("https://s3.amazonaws.com/web-language-models/paracrawl/release1/"
                "paracrawl-release1.en-es.zipporah0-dedup-clean.tgz"),
    .licence = DG_LICENCE_PARACRAWL,
};

static const struct dg_parallel_source es_train[] = {
    DG_STEM(dg_file_commoncrawl, "commoncrawl.es-en", "en", "es"),
    DG_STEM(dg_file_europarl_v7, "training/europarl-v7.es-en", "en", "es"),
    DG_STEM(dg_file_un, "un/undoc.2000.es-en", "en", "es"),
    DG_STEM(paracrawl_es, "paracrawl-release1.en-es.zipporah0-dedup-clean", "en", "es"), END};
static const struct dg_parallel_source es_dev[] = {DG_STEM(dg_file_wmt17_dev, "dev/newstest2013",
                                                           "en", "es"),
                                                   END};
static const struct dg_source_file *const es_files[] = {&dg_file_commoncrawl, &dg_file_europarl_v7,
                                                        &dg_file_un,          &paracrawl_es,
                                                        &dg_file_wmt17_dev,   NULL};

static const struct dg_translate of_es = {.train = es_train, .dev = es_dev};
static const struct dg_translate of_es_clean = {.train = es_train,
                                                .dev = es_dev,
                                                .clean_text = true};

DG_TRANSLATE_PROBLEM(translate_enes_wmt32k,
                     "English-Spanish, Common Crawl, Europarl, UN, ParaCrawl", of_es, es_files, 100,
                     DG_SUBWORDS(32768));
DG_TRANSLATE_PROBLEM(translate_enes_wmt8k, "English-Spanish, WMT", of_es, es_files, 100,
                     DG_SUBWORDS(8192));
DG_TRANSLATE_PROBLEM(translate_enes_wmt_characters, "English-Spanish, WMT, as bytes", of_es,
                     es_files, 100, DG_CHARACTERS);
DG_TRANSLATE_PROBLEM(translate_enes_wmt32k_packed, "English-Spanish, WMT, packed to 256", of_es,
                     es_files, 100, DG_SUBWORDS_OF("translate_enes_wmt32k", 32768),
                     .packed_length = 256);
DG_TRANSLATE_PROBLEM(translate_enes_wmt8k_packed, "English-Spanish, WMT, packed to 256", of_es,
                     es_files, 100, DG_SUBWORDS_OF("translate_enes_wmt8k", 8192),
                     .packed_length = 256);
DG_TRANSLATE_PROBLEM(translate_enes_wmt_clean32k, "English-Spanish, WMT, cleaned", of_es_clean,
                     es_files, 100, DG_SUBWORDS_OF("translate_enes_wmt32k", 32768));

/* ---- Estonian ---- */

static const struct dg_source_file europarl_v8 = {
    .urls = URL("http://data.statmt.org/wmt18/translation-task/training-parallel-ep-v8.tgz"),
    .size_bytes = 246201434,
    .sha256 = "953eaf7f24dcfc87eff6845d13ec6ca8acbee0ccf7edf4063b8b94e943933a96",
    .licence = DG_LICENCE_WMT,
};
static const struct dg_source_file paracrawl_et = {
    .urls = URL("https://s3.amazonaws.com/web-language-models/paracrawl/release1/"
                "paracrawl-release1.en-et.zipporah0-dedup-clean.tgz"),
    .size_bytes = 78283314,
    .sha256 = "1c3065a8e04a5a6d09d5d5c72ece8aeabcc418eb48cf85038bba6cdef638dc7d",
    .licence = DG_LICENCE_PARACRAWL,
};
static const struct dg_source_file et_newsdev = {
    .urls = URL("https://github.com/stefan-it/nmt-en-et/raw/master/data/newsdev2018-enet.tar.gz"),
    .licence = DG_LICENCE_WMT,
};

static const struct dg_parallel_source et_train[] = {
    DG_STEM(europarl_v8, "training/europarl-v8.et-en", "en", "et"),
    DG_STEM(paracrawl_et, "paracrawl-release1.en-et.zipporah0-dedup-clean", "en", "et"),
    DG_STEM(dg_file_rapid2016, "rapid2016.en-et", "en", "et"), END};
static const struct dg_parallel_source et_dev[] = {DG_PAIR(et_newsdev, "newsdev2018-enet-src.en",
                                                           "newsdev2018-enet-ref.et"),
                                                   END};
static const struct dg_source_file *const et_files[] = {&europarl_v8, &paracrawl_et,
                                                        &dg_file_rapid2016, &et_newsdev, NULL};
static const struct dg_translate of_et = {.train = et_train, .dev = et_dev};

DG_TRANSLATE_PROBLEM(translate_enet_wmt32k, "English-Estonian, Europarl, ParaCrawl, Rapid 2016",
                     of_et, et_files, 100, DG_SUBWORDS(32768));
DG_TRANSLATE_PROBLEM(translate_enet_wmt_characters, "English-Estonian, the same as bytes", of_et,
                     et_files, 100, DG_CHARACTERS);

/* ---- Indonesian ---- */

#define ID_REPOSITORY "https://github.com/prasastoadi/parallel-corpora-en-id/raw/master/"

static const struct dg_source_file id_iwslt = {
    .urls = URL(ID_REPOSITORY "IWSLT17.train.en-id.tgz"),
    .licence = "CC BY-NC-ND (TED talks)",
};
static const struct dg_source_file id_eco = {
    .urls = URL(ID_REPOSITORY "PANL-BPPT-ECO-EN-ID-150Kw.tgz"),
};
static const struct dg_source_file id_int = {
    .urls = URL(ID_REPOSITORY "PANL-BPPT-INT-EN-ID-150Kw.tgz"),
};
static const struct dg_source_file id_sci = {
    .urls = URL(ID_REPOSITORY "PANL-BPPT-SCI-EN-ID-100Kw.tgz"),
};
static const struct dg_source_file id_spo = {
    .urls = URL(ID_REPOSITORY "PANL-BPPT-SPO-EN-ID-100Kw.tgz"),
};
static const struct dg_source_file id_iwslt_test = {
    .urls = URL(ID_REPOSITORY "IWSLT17.TED.tst2017plus.en-id.tgz"),
    .licence = "CC BY-NC-ND (TED talks)",
};

static const struct dg_parallel_source id_train[] = {
    DG_STEM(id_iwslt, "IWSLT17.train.en-id", "en", "id"),
    DG_PAIR(id_eco, "PANL-BPPT-ECO-EN-150Kw.txt", "PANL-BPPT-ECO-ID-150Kw.txt"),
    DG_PAIR(id_int, "PANL-BPPT-INT-EN-150Kw.txt", "PANL-BPPT-INT-ID-150Kw.txt"),
    DG_PAIR(id_sci, "PANL-BPPT-SCI-EN-100Kw.txt", "PANL-BPPT-SCI-ID-100Kw.txt"),
    DG_PAIR(id_spo, "PANL-BPPT-SPO-EN-100Kw.txt", "PANL-BPPT-SPO-ID-100Kw.txt"),
    END};
static const struct dg_parallel_source id_dev[] = {
    DG_STEM(id_iwslt_test, "IWSLT17.TED.tst2017plus.en-id", "en", "id"), END};
static const struct dg_source_file *const id_files[] = {&id_iwslt, &id_eco,        &id_int, &id_sci,
                                                        &id_spo,   &id_iwslt_test, NULL};
static const struct dg_translate of_id = {.train = id_train, .dev = id_dev};

DG_TRANSLATE_PROBLEM(translate_enid_iwslt32k, "English-Indonesian, TED talks and PANL-BPPT", of_id,
                     id_files, 100, DG_SUBWORDS(32768));

/* ---- Macedonian ---- */

static const struct dg_source_file mk_setimes = {
    .urls = URL("http://nlp.ffzg.hr/data/corpora/setimes/setimes.en-mk.txt.tgz"),
    .licence = "CC BY-SA 4.0 (SETimes)",
};
static const struct dg_source_file mk_orwell = {
    .urls = URL("https://github.com/stefan-it/nmt-en-mk/raw/master/data/MTE-1984-dev.enmk.tgz"),
    .licence = "CC BY-NC-SA 4.0 (MULTEXT-East)",
};

static const struct dg_parallel_source mk_train[] = {DG_PAIR(mk_setimes, "setimes.en-mk.en.txt",
                                                             "setimes.en-mk.mk.txt"),
                                                     END};
static const struct dg_parallel_source mk_dev[] = {DG_STEM(mk_orwell, "MTE1984-dev", "en", "mk"),
                                                   END};
static const struct dg_source_file *const mk_files[] = {&mk_setimes, &mk_orwell, NULL};
static const struct dg_translate of_mk = {.train = mk_train, .dev = mk_dev};

DG_TRANSLATE_PROBLEM(translate_enmk_setimes32k, "English-Macedonian, SETimes", of_mk, mk_files, 100,
                     DG_SUBWORDS(32768));
DG_TRANSLATE_PROBLEM(translate_enmk_setimes_characters, "English-Macedonian, SETimes, as bytes",
                     of_mk, mk_files, 100, DG_CHARACTERS);

/* ---- Romanian ---- */

static const struct dg_source_file ro_europarl = {
    .urls = URL("http://www.statmt.org/europarl/v7/ro-en.tgz"),
    .licence = DG_LICENCE_WMT,
};
static const struct dg_source_file ro_setimes = {
    .urls = (const char *const[]){"http://opus.nlpl.eu/download.php?f=SETIMES/v2/moses/"
                                  "en-ro.txt.zip",
                                  "https://object.pouta.csc.fi/OPUS-SETIMES/v2/moses/en-ro.txt.zip",
                                  NULL},
    .licence = "CC BY-SA 4.0 (SETimes, by OPUS)",
};
static const struct dg_source_file ro_newsdev = {
    .urls = URL("http://data.statmt.org/wmt16/translation-task/dev-romanian-updated.tgz"),
    .licence = DG_LICENCE_WMT,
};

static const struct dg_parallel_source ro_train[] = {
    DG_STEM(ro_europarl, "europarl-v7.ro-en", "en", "ro"),
    DG_STEM(ro_setimes, "SETIMES.en-ro", "en", "ro"), END};
static const struct dg_parallel_source ro_dev[] = {
    DG_SGM(ro_newsdev, "dev/newsdev2016-roen-ref.en.sgm", "dev/newsdev2016-roen-src.ro.sgm"), END};
static const struct dg_source_file *const ro_files[] = {&ro_europarl, &ro_setimes, &ro_newsdev,
                                                        NULL};

enum { RO_PAIRS = 614000 }; /* as the original counts them */
static const struct dg_translate of_ro = {.train = ro_train, .dev = ro_dev};
static const struct dg_translate of_ro_small = {.train = ro_train,
                                                .dev = ro_dev,
                                                .n_sampled = 6000,
                                                .n_expected = RO_PAIRS};
static const struct dg_translate of_ro_tiny = {.train = ro_train,
                                               .dev = ro_dev,
                                               .n_sampled = 600,
                                               .n_expected = RO_PAIRS};

DG_TRANSLATE_PROBLEM(translate_enro_wmt8k, "English-Romanian, Europarl and SETimes", of_ro,
                     ro_files, 100, DG_SUBWORDS(8192));
DG_TRANSLATE_PROBLEM(translate_enro_wmt32k, "English-Romanian, Europarl and SETimes", of_ro,
                     ro_files, 100, DG_SUBWORDS(32768));
DG_TRANSLATE_PROBLEM(translate_enro_wmt_characters, "English-Romanian, WMT, as bytes", of_ro,
                     ro_files, 100, DG_CHARACTERS);
DG_TRANSLATE_PROBLEM(translate_enro_wmt_multi64k,
                     "English-Romanian, WMT, vocabulary of four languages", of_ro, ro_files, 100,
                     DG_SUBWORDS_OF_FOUR);
DG_TRANSLATE_PROBLEM(translate_enro_wmt_multi_small64k,
                     "English-Romanian, 6000 pairs, vocabulary of four languages", of_ro_small,
                     ro_files, 16, DG_SUBWORDS_OF_FOUR,
                     .before_shuffle = dg_translate_before_shuffle);
DG_TRANSLATE_PROBLEM(translate_enro_wmt_multi_tiny64k,
                     "English-Romanian, 600 pairs, vocabulary of four languages", of_ro_tiny,
                     ro_files, 16, DG_SUBWORDS_OF_FOUR,
                     .before_shuffle = dg_translate_before_shuffle);
DG_TRANSLATE_PROBLEM(translate_enro_wmt_multi_tiny64k_packed1k,
                     "English-Romanian, 600 pairs, vocabulary of four languages, packed to 1024",
                     of_ro_tiny, ro_files, 16, DG_SUBWORDS_OF_FOUR,
                     .before_shuffle = dg_translate_before_shuffle, .packed_length = 1024,
                     .prefix = {"translate English Romanian ", "translate Romanian English "});

/* ---- Setswana ---- */

#define TN_REPOSITORY "https://github.com/LauraMartinus/ukuxhumana/blob/master/data/en_tn/"

static const struct dg_source_file tn_train_file = {
    .urls = URL(TN_REPOSITORY "eng_tswane.train.tar.gz?raw=true"),
    .kind = DG_KIND_GZIP,
    .licence = "CC BY 2.5 ZA (Autshumato)",
};
static const struct dg_source_file tn_dev_file = {
    .urls = URL(TN_REPOSITORY "eng_tswane.dev.tar.gz?raw=true"),
    .kind = DG_KIND_GZIP,
    .licence = "CC BY 2.5 ZA (Autshumato)",
};

static const struct dg_parallel_source tn_train[] = {DG_STEM(tn_train_file, "entn_parallel.train",
                                                             "en", "tn"),
                                                     END};
static const struct dg_parallel_source tn_dev[] = {DG_STEM(tn_dev_file, "entn_parallel.dev", "en",
                                                           "tn"),
                                                   END};
static const struct dg_source_file *const tn_files[] = {&tn_train_file, &tn_dev_file, NULL};
static const struct dg_translate of_tn = {.train = tn_train, .dev = tn_dev};

DG_TRANSLATE_PROBLEM(translate_entn_rma, "English-Setswana, Autshumato", of_tn, tn_files, 100,
                     .targets_vocab = {.kind = DG_VOCAB_SUBWORDS,
                                       .approx_size = 32768,
                                       .file = "vocab.entn.32768"});

/* ---- Vietnamese ---- */

static const struct dg_source_file vi_train_file = {
    .urls = URL("https://github.com/stefan-it/nmt-en-vi/raw/master/data/train-en-vi.tgz"),
    .licence = "CC BY-NC-ND (TED talks)",
};
static const struct dg_source_file vi_dev_file = {
    .urls = URL("https://github.com/stefan-it/nmt-en-vi/raw/master/data/dev-2012-en-vi.tgz"),
    .licence = "CC BY-NC-ND (TED talks)",
};

static const struct dg_parallel_source vi_train[] = {DG_STEM(vi_train_file, "train", "en", "vi"),
                                                     END};
static const struct dg_parallel_source vi_dev[] = {DG_STEM(vi_dev_file, "tst2012", "en", "vi"),
                                                   END};
static const struct dg_source_file *const vi_files[] = {&vi_train_file, &vi_dev_file, NULL};
static const struct dg_translate of_vi = {.train = vi_train, .dev = vi_dev};

DG_TRANSLATE_PROBLEM(translate_envi_iwslt32k, "English-Vietnamese, TED talks of IWSLT 2015", of_vi,
                     vi_files, 100, DG_SUBWORDS(32768));

static const struct dg_problem *const problems[] = {
    &translate_encs_wmt32k,
    &translate_encs_wmt_characters,
    &translate_encs_cubbitt,
    &translate_enes_wmt32k,
    &translate_enes_wmt8k,
    &translate_enes_wmt_characters,
    &translate_enes_wmt32k_packed,
    &translate_enes_wmt8k_packed,
    &translate_enes_wmt_clean32k,
    &translate_enet_wmt32k,
    &translate_enet_wmt_characters,
    &translate_enid_iwslt32k,
    &translate_enmk_setimes32k,
    &translate_enmk_setimes_characters,
    &translate_enro_wmt8k,
    &translate_enro_wmt32k,
    &translate_enro_wmt_characters,
    &translate_enro_wmt_multi64k,
    &translate_enro_wmt_multi_small64k,
    &translate_enro_wmt_multi_tiny64k,
    &translate_enro_wmt_multi_tiny64k_packed1k,
    &translate_entn_rma,
    &translate_envi_iwslt32k,
};
const struct dg_family dg_family_translate_pairs = {"Translation, English with other languages",
                                                    problems, sizeof problems / sizeof *problems};
