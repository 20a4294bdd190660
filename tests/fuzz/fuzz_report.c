/*
 * fuzz_report.c - tfrec report of records with any payloads: never a crash, elements that close in
 * order, none but the page's own.
 *
 * Input: records, each a byte with its length before it (255: all that is left).
 */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/pool.h"
#include "tests/fuzz/memory_file.h"
#include "tfrec/report_page.h"
#include "tfrecord/writer.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { N_ROWS = 3, DEPTH = 64 };

struct seen {
    struct rec_sample sample;
    uint64_t records;
};

static enum t2_status see(void *context, const struct tfr_batch *b, struct t2_err *err)
{
    struct seen *seen = context;

    (void) err;
    seen->records += b->n;
    for (size_t i = 0; i < b->n; i++)
        rec_sample_see(&seen->sample, (struct rec_drawn){.number = b->first + i},
                       b->records[i].data);
    return T2_OK;
}

static bool is_one_of(const char *name, size_t n, const char *const *list, size_t n_list)
{
    for (size_t i = 0; i < n_list; i++) {
        if (strlen(list[i]) == n && memcmp(list[i], name, n) == 0)
            return true;
    }
    return false;
}

static void check_page(const char *s)
{
    static const char *const empty[] = {"meta", "img", "wbr", "rect", "line", "!DOCTYPE"};
    static const char *const others[] = {"script", "iframe", "link", "object", "embed", "base"};
    const char *open[DEPTH];
    size_t lengths[DEPTH], depth = 0;

    while ((s = strchr(s, '<'))) {
        bool closes = s[1] == '/';
        const char *name = s + 1 + closes;
        size_t n = strcspn(name, " >/\n");
        if (!(s = strchr(s, '>')) || is_one_of(name, n, others, sizeof others / sizeof *others))
            abort();
        if (closes) {
            if (depth == 0 || lengths[depth - 1] != n || memcmp(open[depth - 1], name, n) != 0)
                abort();
            depth--;
        } else if (!is_one_of(name, n, empty, sizeof empty / sizeof *empty)) {
            if (depth == DEPTH)
                abort();
            open[depth] = name;
            lengths[depth++] = n;
        }
    }
    if (depth != 0)
        abort();
}

static void report(char *path)
{
    struct seen seen = {.records = 0};
    const struct rec_stats_options o = {.duplicate_bytes = 1 << 20,
                                        .accept_damage = true,
                                        .see = see,
                                        .context = &seen};
    struct t2_strs args = {&path, 1, 1};
    struct tfr_inputs in;
    struct rec_stats *stats = NULL;
    struct t2_pool *pool = t2_pool_new(1);
    struct t2_buf html = {NULL, 0, 0};
    struct t2_err err = T2_ERR_INIT;

    rec_sample_init(&seen.sample, 2 * N_ROWS, 0);
    if (tfr_inputs_find(&args, &in, &err) != T2_OK)
        abort();
    if (rec_stats_collect(&in, pool, &o, &stats, &err) == T2_OK) {
        rec_sample_finish(&seen.sample, N_ROWS);
        const struct rec_report r = {.stats = stats,
                                     .in = &in,
                                     .file_records = &seen.records,
                                     .sample = &seen.sample,
                                     .n_rows = N_ROWS,
                                     .vocab_path = "",
                                     .image_bytes = 1000};
        if (rec_report_print(&r, &html, &err) == T2_OK)
            check_page(t2_buf_cstr(&html));
    }
    rec_stats_free(stats);
    rec_sample_release(&seen.sample);
    tfr_inputs_release(&in);
    t2_pool_free(pool);
    t2_buf_release(&html);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct t2_buf file = {NULL, 0, 0};
    char path[T_PATH_BYTES];
    int fd;

    while (size > 0) {
        size_t n = *data++;
        size--;
        n = n == 255 || n > size ? size : n;
        tfr_frame(&file, data, n);
        data += n;
        size -= n;
    }
    fd = t_memory_file(file.data, file.len_bytes, path);
    report(path);
    t_memory_file_close(fd);
    t2_buf_release(&file);
    return 0;
}
