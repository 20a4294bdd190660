/*
 * datagen/problems/problem_pairs.c - GLUE, SNLI, SciTail: labelled sentences and pairs of sentences
 * (spec t2t-datagen.md §8.4).
 */
#include "datagen/problem_registry.h"
#include "datagen/problems/class_rows.h"
#include "datagen/problems/vocab_specs.h"

#define GLUE_DATA                                                                                  \
    "https://firebasestorage.googleapis.com/v0/b/mtl-sentence-representations.appspot.com/o/"      \
    "data%2F"
#define GLUE_NOW "https://dl.fbaipublicfiles.com/glue/data/"
#define GLUE_LICENCE                                                                               \
    "GLUE (gluebenchmark.com) collects data sets with licences of their own; see there"

/* ---- where the data are ---- */

#define GLUE(var, dir, query, mirror)                                                              \
    static const char *const var##_urls[] = {GLUE_DATA dir ".zip?alt=media&token=" query,          \
                                             GLUE_NOW mirror ".zip", NULL};                        \
    static const struct dg_source_file var##_file = {.name = dir ".zip",                           \
                                                     .urls = var##_urls,                           \
                                                     .licence = GLUE_LICENCE};                     \
    static const struct dg_source var##_source = {.file = &var##_file, .sign = dir};               \
    static const struct dg_source_file *const var##_files[] = {&var##_file, NULL}

GLUE(cola, "CoLA", "46d5e637-3411-4188-bc44-5809b5bfb5f4", "CoLA");
GLUE(sst, "SST-2", "aabc5f6b-e466-44a2-b9b4-cf6337f84ac8", "SST-2");
GLUE(rte, "RTE", "5efa7e85-a0bb-4f19-8ea2-9e1840f077fb", "RTE");
GLUE(qnli, "QNLI", "c24cad61-f2df-4f04-9ab6-aa576fa829d0", "QNLIv2");
GLUE(wnli, "WNLI", "068ad0a0-ded7-4bd7-99a5-5e00222e0faf", "WNLI");
GLUE(qqp, "QQP", "700c6acf-160d-4d89-81d1-de4191d02cb5", "QQP-clean");
GLUE(mnli, "MNLI", "50329ea1-e339-40e2-809c-10c40afff3ce", "MNLI");

static const char *const snli_urls[] = {"https://nlp.stanford.edu/projects/snli/snli_1.0.zip",
                                        NULL};
static const struct dg_source_file snli_file = {.name = "SNLI.zip",
                                                .urls = snli_urls,
                                                .about_bytes = 94550081,
                                                .licence = "CC BY-SA 4.0"};
static const struct dg_source snli_source = {.file = &snli_file, .sign = "snli_1.0"};
static const struct dg_source_file *const snli_files[] = {&snli_file, NULL};

static const char *const scitail_urls[] = {
    "http://data.allenai.org.s3.amazonaws.com/downloads/SciTailV1.1.zip",
    "https://ai2-public-datasets.s3.amazonaws.com/scitail/SciTailV1.1.zip", NULL};
static const struct dg_source_file scitail_file = {.name = "SciTailV1.1.zip",
                                                   .urls = scitail_urls,
                                                   .about_bytes = 14174621,
                                                   .licence = "Apache-2.0"};
static const struct dg_source scitail_source = {.file = &scitail_file, .sign = "SciTailV1.1"};
static const struct dg_source_file *const scitail_files[] = {&scitail_file, NULL};

#define MRPC(var, file_name, first_url, second_url)                                                \
    static const char *const var##_urls[] = {first_url, second_url, NULL};                         \
    static const struct dg_source_file var##_file = {.name = file_name, .urls = var##_urls};       \
    static const struct dg_source var##_source = {.file = &var##_file,                             \
                                                  .folder = "MRPC",                                \
                                                  .sign = file_name,                               \
                                                  .is_plain = true}
MRPC(mrpc_train, "msr_paraphrase_train.txt",
     "https://s3.amazonaws.com/senteval/senteval_data/msr_paraphrase_train.txt",
     "https://dl.fbaipublicfiles.com/senteval/senteval_data/msr_paraphrase_train.txt");
MRPC(mrpc_test, "msr_paraphrase_test.txt",
     "https://s3.amazonaws.com/senteval/senteval_data/msr_paraphrase_test.txt",
     "https://dl.fbaipublicfiles.com/senteval/senteval_data/msr_paraphrase_test.txt");
MRPC(mrpc_ids, "dev_ids.tsv",
     GLUE_DATA "mrpc_dev_ids.tsv?alt=media&token=ec5c0836-31d5-48f4-b431-7480817f1adc",
     GLUE_NOW "mrpc_dev_ids.tsv");
static const struct dg_source *const mrpc_plain[DG_N_SPLITS] = {&mrpc_train_source,
                                                                &mrpc_train_source,
                                                                &mrpc_test_source};
static const struct dg_source_file *const mrpc_files[] = {&mrpc_train_file, &mrpc_test_file,
                                                          &mrpc_ids_file, NULL};

