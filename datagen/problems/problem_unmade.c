/*
 * datagen/problems/problem_unmade.c - text problems that this program lists but does not make, and why
 * (spec t2t-datagen.md §8.5).
 */
#include "datagen/problem_registry.h"
#include "datagen/problems/wishes.h"

#define WIKISUM_WHY                                                                                \
    "its sources are a crawl of the references of every Wikipedia article, in cloud buckets that " \
    "are no longer public; shards that were made elsewhere ('<name>-train-NNNNN-of-00800' and "    \
    "the vocabulary 'vocab.<name>.32768') can be put into --data_dir and trained on; `tfrec "      \
    "index` makes their manifest"
#define REVISION_WHY                                                                               \
    "this version does not align the revisions of a Wikipedia history dump; pairs of an old and "  \
    "a new text that you made yourself become a data set with --name and --train=old.txt,new.txt"
#define SEQ2EDITS_WHY                                                                              \
    "the original has no generator either: the edit operations are made by another program; put "  \
    "its shards ('edit_ops_gec...' or 'edit_ops_textnorm...') and vocabularies into --data_dir"

/* clang-format off */
#define WIKISUM(name_part, text)                                                                   \
    {.name = "wikisum_" name_part, .summary = "Articles of Wikipedia from their references" text,  \
     .refusal = WIKISUM_WHY, .has_inputs = true, .shared_vocab = true, .n_shards = {800, 100, 100},\
     .targets_vocab = {.kind = DG_VOCAB_SUBWORDS, .approx_size = 32768,                            \
                       .file = "vocab.wikisum_" name_part ".32768"}}
#define REVISION(suffix, text)                                                                     \
    {.name = "wiki_revision" suffix, .summary = "Old and new versions of sentences in Wikipedia" text, \
     .refusal = REVISION_WHY, .has_inputs = true, .shared_vocab = true, .n_shards = {50, 1},       \
     .targets_vocab = {.kind = DG_VOCAB_SUBWORDS, .approx_size = 32768,                            \
                       .file = "vocab.wiki_revision.strip.32768"}}
#define EDITS(problem, text, shard_stem, vocab)                                                    \
    {.name = problem, .summary = text, .refusal = SEQ2EDITS_WHY, .dataset_filename = shard_stem,   \
     .has_inputs = true, .shared_vocab = true, .n_shards = {100, 1},                               \
     .targets_vocab = {.kind = DG_VOCAB_SUBWORDS, .approx_size = 32768, .file = vocab}}
#define EDITS_BOTH(problem, text, shard_stem, vocab)                                               \
    EDITS(problem, text, shard_stem, vocab),                                                       \
    EDITS(problem "_packed256", text ", packed to 256", shard_stem "_packed256", vocab)

static const struct dg_problem problems[] = {
    WIKISUM("commoncrawl", " in Common Crawl"),
    WIKISUM("commoncrawl_lead_section", " in Common Crawl, first section"),
    WIKISUM("web", " on the web"),
    WIKISUM("web_lead_section", " on the web, first section"),
    REVISION("", ""),
    REVISION("_packed1k", ", packed to 1024"),
    REVISION("_packed256", ", packed to 256"),
    EDITS_BOTH("seq2edits_gec", "Corrections of grammar as edits", "edit_ops_gec", "vocab.subwords"),
    EDITS_BOTH("seq2edits_gec_no_tags", "Corrections of grammar as edits, without error tags",
               "edit_ops_gec", "vocab.subwords"),
    EDITS_BOTH("seq2edits_gec_deep", "Corrections of grammar as edits, deeper model",
               "edit_ops_gec", "vocab.subwords"),
    EDITS_BOTH("seq2edits_gec_deep_no_tags",
               "Corrections of grammar as edits, deeper model, without error tags", "edit_ops_gec",
               "vocab.subwords"),
    EDITS_BOTH("seq2edits_textnorm", "Normalised text as edits", "edit_ops_textnorm",
               "vocab.source"),
    EDITS_BOTH("seq2edits_textnorm_no_tags", "Normalised text as edits, without tags",
               "edit_ops_textnorm", "vocab.source"),
};
/* clang-format on */
static const struct dg_problem *const listed[] = {DG_TEN(problems, 0),  DG_ONE(problems, 10),
                                                  DG_ONE(problems, 11), DG_ONE(problems, 12),
                                                  DG_ONE(problems, 13), DG_ONE(problems, 14),
                                                  DG_ONE(problems, 15), DG_ONE(problems, 16),
                                                  DG_ONE(problems, 17), DG_ONE(problems, 18)};
_Static_assert(DG_COUNT(listed) == DG_COUNT(problems), "all are listed");
const struct dg_family dg_family_unmade = {"Text made by other programs", listed, DG_COUNT(listed)};
