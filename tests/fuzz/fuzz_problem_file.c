/*
 * tests/fuzz/fuzz_problem_file.c - problem files: no crash on any bytes, every refusal has a
 * message, and what is read can be described.
 */
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "datagen/fetch/fetch_files.h"
#include "datagen/problem_files/problem_set.h"
#include "datagen/vocabs/problem_vocab.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check(const struct dg_problem *p)
{
    if (!p->name || !p->summary || !(p->open || p->refusal || p->members))
        abort();
    for (int side = 0; side < DG_N_SIDES && p->open; side++)
        t2_free(dg_vocab_file_name(p, (enum dg_side_index) side));
    for (size_t i = 0; p->sources && p->sources[i]; i++) {
        if (!p->sources[i]->urls && !p->sources[i]->gone)
            abort();
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct t2_err err = T2_ERR_INIT;
    struct dg_problem_set *set = NULL;

    /* a vocabulary of one's own would be read as a file */
    if (memmem(data, size, "vocab:", 6))
        return 0;
    if (dg_problem_set_parse((const char *) data, size, "x.yaml", &set, &err) == T2_OK) {
        for (size_t i = 0; i < dg_problem_set_count(set); i++)
            check(dg_problem_set_at(set, i));
    } else if (set || err.message[0] == '\0') {
        abort();
    }
    dg_problem_set_free(set);
    return 0;
}
