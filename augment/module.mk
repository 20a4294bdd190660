# augment/module.mk - the sources of libt2-augment.a; the format is at the top of the Makefile.
LIB_augment := \
	admit.c \
	augment_op.c \
	auto_augment.c \
	bitmap_font.c \
	bmp.c \
	codec.c \
	colour.c \
	contact_sheet.c \
	crop_sample.c \
	exif.c \
	gif.c \
	image.c \
	jpeg.c \
	jpeg_huffman.c \
	limits.c \
	mixup.c \
	pipeline_run.c \
	pipeline_store.c \
	pipelines.c \
	png.c \
	rand_pipeline.c \
	resize.c \
	resize_cv.c \
	resize_parts.c \
	resize_pil.c \
	resize_tf.c \
	row_finish.c \
	sniff.c \
	webp.c
CPU_KERNELS_augment := \
	colour_kernel.c \
	resize_kernel.c
# Products and sums are rounded apart in every variant, so that all give the same bits.
CFLAGS_augment/colour_kernel.c := -ffp-contract=off
CFLAGS_augment/resize_kernel.c := -ffp-contract=off