/* ---- what the columns mean ---- */

static const struct dg_rows cola_rows = {.source = &cola_source,
                                         .members = {"CoLA/train.tsv", "CoLA/dev.tsv"},
                                         .first = 3,
                                         .second = -1,
                                         .label = 1,
                                         .n_columns = 4,
                                         .label_is_number = true};
static const struct dg_rows sst_rows = {.source = &sst_source,
                                        .members = {"SST-2/train.tsv", "SST-2/dev.tsv"},
                                        .n_header = 1,
                                        .first = 0,
                                        .second = -1,
                                        .label = 1,
                                        .n_columns = 2,
                                        .label_is_number = true};
#define NLI_ROWS(var, dir, ...)                                                                    \
    static const struct dg_rows var##_rows = {.source = &var##_source,                             \
                                              .members = {dir "/train.tsv", dir "/dev.tsv"},       \
                                              .n_header = 1,                                       \
                                              .first = 1,                                          \
                                              .second = 2,                                         \
                                              .label = 3,                                          \
                                              .n_columns = 4,                                      \
                                              __VA_ARGS__}
NLI_ROWS(rte, "RTE", .label_is_number = false);
NLI_ROWS(qnli, "QNLI", .label_is_number = false);
NLI_ROWS(wnli, "WNLI", .label_is_number = true);
static const struct dg_rows qqp_rows = {.source = &qqp_source,
                                        .members = {"QQP/train.tsv", "QQP/dev.tsv"},
                                        .n_header = 1,
                                        .first = 3,
                                        .second = 4,
                                        .label = 5,
                                        .n_columns = 6,
                                        .skip_short = true,
                                        .both_orders = true,
                                        .label_is_number = true};
static const struct dg_rows mrpc_rows = {.plain = mrpc_plain,
                                         .n_header = 1,
                                         .first = 3,
                                         .second = 4,
                                         .label = 0,
                                         .n_columns = 5,
                                         .both_orders = true,
                                         .label_is_number = true,
                                         .dev_list = &mrpc_ids_source,
                                         .keys = 1};
#define MNLI_ROWS(var, ...)                                                                        \
    static const struct dg_rows var##_rows = {.source = &mnli_source,                              \
                                              .members = {"MNLI/train.tsv",                        \
                                                          "MNLI/dev_matched.tsv"},                 \
                                              .n_header = 1,                                       \
                                              .first = 8,                                          \
                                              .second = 9,                                         \
                                              .label = -1,                                         \
                                              .n_columns = 10,                                     \
                                              .more_columns = true,                                \
                                              __VA_ARGS__}
MNLI_ROWS(mnli, .before_first = NULL);
MNLI_ROWS(mnli_text, .before_first = "multinli premise: ", .before_second = " hypothesis: ");
static const struct dg_rows snli_rows = {.source = &snli_source,
                                         .members = {"snli_1.0/snli_1.0_train.txt",
                                                     "snli_1.0/snli_1.0_dev.txt"},
                                         .n_header = 1,
                                         .first = 5,
                                         .second = 6,
                                         .label = 0,
                                         .n_columns = 7,
                                         .more_columns = true,
                                         .no_label = "-"};
static const struct dg_rows scitail_rows = {
    .source = &scitail_source,
    .members = {"SciTailV1.1/tsv_format/scitail_1.0_train.tsv",
                "SciTailV1.1/tsv_format/scitail_1.0_dev.tsv"},
    .first = 0,
    .second = 1,
    .label = 2,
    .n_columns = 3,
    .more_columns = true};

/* ---- the problems ---- */

static const char *const acceptable[] = {"unacceptable", "acceptable"};
static const char *const polarity[] = {"neg", "pos"};
static const char *const entailment[] = {"not_entailment", "entailment"};
static const char *const duplicate[] = {"not_duplicate", "duplicate"};
static const char *const paraphrase[] = {"not_paraphrase", "paraphrase"};
static const char *const three_ways[] = {"contradiction", "entailment", "neutral"};
static const char *const entails[] = {"neutral", "entails"};

/* clang-format off */
#define PAIR .text.context = DG_CONTEXT_JOINED
#define ONE_TEXT .text.context = DG_CONTEXT_NONE
#define SHARDS(...) {__VA_ARGS__}
/* A problem of class labels.  The vocabulary comes last. */
#define CLASSES(problem, text, data, row_table, list, shards, use, ...)                            \
    {.name = problem, .summary = text, .has_inputs = true, .inputs_vocab = __VA_ARGS__,            \
     .targets_vocab = DG_LABELS(list), .n_shards = SHARDS shards, .sources = data,                 \
     .prepare = dg_rows_prepare, .open = dg_rows_open, .context = &(row_table), use}
/* The base problem and its _characters variant. */
#define BOTH(problem, text, data, row_table, list, shards, size, use)                              \
    CLASSES(problem, text, data, row_table, list, shards, use, DG_SUBWORDS(size)),                 \
    CLASSES(problem "_characters", text " As bytes", data, row_table, list, shards, use, DG_BYTES)

