/*
 * tfrecord/wire.h - the names that base/protobuf.h had when it was here.
 */
#ifndef TFR_WIRE_H
#define TFR_WIRE_H

#include "base/protobuf.h"

#define tfr_wire t2_wire
#define tfr_wire_of t2_wire_of
#define tfr_wire_more t2_wire_more
#define tfr_wire_varint t2_wire_varint
#define tfr_wire_tag t2_wire_tag
#define tfr_wire_bytes t2_wire_bytes
#define tfr_wire_fixed t2_wire_fixed
#define tfr_wire_skip t2_wire_skip
#define TFR_WIRE_VARINT T2_WIRE_VARINT
#define TFR_WIRE_FIXED64 T2_WIRE_FIXED64
#define TFR_WIRE_BYTES T2_WIRE_BYTES
#define TFR_WIRE_GROUP T2_WIRE_GROUP
#define TFR_WIRE_GROUP_END T2_WIRE_GROUP_END
#define TFR_WIRE_FIXED32 T2_WIRE_FIXED32
#define TFR_WIRE_MAX_DEPTH T2_WIRE_MAX_DEPTH
#define TFR_VARINT_MAX_BYTES T2_VARINT_MAX_BYTES
#define TFR_TAG T2_TAG
#define TFR_WORD_BYTES T2_WORD_BYTES
#define tfr_load_word t2_load_word
#define tfr_varint_bytes t2_varint_bytes
#define tfr_put_varint t2_put_varint
#define tfr_put_number t2_put_number

#endif
