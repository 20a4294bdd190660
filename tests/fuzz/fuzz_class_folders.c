/*
 * tests/fuzz/fuzz_class_folders.c - names of folders and files by class, and the files of ImageNet
 * and Tiny ImageNet that say which class: no crash; labels are in their range, paths stay below the
 * folder.
 *
 * The input is lines: the first character of a line makes it a file with that name (any), or text
 * of one of the files that have a meaning ('0' to '3').
 */
#include <ftw.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/file.h"
#include "base/log.h"
#include "datagen/images/image_list.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { MOST_LINES = 24, LONGEST = 200 };

static const char *const special[] = {"synset_labels.txt", "wnids.txt", "train/n1/n1_boxes.txt",
                                      "val/val_annotations.txt"};

static int remove_one(const char *path, const struct stat *s, int flag, struct FTW *ftw)
{
    (void) s;
    (void) flag;
    (void) ftw;
    return remove(path);
}

static bool is_harmless(const char *name)
{
    return name[0] != '/' && strcmp(name, "..") != 0 && !t2_starts_with(name, "../") &&
           !strstr(name, "/../") && !t2_ends_with(name, "/..");
}

/* Appends text, or makes an empty file; what cannot be is passed over. */
static void make(const char *dir, const char *name, const char *text)
{
    char *path = t2_path_join(dir, name), *folder = t2_path_dir(path);
    struct t2_err err = T2_ERR_INIT;
    FILE *f;

    if (t2_make_dirs(folder, &err) == T2_OK && (f = fopen(path, "a"))) {
        (void) fputs(text, f);
        (void) fputs(*text ? "\n" : "", f);
        (void) fclose(f);
    }
    t2_free(folder);
    t2_free(path);
}

static void make_all(const char *dir, const uint8_t *data, size_t size)
{
    size_t at = 0;

    for (int line = 0; line < MOST_LINES && at < size; line++) {
        const uint8_t *end = memchr(data + at, '\n', size - at);
        size_t n = end ? (size_t) (end - data) - at : size - at;
        char *text = t2_strndup((const char *) data + at, n < LONGEST ? n : LONGEST);
        at += n + 1;
        if (text[0] >= '0' && text[0] <= '3')
            make(dir, special[text[0] - '0'], text + 1);
        else if (text[0] && text[1] && is_harmless(text + 1))
            make(dir, text + 1, "");
        t2_free(text);
    }
}

static void read_all(const char *dir)
{
    for (int layout = DG_FOLDERS_AUTO; layout <= DG_FOLDERS_TINY; layout++) {
        struct dg_images l = {.n = 0};
        struct t2_err err = T2_ERR_INIT;
        if (dg_images_read_folders(dir, (enum dg_folder_layout) layout, 30, &l, &err) == T2_OK)
            for (size_t i = 0; i < l.n; i++)
                if (l.items[i].label >= l.labels.n || !t2_starts_with(l.items[i].path, dir))
                    abort();
        dg_images_release(&l);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char dir[] = "/dev/shm/fuzz-folders-XXXXXX";

    t2_log_set_level(T2_LOG_ERROR);
    if (!mkdtemp(dir))
        abort();
    make_all(dir, data, size);
    read_all(dir);
    (void) nftw(dir, remove_one, 16, FTW_DEPTH | FTW_PHYS);
    return 0;
}
