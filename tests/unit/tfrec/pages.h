/*
 * tests/unit/tfrec/pages.h - parts of a report page, of the set in sets.h and of a hostile one.
 */
#ifndef T2_TESTS_UNIT_TFREC_PAGES_H
#define T2_TESTS_UNIT_TFREC_PAGES_H

#include "tests/unit/tfrec/sets.h"
#include "tfrec/report_page.h"

/* What a part is made of; page_open fills it, page_close releases all. */
struct page {
    struct rec_report report;
    struct tfr_inputs in;
    struct rec_sample sample;
    uint64_t records;
    struct t2_buf html;
};

static inline enum t2_status page_see(void *context, const struct tfr_batch *b, struct t2_err *e)
{
    struct page *p = context;

    (void) e;
    p->records += b->n;
    for (size_t i = 0; i < b->n; i++)
        rec_sample_see(&p->sample, (struct rec_drawn){.number = b->first + i}, b->records[i].data);
    return T2_OK;
}

static inline void page_open(struct page *p, const char *name, struct t2_buf *records,
                             const struct tok_encoder *vocab)
{
    const struct rec_stats_options o = {.vocab = vocab,
                                        .accept_damage = true,
                                        .see = page_see,
                                        .context = p};

    *p = (struct page){.records = 0};
    p->in = set_inputs(name, records);
    rec_sample_init(&p->sample, 8, 0);
    p->report = (struct rec_report){.stats = set_stats(&p->in, 1, &o),
                                    .in = &p->in,
                                    .file_records = &p->records,
                                    .sample = &p->sample,
                                    .n_rows = 4,
                                    .vocab = vocab,
                                    .vocab_path = "v<i>",
                                    .image_bytes = 1000};
    rec_sample_finish(&p->sample, 4);
}

static inline void page_close(struct page *p)
{
    rec_stats_free((struct rec_stats *) (uintptr_t) p->report.stats);
    rec_sample_release(&p->sample);
    tfr_inputs_release(&p->in);
    t2_buf_release(&p->html);
}

#define page_contains(p, part) t_assert_contains(t2_buf_cstr(&(p)->html), (part))

/* Every element that is opened is closed, in order; no markup but ours. */
static inline void page_check_nesting(const struct page *p)
{
    const char *open[64];
    size_t lengths[64], depth = 0;
    static const char *const empty[] = {"meta", "img", "wbr", "rect", "line", "!DOCTYPE"};

    for (const char *s = t2_buf_cstr(&p->html); (s = strchr(s, '<')) != NULL;) {
        bool closes = s[1] == '/', is_empty = false;
        const char *name = s + 1 + closes, *end = strchr(s, '>');
        size_t n = strcspn(name, " >/\n");
        assert_non_null(end);
        for (size_t i = 0; i < sizeof empty / sizeof *empty; i++)
            is_empty |= strlen(empty[i]) == n && strncmp(name, empty[i], n) == 0;
        s = end;
        if (closes) {
            assert_true(depth > 0);
            depth--;
            assert_int_equal(lengths[depth], n);
            assert_memory_equal(open[depth], name, n);
        } else if (!is_empty && end[-1] != '/') {
            assert_true(depth < 64);
            open[depth] = name;
            lengths[depth++] = n;
        }
    }
    assert_int_equal(depth, 0);
}

/* A feature named like markup, with markup in its text, a small PNG, a TIFF. */
static inline void set_hostile(struct t2_buf *file)
{
    static const uint8_t png[] = "\x89PNG\r\n\x1a\n\0\0\0\rIHDR\0\0\0\x20\0\0\0\x20\x08\2\0\0\0";
    const struct t2_slice evil = t2_slice_of("</td><script>alert(1)</script>\xe2\x80\xae");
    const struct t2_slice image = {png, sizeof png - 1};
    const struct t2_slice other = {(const uint8_t *) "II*\0\0\0\0\0", 8};

    for (int i = 0; i < 6; i++)
        set_record(file,
                   (struct tfr_feature[]){{"<b onclick=\"x\">&", TFR_BYTES, 1, NULL, NULL, &evil},
                                          {"image", TFR_BYTES, 1, NULL, NULL, &image},
                                          {"scan", TFR_BYTES, 1, NULL, NULL, &other}},
                   3);
}

#endif
