/*
 * datagen/problems/problem_librispeech.c - read books: LibriSpeech (spec t2t-datagen.md §7.2; T2T's
 * librispeech.py).
 */
#include <string.h>

#include "base/alloc.h"
#include "base/file.h"
#include "datagen/problem_registry.h"
#include "datagen/problems/vocab_specs.h"
#include "datagen/speech/utterances.h"

/* ---- the list ---- */

struct transcripts {
    struct dg_utterances *rows;
    char *dir; /* of the file that is read */
};

static enum t2_status see(void *context, const struct dg_utterance *u, struct t2_err *err)
{
    const struct transcripts *t = context;
    char *name =
        t2_asprintf("%s/%.*s.flac", t->dir, (int) u->audio.len_bytes, (const char *) u->audio.data);
    size_t file = dg_file_set_find(t->rows->files, name);
    enum t2_status st;

    if (file < dg_file_set_count(t->rows->files))
        st = dg_utterances_add(t->rows, u, file, err);
    else
        st = t2_fail(err, T2_EFORMAT, "a transcript is of '%s', which is not there", name);
    t2_free(name);
    return st;
}

static enum t2_status list(struct dg_utterances *s, const struct dg_speech_part *part,
                           struct t2_err *err)
{
    size_t n = dg_file_set_count(s->files);

    (void) part;
    for (size_t i = 0; i < n; i++) {
        const char *name = dg_file_set_name(s->files, i);
        struct transcripts t = {.rows = s};
        struct t2_slice file;
        enum t2_status st;

        if (!strstr(t2_path_base(name), "txt"))
            continue;
        T2_TRY(dg_file_set_content(s->files, i, &file, err));
        t.dir = t2_path_dir(name);
        st = dg_read_transcripts(file, name, see, &t, err);
        t2_free(t.dir);
        T2_TRY(st);
    }
    return T2_OK;
}

/* ---- the sets ---- */

enum { CLEAN_100, CLEAN_360, OTHER_500, DEV_CLEAN, DEV_OTHER, TEST_CLEAN, TEST_OTHER };

/* clang-format off */
#define SET_FILE(set, bytes)                                                                       \
    {.urls = (const char *const[]){"http://www.openslr.org/resources/12/" set ".tar.gz", NULL},    \
     .about_bytes = bytes, .licence = "CC BY 4.0"}
static const struct dg_source_file files[] = {
    SET_FILE("train-clean-100", 6387309499), SET_FILE("train-clean-360", 23049477885),
    SET_FILE("train-other-500", 30593501606), SET_FILE("dev-clean", 337926286),
    SET_FILE("dev-other", 314305928), SET_FILE("test-clean", 346663984),
    SET_FILE("test-other", 328757843)};

#define SET(i, set) [i] = {.file = &files[i], .sign = "LibriSpeech/" set}
static const struct dg_source sets[] = {
    SET(CLEAN_100, "train-clean-100"), SET(CLEAN_360, "train-clean-360"),
    SET(OTHER_500, "train-other-500"), SET(DEV_CLEAN, "dev-clean"), SET(DEV_OTHER, "dev-other"),
    SET(TEST_CLEAN, "test-clean"), SET(TEST_OTHER, "test-other")};

#define PART(i, set)                                                                               \
    [i] = {.source = &sets[i], .prefix = "LibriSpeech/" set, .list = list,                         \
           .patterns = {"LibriSpeech/" set "/**.flac", "LibriSpeech/" set "/**txt*"}}
static const struct dg_speech_part parts[] = {
    PART(CLEAN_100, "train-clean-100"), PART(CLEAN_360, "train-clean-360"),
    PART(OTHER_500, "train-other-500"), PART(DEV_CLEAN, "dev-clean"),
    PART(DEV_OTHER, "dev-other"), PART(TEST_CLEAN, "test-clean"), PART(TEST_OTHER, "test-other")};

#define P(i) &parts[i]
#define LIST(...)                                                                                  \
    {(const struct dg_speech_part *const[]){__VA_ARGS__},                                          \
     DG_COUNT(((const struct dg_speech_part *const[]){__VA_ARGS__}))}
