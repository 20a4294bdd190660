/*
 * base/remote/xml_walk.h - the XML of an object store's answers, element by element.
 *
 * A strict reader of the part of XML that such answers use: elements, attributes (passed over),
 * text, CDATA, the five named entities and numbers; comments and the declaration are passed over, a
 * document type is refused.  UTF-8 only.
 */
#ifndef T2_BASE_REMOTE_XML_WALK_H
#define T2_BASE_REMOTE_XML_WALK_H

#include "base/buf.h"
#include "base/err.h"

/* At the end of each element.  path: "ListBucketResult/Contents/Key"; text: what stands in it
 * directly, decoded, with its blanks, borrowed for the call.  Any status but T2_OK ends the
 * walk. */
typedef enum t2_status (*t2_xml_element)(void *context, const char *path, const char *text,
                                         struct t2_err *err);

/* T2_EFORMAT names origin and offset.  At most 16 elements deep, and work in proportion to
 * len_bytes (budget.h). */
T2_MUST_CHECK enum t2_status t2_xml_walk(const char *xml, size_t len_bytes, const char *origin,
                                         t2_xml_element element, void *context, struct t2_err *err);

#endif
