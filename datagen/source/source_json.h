/*
 * datagen/source/source_json.h - a file of a source that is one JSON text.
 */
#ifndef DG_SOURCE_JSON_H
#define DG_SOURCE_JSON_H

#include "base/json.h"
#include "datagen/source/source_files.h"

/*
 * Reads and parses a member.  files, if not NULL: the file is added to them as `role`.  path, if not NULL: what
 * messages call it.  Both *doc and *path are owned by the caller (t2_json_free, t2_free).
 */
T2_MUST_CHECK enum t2_status dg_source_json(const struct dg_source *source, const char *member,
                                            const struct dg_options *options, const char *role,
                                            struct dg_input_files *files, struct t2_json_doc **doc,
                                            char **path, struct t2_err *err);

#endif