#define MNLI_TEXT "MultiNLI: does the premise entail the hypothesis?"
#define SNLI_TEXT "SNLI: does the premise entail the hypothesis?"
#define SCITAIL_TEXT "SciTail: does the premise entail the hypothesis?"
#define WNLI_TEXT "WNLI: does the first text entail the second?"
/* The variants with vocabularies of others. */
#define MNLI(suffix, of, ...)                                                                      \
    CLASSES("multi_nli" suffix, MNLI_TEXT " Vocabulary of " of, mnli_files, mnli_rows, three_ways, \
            (100, 1), PAIR, __VA_ARGS__)
#define SNLI(suffix, of, ...)                                                                      \
    CLASSES("stanford_nli" suffix, SNLI_TEXT " Vocabulary of " of, snli_files, snli_rows,          \
            three_ways, (100, 1), PAIR, __VA_ARGS__)
#define MNLI_WORD(problem, text, packed, ...)                                                      \
    {.name = problem, .summary = MNLI_TEXT " The answer is a word" text, .has_inputs = true,       \
     .shared_vocab = true, .targets_vocab = __VA_ARGS__, .n_shards = {100, 1},               \
     .packing.length = packed,                                                                      \
     .sources = mnli_files, .prepare = dg_rows_prepare, .open = dg_rows_open,                      \
     .context = &mnli_text_rows}

static const struct dg_problem problems[] = {
    BOTH("cola", "CoLA: is the sentence acceptable English?", cola_files, cola_rows, acceptable,
         (10, 1), 8192, ONE_TEXT),
    BOTH("sentiment_sst_binary", "Stanford Sentiment Treebank, two classes.", sst_files, sst_rows,
         polarity, (10, 1), 16384, ONE_TEXT),
    BOTH("rte", "RTE: does the first text entail the second?", rte_files, rte_rows, entailment,
         (1, 1), 8192, PAIR),
    BOTH("question_nli", "QNLI: does the sentence answer the question?", qnli_files, qnli_rows,
         entailment, (100, 1), 32768, PAIR),
    CLASSES("winograd_nli", WNLI_TEXT, wnli_files, wnli_rows, entailment, (1, 1),
            PAIR, {.kind = DG_VOCAB_SUBWORDS, .approx_size = 8192, .file = "vocab.wnli.8192"}),
    CLASSES("winograd_nli_characters", WNLI_TEXT " As bytes", wnli_files, wnli_rows, entailment,
            (1, 1), PAIR, DG_BYTES),
    BOTH("quora_question_pairs", "QQP: do two questions ask the same? Both orders.", qqp_files,
         qqp_rows, duplicate, (100, 1), 32768, PAIR),
    BOTH("msr_paraphrase_corpus", "MRPC: do two sentences say the same? Both orders.", mrpc_files,
         mrpc_rows, paraphrase, (10, 1, 1), 8192, PAIR),
    BOTH("multi_nli", MNLI_TEXT, mnli_files, mnli_rows, three_ways, (100, 1), 32768, PAIR),
    MNLI("_shared_vocab", "LM1B", DG_OF_LM1B),
    MNLI("_wiki_lm_shared_vocab", "English Wikipedia", DG_OF_EN_WIKI),
    MNLI("_wiki_lm_shared_vocab64k", "English Wikipedia, 64k", DG_OF_EN_WIKI64),
    MNLI("_wiki_lm_multi_vocab64k", "four Wikipedias", DG_OF_MULTI64),
    MNLI_WORD("multi_nli_text2text", "", 0, DG_SUBWORDS(32768)),
    MNLI_WORD("multi_nli_text2text_multi64k_packed1k", ", packed to 1024", 1024, DG_OF_MULTI64),
    BOTH("stanford_nli", SNLI_TEXT, snli_files, snli_rows, three_ways, (100, 1), 32768, PAIR),
    SNLI("_shared_vocab", "LM1B", DG_OF_LM1B),
    SNLI("_wiki_lm_shared_vocab", "English Wikipedia", DG_OF_EN_WIKI),
    SNLI("_wiki_lm_shared_vocab64k", "English Wikipedia, 64k", DG_OF_EN_WIKI64),
    BOTH("sci_tail", SCITAIL_TEXT, scitail_files, scitail_rows, entails, (10, 1), 8192, PAIR),
    CLASSES("sci_tail_shared_vocab", SCITAIL_TEXT " Vocabulary of LM1B", scitail_files,
            scitail_rows, entails, (10, 1), PAIR, DG_OF_LM1B),
};
/* clang-format on */
static const struct dg_problem *const listed[] = {DG_TEN(problems, 0), DG_TEN(problems, 10),
                                                  DG_TEN(problems, 20)};
_Static_assert(DG_COUNT(listed) == DG_COUNT(problems), "all are listed");
const struct dg_family dg_family_pairs = {"Classification, pairs of sentences", listed,
                                          DG_COUNT(listed)};
