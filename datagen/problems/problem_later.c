/*
 * datagen/problems/problem_later.c - names of T2T that are no text: sound, video and others.  They are
 * known, and asking for one says why it is not made.
 */
#include "datagen/problem_registry.h"

/* clang-format off */
#define LATER(name_, summary_, refusal_)                                                            \
    &(const struct dg_problem){                                                                     \
        .name = name_, .summary = summary_, .has_inputs = true, .shared_vocab = true,               \
        .targets_vocab = {.kind = DG_VOCAB_NUMBERS}, .refusal = refusal_}

/* ---- sound ----------------------------------------------------------------------------------------- */

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

/* ---- video and others ------------------------------------------------------------------------------ */

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

/* ---- Atari: each game in six modes ------------------------------------------------------------------ */

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
