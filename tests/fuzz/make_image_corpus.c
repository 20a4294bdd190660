/*
 * make_image_corpus.c - small images of every kind into tests/fuzz/corpus, to be run from the root:
 *
 *   cc -I. tests/fuzz/make_image_corpus.c build/release/lib/libt2-tests.a .../libt2-augment.a ...
 * && ./a.out
 *
 * JPEG and PNG are written by our encoders, WebP by libwebp, the rest by hand.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <webp/encode.h>

#include "augment/jpeg.h"
#include "augment/png.h"
#include "tests/support/hostile_images.h"

static void save(const char *folder, const char *name, const void *data, size_t n)
{
    const char *const folders[] = {folder, "image"};

    for (int i = 0; i < 2; i++) {
        char path[256];
        snprintf(path, sizeof path, "tests/fuzz/corpus/%s/%s", folders[i], name);
        FILE *f = fopen(path, "wb");
        if (!f || fwrite(data, 1, n, f) != n || fclose(f) != 0)
            exit(1);
    }
}

static struct aug_image image(int32_t height, int32_t width, int32_t channels)
{
    struct aug_image im = {.data = NULL};
    struct t2_err err = T2_ERR_INIT;

    if (aug_image_resize(&im, height, width, channels, &err) != T2_OK)
        exit(1);
    for (int32_t i = 0; i < height * width * channels; i++)
        im.data[i] = (uint8_t) (i * 7 + i / 50 * 3);
    return im;
}

static void jpegs(void)
{
    static const struct aug_jpeg_settings hows[] = {{.quality = 50},
                                                    {.quality = 80, .full_chroma = true},
                                                    {.quality = 30, .progressive = true}};
    struct t2_err err = T2_ERR_INIT;

    for (int i = 0; i < 6; i++) {
        struct aug_image im = image(19, 21, i < 3 ? 3 : 1);
        struct t2_buf b = {NULL, 0, 0};
        char name[32];
        if (aug_jpeg_encode(&im, &hows[i % 3], &b, &err) != T2_OK)
            exit(1);
        snprintf(name, sizeof name, "%d.jpg", i);
        save("jpeg", name, b.data, b.len_bytes);
        if (i == 0) { /* and with an orientation */
            static const uint8_t exif[] = {0xff, 0xe1, 0, 34, 'E', 'x', 'i', 'f', 0,    0, 'I', 'I',
                                           '*',  0,    8, 0,  0,   0,   1,   0,   0x12, 1, 3,   0,
                                           1,    0,    0, 0,  6,   0,   0,   0,   0,    0, 0,   0};
            struct t2_buf turned = {NULL, 0, 0};
            t2_buf_append(&turned, b.data, 2);
            t2_buf_append(&turned, exif, sizeof exif);
            t2_buf_append(&turned, b.data + 2, b.len_bytes - 2);
            save("jpeg", "turned.jpg", turned.data, turned.len_bytes);
            t2_buf_release(&turned);
        }
        t2_buf_release(&b);
        aug_image_release(&im);
    }
}

static void pngs(void)
{
    struct t2_err err = T2_ERR_INIT;

    for (int32_t c = 1; c <= 4; c++) {
        struct aug_image im = image(9, 11, c);
        struct t2_buf b = {NULL, 0, 0};
        uint8_t *webp;
        char name[32];
        if (aug_png_encode(&im, 9, &b, &err) != T2_OK)
            exit(1);
        snprintf(name, sizeof name, "%d.png", c);
        save("png", name, b.data, b.len_bytes);
        if (c >= 3) {
            size_t n = c == 3 ? WebPEncodeRGB(im.data, 11, 9, 33, 50, &webp)
                              : WebPEncodeLosslessRGBA(im.data, 11, 9, 44, &webp);
            snprintf(name, sizeof name, "%d.webp", c);
            save("webp", name, webp, n);
            WebPFree(webp);
        }
        t2_buf_release(&b);
        aug_image_release(&im);
    }
}

static void bmps(void)
{
    static const uint8_t bits[] = {1, 4, 8, 16, 24, 32, 8, 4, 32},
                         compression[] = {0, 0, 0, 0, 0, 0, 1, 2, 3};

    for (int i = 0; i < 9; i++) {
        uint8_t b[54 + 64 + 64] = {'B', 'M'};
        char name[32];
        b[10] = 54 + 64;
        b[14] = 40;
        b[18] = 5;
        b[22] = 3;
        b[26] = 1;
        b[28] = bits[i];
        b[30] = compression[i];
        b[46] = bits[i] <= 8 ? 2 : 0;
        for (int k = 54; k < (int) sizeof b; k++)
            b[k] = (uint8_t) (compression[i] == 1 || compression[i] == 2 ? k % 3 : k * 5);
        snprintf(name, sizeof name, "%d.bmp", i);
        save("bmp", name, b, sizeof b);
    }
}

static void gifs(void)
{
    static const char plain[] =
        "GIF89a\3\0\2\0\200\0\0\1\2\3\4\5\6!\xf9\4\0\0\0\0\0,\0\0\0\0\3\0\2\0\0\2\2D\1\0;",
                      interlaced[] =
                          "GIF87a\1\0\5\0\0\0\0,\0\0\0\0\1\0\5\0\xc0\1\2\3\4\5\6\2\3D\x02\5\0;";

    save("gif", "plain.gif", plain, sizeof plain - 1);
    save("gif", "interlaced.gif", interlaced, sizeof interlaced - 1);
}

/* What asks for much: the fuzz targets must be through with each in milliseconds. */
static void hostile(void)
{
    struct t2_buf b = {NULL, 0, 0};

    t_jpeg_of_scans(160, 160, 200, &b);
    save("jpeg", "many_scans.jpg", b.data, b.len_bytes);
    t_jpeg_of_scans(8, 8, 200, &b);
    save("jpeg", "small_scans.jpg", b.data, b.len_bytes);
    t_jpeg_of_scans(65500, 65500, 10, &b);
    save("jpeg", "huge_scans.jpg", b.data, b.len_bytes);
    t_gif_of_frame(1, 1, 65535, 65535, 200, &b);
    save("gif", "huge_frame.gif", b.data, b.len_bytes);
    t_gif_of_frame(1, 1, 200, 200, 400, &b);
    save("gif", "frame_beside.gif", b.data, b.len_bytes);
    t_flat_png(300, 300, &b);
    save("png", "flat.png", b.data, b.len_bytes);
    t_flat_png(20000, 20000, &b); /* 389 KB; its header and the first of its data */
    save("png", "huge_flat_cut.png", b.data, 2000);
    t2_buf_release(&b);
}

int main(void)
{
    hostile();
    jpegs();
    pngs();
    bmps();
    gifs();
    return 0;
}
