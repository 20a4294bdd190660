/*
 * datagen/source/json_items.h - the items of long arrays of a JSON document, one after the other:
 * the document is never in memory as a whole.
 *
 * The arrays are members of the outermost object, {"images": [item, item], "annotations": [item]},
 * or the document is one array.  Every byte is checked against the grammar; of other members
 * nothing is kept.
 */
#ifndef DG_JSON_ITEMS_H
#define DG_JSON_ITEMS_H

#include "base/json.h"
#include "datagen/source/source_files.h"

enum { DG_JSON_MOST_KEYS = 4 };

struct dg_json_items;
/* keys: names of the arrays, NULL-ended; NULL: the document is the array.  text and keys are
 * borrowed.  max_memory: of the whole program, of which an item may take a part; 0: items may have
 * 256 MiB. */
struct dg_json_items *dg_json_items_new(struct dg_source_text *text, const char *const *keys,
                                        uint64_t max_memory);
void dg_json_items_free(struct dg_json_items *it); /* NULL is allowed */
/*
 * The next item, borrowed until the next call, and of which key it is (which may be NULL); in the
 * order of the document.  T2_EOF when it has ended.
 *
 * T2_EFORMAT names the file, the offset, and what is wrong: no JSON, cut short, nested too deeply,
 * an array that is missing or comes twice, a name that is twice in one object.  T2_ENOMEM: an item
 * that is too large.
 */
T2_MUST_CHECK enum t2_status dg_json_items_next(struct dg_json_items *it, size_t *which,
                                                const struct t2_json_value **item,
                                                struct t2_err *err);
/* Of the last item: its number in its array, from 1. */
uint64_t dg_json_items_number(const struct dg_json_items *it);

#endif
