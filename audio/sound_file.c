/*
 * audio/sound_file.c - see the header.  The declarations are those of libsndfile 1.0.25 and later,
 * so that nothing of it is needed to build.
 */
#include "audio/sound_file.h"

#include <pthread.h>
#include <stdio.h>
#include <string.h>

#include "base/alloc.h"
#include "base/library.h"
#include "base/signals.h"

enum { MODE_READ = 0x10, SUBTYPE = 0xffff, PCM_S8 = 1, PCM_16 = 2, PCM_U8 = 5 };
/* Files whose headers promise more than is there are read in pieces. */
enum { PIECE = 1 << 16 };

struct file_info {
    int64_t frames;
    int rate, channels, format, sections, seekable;
};

struct virtual_file {
    int64_t (*length)(void *user);
    int64_t (*seek)(int64_t offset, int whence, void *user);
    int64_t (*read)(void *to, int64_t count, void *user);
    int64_t (*write)(const void *from, int64_t count, void *user);
    int64_t (*tell)(void *user);
};

static struct {
    void *(*open_virtual)(struct virtual_file *file, int mode, struct file_info *info, void *user);
    int (*close)(void *file);
    const char *(*strerror)(void *file);
    int64_t (*readf_short)(void *file, int16_t *to, int64_t frames);
    int64_t (*readf_float)(void *file, float *to, int64_t frames);
} sndfile;

static const struct t2_symbol symbols[] = {
    {"sf_open_virtual", &sndfile.open_virtual}, {"sf_close", &sndfile.close},
    {"sf_strerror", &sndfile.strerror},         {"sf_readf_short", &sndfile.readf_short},
    {"sf_readf_float", &sndfile.readf_float},
};

static pthread_once_t opened = PTHREAD_ONCE_INIT;
static bool is_there;
static char why_not[256];

static void open_library(void)
{
    is_there = t2_library_open(&t2_libsndfile, symbols, sizeof symbols / sizeof *symbols, why_not,
                               sizeof why_not);
}

/* ---- a file in memory ---- */

struct memory {
    const uint8_t *data;
    int64_t n, at;
};

static int64_t memory_length(void *user)
{
    return ((struct memory *) user)->n;
}

static int64_t memory_seek(int64_t offset, int whence, void *user)
{
    struct memory *m = user;
    int64_t from = whence == SEEK_CUR ? m->at : whence == SEEK_END ? m->n : 0;

    if (offset > m->n || offset < -m->n || from + offset < 0)
        return -1;
    m->at = from + offset < m->n ? from + offset : m->n;
    return m->at;
}

static int64_t memory_read(void *to, int64_t count, void *user)
{
    struct memory *m = user;

    if (count > m->n - m->at)
        count = m->n - m->at;
    if (count <= 0)
        return 0;
    memcpy(to, m->data + m->at, (size_t) count);
    m->at += count;
    return count;
}

static int64_t memory_write(const void *from, int64_t count, void *user)
{
    (void) from;
    (void) count;
    (void) user;
    return 0;
}

static int64_t memory_tell(void *user)
{
    return ((struct memory *) user)->at;
}

/* ---- samples ---- */

static void *room(void *items, size_t *capacity, size_t n, size_t item_bytes)
{
    if (n <= *capacity)
        return items;
    *capacity = n > 2 * *capacity ? n : 2 * *capacity;
    return t2_realloc(items, *capacity, item_bytes);
}

static int64_t read_piece(void *file, struct aud_sound *s)
{
    size_t channels = (size_t) s->channels, end = (s->n + PIECE) * channels;

    if (s->is_pcm16) {
        s->pcm = room(s->pcm, &s->pcm_capacity, end, sizeof *s->pcm);
        return sndfile.readf_short(file, s->pcm + s->n * channels, PIECE);
    }
    s->samples = room(s->samples, &s->samples_capacity, end, sizeof *s->samples);
    return sndfile.readf_float(file, s->samples + s->n * channels, PIECE);
}

static enum t2_status read_all(void *file, struct aud_sound *s, struct t2_err *err)
{
    size_t most = (size_t) s->rate * AUD_MOST_SECONDS;
    int64_t n;

    while ((n = read_piece(file, s)) > 0) {
        s->n += (size_t) n;
        T2_TRY(t2_check_interrupt(err));
        if (s->n > most)
            return t2_fail(err, T2_EFORMAT,
                           "a sound of more than %d seconds: cut it into utterances",
                           AUD_MOST_SECONDS);
    }
    if (s->n == 0)
        return t2_fail(err, T2_EFORMAT, "a sound file without samples");
    return T2_OK;
}

static bool is_exact(int format)
{
    int kind = format & SUBTYPE;

    return kind == PCM_16 || kind == PCM_S8 || kind == PCM_U8;
}

enum t2_status aud_sound_read(const uint8_t *data, size_t len_bytes, struct aud_sound *s,
                              struct t2_err *err)
{
    struct virtual_file callbacks = {memory_length, memory_seek, memory_read, memory_write,
                                     memory_tell};
    struct memory memory = {data, (int64_t) len_bytes, 0};
    struct file_info info = {0};
    enum t2_status st;
    void *file;

    pthread_once(&opened, open_library);
    if (!is_there)
        return t2_fail(err, T2_EUNSUPPORTED, "sound files: %s", why_not);
    file = sndfile.open_virtual(&callbacks, MODE_READ, &info, &memory);
    if (!file)
        return t2_fail(err, T2_EFORMAT, "not a sound file that libsndfile reads: %s",
                       sndfile.strerror(NULL));
    s->rate = info.rate;
    s->channels = info.channels;
    s->n = 0;
    s->is_pcm16 = is_exact(info.format);
    if (info.rate < 1 || info.rate > AUD_MOST_RATE || info.channels < 1 ||
        info.channels > AUD_MOST_CHANNELS)
        st = t2_fail(err, T2_EFORMAT, "a sound file of %d channels, %d samples a second",
                     info.channels, info.rate);
    else
        st = read_all(file, s, err);
    sndfile.close(file);
    return st;
}

void aud_sound_release(struct aud_sound *s)
{
    t2_free(s->pcm);
    t2_free(s->samples);
    *s = (struct aud_sound){0};
}
