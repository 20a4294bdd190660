# mk/cuda.mk - the device "cuda": kernels compiled by nvcc, or for the host with an emulated GPU.
#
#   CUDA=auto   with nvcc where there is one and an NVIDIA driver, and nothing is instrumented (the default):
#               kernels for a device that is not there would only make the build minutes longer
#   CUDA=yes    with nvcc, which must be there
#   CUDA=no     without; --device=cuda says so
#   CUDA=host   the same sources as C++ for the host, tests/support/cuda_on_host, in build/cuda-host
#
# The runtime is linked statically, cuBLASLt is opened at run time; so a program with CUDA starts on a
# machine that has neither.
CUDA ?= auto
NVCC ?= $(or $(shell command -v nvcc 2>/dev/null),$(wildcard /usr/local/cuda/bin/nvcc))
# What keeps compilations, before it: NVCC_CACHE='env CCACHE_DEPEND=1 ccache'.  By dependencies, since it preprocesses
# for one architecture alone.
NVCC_CACHE ?=
CUDA_BUILD := $(CUDA)
ifeq ($(CUDA),auto)
CUDA_DRIVER := $(wildcard /dev/nvidiactl /proc/driver/nvidia/version)
CUDA_BUILD := $(if $(or $(SAN),$(filter 1,$(COVERAGE) $(STATIC))),no,$(if $(CUDA_DRIVER),$(if $(NVCC),yes,no),no))
endif
ifeq ($(CUDA_BUILD)$(NVCC),yes)
$(error CUDA=yes, but there is no nvcc: install nvidia-cuda-toolkit, or give NVCC=PATH)
endif

CUDA_ON_HOST := tests/support/cuda_on_host

# Machine code for these, and PTX for what comes after the last.  A kernel whose registers have no room is
# warned of, so DEVELOPER=1 refuses it; but for files of which some keep a few bytes in local memory on sm_80
# (tests/e2e/nvcc_spills.sh has the bounds, bench/cuda_registers.py the table).
CUDA_SPILLS := $(patsubst %,train/device/cuda/%.cu,areas_cuda attention_tensor attention_tiles pooling_cuda)
CUDA_ARCHS ?= 80 90a
CUDA_PTX ?= 90
NVCC_FLAGS = -std=c++17 -O3 -lineinfo $(if $(filter $(CUDA_SPILLS),$<),,-Xptxas -warn-spills) $(foreach a,$(CUDA_ARCHS),-gencode arch=compute_$a,code=sm_$a) \
	$(foreach a,$(CUDA_PTX),-gencode arch=compute_$a,code=compute_$a) -Xcompiler -Wall,-fno-exceptions \
	$(if $(WERROR),-Werror all-warnings)

ifeq ($(CUDA_BUILD),yes)
CUDA_HOME := $(patsubst %/bin/,%,$(dir $(realpath $(NVCC))))
CUDA_CFLAGS := -isystem $(CUDA_HOME)/include
LDLIBS_CUDA := -L$(firstword $(wildcard $(CUDA_HOME)/lib64 $(CUDA_HOME)/lib)) -lcudart_static -lrt -lstdc++
endif

ifeq ($(CUDA_BUILD),host)
CXX ?= g++
CUDA_CFLAGS := -I$(CUDA_ON_HOST) -DDEV_CUDA_ON_HOST
CFLAGS_train/dist/cards_nccl.c := -DDEV_CUDA_ON_HOST
CFLAGS_tests/unit/train/test_cards_nccl.c := $(CUDA_CFLAGS)
CFLAGS_tests/unit/train/test_card_sum.c := $(CUDA_CFLAGS)
CFLAGS_tests/ops/test_cuda_on_host.c := $(CUDA_CFLAGS)
CFLAGS_tests/ops/test_cuda_device.c := $(CUDA_CFLAGS)
CFLAGS_tests/ops/test_cuda_step.c := $(CUDA_CFLAGS)
CXX_FLAGS = -std=c++17 -O2 -g -Wall -Wextra -Wshadow -ffp-contract=off $(SAN_FLAGS) \
	$(if $(SAN),-fno-omit-frame-pointer) $(WERROR)
CUDA_RUNTIME := $(B)/lib/libcuda-on-host.a
CUDA_RUNTIME_OBJ := $(patsubst %.cpp,$(B)/obj/%.o,$(wildcard $(CUDA_ON_HOST)/*.cpp))
LDLIBS_CUDA := $(CUDA_RUNTIME) -lstdc++

# Kernels and the libraries' stand-ins once more, each load and store of which is a call of watch.cpp, which has the names
# of gcc's thread sanitizer.  That makes them about half as fast, so they are for the tools and for tests that watch
# streams; the linker takes them in place of the libraries' own.
ifeq ($(SAN),)
CXX_WATCH = -fsanitize=thread --param tsan-instrument-func-entry-exit=0 -DCUDA_ON_HOST_WATCHED
CUDA_WATCHED = $(patsubst %,$(B)/obj/%.watched.o,$(addprefix train/,$(filter %.cu,$(CUDA_train))) \
	$(patsubst %,$(CUDA_ON_HOST)/%.cpp,cublaslt_on_host cudnn_on_host planted watched))
CUDA_WATCHED_TESTS := $(patsubst %,$(B)/tests/%,ops/test_cuda_on_host unit/train/test_card_sum unit/train/test_cards_nccl)
endif
endif
