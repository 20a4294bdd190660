/*
 * tests/fuzz/fuzz_counts.c - tokenizer/counts_file.c: any bytes as a file of word counts; what is
 * refused is told, what is taken has words.
 */
#include <stdlib.h>

#include "tests/fuzz/memory_file.h"
#include "tokenizer/counts.h"
#include "tokenizer/counts_file.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct tok_counts *counts = tok_counts_new();
    struct t2_err err = T2_ERR_INIT;
    char path[T_PATH_BYTES];
    int fd = t_memory_file(data, size, path);

    if (tok_counts_load(path, counts, NULL, NULL, &err) == T2_OK) {
        if (tok_counts_distinct(counts) > size / 2)
            abort();
    } else if (err.message[0] == '\0') {
        abort();
    }
    tok_counts_free(counts);
    t_memory_file_close(fd);
    return 0;
}
