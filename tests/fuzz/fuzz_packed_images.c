/*
 * tests/fuzz/fuzz_packed_images.c - archive_in_place.c and image_file.c: no crash on any archive of
 * archives, and every place that is found lies in the file.
 */
#include <stdlib.h>

#include "base/log.h"
#include "datagen/images/image_file.h"
#include "tests/fuzz/memory_file.h"
#include "tests/fuzz/tar_sums.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char path[T_PATH_BYTES];
    struct t2_buf mended = {NULL, 0, 0}, file = {NULL, 0, 0};
    int fd;

    t2_buf_append(&mended, data, size);
    t_mend_tar(mended.data, size);
    fd = t_memory_file(mended.data, size, path);
    t2_buf_release(&mended);
    t2_log_set_level(T2_LOG_ERROR);
    for (int by_class = 0; by_class < 2; by_class++) {
        struct dg_packed_images l = {NULL, 0, 0};
        struct t2_err err = T2_ERR_INIT;
        if (dg_packed_images_find(path, by_class, &l, &err) == T2_OK) {
            for (size_t i = 0; i < l.n; i++)
                if (l.items[i].place.bytes > size ||
                    dg_place_read(path, &l.items[i].place, &file, &err) != T2_OK)
                    abort();
        }
        dg_packed_images_release(&l);
    }
    t2_buf_release(&file);
    t_memory_file_close(fd);
    return 0;
}
