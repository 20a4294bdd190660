/*
 * datagen/problems/problem_common_voice.c - sentences that volunteers read: the first release of
 * Mozilla's Common Voice (spec t2t-datagen.md §7.2; T2T's common_voice.py).
 */
#include <string.h>

#include "base/alloc.h"
#include "datagen/problem_registry.h"
#include "datagen/problems/vocab_specs.h"
#include "datagen/speech/utterances.h"

static const char folder[] = "cv_corpus_v1";

static const struct dg_source_file corpus_file = {
    .name = "cv_corpus_v1.tar.gz",
    .urls =
        (const char *const[]){
            "https://common-voice-data-download.s3.amazonaws.com/cv_corpus_v1.tar.gz", NULL},
    .about_bytes = UINT64_C(12852160484),
    .licence = "CC0 1.0"};
static const struct dg_source corpus = {.file = &corpus_file, .sign = folder};

/* ---- the list ---- */

struct table {
    struct dg_utterances *rows;
    const char *prefix; /* of the files that are wanted */
};

/* Which split it is stands in the name of the file, not of the table. */
static enum t2_status see(void *context, const struct dg_utterance *u, struct t2_err *err)
{
    const struct table *t = context;
    size_t n = strlen(t->prefix), file;
    enum t2_status st;
    char *name;

    if (u->audio.len_bytes < n || memcmp(u->audio.data, t->prefix, n) != 0)
        return T2_OK;
    name = t2_asprintf("%s/%.*s", folder, (int) u->audio.len_bytes, (const char *) u->audio.data);
    file = dg_file_set_find(t->rows->files, name);
    if (file < dg_file_set_count(t->rows->files))
        st = dg_utterances_add(t->rows, u, file, err);
    else
        st = t2_fail(err, T2_EFORMAT, "a row is of '%s', which is not there", name);
    t2_free(name);
    return st;
}

static enum t2_status list(struct dg_utterances *s, const struct dg_speech_part *part,
                           struct t2_err *err)
{
    size_t n = dg_file_set_count(s->files);

    for (size_t i = 0; i < n; i++) {
        const char *name = dg_file_set_name(s->files, i);
        struct table t = {.rows = s, .prefix = part->prefix};
        struct t2_slice file;

        if (!t2_ends_with(name, ".csv"))
            continue;
        T2_TRY(dg_file_set_content(s->files, i, &file, err));
        T2_TRY(dg_read_voice_table(file, name, see, &t, err));
    }
    return T2_OK;
}

/* ---- the sets ---- */

/* clang-format off */
#define PART(set)                                                                                  \
    {.source = &corpus, .prefix = set, .list = list,                                               \
     .patterns = {"cv_corpus_v1/*.csv", "cv_corpus_v1/" set "*/*"}}
enum { VALID_TRAIN, VALID_DEV, VALID_TEST, OTHER_TRAIN, OTHER_DEV, OTHER_TEST };
static const struct dg_speech_part parts[] = {
    [VALID_TRAIN] = PART("cv-valid-train"), [VALID_DEV] = PART("cv-valid-dev"),
    [VALID_TEST] = PART("cv-valid-test"),   [OTHER_TRAIN] = PART("cv-other-train"),
    [OTHER_DEV] = PART("cv-other-dev"),     [OTHER_TEST] = PART("cv-other-test")};

#define ONE(i) {(const struct dg_speech_part *const[]){&parts[i]}, 1}
static const struct dg_source *const sources[] = {&corpus, NULL};
static const struct dg_source_file *const files[] = {&corpus_file, NULL};
static const struct dg_speech_spec
    valid = {.parts = {ONE(VALID_TRAIN), ONE(VALID_DEV), ONE(VALID_TEST)}, .sources = sources},
    other = {.parts = {ONE(OTHER_TRAIN), ONE(OTHER_DEV), ONE(OTHER_TEST)}, .sources = sources};

#define SPEECH(name_, summary_)                                                                    \
    .name = name_, .summary = summary_, .has_inputs = true,                                        \
    .inputs_vocab = {.kind = DG_VOCAB_NUMBERS, .approx_size = 256}, .targets_vocab = DG_BYTES,      \
    .target_space_id = DG_SPACE_EN_CHARACTERS, .n_shards = {100, 1, 1},                             \
    .record.replaces_sides = true, .record.more_fields = dg_utterance_fields
#define MADE(name, summary, spec)                                                                  \
    {SPEECH(name, summary), .licence = "CC0 1.0", .sources = files,                                \
     .record.finish = dg_utterance_finish, .sharding.unshuffled_test = true,                       \
     .prepare = dg_utterances_prepare, .open = dg_utterances_open, .context = &(spec)}

static const struct dg_problem problems[] = {
    MADE("common_voice", "Common Voice, sentences that others confirmed", valid),
    MADE("common_voice_clean", "Common Voice, sentences that others confirmed", valid),
    MADE("common_voice_noisy", "Common Voice, sentences that nobody judged", other),
    {SPEECH("common_voice_train_full_test_clean", "Common Voice, evaluated on confirmed sentences"),
     .dataset_filename = "common_voice",
     .refusal = "Tensor2Tensor reads other problems' shards under this name, and makes none: make "
                "common_voice, and evaluate on common_voice_clean"},
};
/* clang-format on */
const struct dg_family dg_family_common_voice = {"Common Voice", problems, DG_COUNT(problems)};
