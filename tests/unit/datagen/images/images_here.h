/*
 * images_here.h - small images as files, for the tests of images/.
 */
#ifndef IMAGES_HERE_H
#define IMAGES_HERE_H

#include <stdio.h>
#include <string.h>

#include "augment/jpeg.h"
#include "augment/png.h"
#include "base/alloc.h"
#include "base/file.h"
#include "datagen/images/image_list.h"
#include "tests/support/t.h"

/* A JPEG, or a PNG when the name says so, of width x height; folders are made.  The path is owned
 * by the caller. */
static inline char *here_image(const char *dir, const char *name, int width, int height)
{
    struct t2_err err = T2_ERR_INIT;
    struct aug_image im = {.data = NULL};
    struct t2_buf file = {NULL, 0, 0};
    char *path = t2_path_join(dir, name), *folder = t2_path_dir(path);

    assert_int_equal(t2_make_dirs(folder, &err), T2_OK);
    assert_int_equal(aug_image_resize(&im, height, width, 3, &err), T2_OK);
    for (int i = 0; i < width * height * 3; i++)
        im.data[i] = (uint8_t) (i * 7);
    if (strstr(name, ".png"))
        assert_int_equal(aug_png_encode(&im, -1, &file, &err), T2_OK);
    else
        assert_int_equal(aug_jpeg_encode(&im, &(struct aug_jpeg_settings){.quality = 90}, &file,
                                         &err),
                         T2_OK);
    t_write_file(path, file.data, file.len_bytes);
    t2_buf_release(&file);
    aug_image_release(&im);
    t2_free(folder);
    return path;
}

static inline char *here_text(const char *dir, const char *name, const char *text)
{
    struct t2_err err = T2_ERR_INIT;
    char *path = t2_path_join(dir, name), *folder = t2_path_dir(path);

    assert_int_equal(t2_make_dirs(folder, &err), T2_OK);
    t_write_file(path, text, strlen(text));
    t2_free(folder);
    return path;
}

#endif
