# tfrecord/module.mk - the sources of libt2-tfrecord.a; the format is at the top of the Makefile.

# framing: one file
LIB_tfrecord := crc32c.c crc32c_x86.c fetch.c looks_like.c reader.c source.c writer.c

# payloads
LIB_tfrecord += example_batch.c example_build.c example_lists.c example_parse.c example_values.c varint.c varint_x86.c
LIB_tfrecord += event.c sequence.c tensor.c

# sets of files
LIB_tfrecord += inputs.c manifest.c manifest_text.c record_stream.c shards.c

# libtfrecord.so
LIB_tfrecord += tfrecord_api.c tfrecord_api_example.c

# compressing, indexing, writing sets
LIB_tfrecord += example_write.c external_extents.c external_file.c external_merge.c external_order.c
LIB_tfrecord += external_shuffle.c external_sort.c
LIB_tfrecord += bgzip.c compress.c idx_text.c index_build.c index_columns.c index_open.c index_parse.c
LIB_tfrecord += random_access.c record_encoder.c sink.c

# damage
LIB_tfrecord += damage.c damage_words.c example_check.c unpack.c
