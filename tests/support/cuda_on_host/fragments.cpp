/*
 * tests/support/cuda_on_host/fragments.cpp - the instructions of tensor cores: each lane gives what
 * it holds, all meet at a barrier of the warp, and each computes its own part of the result.
 *
 * Exact products of bfloat16, added in float32 one behind the other; a real device adds them in
 * another order.
 */
#include "tests/support/cuda_on_host/internal.h"
#include "train/device/types.h"

namespace cuda_on_host
{

/* What a lane gives to a product. */
struct factors {
    unsigned a[4], b[2];
};

/* The lower or upper half. */
static float half_of(unsigned word, int upper)
{
    return dev_from_bfloat16((uint16_t) (word >> 16 * upper));
}

void product_of_fragments(float (&sum)[4], const unsigned (&a)[4], unsigned b0, unsigned b1,
                          const char *file, int line)
{
    struct factors own = {{a[0], a[1], a[2], a[3]}, {b0, b1}}, left[4], right[2][4];
    int g = lane() / 4, t = lane() % 4;

    memcpy(own_slot(), &own, sizeof own);
    warp_barrier(~0u, file, line);
    for (int at = 0; at < 4; at++) {
        memcpy(&left[at], slot_of(4 * g + at), sizeof own);
        for (int column = 0; column < 2; column++)
            memcpy(&right[column][at], slot_of(4 * (2 * t + column) + at), sizeof own);
    }
    for (int k = 0; k < 16; k++) {
        int at = k % 8 / 2, upper = k % 2, behind = k / 8; /* of the lane's t, word and half */

        for (int column = 0; column < 2; column++)
            for (int row = 0; row < 2; row++)
                sum[2 * row + column] += half_of(left[at].a[2 * behind + row], upper) *
                                         half_of(right[column][at].b[behind], upper);
    }
}

/* Each lane reads its row when it comes: one that others have yet to write is seen as it was. */
void matrices_of_rows(unsigned (&to)[4], const void *row, bool turned, const char *file, int line)
{
    int g = lane() / 4, t = lane() % 4;

    if ((uintptr_t) row % 16 != 0)
        fail_thread("a row of a matrix that begins between two pieces of 16 bytes");
    memcpy(own_slot(), row, 16);
    warp_barrier(~0u, file, line);
    for (int matrix = 0; matrix < 4; matrix++) {
        uint16_t halves[2];

        for (int n = 0; n < 2; n++) {
            const uint16_t *from =
                (const uint16_t *) slot_of(8 * matrix + (turned ? 2 * t + n : g));

            memcpy(&halves[n], from + (turned ? g : 2 * t + n), sizeof halves[n]);
        }
        to[matrix] = (unsigned) halves[0] | (unsigned) halves[1] << 16;
    }
}

} /* namespace cuda_on_host */
