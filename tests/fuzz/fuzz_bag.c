/*
 * tests/fuzz/fuzz_bag.c - tfrec/convert/bag.c: no crash on any bytes; a record is never longer than
 * the file, and there are not more of them than limits fit into it.  The first byte chooses between
 * .bag and .bagz, which the name says.
 */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "tests/fuzz/memory_file.h"
#include "tfrec/convert/formats.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* A name for a file that has only a number. */
static const char *name_of(const char *path, bool is_bagz)
{
    static char name[2][4096];
    const char *dir = getenv("TMPDIR");

    snprintf(name[is_bagz], sizeof name[is_bagz], "%s/fuzz-%ld.%s", dir ? dir : "/tmp",
             (long) getpid(), is_bagz ? "bagz" : "bag");
    (void) unlink(name[is_bagz]);
    if (symlink(path, name[is_bagz]) != 0)
        abort();
    return name[is_bagz];
}

static void read_all(const char *path, size_t size)
{
    const struct rec_convert c = {.from = "bagz"};
    struct t2_buf record = {NULL, 0, 0};
    struct t2_err err = T2_ERR_INIT;
    struct rec_reader *r;
    uint64_t place;
    size_t n = 0;

    if (rec_format_bagz.open(&c, path, &r, &err) != T2_OK)
        return;
    while (r->next(r, &record, &place, &err) == T2_OK) {
        if (record.len_bytes > size || ++n > size / 8)
            abort();
        t2_buf_clear(&record);
    }
    r->free(r);
    t2_buf_release(&record);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char path[T_PATH_BYTES];
    const char *name;
    int fd;

    if (size == 0)
        return 0;
    fd = t_memory_file(data + 1, size - 1, path);
    name = name_of(path, data[0] & 1);
    read_all(name, size - 1);
    (void) unlink(name);
    t_memory_file_close(fd);
    return 0;
}
