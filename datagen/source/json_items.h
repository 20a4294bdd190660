/*
 * datagen/source/json_items.h - the items of one long array of a JSON document, one after the other: the document is
 * never in memory as a whole.
 *
 * The array is a member of the outermost object: {"data": [item, item]}.  Other members are passed over; of
 * them only brackets and quotes are looked at.
 */
#ifndef DG_JSON_ITEMS_H
#define DG_JSON_ITEMS_H

#include "base/json.h"
#include "datagen/source/source_files.h"

struct dg_json_items;
/* text and key are borrowed.  max_memory: of the whole program, of which an item may take a part; 0: items may have
 * 256 MiB. */
struct dg_json_items *dg_json_items_new(struct dg_source_text *text, const char *key,
                                        uint64_t max_memory);
void dg_json_items_free(struct dg_json_items *it); /* NULL is allowed */
/*
 * The next item, borrowed until the next call; T2_EOF when the document has ended, at once when it has no such
 * array.  T2_EFORMAT names the file, the item or the offset, and what is wrong; T2_ENOMEM an item that is too large.
 */
T2_MUST_CHECK enum t2_status dg_json_items_next(struct dg_json_items *it,
                                                const struct t2_json_value **item,
                                                struct t2_err *err);

#endif
