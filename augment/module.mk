# augment/module.mk - the sources of libt2-augment.a; the format is at the top of the Makefile.
LIB_augment := \
	admit.c \
	bmp.c \
	codec.c \
	exif.c \
	gif.c \
	image.c \
	jpeg.c \
	png.c \
	resize.c \
	resize_cv.c \
	resize_pil.c \
	resize_tf.c \
	sniff.c \
	webp.c
CPU_KERNELS_augment := resize_kernel.c
# Products and sums are rounded apart in every variant, so that all give the same bits.
CFLAGS_augment/resize_kernel.c := -ffp-contract=off
