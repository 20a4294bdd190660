/*
 * datagen/speech/utterances.c - samples that are an utterance each.
 *
 *   the data of an item of the sorter, host byte order; the key is the ID, or its number
 *   struct row_head, then the ID, the speaker and the text, one behind the other
 */
#include "datagen/speech/utterances.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "audio/waveform.h"
#include "base/alloc.h"
#include "base/file.h"
#include "base/str.h"
#include "datagen/source/row_stream.h"
#include "datagen/source/scratch_sort.h"

enum { FILES_A_BATCH = 16 };
static const uint64_t most_bytes = UINT64_C(1) << 30; /* of a sound file */

struct row_head {
    uint64_t file;
    double start_s, end_s;
    size_t id_bytes, speaker_bytes;
};

/* ---- the list ---- */

/* "cv/sample-1.mp3" -> "sample-1" */
static struct t2_slice name_of(struct t2_slice audio)
{
    size_t from = audio.len_bytes, to = audio.len_bytes;

    while (from > 0 && audio.data[from - 1] != '/')
        from--;
    for (size_t i = to; i > from + 1; i--)
        if (audio.data[i - 1] == '.') {
            to = i - 1;
            break;
        }
    return (struct t2_slice){audio.data + from, to - from};
}

enum t2_status dg_utterances_add(struct dg_utterances *s, const struct dg_utterance *u, size_t file,
                                 struct t2_err *err)
{
    struct t2_slice id = u->id.len_bytes ? u->id : name_of(u->audio);
    struct t2_slice speaker = u->speaker.len_bytes ? u->speaker : t2_slice_of("unknown");
    struct row_head head = {.file = file,
                            .start_s = u->start_s,
                            .end_s = u->end_s,
                            .id_bytes = id.len_bytes,
                            .speaker_bytes = speaker.len_bytes};
    uint8_t number[8];
    struct t2_slice key = {number, sizeof number};

    dg_put_number(number, s->n_listed++);
    t2_buf_clear(&s->row);
    t2_buf_append(&s->row, &head, sizeof head);
    t2_buf_append(&s->row, id.data, id.len_bytes);
    t2_buf_append(&s->row, speaker.data, speaker.len_bytes);
    t2_buf_append(&s->row, u->text.data, u->text.len_bytes);
    if (!s->spec->parts[s->split].items[s->part]->in_order)
        key = id;
    return tfr_sorter_add(s->sorted, key, t2_buf_slice(&s->row), err);
}

static enum t2_status list(struct dg_utterances *s, struct t2_err *err)
{
    const struct dg_speech_part *part = s->spec->parts[s->split].items[s->part];
    size_t n_patterns = 0;

    while (part->patterns[n_patterns])
        n_patterns++;
    if (s->base.hash_on && !s->hash)
        s->hash = t2_sha256_new();
    T2_TRY(dg_sorter_new(s->options, &s->sorted, err));
    if (part->source)
        T2_TRY(
            dg_file_set_open(part->source, part->patterns, n_patterns, s->options, &s->files, err));
    s->sets[s->part] = s->files;
    T2_TRY(part->list(s, part, err));
    return tfr_sorter_finish(s->sorted, err);
}

static void end_part(struct dg_utterances *s)
{
    tfr_sorter_free(s->sorted);
    s->sorted = NULL;
    s->files = NULL;
}

/* ---- samples ---- */

static enum t2_status read_sound(struct dg_utterances *s, size_t file, const char *path,
                                 struct t2_slice *sound, struct t2_err *err)
{
    const char *base;

    if (s->files) {
        T2_TRY(dg_file_set_content(s->files, file, sound, err));
    } else {
        T2_TRY(t2_read_file(path, most_bytes, &s->content, err));
        *sound = t2_buf_slice(&s->content);
    }
    if (sound->len_bytes == 0)
        return t2_fail(err, T2_EFORMAT, "'%s': the sound file is empty", path);
    if (s->hash) {
        base = t2_path_base(path);
        t2_sha256_update(s->hash, base, strlen(base) + 1);
        t2_sha256_update(s->hash, sound->data, sound->len_bytes);
        s->bytes_hashed += sound->len_bytes;
    }
    return T2_OK;
}

