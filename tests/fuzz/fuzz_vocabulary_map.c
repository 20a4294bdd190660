/*
 * tests/fuzz/fuzz_vocabulary_map.c - any bytes as --shortlist: refused with a message, or lists
 * that are ascending, with EOS, and no longer than was said.
 */
#include <stdint.h>

#include "base/alloc.h"
#include "tests/fuzz/memory_file.h"
#include "train/decode/vocabulary_map.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct tok_encoder *bytes = tok_bytes_new();
    struct dec_vocabulary_map *map;
    struct t2_err err = T2_ERR_INIT;
    char path[T_PATH_BYTES];
    int file = t_memory_file(data, size, path);
    enum t2_status st = dec_vocabulary_map_load(path, bytes, bytes, &map, &err);

    T2_ASSERT(st == T2_OK || (!map && err.message[0] != '\0'));
    for (int32_t first = 0; st == T2_OK && first < tok_size(bytes); first += 50) {
        int32_t source[3] = {first, first + 1, first};
        struct tok_ids ids = {0};

        dec_vocabulary_map_ids(map, source, 3, &ids);
        T2_ASSERT(ids.n >= 1 && ids.items[0] == TOK_EOS);
        T2_ASSERT(ids.n <= dec_vocabulary_map_most(map, 3));
        for (size_t i = 1; i < ids.n; i++)
            T2_ASSERT(ids.items[i] > ids.items[i - 1] && ids.items[i] < tok_size(bytes));
        tok_ids_release(&ids);
    }
    if (st == T2_OK)
        dec_vocabulary_map_free(map);
    t_memory_file_close(file);
    tok_free(bytes);
    return 0;
}
