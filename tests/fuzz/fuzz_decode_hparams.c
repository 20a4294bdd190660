/*
 * tests/fuzz/fuzz_decode_hparams.c - any text as --decode_hparams: refused with a message, or
 * values within their bounds.
 */
#include <stdint.h>
#include <string.h>

#include "base/alloc.h"
#include "train/decode/decode_hparams.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char *text =
        t2_strndup((const char *) data, size && data ? strnlen((const char *) data, size) : 0);
    struct t2_err err = T2_ERR_INIT;
    struct dec_hparams hp;
    enum t2_status st = dec_hparams_parse(text, &hp, &err);

    if (st == T2_OK) {
        T2_ASSERT(hp.beam_size >= 1 && hp.alpha >= 0 && hp.extra_length >= -1);
        T2_ASSERT(hp.batch_size >= 0 && (hp.max_input_size == -1 || hp.max_input_size >= 1));
        T2_ASSERT(hp.shard_id >= 0 && hp.shard_id < hp.shards);
    } else {
        T2_ASSERT((st == T2_EUSAGE || st == T2_EUNSUPPORTED) && err.message[0] != '\0');
    }
    t2_free(text);
    return 0;
}
