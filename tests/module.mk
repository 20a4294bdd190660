# tests/module.mk - tests are found, not listed.  Here: what one of them is linked with besides, as
# LDFLAGS_tests/unit/base/test_x.c := -Wl,--wrap=fsync
LDFLAGS_tests/unit/train/test_graph.c := -Wl,--wrap=malloc,--wrap=calloc,--wrap=realloc,--wrap=aligned_alloc
LDFLAGS_tests/unit/datagen/images/test_write_images.c := -Wl,--wrap=stat,--wrap=fstat
