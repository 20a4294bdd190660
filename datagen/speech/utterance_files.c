/*
 * datagen/speech/utterance_files.c - files that list utterances.
 */
#include "datagen/speech/utterance_files.h"

#include <inttypes.h>
#include <string.h>

#include "base/alloc.h"
#include "base/csv.h"
#include "base/map.h"
#include "base/str.h"
#include "base/text.h"
#include "datagen/source/tab_fields.h"

/* ---- lines ---- */

struct lines {
    struct t2_slice rest;
    const char *name;
    uint64_t number; /* of the last line, from 1 */
};

static enum t2_status fail(const struct lines *l, const char *what, struct t2_err *err)
{
    return t2_fail(err, T2_EFORMAT, "'%s': line %" PRIu64 ": %s", l->name, l->number, what);
}

/* The next line that is not blank, stripped; T2_EOF.  A byte order mark is passed over. */
static enum t2_status next_line(struct lines *l, struct t2_slice *line, struct t2_err *err)
{
    while (l->rest.len_bytes > 0) {
        const uint8_t *feed = memchr(l->rest.data, '\n', l->rest.len_bytes);
        size_t n = feed ? (size_t) (feed - l->rest.data) : l->rest.len_bytes;
        bool marked = l->number++ == 0 && n >= 3 && memcmp(l->rest.data, "\xef\xbb\xbf", 3) == 0;

        *line = (struct t2_slice){l->rest.data + 3 * marked, n - 3 * marked};
        n += feed != NULL;
        l->rest.data += n;
        l->rest.len_bytes -= n;
        if (t2_utf8_invalid_at(line->data, line->len_bytes) < line->len_bytes)
            return fail(l, "the text is not UTF-8 (iconv -t UTF-8 converts it)", err);
        if (memchr(line->data, '\0', line->len_bytes))
            return fail(l, "a zero byte: not a text file", err);
        *line = dg_strip_ascii(*line);
        if (line->len_bytes > 0)
            return T2_OK;
    }
    return T2_EOF;
}

/* The first word of *line, which becomes what follows it. */
static struct t2_slice take_word(struct t2_slice *line)
{
    struct t2_slice word = *line;
    size_t n = 0;

    while (n < line->len_bytes && line->data[n] != ' ' && line->data[n] != '\t')
        n++;
    word.len_bytes = n;
    line->data += n;
    line->len_bytes -= n;
    *line = dg_strip_ascii(*line);
    return word;
}

static struct t2_slice speaker_of(struct t2_slice id)
{
    const uint8_t *dash = memchr(id.data, '-', id.len_bytes);

    return (struct t2_slice){id.data, dash ? (size_t) (dash - id.data) : id.len_bytes};
}

enum t2_status dg_read_transcripts(struct t2_slice file, const char *name, dg_see_utterance see,
                                   void *context, struct t2_err *err)
{
    struct lines l = {.rest = file, .name = name};
    struct t2_slice line;
    enum t2_status st;

    while ((st = next_line(&l, &line, err)) == T2_OK) {
        struct dg_utterance u = {.id = take_word(&line)};

        u.audio = u.id;
        u.speaker = speaker_of(u.id);
        u.text = line;
        T2_TRY(see(context, &u, err));
    }
    return st == T2_EOF ? T2_OK : st;
}

/* ---- tables ---- */

enum { AUDIO, TEXT, SPEAKER, ID, N_COLUMNS };
enum { NOT_THERE = -1 };

static bool is_named(struct t2_slice field, const char *const *names)
{
    for (; *names; names++)
        if (t2_slice_eq(field, t2_slice_of(*names)))
            return true;
    return false;
}

/* Is the row one of names?  Then `at` says where the columns are. */
static bool read_heading(const struct dg_fields *row, int at[N_COLUMNS])
{
    static const char *const names[N_COLUMNS][5] = {{"path", "audio", "file", "filename", NULL},
                                                    {"sentence", "text", "transcript", NULL},
                                                    {"speaker", "client_id", NULL},
                                                    {"id", "utt_id", NULL}};
    int found[N_COLUMNS];

    for (int c = 0; c < N_COLUMNS; c++) {
        found[c] = NOT_THERE;
        for (size_t i = 0; i < row->n && found[c] == NOT_THERE; i++)
            if (is_named(row->items[i], names[c]))
                found[c] = (int) i;
    }
    if (found[AUDIO] == NOT_THERE || found[TEXT] == NOT_THERE)
        return false;
    memcpy(at, found, sizeof found);
    return true;
}