#define S(i) &sets[i]
#define SOURCES(...) (const struct dg_source *const[]){__VA_ARGS__, NULL}
static const struct dg_speech_spec
    all = {.parts = {LIST(P(CLEAN_100), P(CLEAN_360), P(OTHER_500)), LIST(P(DEV_CLEAN), P(DEV_OTHER)),
                     LIST(P(TEST_CLEAN), P(TEST_OTHER))},
           .sources = SOURCES(S(CLEAN_100), S(CLEAN_360), S(OTHER_500), S(DEV_CLEAN), S(DEV_OTHER),
                              S(TEST_CLEAN), S(TEST_OTHER))},
    clean_small = {.parts = {LIST(P(CLEAN_100)), LIST(P(DEV_CLEAN)), LIST(P(TEST_CLEAN))},
                   .sources = SOURCES(S(CLEAN_100), S(DEV_CLEAN), S(TEST_CLEAN))},
    clean = {.parts = {LIST(P(CLEAN_100), P(CLEAN_360)), LIST(P(DEV_CLEAN)), LIST(P(TEST_CLEAN))},
             .sources = SOURCES(S(CLEAN_100), S(CLEAN_360), S(DEV_CLEAN), S(TEST_CLEAN))},
    noisy = {.parts = {LIST(P(OTHER_500)), LIST(P(DEV_OTHER)), LIST(P(TEST_OTHER))},
             .sources = SOURCES(S(OTHER_500), S(DEV_OTHER), S(TEST_OTHER))};

#define F(i) &files[i]
#define FILES(...) (const struct dg_source_file *const[]){__VA_ARGS__, NULL}
#define SPEECH(name_, summary_)                                                                    \
    .name = name_, .summary = summary_, .has_inputs = true,                                        \
    .inputs_vocab = {.kind = DG_VOCAB_NUMBERS, .approx_size = 256}, .targets_vocab = DG_BYTES,      \
    .target_space_id = DG_SPACE_EN_CHARACTERS, .n_shards = {100, 1, 1}
#define MADE(name, summary, spec, ...)                                                             \
    {SPEECH(name, summary), .licence = "CC BY 4.0", .sources = FILES(__VA_ARGS__),                 \
     .record.replaces_sides = true, .record.more_fields = dg_utterance_fields,                     \
     .record.finish = dg_utterance_finish, .sharding.unshuffled_test = true,                       \
     .prepare = dg_utterances_prepare, .open = dg_utterances_open, .context = &(spec)}
#define READ(name, summary, of)                                                                    \
    {SPEECH(name, summary), .record.more_fields = dg_utterance_fields,                             \
     .record.replaces_sides = true, .dataset_filename = "librispeech",                             \
     .refusal = "Tensor2Tensor reads other problems' shards under this name, and makes none: make " of}

static const struct dg_problem problems[] = {
    MADE("librispeech", "LibriSpeech, 960 hours of read books", all, F(CLEAN_100), F(CLEAN_360),
         F(OTHER_500), F(DEV_CLEAN), F(DEV_OTHER), F(TEST_CLEAN), F(TEST_OTHER)),
    MADE("librispeech_clean", "LibriSpeech, 460 hours of clean recordings", clean, F(CLEAN_100),
         F(CLEAN_360), F(DEV_CLEAN), F(TEST_CLEAN)),
    MADE("librispeech_clean_small", "LibriSpeech, 100 hours of clean recordings", clean_small,
         F(CLEAN_100), F(DEV_CLEAN), F(TEST_CLEAN)),
    MADE("librispeech_noisy", "LibriSpeech, 500 hours of other recordings", noisy, F(OTHER_500),
         F(DEV_OTHER), F(TEST_OTHER)),
    READ("librispeech_train_full_test_clean", "LibriSpeech, evaluated on clean recordings",
         "librispeech, and evaluate on librispeech_clean"),
    READ("librispeech_train_full_test_other", "LibriSpeech, evaluated on other recordings",
         "librispeech, and evaluate on librispeech_noisy"),
};
/* clang-format on */
const struct dg_family dg_family_librispeech = {"LibriSpeech", problems, DG_COUNT(problems)};
