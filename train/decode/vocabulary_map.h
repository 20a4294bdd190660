/*
 * train/decode/vocabulary_map.h - which target symbols a source may have, by its own symbols
 * (CTranslate2's vmap files, as its option use_vmap reads them).
 *
 * A line of the file is a source symbol, or several with blanks between, a TAB, and target symbols
 * with blanks between: where those of the source stand side by side the targets may come.  A line
 * that begins with TAB has those that may always come.  Symbols are entries of vocabularies of
 * subwords or tokens, and of other kinds numbers, as exports for CTranslate2 name them.
 */
#ifndef DEC_VOCABULARY_MAP_H
#define DEC_VOCABULARY_MAP_H

#include "base/err.h"
#include "tokenizer/encoder.h"

enum { DEC_MAP_MOST_SYMBOLS = 8 }; /* of a source, in one line */

struct dec_vocabulary_map;

/*
 * Reads a file, plain or gzip.  Lines with a symbol that the vocabulary of sources does not have
 * are passed over, target symbols that the other does not have left out; a warning counts both.
 * T2_EFORMAT: no TAB, too many symbols, not UTF-8, or nothing that could be of use.
 */
T2_MUST_CHECK enum t2_status dec_vocabulary_map_load(const char *path,
                                                     const struct tok_encoder *sources,
                                                     const struct tok_encoder *targets,
                                                     struct dec_vocabulary_map **map,
                                                     struct t2_err *err);
void dec_vocabulary_map_free(struct dec_vocabulary_map *map);

/* Appends the ids that a source of n ids may have: ascending, each once, EOS among them, 0 not. */
void dec_vocabulary_map_ids(const struct dec_vocabulary_map *map, const int32_t *source, size_t n,
                            struct tok_ids *ids);
/* How many these are at most. */
size_t dec_vocabulary_map_most(const struct dec_vocabulary_map *map, size_t n);

#endif
