# mk/config.mk - knobs, the build folder they lead to, compiler flags, the libraries found.

# ---- for another processor -----------------------------------------------------------------------
# CROSS=aarch64-linux-gnu- builds with that compiler; with the libraries below SYSROOT, which mk/sysroot.sh
# fills, or its own.
CROSS ?=
ifneq ($(CROSS),)
TARGET := $(patsubst %-,%,$(notdir $(CROSS)))
SYSROOT ?= $(wildcard build/sysroot/$(TARGET))
# What runs its programs here: tests/run.sh.
EMULATOR ?= qemu-$(firstword $(subst -, ,$(TARGET)))$(if $(filter aarch64-%,$(TARGET)), -cpu neoverse-n1)$(if $(SYSROOT), -L $(abspath $(SYSROOT)))
CC := $(CROSS)gcc$(if $(SYSROOT), --sysroot=$(SYSROOT))
AR := $(CROSS)ar
endif

# ---- which build folder -------------------------------------------------------------------------
SAN ?=
comma := ,
ifeq ($(SAN),address,undefined)
CONFIG := asan
else ifeq ($(SAN),thread)
CONFIG := tsan
else ifneq ($(findstring fuzzer,$(SAN)),)
CONFIG := fuzz
else ifneq ($(SAN),)
CONFIG := san-$(subst $(comma),-,$(SAN))
else ifeq ($(COVERAGE),1)
CONFIG := coverage
else ifeq ($(STATIC),1)
CONFIG := static
else
CONFIG := release
endif
# Kernels of the device "cuda" on an emulated one (mk/cuda.mk).
ifeq ($(CUDA),host)
CONFIG := cuda-host$(if $(SAN),-$(CONFIG))
endif
ifneq ($(BARE),)
CONFIG := bare$(if $(filter host,$(CUDA)),-cuda-host)
endif
ifneq ($(CROSS),)
CONFIG := $(TARGET)$(patsubst %,-%,$(filter-out release,$(CONFIG)))
endif
B := build/$(CONFIG)

# ---- flags ---------------------------------------------------------------------------------------
WARN := -Wall -Wextra -Wpedantic -Wshadow -Wstrict-prototypes -Wmissing-prototypes \
	-Wold-style-definition -Wundef -Wvla -Wpointer-arith -Wcast-qual -Wwrite-strings -Wformat=2 \
	-Wimplicit-fallthrough -Wnull-dereference -Wdouble-promotion
OPT := -O3 -g
SAN_FLAGS :=
ifneq ($(SAN),)
# Lines for the traces, no variables: 500 programs of these fill a disk.
OPT := -O1 -g1 -fno-omit-frame-pointer
SAN_FLAGS := -fsanitize=$(SAN)
ifneq ($(findstring undefined,$(SAN)),)
SAN_FLAGS += -fno-sanitize-recover=all
endif
# gcc's flow warnings misfire on instrumented code; the plain build has them.
WARN += -Wno-null-dereference -Wno-maybe-uninitialized -Wno-stringop-overflow
ifneq ($(findstring clang,$(CC)),)
# clang takes the INFINITY and NAN of glibc for floats that become doubles.
WARN += -Wno-unknown-warning-option -Wno-double-promotion
endif
endif
ifeq ($(COVERAGE),1)
OPT := -O0 -g --coverage
endif
ifneq ($(ARCH),)
OPT += -march=$(ARCH)
endif

# -std=c11 makes gcc keep a*b+c as two roundings; clang is told to do the same, so that both
# compilers give the same numbers.  Kernels have their own setting, per variant, below.
CFLAGS ?=
ALL_CPPFLAGS = -I.$(if $(BARE_CMOCKA), -Itests/support/bare) -D_GNU_SOURCE $(FEATURES) $(CPPFLAGS)
ALL_CFLAGS = -std=c11 $(WARN) $(OPT) -pthread -ffp-contract=off $(SAN_FLAGS) $(CFLAGS)
ALL_LDFLAGS = -pthread $(SAN_FLAGS) $(if $(filter 1,$(COVERAGE)),--coverage) -Wl,--as-needed $(LDFLAGS)
ifeq ($(DEVELOPER),1)
WERROR := -Werror
endif

# Kernels: no errno, no FP traps (so that loops vectorise), products and sums fused where the
# variant has the instruction.  Nothing of -ffast-math beyond that: sums keep their order.
KERNEL_FLAGS := -fno-math-errno -fno-trapping-math
KERNEL_FLAGS_generic := $(KERNEL_FLAGS) -ffp-contract=off
# part of every aarch64
KERNEL_FLAGS_neon := $(KERNEL_FLAGS) -ffp-contract=fast
KERNEL_FLAGS_avx2 := $(KERNEL_FLAGS) -ffp-contract=fast -mavx2 -mfma -mf16c
KERNEL_FLAGS_avx512 := $(KERNEL_FLAGS) -ffp-contract=fast -mavx512f -mavx512bw -mavx512vl -mavx512dq \
	-mavx2 -mfma -mf16c -mprefer-vector-width=512