static struct t2_slice cut(const uint8_t **at, size_t n)
{
    struct t2_slice part = {*at, n};

    *at += n;
    return part;
}

/* What finish is told in place of inputs: ID, speaker and the part of the sound, between tabs. */
static enum t2_status take_row(struct dg_utterances *s, struct t2_slice row,
                               struct dg_sample *sample, struct t2_err *err)
{
    const uint8_t *at = row.data;
    struct row_head head;
    struct t2_slice part;
    const char *path;

    memcpy(&head, cut(&at, sizeof head).data, sizeof head);
    t2_buf_clear(&s->facts);
    part = cut(&at, head.id_bytes);
    t2_buf_append(&s->facts, part.data, part.len_bytes);
    t2_buf_push(&s->facts, '\t');
    part = cut(&at, head.speaker_bytes);
    t2_buf_append(&s->facts, part.data, part.len_bytes);
    t2_buf_printf(&s->facts, "\t%.17g\t%.17g", head.start_s, head.end_s);
    path = s->files ? dg_file_set_name(s->files, (size_t) head.file) : s->paths.items[head.file];
    sample->targets = (struct t2_slice){at, (size_t) (row.data + row.len_bytes - at)};
    sample->inputs = t2_buf_slice(&s->facts);
    if (s->hash)
        t2_sha256_update(s->hash, row.data + sizeof head, row.len_bytes - sizeof head);
    T2_TRY(read_sound(s, (size_t) head.file, path, &sample->context, err));
    sample->inputs_origin = (struct dg_origin){.path = path, .line = ++s->n_read};
    sample->targets_origin = sample->inputs_origin;
    return T2_OK;
}

static void note(struct dg_utterances *s)
{
    const struct dg_speech_part *part = s->spec->parts[s->split].items[0];
    char sha256[T2_SHA256_HEX];

    if (!s->hash)
        return;
    t2_sha256_peek(s->hash, sha256);
    dg_input_files_add(&s->base.files, part->prefix, "utterances", s->bytes_hashed, s->n_read,
                       sha256);
    t2_sha256_free(s->hash);
    s->hash = NULL;
}

static enum t2_status next(struct dg_stream *base, struct dg_sample *sample, struct t2_err *err)
{
    struct dg_utterances *s = (struct dg_utterances *) base;
    struct t2_slice key, row;

    for (; s->part < s->spec->parts[s->split].n; s->part++) {
        enum t2_status st;

        if (!s->sorted)
            T2_TRY(list(s, err));
        st = tfr_sorter_next(s->sorted, &key, &row, err);
        if (st == T2_OK)
            return take_row(s, row, sample, err);
        if (st != T2_EOF)
            return st;
        end_part(s);
    }
    note(s);
    return T2_EOF;
}

/* Each source once. */
static enum t2_status describe(struct dg_stream *base, struct dg_input_sizes *sizes,
                               struct t2_err *err)
{
    const struct dg_utterances *s = (const struct dg_utterances *) base;
    const struct dg_source *last = NULL;
    struct t2_err first = T2_ERR_INIT;

    for (size_t i = 0; i < s->spec->parts[s->split].n; i++) {
        const struct dg_speech_part *part = s->spec->parts[s->split].items[i];

        if (part->source && part->source != last)
            T2_TRY(dg_source_describe(part->source, part->source->sign, "utterances", s->options,
                                      sizes, err));
        else if (!part->source)
            dg_describe_file(part->prefix, "utterances", sizes, &first);
        last = part->source;
    }
    return T2_OK;
}

static void release(struct dg_stream *base)
{
    struct dg_utterances *s = (struct dg_utterances *) base;

    end_part(s);
    for (size_t i = 0; i < DG_MOST_SPEECH_PARTS; i++)
        dg_file_set_free(s->sets[i]);
    t2_strs_release(&s->paths);
    t2_sha256_free(s->hash);
    t2_buf_release(&s->row);
    t2_buf_release(&s->facts);
    t2_buf_release(&s->content);
    t2_free(s);
}

