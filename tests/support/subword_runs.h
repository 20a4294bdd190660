/*
 * tests/support/subword_runs.h - comparing with recorded runs of the originals' subword encoders.
 *
 * A run is a folder below T2_DATA: samples.json (texts), ids.txt (a line each, or FAIL),
 * decode.jsonl
 * ([ids, text]).  Everything fails the test that calls it.
 */
#ifndef T2_TESTS_SUPPORT_SUBWORD_RUNS_H
#define T2_TESTS_SUPPORT_SUBWORD_RUNS_H

#include <stdbool.h>

#include "base/buf.h"
#include "tokenizer/encoder.h"

void t_assert_same(const char *what, const struct t2_buf *ours, const struct t2_buf *theirs);
/* A file of the run, or the same name with .gz, unpacked; false when it is not there. */
bool t_read_recorded(const char *run, const char *file, struct t2_buf *out);
/* Every sample has the recorded ids (with_eos: and 1 at the end), and comes back from them. */
void t_check_ids(const char *run, const struct tok_encoder *e, struct tok_cache *cache,
                 bool with_eos);
void t_check_decode(const char *run, const struct tok_encoder *e);

#endif