static struct t2_slice column(const struct dg_fields *row, int at)
{
    static const struct t2_slice none = {(const uint8_t *) "", 0};

    return at >= 0 && (size_t) at < row->n ? dg_strip_ascii(row->items[at]) : none;
}

static enum t2_status see_row(const struct lines *l, const struct dg_fields *row,
                              const int at[N_COLUMNS], dg_see_utterance see, void *context,
                              struct t2_err *err)
{
    struct dg_utterance u = {.audio = column(row, at[AUDIO]),
                             .text = column(row, at[TEXT]),
                             .speaker = column(row, at[SPEAKER]),
                             .id = column(row, at[ID])};

    if (u.audio.len_bytes == 0)
        return fail(l, "no sound file in the row", err);
    if ((size_t) at[TEXT] >= row->n)
        return fail(l, "a row is a sound file, a tab and its text", err);
    return see(context, &u, err);
}

enum t2_status dg_read_sound_table(struct t2_slice file, const char *name, dg_see_utterance see,
                                   void *context, struct t2_err *err)
{
    struct lines l = {.rest = file, .name = name};
    int at[N_COLUMNS] = {AUDIO, TEXT, SPEAKER, ID};
    struct dg_fields row = {.items = NULL};
    struct t2_slice line;
    enum t2_status st;
    bool first = true;

    while ((st = next_line(&l, &line, err)) == T2_OK) {
        dg_fields_cut(&row, line);
        if (!first || !read_heading(&row, at))
            T2_GOTO(st, out, see_row(&l, &row, at, see, context, err));
        first = false;
    }
out:
    dg_fields_release(&row);
    return st == T2_EOF ? T2_OK : st;
}

static enum t2_status read_slice(void *context, void *data, size_t len_bytes, size_t *n_read,
                                 struct t2_err *err)
{
    struct t2_slice *rest = context;

    (void) err;
    *n_read = len_bytes < rest->len_bytes ? len_bytes : rest->len_bytes;
    if (*n_read > 0)
        memcpy(data, rest->data, *n_read);
    rest->data += *n_read;
    rest->len_bytes -= *n_read;
    return T2_OK;
}

static enum t2_status see_voice(struct t2_csv *c, const char *name, const struct t2_slice *fields,
                                size_t n, dg_see_utterance see, void *context, struct t2_err *err)
{
    struct lines l = {.name = name, .number = t2_csv_line(c)};
    struct dg_utterance u = {.id = fields[0],
                             .audio = fields[0],
                             .speaker = t2_slice_of("unknown")};

    if (n < 2)
        return fail(&l, "a row is a sound file and its text, and what is known of them", err);
    u.text = fields[1];
    for (int i = 0; i < 2; i++)
        if (t2_utf8_invalid_at(fields[i].data, fields[i].len_bytes) < fields[i].len_bytes ||
            memchr(fields[i].data, '\0', fields[i].len_bytes))
            return fail(&l, "the text is not UTF-8 (iconv -t UTF-8 converts it)", err);
    return see(context, &u, err);
}

enum t2_status dg_read_voice_table(struct t2_slice file, const char *name, dg_see_utterance see,
                                   void *context, struct t2_err *err)
{
    const struct t2_slice *fields;
    struct t2_slice rest = file;
    bool is_heading = true;
    struct t2_csv *c;
    struct t2_in *in;
    enum t2_status st;
    size_t n;

    t2_in_new_from(name, read_slice, &rest, &in);
    c = t2_csv_new_from(in, ',', true);
    while ((st = t2_csv_next(c, &fields, &n, err)) == T2_OK) {
        bool is_blank = n == 1 && fields[0].len_bytes == 0;

        if (!is_heading && !is_blank)
            T2_GOTO(st, out, see_voice(c, name, fields, n, see, context, err));
        is_heading = false;
    }
out:
    t2_csv_free(c);
    return st == T2_EOF ? T2_OK : st;
}

/* ---- Kaldi ---- */

/* A file of lines "KEY value", looked up by key. */
struct table {
    struct t2_map *places; /* key -> number of the value */
    struct t2_slice *values;
    size_t n, capacity;
    char *name;
};

