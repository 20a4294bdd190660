/*
 * tests/fuzz/fuzz_utterance_files.c - files that list utterances: the first byte chooses the kind,
 * a Kaldi directory has its files between zero bytes (text, segments, wav.scp, utt2spk).  No crash;
 * what is given is UTF-8 without zero bytes and line feeds, and a part of a sound has a length.
 */
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "datagen/speech/utterance_files.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static enum t2_status see(void *context, const struct dg_utterance *u, struct t2_err *err)
{
    const struct t2_slice parts[] = {u->id, u->speaker, u->audio, u->text};

    (void) context;
    (void) err;
    for (int i = 0; i < 4; i++)
        if (t2_utf8_invalid_at(parts[i].data, parts[i].len_bytes) < parts[i].len_bytes ||
            memchr(parts[i].data, '\0', parts[i].len_bytes))
            abort();
    if (u->end_s < u->start_s || u->start_s < 0)
        abort();
    return T2_OK;
}

static struct t2_slice cut(struct t2_slice *rest)
{
    const uint8_t *end = memchr(rest->data, '\0', rest->len_bytes);
    struct t2_slice part = {rest->data, end ? (size_t) (end - rest->data) : rest->len_bytes};

    rest->data += part.len_bytes + (end != NULL);
    rest->len_bytes -= part.len_bytes + (end != NULL);
    return part;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct t2_err err = T2_ERR_INIT;
    struct t2_slice rest = {data + 1, size - 1};
    struct dg_kaldi_files kaldi;
    enum t2_status st;

    if (size == 0)
        return 0;
    switch (data[0]) {
    case '0':
        st = dg_read_transcripts(rest, "list", see, NULL, &err);
        break;
    case '1':
        st = dg_read_sound_table(rest, "list", see, NULL, &err);
        break;
    case '2':
        st = dg_read_voice_table(rest, "list", see, NULL, &err);
        break;
    default:
        kaldi.text = cut(&rest);
        kaldi.segments = cut(&rest);
        kaldi.wav_scp = cut(&rest);
        kaldi.utt2spk = cut(&rest);
        st = dg_read_kaldi(&kaldi, "dir", see, NULL, &err);
    }
    if (st != T2_OK && err.message[0] == '\0')
        abort();
    return 0;
}
