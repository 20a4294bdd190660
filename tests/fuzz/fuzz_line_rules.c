/*
 * tests/fuzz/fuzz_line_rules.c - lines of downloaded text become samples: no crash on any bytes,
 * and every sample lies in memory that can be read.  The first byte chooses the problem; 0 of them
 * is Wikipedia's dump.
 */
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "datagen/problem_registry.h"
#include "datagen/problems/line_stream.h"
#include "datagen/problems/wiki_pages.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static const char *const names[] = {
    "wsj_parsing",
    "parsing_icelandic16k",
    "conll2002_es_ner",
    "program_search_algolisp",
    "github_function_docstring",
    "algorithmic_math_two_variables",
    "algorithmic_math_deepmind_all",
    "inference_snli32k",
    "languagemodel_ptb10k",
    "languagemodel_wikitext103",
    "languagemodel_wikitext103_l4k",
};
enum { N_NAMES = sizeof names / sizeof *names };

static unsigned sum; /* of all bytes that were given */

static void look_at(struct t2_slice s)
{
    for (size_t i = 0; i < s.len_bytes; i++)
        sum += s.data[i];
}

static void read_lines(const char *name, const uint8_t *data, size_t size)
{
    const struct dg_line_problem *l = dg_find(name)->context;
    void *state = t2_alloc(1, l->rule->state_bytes ? l->rule->state_bytes : 1);
    bool more = true;

    while (more) {
        const uint8_t *lf = size ? memchr(data, '\n', size) : NULL;
        struct t2_slice line = {data, lf ? (size_t) (lf - data) : size};
        struct dg_sample sample = {0};
        more = size > 0;
        if (l->rule->take(l, state, more ? &line : NULL, &sample) && !sample.drop) {
            look_at(sample.inputs);
            look_at(sample.context);
            look_at(sample.targets);
        }
        data += line.len_bytes + (lf != NULL);
        size -= line.len_bytes + (lf != NULL);
    }
    if (l->rule->release)
        l->rule->release(state);
    t2_free(state);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct t2_buf text = {0};
    struct t2_err err = T2_ERR_INIT;
    size_t which;

    if (size == 0)
        return 0;
    which = data[0] % (N_NAMES + 1);
    if (which > 0) {
        read_lines(names[which - 1], data + 1, size - 1);
        return 0;
    }
    if (dg_wiki_articles((struct t2_slice){data + 1, size - 1}, &text, &err) == T2_OK)
        look_at(t2_buf_slice(&text));
    t2_buf_release(&text);
    return 0;
}
