/* Fuzz target: any bytes as a model that stands alone; only its description and its vocabularies
 * are read, as variables are looked for when a model was made. */
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "tests/fuzz/memory_file.h"
#include "train/exchange/model_file.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct t2_err err = T2_ERR_INIT;
    struct xch_model_file f;
    char path[T_PATH_BYTES];
    int fd = t_memory_file(data, size, path);

    if (xch_model_file_open(path, &f, &err) != T2_OK || xch_model_file_settle(&f, &err) != T2_OK)
        T2_ASSERT(err.message[0] != '\0');
    else
        T2_ASSERT(f.targets && f.hp);
    xch_model_file_close(&f);
    t_memory_file_close(fd);
    return 0;
}