static void release_table(struct table *t)
{
    t2_map_free(t->places);
    t2_free(t->values);
    t2_free(t->name);
}

static enum t2_status read_table(struct t2_slice file, const char *dir, const char *name,
                                 struct table *t, struct t2_err *err)
{
    struct lines l = {.rest = file};
    struct t2_slice line;
    enum t2_status st;

    *t = (struct table){.places = t2_map_new(), .name = t2_asprintf("%s/%s", dir, name)};
    l.name = t->name;
    while ((st = next_line(&l, &line, err)) == T2_OK) {
        struct t2_slice key = take_word(&line);
        bool is_new;

        if (t->n == t->capacity) {
            t->capacity = t->capacity ? 2 * t->capacity : 64;
            t->values = t2_realloc(t->values, t->capacity, sizeof *t->values);
        }
        *t2_map_at(t->places, key.data, key.len_bytes, &is_new) = t->n;
        if (!is_new)
            return fail(&l, "its first word was in the file already", err);
        t->values[t->n++] = line;
    }
    return st == T2_EOF ? T2_OK : st;
}

static bool look_up(const struct table *t, struct t2_slice key, struct t2_slice *value)
{
    const uint64_t *place = t2_map_find(t->places, key.data, key.len_bytes);

    if (place)
        *value = t->values[*place];
    return place != NULL;
}

struct kaldi {
    struct table wav_scp, segments, utt2spk;
};

static bool parse_seconds(struct t2_slice s, double *seconds)
{
    char *text = t2_strndup((const char *) s.data, s.len_bytes);
    bool good = t2_parse_double(text, seconds) && *seconds >= 0;

    t2_free(text);
    return good;
}

static enum t2_status find_audio(const struct kaldi *k, const struct lines *l,
                                 struct dg_utterance *u, struct t2_err *err)
{
    struct t2_slice recording = u->id, segment;

    if (k->segments.n > 0) {
        if (!look_up(&k->segments, u->id, &segment))
            return fail(l, "'segments' has no line of this utterance", err);
        recording = take_word(&segment);
        if (!parse_seconds(take_word(&segment), &u->start_s) ||
            !parse_seconds(segment, &u->end_s) || u->end_s <= u->start_s)
            return fail(l, "the line of 'segments' is not ID RECORDING START END, in seconds", err);
    }
    if (!look_up(&k->wav_scp, recording, &u->audio) || u->audio.len_bytes == 0)
        return fail(l, "'wav.scp' has no sound file of this utterance", err);
    if (u->audio.data[u->audio.len_bytes - 1] == '|')
        return fail(l,
                    "'wav.scp' has a command, which is not run: write its sound to a file, and the "
                    "file into wav.scp",
                    err);
    return T2_OK;
}

static enum t2_status see_kaldi(const struct kaldi *k, struct t2_slice file, const char *name,
                                dg_see_utterance see, void *context, struct t2_err *err)
{
    struct lines l = {.rest = file, .name = name};
    struct t2_slice line;
    enum t2_status st;

    while ((st = next_line(&l, &line, err)) == T2_OK) {
        struct dg_utterance u = {.id = take_word(&line)};

        u.text = line;
        if (!look_up(&k->utt2spk, u.id, &u.speaker))
            u.speaker = (struct t2_slice){(const uint8_t *) "", 0};
        T2_TRY(find_audio(k, &l, &u, err));
        T2_TRY(see(context, &u, err));
    }
    return st == T2_EOF ? T2_OK : st;
}

enum t2_status dg_read_kaldi(const struct dg_kaldi_files *files, const char *name,
                             dg_see_utterance see, void *context, struct t2_err *err)
{
    struct kaldi k = {0};
    char *text = t2_asprintf("%s/text", name);
    enum t2_status st;

    T2_GOTO(st, out, read_table(files->wav_scp, name, "wav.scp", &k.wav_scp, err));
    T2_GOTO(st, out, read_table(files->segments, name, "segments", &k.segments, err));
    T2_GOTO(st, out, read_table(files->utt2spk, name, "utt2spk", &k.utt2spk, err));
    st = see_kaldi(&k, files->text, text, see, context, err);
out:
    release_table(&k.wav_scp);
    release_table(&k.segments);
    release_table(&k.utt2spk);
    t2_free(text);
    return st;
}
