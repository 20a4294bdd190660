/*
 * datagen/problems/problem_unmade.c - names of T2T that this program lists but does not make, and
 * why: text of other programs, sound, video and others (spec t2t-datagen.md §8.5, §8.8-8.10).  Few
 * others are refused beside those of their kind (ImageNet, CelebA).
 */
#include "datagen/problem_registry.h"
#include "datagen/problems/vocab_specs.h"

#define WIKISUM_WHY                                                                                \
    "its sources are a crawl of the references of every Wikipedia article, in cloud buckets that " \
    "are no longer public; shards that were made elsewhere ('<name>-train-NNNNN-of-00800' and "    \
    "the vocabulary 'vocab.<name>.32768') can be put into --data_dir and trained on; `tfrec "      \
    "index` makes their manifest"
#define SEQ2EDITS_WHY                                                                              \
    "the original has no generator either: the edit operations are made by another program; put "  \
    "its shards ('edit_ops_gec...' or 'edit_ops_textnorm...') and vocabularies into --data_dir"

/* ---- text ---- */

/* clang-format off */
#define WIKISUM(name_part, text)                                                                   \
    {.name = "wikisum_" name_part, .summary = "Articles of Wikipedia from their references" text,  \
     .refusal = WIKISUM_WHY, .has_inputs = true, .shared_vocab = true, .n_shards = {800, 100, 100},\
     .targets_vocab = {.kind = DG_VOCAB_SUBWORDS, .approx_size = 32768,                            \
                       .file = "vocab.wikisum_" name_part ".32768"}}
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
                                                  DG_ONE(problems, 15)};
_Static_assert(DG_COUNT(listed) == DG_COUNT(problems), "all are listed");
const struct dg_family dg_family_unmade = {"Text made by other programs", listed, DG_COUNT(listed)};

/* clang-format off */
#define LATER(name_, summary_, refusal_)                                                            \
    &(const struct dg_problem){                                                                     \
        .name = name_, .summary = summary_, .has_inputs = true, .shared_vocab = true,               \
        .targets_vocab = {.kind = DG_VOCAB_NUMBERS}, .refusal = refusal_}

/* ---- sound ---- */

#define SPEECH(name) LATER(name, "speech", "speech belongs to later work of this program")

static const struct dg_problem *const speech[] = {
    SPEECH("audio_timit_characters_test"),
    SPEECH("audio_timit_characters_tune"),
    SPEECH("audio_timit_tokens8k_test"),
    SPEECH("audio_timit_tokens8k_tune"),
    SPEECH("audio_timit_tokens_32k_test"),
    SPEECH("audio_timit_tokens_8k_test"),
    SPEECH("common_voice"),
    SPEECH("common_voice_clean"),
    SPEECH("common_voice_noisy"),
    SPEECH("common_voice_train_full_test_clean"),
    SPEECH("librispeech"),
    SPEECH("librispeech_clean"),
    SPEECH("librispeech_clean_small"),
    SPEECH("librispeech_noisy"),
    SPEECH("librispeech_train_full_test_clean"),
    SPEECH("librispeech_train_full_test_other"),
};
const struct dg_family dg_family_speech = {"Speech", speech, sizeof speech / sizeof *speech};

/* ---- video and others ---- */

#define OTHER(name, what) LATER(name, what, what ": belongs to later work of this program")

static const struct dg_problem *const others[] = {
    OTHER("genomics_expression_cage10", "gene expression"),
    OTHER("genomics_expression_gm12878", "gene expression"),
    OTHER("genomics_expression_l262k", "gene expression"),
    OTHER("reacher_env_problem", "steps of an environment"),
    OTHER("tic_tac_toe_env_problem", "steps of an environment"),
    OTHER("timeseries_synthetic_data_series10_samples100k", "time series"),
    OTHER("timeseries_toy_problem", "time series"),
    OTHER("timeseries_toy_problem_no_inputs", "time series"),
    OTHER("video_bair_robot_pushing", "video"),
    OTHER("video_bair_robot_pushing_with_actions", "video"),
    OTHER("video_google_robot_pushing", "video"),
    OTHER("video_moving_mnist", "video"),
    OTHER("video_stochastic_shapes10k", "video"),
};
const struct dg_family dg_family_others = {"Video, genes, time series", others,
                                           sizeof others / sizeof *others};

/* ---- Atari: each game in six modes ---- */

#define MODE(name) LATER("gym_" name "_random", "Atari game",                                       \
                         "games are played by T2T's reinforcement learning, which is no part of "  \
                         "this program")
#define GAME(game)                                                                                  \
    MODE(game "-v0"), MODE(game "-v4"), MODE(game "_deterministic-v0"),                             \
    MODE(game "_deterministic-v4"), MODE(game "_no_frameskip-v0"), MODE(game "_no_frameskip-v4")

static const struct dg_problem *const games[] = {
    GAME("air_raid"), GAME("alien"), GAME("amidar"), GAME("assault"), GAME("asterix"),
    GAME("asteroids"), GAME("atlantis"), GAME("bank_heist"), GAME("battle_zone"),
    GAME("beam_rider"), GAME("berzerk"), GAME("bowling"), GAME("boxing"), GAME("breakout"),
    GAME("carnival"), GAME("centipede"), GAME("chopper_command"), GAME("crazy_climber"),
    GAME("demon_attack"), GAME("double_dunk"), GAME("elevator_action"), GAME("enduro"),
    GAME("fishing_derby"), GAME("freeway"), GAME("frostbite"), GAME("gopher"), GAME("gravitar"),
    GAME("hero"), GAME("ice_hockey"), GAME("jamesbond"), GAME("journey_escape"), GAME("kangaroo"),
    GAME("krull"), GAME("kung_fu_master"), GAME("montezuma_revenge"), GAME("ms_pacman"),
    GAME("name_this_game"), GAME("phoenix"), GAME("pitfall"), GAME("pong"), GAME("pooyan"),
    GAME("private_eye"), GAME("qbert"), GAME("riverraid"), GAME("road_runner"), GAME("robotank"),
    GAME("seaquest"), GAME("skiing"), GAME("solaris"), GAME("space_invaders"), GAME("star_gunner"),
    GAME("tennis"), GAME("time_pilot"), GAME("tutankham"), GAME("up_n_down"), GAME("venture"),
    GAME("video_pinball"), GAME("wizard_of_wor"), GAME("yars_revenge"), GAME("zaxxon"),
};
/* clang-format on */
const struct dg_family dg_family_games = {"Atari games", games, sizeof games / sizeof *games};
