# audio/module.mk - the sources of libt2-audio.a; the format is at the top of the Makefile.
LIB_audio := \
	log_mel.c \
	resample_rate.c \
	sound_file.c \
	spec_augment.c \
	waveform.c
CPU_KERNELS_audio := \
	log_mel_kernel.c