enum t2_status dg_utterances_open(const struct dg_problem *p, const struct dg_options *options,
                                  enum dg_split split, struct dg_stream **stream,
                                  struct t2_err *err)
{
    struct dg_utterances *s = t2_alloc(1, sizeof *s);

    (void) err;
    s->base.next = next;
    s->base.free = release;
    s->base.describe = describe;
    s->base.is_clean = true;
    s->base.batch_samples = FILES_A_BATCH;
    s->spec = p->context;
    s->options = options;
    s->split = split;
    *stream = &s->base;
    return T2_OK;
}

enum t2_status dg_utterances_prepare(const struct dg_problem *p, const struct dg_options *options,
                                     struct t2_err *err)
{
    const struct dg_speech_spec *spec = p->context;
    size_t n = 0;

    while (spec->sources && spec->sources[n])
        n++;
    return n ? dg_sources_fetch(spec->sources, n, options, err) : T2_OK;
}

/* ---- records ---- */

const char *const dg_utterance_fields[] = {"waveforms float",
                                           "waveform_lens int64",
                                           "targets int64",
                                           "raw_transcript bytes",
                                           "utt_id bytes",
                                           "spk_id bytes",
                                           NULL};

static struct t2_slice next_fact(struct t2_slice *facts)
{
    const uint8_t *tab = memchr(facts->data, '\t', facts->len_bytes);
    struct t2_slice fact = {facts->data, tab ? (size_t) (tab - facts->data) : facts->len_bytes};
    size_t n = fact.len_bytes + (tab != NULL);

    facts->data += n;
    facts->len_bytes -= n;
    return fact;
}

static double next_seconds(struct t2_slice *facts)
{
    struct t2_slice fact = next_fact(facts);
    char *text = t2_strndup((const char *) fact.data, fact.len_bytes);
    double seconds = 0;
    bool known = t2_parse_double(text, &seconds);

    t2_free(text);
    T2_ASSERT(known);
    return seconds;
}

/* Which samples of n: *from, and how many. */
static enum t2_status find_part(size_t n, double start_s, double end_s, size_t *from, size_t *count,
                                struct t2_err *err)
{
    double begin = start_s * AUD_RATE, end = end_s > 0 ? end_s * AUD_RATE : (double) n;

    if (end > (double) n)
        end = (double) n;
    if (begin + 1 > end)
        return t2_fail(err, T2_EFORMAT,
                       "the sound has %.3f s, and the part from %.3f s on is wanted",
                       (double) n / AUD_RATE, start_s);
    *from = (size_t) begin;
    *count = (size_t) end - *from;
    return T2_OK;
}

static enum t2_status put_waveform(struct t2_slice file, double start_s, double end_s,
                                   struct aud_waveform *w, struct dg_record *r, struct t2_err *err)
{
    struct dg_feature *f;
    size_t from = 0, n = 0;

    T2_TRY(aud_waveform_read(file.data, file.len_bytes, w, err));
    T2_TRY(find_part(w->n, start_s, end_s, &from, &n, err));
    f = dg_record_add(r, "waveforms", TFR_FLOAT);
    for (size_t i = 0; i < n; i++)
        dg_feature_push_float(f, aud_float(w->samples[from + i]));
    dg_record_int(r, "waveform_lens", (int64_t) n);
    return T2_OK;
}

enum t2_status dg_utterance_finish(const struct dg_problem *p, const struct dg_texts *texts,
                                   struct dg_record *r, struct t2_err *err)
{
    struct t2_slice facts = texts->text[DG_INPUTS];
    struct t2_slice id = next_fact(&facts), speaker = next_fact(&facts);
    double start_s = next_seconds(&facts), end_s = next_seconds(&facts);
    struct aud_waveform w = {0};
    enum t2_status st = put_waveform(texts->text[DG_CONTEXT], start_s, end_s, &w, r, err);

    (void) p;
    aud_waveform_release(&w);
    dg_record_bytes(r, "raw_transcript", texts->text[DG_TARGETS]);
    dg_record_bytes(r, "utt_id", id);
    dg_record_bytes(r, "spk_id", speaker);
    return st;
}
