/*
 * datagen/own/problem_own_speech.c - a problem out of a user's own recordings.
 */
#include "datagen/own/problem_own_speech.h"

#include <string.h>

#include "base/alloc.h"
#include "base/file.h"
#include "base/list_tree.h"
#include "datagen/problem_registry.h"
#include "datagen/speech/utterances.h"

/* As the original's speech problems. */
enum { TRAIN_SHARDS = 100, OTHER_SHARDS = 1 };
static const uint64_t most_bytes = UINT64_C(1) << 30; /* of a list */

struct own_speech {
    struct dg_problem problem;
    struct dg_speech_part parts[DG_N_SPLITS];
    const struct dg_speech_part *lists[DG_N_SPLITS]; /* of one part each */
    struct dg_speech_spec spec;
};

/* ---- lists ---- */

struct list {
    struct dg_utterances *rows;
    const char *dir; /* that names of sounds are below */
    const char *end; /* behind them; "" */
};

static enum t2_status see(void *context, const struct dg_utterance *u, struct t2_err *err)
{
    const struct list *l = context;
    char *name =
        t2_asprintf("%.*s%s", (int) u->audio.len_bytes, (const char *) u->audio.data, l->end);

    t2_strs_take(&l->rows->paths, name[0] == '/' ? t2_strdup(name) : t2_path_join(l->dir, name));
    t2_free(name);
    return dg_utterances_add(l->rows, u, l->rows->paths.n - 1, err);
}

static enum t2_status read_table(struct dg_utterances *s, const char *path, struct t2_err *err)
{
    struct t2_buf file = {NULL, 0, 0};
    char *dir = t2_path_dir(path);
    struct list l = {s, dir, ""};
    enum t2_status st = t2_read_file(path, most_bytes, &file, err);

    if (st == T2_OK)
        st = dg_read_sound_table(t2_buf_slice(&file), path, see, &l, err);
    t2_buf_release(&file);
    t2_free(dir);
    return st;
}

/* What is not there is empty. */
static enum t2_status read_optional(const char *dir, const char *name, struct t2_buf *file,
                                    struct t2_err *err)
{
    char *path = t2_path_join(dir, name);
    enum t2_status st = t2_exists(path) ? t2_read_file(path, most_bytes, file, err) : T2_OK;

    t2_free(path);
    return st;
}

/* Kaldi's scripts run in the folder above the data directories, and wav.scp names files from there;
 * here they are below the directory itself, unless they are absolute. */
static enum t2_status read_kaldi(struct dg_utterances *s, const char *dir, struct t2_err *err)
{
    static const char *const names[] = {"text", "wav.scp", "segments", "utt2spk"};
    enum { N = sizeof names / sizeof *names };
    struct t2_buf files[N] = {{NULL, 0, 0}};
    struct list l = {s, dir, ""};
    enum t2_status st = T2_OK;

    for (int i = 0; i < N && st == T2_OK; i++)
        st = read_optional(dir, names[i], &files[i], err);
    if (st == T2_OK)
        st = dg_read_kaldi(&(struct dg_kaldi_files){.text = t2_buf_slice(&files[0]),
                                                    .wav_scp = t2_buf_slice(&files[1]),
                                                    .segments = t2_buf_slice(&files[2]),
                                                    .utt2spk = t2_buf_slice(&files[3])},
                           dir, see, &l, err);
    for (int i = 0; i < N; i++)
        t2_buf_release(&files[i]);
    return st;
}

static enum t2_status read_transcripts(struct dg_utterances *s, const char *path,
                                       struct t2_err *err)
{
    struct t2_buf file = {NULL, 0, 0};
    char *dir = t2_path_dir(path);
    struct list l = {s, dir, ".flac"};
    enum t2_status st = t2_read_file(path, most_bytes, &file, err);

    if (st == T2_OK)
        st = dg_read_transcripts(t2_buf_slice(&file), path, see, &l, err);
    t2_buf_release(&file);
    t2_free(dir);
    return st;
}

static enum t2_status read_folder(struct dg_utterances *s, const char *dir, struct t2_err *err)
{
    struct t2_strs names = {0};
    enum t2_status st = t2_list_tree(dir, &names, err);

    for (size_t i = 0; i < names.n && st == T2_OK; i++) {
        char *path;

        if (!t2_ends_with(names.items[i], ".trans.txt"))
            continue;
        path = t2_path_join(dir, names.items[i]);
        st = read_transcripts(s, path, err);
        t2_free(path);
    }
    t2_strs_release(&names);
    if (st == T2_OK && s->paths.n == 0)
        return t2_fail(
            err, T2_ENOTFOUND,
            "'%s' is no Kaldi data directory (it has no wav.scp), and no folder below it "
            "has transcripts '*.trans.txt' as LibriSpeech's",
            dir);
    return st;
}

static enum t2_status list(struct dg_utterances *s, const struct dg_speech_part *part,
                           struct t2_err *err)
{
    char *scp;
    bool is_kaldi;

    if (!t2_is_dir(part->prefix))
        return read_table(s, part->prefix, err);
    scp = t2_path_join(part->prefix, "wav.scp");
    is_kaldi = t2_exists(scp);
    t2_free(scp);
    return is_kaldi ? read_kaldi(s, part->prefix, err) : read_folder(s, part->prefix, err);
}

/* ---- the problem ---- */

static enum t2_status check(const struct dg_own_speech *own, struct t2_err *err)
{
    if (own->name[0] == '\0')
        return t2_fail(err, T2_EUSAGE, "--name: what is the data set called?");
    T2_TRY(dg_check_name(own->name, err));
    if (dg_find(own->name))
        return t2_fail(err, T2_EUSAGE, "--name='%s' is a problem of its own; choose another name",
                       own->name);
    if (own->from[DG_TRAIN][0] == '\0')
        return t2_fail(
            err, T2_EUSAGE,
            "--kind=speech needs --train: a table of sound files and texts, a Kaldi data "
            "directory, or a folder as LibriSpeech's");
    return T2_OK;
}

enum t2_status dg_own_speech_new(const struct dg_own_speech *own, struct dg_problem **p,
                                 struct t2_err *err)
{
    struct own_speech *o;

    *p = NULL;
    T2_TRY(check(own, err));
    o = t2_alloc(1, sizeof *o);
    o->problem = (struct dg_problem){.name = own->name,
                                     .summary = "speech of your own",
                                     .has_inputs = true,
                                     .inputs_vocab = {.kind = DG_VOCAB_NUMBERS, .approx_size = 256},
                                     .targets_vocab = {.kind = DG_VOCAB_BYTES},
                                     .target_space_id = DG_SPACE_EN_CHARACTERS,
                                     .record = {.finish = dg_utterance_finish,
                                                .more_fields = dg_utterance_fields,
                                                .replaces_sides = true},
                                     .sharding = {.unshuffled_test = true},
                                     .can_be_edited = true,
                                     .prepare = dg_utterances_prepare,
                                     .open = dg_utterances_open,
                                     .context = &o->spec};
    for (int split = 0; split < DG_N_SPLITS; split++) {
        if (own->from[split][0] == '\0')
            continue;
        o->parts[split] =
            (struct dg_speech_part){.prefix = own->from[split], .list = list, .in_order = true};
        o->lists[split] = &o->parts[split];
        o->spec.parts[split].items = &o->lists[split];
        o->spec.parts[split].n = 1;
        o->problem.n_shards[split] = split == DG_TRAIN ? TRAIN_SHARDS : OTHER_SHARDS;
    }
    *p = &o->problem;
    return T2_OK;
}

void dg_own_speech_free(struct dg_problem *p)
{
    t2_free(p);
}
