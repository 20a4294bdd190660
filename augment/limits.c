/*
 * augment/limits.c - limits of the work and memory that a file may cause in a decoder.
 */
#include "augment/limits.h"

#include <inttypes.h>

#include "base/str.h"

/* Below 2^62: sides are positive and below 2^31, channels at most 4, and no decoder reads 2^30 x
 * 2^30. */
static uint64_t values(int32_t width, int32_t height, int32_t channels)
{
    uint64_t n = (uint64_t) width * (uint64_t) height;

    return n > UINT64_C(1) << 59 ? UINT64_C(1) << 62 : n * (uint64_t) channels;
}

enum t2_status aug_check_size(enum aug_kind kind, int32_t width, int32_t height, int32_t channels,
                              const struct aug_decode *how, struct t2_err *err)
{
    uint64_t limit = aug_component_limit(how);

    if (values(width, height, channels) < limit)
        return T2_OK;
    return t2_fail(
        err, T2_EFORMAT,
        "%s: %d x %d pixels of %d channels: too large to be decoded (the limit is %" PRIu64
        " values%s)",
        aug_kind_name(kind), width, height, channels, limit,
        how->max_components == 0 ? ", as in TensorFlow" : "");
}

enum t2_status aug_check_memory(enum aug_kind kind, int32_t width, int32_t height, int32_t channels,
                                int32_t bytes_a_value, const struct aug_decode *how,
                                struct t2_err *err)
{
    uint64_t need = values(width, height, channels) * (uint64_t) bytes_a_value;
    char needed[32], there[32];

    if (how->max_memory == 0 || need <= how->max_memory)
        return T2_OK;
    return t2_fail(
        err, T2_ENOMEM,
        "%s: decoding %d x %d pixels of %d channels takes %s of memory, and an image may "
        "take %s of it; give more (--max_memory)",
        aug_kind_name(kind), width, height, channels, t2_human_bytes(need, needed, sizeof needed),
        t2_human_bytes(how->max_memory, there, sizeof there));
}

/*
 * How many blocks of 8 x 8 the scans of a file may visit.  Each scan goes over the whole image,
 * whether there are data for it or not: 30 KB could ask for minutes.  The bound is the smaller of
 * two.
 *
 * PASSES over the image, several times what encoders write, and a block more for each byte: small
 * images may have any number of scans.
 *
 * VISITS_A_BYTE: the first scan that has a block spends a bit on it at least, so that a byte stands
 * for at most BLOCKS_A_BYTE, which further scans visit almost for nothing (three bytes are a run of
 * 32767 empty blocks).  BLOCKS_ANYWAY (67 million pixels of grey) lets through files that were cut
 * early, which TensorFlow fills with grey.  Arithmetic codes can be shorter than a bit: there is
 * only the first bound.
 */
enum {
    PASSES = 64,
    BLOCKS_A_BYTE = 8,
    VISITS_A_BYTE = 32 * BLOCKS_A_BYTE,
    BLOCKS_ANYWAY = 1 << 20
};

bool aug_jpeg_work(struct t2_budget *visits, uint64_t n_blocks, bool arithmetic, size_t len_bytes)
{
    struct t2_budget by_bytes;

    t2_budget_init(visits, "JPEG", "blocks", PASSES * n_blocks, 1, len_bytes);
    if (arithmetic)
        return true;
    t2_budget_init(&by_bytes, "JPEG", "blocks", BLOCKS_ANYWAY, VISITS_A_BYTE, len_bytes);
    if (by_bytes.limit < visits->limit)
        *visits = by_bytes;
    return n_blocks <= BLOCKS_ANYWAY + BLOCKS_A_BYTE * (uint64_t) len_bytes;
}
