/*
 * tests/fuzz/fuzz_checkpoint_state.c - any bytes as state-7.json of a run: refused with a message,
 * or a checkpoint whose step, sizes and digests are what the program goes on with.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/alloc.h"
#include "tests/fuzz/memory_file.h"
#include "train/ckpt/checkpoint_state.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { STEP = 7 };

static char folder[4096];

static void remove_folder(void)
{
    (void) rmdir(folder);
}

static void make_folder(void)
{
    const char *in = getenv("TMPDIR");

    if (folder[0])
        return;
    snprintf(folder, sizeof folder, "%s/fuzz-state-XXXXXX", in ? in : "/tmp");
    if (!mkdtemp(folder) || atexit(remove_folder) != 0)
        abort();
}

static void check_part(const struct ckpt_part *part)
{
    if (strlen(part->sha256) != 64 || part->n_bytes > INT64_MAX)
        abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char memory[T_PATH_BYTES], *path;
    struct ckpt_record record;
    struct mdl_hparams *hp = NULL;
    struct t2_err err = T2_ERR_INIT;
    enum t2_status st;
    int fd = t_memory_file(data, size, memory);

    make_folder();
    path = ckpt_path(folder, "state", STEP);
    if (symlink(memory, path) != 0)
        abort();
    st = ckpt_record_read(folder, STEP, &record, &hp, &err);
    (void) unlink(path);
    t2_free(path);
    t_memory_file_close(fd);
    if ((st == T2_OK) != (hp != NULL) || (st != T2_OK && err.message[0] == '\0'))
        abort();
    mdl_hparams_free(hp);
    if (st != T2_OK)
        return 0;
    if (record.state.step != STEP || record.updates < 0)
        abort();
    check_part(&record.model);
    if (record.has_optimizer)
        check_part(&record.optimizer);
    return 0;
}