# ---- libraries -----------------------------------------------------------------------------------
# Asked again when the compiler or a package changes.  OPENBLAS=no, ONEDNN=no, WEBP=no, ISAL=no, CURL=no, EDIT=no, MICROHTTPD=no leave one out.
# On aarch64 oneDNN is left out but with ONEDNN=yes: Debian's has no kernels for NEON there, OpenBLAS has.
PROBED := build/config$(if $(filter-out gcc cc,$(CC)),-$(notdir $(firstword $(CC))))$(if $(filter static,$(CONFIG)),-static).mk
NO_BUILD_GOALS := help clean format config distclean uninstall check-arm64
ifneq ($(filter-out $(NO_BUILD_GOALS),$(or $(MAKECMDGOALS),all)),)
include $(PROBED)
endif
$(PROBED): mk/probe.sh $(wildcard /var/lib/dpkg/status)
	@mkdir -p $(@D)
	@CC='$(CC)' PROBE_STATIC='$(STATIC)' sh mk/probe.sh >$@.tmp && mv $@.tmp $@

# An error ends make before it would make $(PROBED) again: the answer is asked for next time.
ifeq ($(PROBE_CC_FAILS),1)
$(shell rm -f $(PROBED))
$(error $(CC) cannot make a program: apt-get install gcc libc6-dev, or run ./check.sh)
endif
ifneq ($(BARE),)
include mk/bare.mk
else ifneq ($(MISSING),)
$(shell rm -f $(PROBED))
$(error required libraries are missing: $(MISSING); ./check.sh installs them, `make config` shows all)
endif

OPTIONAL := OPENBLAS ONEDNN WEBP ISAL CURL EDIT MICROHTTPD
include mk/cuda.mk
USED_LIBS := $(if $(filter no,$(CUDA_BUILD)),,CUDA) $(filter-out $(BARE_LACKS),ZLIB ICU CRYPTO JANSSON YAML JPEG PNG) $(foreach l,$(OPTIONAL),$(if $(filter no,$($l)),,$(if $(HAVE_$l),$l)))
FEATURES := $(foreach l,$(filter $(OPTIONAL),$(USED_LIBS)),-DT2_HAVE_$l=1) \
	$(foreach v,$(CPU_VARIANTS),-DT2_HAVE_CPU_$v=1)

# What each folder calls; a tool is linked with what its folders call.  Not here: ARCHIVE, CURL, EDIT, ISAL,
# MICROHTTPD, ONEDNN and OPENBLAS, which are opened at run time (base/library.h, train/device/cpu), so that nothing needs them to start.
FOREIGN_base := ZLIB CRYPTO JANSSON YAML
FOREIGN_tokenizer := ICU
FOREIGN_augment := JPEG PNG WEBP
FOREIGN_train := CUDA
# $(1): folders.  Debian's static libraries are not for a shared one: that takes the others.
foreign_of = $(foreach l,$(filter $(foreach f,$(1),$(FOREIGN_$f)),$(USED_LIBS)),$(LDLIBS_$l)) -ldl -lm
shared_foreign_of = $(foreach l,$(filter $(foreach f,$(1),$(FOREIGN_$f)),$(USED_LIBS)),$(SHARED_LDLIBS_$l)) -ldl -lm
# Tests make archives, too.
FOREIGN = $(call foreign_of,base tokenizer augment train) $(if $(filter ARCHIVE,$(BARE_LACKS)),,$(LDLIBS_ARCHIVE)) $(if $(BARE_CMOCKA),,-lcmocka)

# What is linked statically stays to itself: libcurl and libarchive, opened later, bring their own libraries.
ifeq ($(CONFIG),static)
none :=
space := $(none) $(none)
STATIC_LIBS := $(patsubst -l%,lib%.a,$(filter -l%,$(foreach l,$(USED_LIBS),$(LDLIBS_$l)))) libpng16.a libgcc.a
ALL_LDFLAGS += -Wl,--exclude-libs,$(subst $(space),:,$(strip $(STATIC_LIBS)))
endif

# ---- version -------------------------------------------------------------------------------------
# Only base/version.c is compiled with it, so that a commit does not rebuild everything.
VERSION := $(shell cat VERSION)
GIT_DESCRIBE := $(shell git describe --always --dirty --abbrev=12 2>/dev/null)
VERSION_FLAGS = -DT2_VERSION='"$(VERSION)"' -DT2_GIT_DESCRIBE='"$(GIT_DESCRIBE)"' \
	$(if $(filter yes,$(CUDA_BUILD)),-DT2_HAVE_CUDA=1) -DT2_BUILD_CONFIG='"$(CONFIG)"' -DT2_COMPILER='"$(shell $(CC) --version 2>/dev/null | head -n 1 | tr -d '"\\')"'
