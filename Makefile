# heed - build:  make [config=release|debug|asan|tsan|coverage|fuzz|wasm] [target]
#
#   make                 build/release/heed, libheed.a, libheed.so
#   make test            builds and runs the tests (ARGS="--only gguf")
#   make test-models     compares real models with transformers (needs Python packages)
#   make lint            layers, headers, symbols, formatting
#   make config=fuzz fuzz    build/fuzz/fuzz_*, one program per parser
#   make config=wasm engine  build/wasm/engine.wasm, the lab's engine for a browser
#   make site            build/site, the lab as files for any host; needs clang and wasi-libc
#   make page            build/lab.html, the lab as one file; needs node too
#   make coverage        runs the tests and prints covered lines by folder
#   make install PREFIX=/usr/local
config  ?= release
PREFIX  ?= /usr/local
VERSION := 0.1.0
B       := build/$(config)$(SUFFIX)
OBJCOPY ?= objcopy
HOSTCC  ?= cc
MAKEFLAGS += -r

# ---- what is built: every file of a folder belongs to it; no lists to keep in step
LIB_SRC  := $(filter-out src/cli/% src/serve/%,$(wildcard src/*/*.c))
CMD_SRC  := $(wildcard src/cli/*.c)
WEB      := $(shell find web -type f | LC_ALL=C sort)
TEST_SRC := $(wildcard tests/*.c)
obj       = $(1:%.c=$(B)/%.o)

# ---- flags every file gets
# gnu extensions stay off; POSIX names come from _POSIX_C_SOURCE, and only base/ and cli/ use them.
CFLAGS_ALL := -std=c17 -g -Isrc -Iinclude -I. -D_POSIX_C_SOURCE=200809L -fvisibility=hidden \
  -MMD -MP -fno-math-errno -ffp-contract=off \
  -Wall -Wextra -Wno-missing-field-initializers -Wpedantic -Wshadow -Wvla -Wundef -Wcast-qual -Wstrict-prototypes \
  -Wmissing-prototypes -Wdouble-promotion -Wformat=2 -Wwrite-strings -Wimplicit-fallthrough \
  -DHEED_VERSION='"$(VERSION)"' $(WERROR)
LDLIBS := -lm

# ---- one block per config
ifneq ($(config),wasm)
  CFLAGS_ALL += -fPIC -pthread
  LDLIBS     += -pthread
endif
ifeq ($(config),release)
  CFLAGS_ALL += -O3
else ifeq ($(config),debug)
  CFLAGS_ALL += -Og
else ifeq ($(config),asan)
  CFLAGS_ALL += -O2 -fsanitize=address,undefined -fno-sanitize-recover=all -fno-omit-frame-pointer
  LDLIBS     += -fsanitize=address,undefined
else ifeq ($(config),tsan)
  CFLAGS_ALL += -O1 -fsanitize=thread
  LDLIBS     += -fsanitize=thread
else ifeq ($(config),coverage)
  CFLAGS_ALL += -O0 --coverage
  LDLIBS     += --coverage
else ifeq ($(config),fuzz)
  CC         := clang
  CFLAGS_ALL += -O1 -fsanitize=address,undefined,fuzzer-no-link -fno-sanitize-recover=all
  LDLIBS     += -fsanitize=address,undefined
else ifeq ($(config),wasm)
  CC         := clang --target=wasm32-wasi
  # A page is downloaded: only what takes the time is unrolled (below).
  CFLAGS_ALL += -Os -msimd128 -D_WASI_EMULATED_PROCESS_CLOCKS
  # The stack lies first, so that running over its end traps instead of changing data.
  LDLIBS     += -lwasi-emulated-process-clocks -Wl,--stack-first -Wl,-z,stack-size=1048576
else
  $(error unknown config '$(config)': release debug asan tsan coverage fuzz wasm)
endif

# ---- optional libraries: an absent one drops its feature, with a message at build and at run time
# They are looked for only when building for this machine: pkg-config knows no other's.
ARCH := $(shell $(CC) -dumpmachine)
HAVE  = $(shell pkg-config --exists $(1) 2>/dev/null && echo yes)
ifneq (,$(findstring $(shell uname -m),$(ARCH)))
ifeq ($(call HAVE,libpcre2-8),yes)
  CFLAGS_ALL += -DHEED_PCRE2 $(shell pkg-config --cflags libpcre2-8)
  LDLIBS     += $(shell pkg-config --libs libpcre2-8)
else
  $(info heed: no pcre2: tokenizers with an unknown split pattern will be refused)
endif
ifeq ($(call HAVE,libedit),yes)
  CFLAGS_ALL += -DHEED_LIBEDIT $(shell pkg-config --cflags libedit)
  LDLIBS_CLI += $(shell pkg-config --libs libedit)
else
  $(info heed: no libedit: heed chat will have no line editing)
endif
ifeq ($(call HAVE,libmicrohttpd),yes)
  CFLAGS_ALL += -DHEED_MICROHTTPD $(shell pkg-config --cflags libmicrohttpd)
  LDLIBS_CLI += $(shell pkg-config --libs libmicrohttpd)
  CMD_SRC    += $(wildcard src/serve/*.c)
  CMD_OBJ    := $(B)/web.o
else
  $(info heed: no libmicrohttpd: there will be no heed lab)
endif
endif

# ---- alternatives are files: one per system, one per instruction set
ifneq (,$(findstring wasm32,$(ARCH)))
  LIB_SRC  := $(filter-out %_posix.c,$(LIB_SRC))
  TEST_SRC := $(filter-out %_posix.c,$(TEST_SRC))
else
  LIB_SRC  := $(filter-out %_wasm.c,$(LIB_SRC))
  TEST_SRC := $(filter-out %_wasm.c,$(TEST_SRC))
endif

# ---- kernels are compiled once per instruction set, and only they see its flags
KERNELS := scalar
ifneq (,$(findstring x86_64,$(ARCH)))
  KERNELS += avx2 avx512
endif
ifneq (,$(findstring aarch64,$(ARCH))$(findstring arm64,$(ARCH)))
  KERNELS += neon
endif
ifneq (,$(findstring wasm32,$(ARCH)))
  KERNELS += wasm
endif
# Sanitizers look at the bodies of the kernels through one set, optimised a little: instrumented for
# everything, the largest set alone would take minutes to compile.  Fuzzing looks at what reads
# foreign bytes, and does with the plain kernels.
ifneq (,$(filter $(config),asan tsan))
  KERNELS := $(filter-out avx512,$(KERNELS))
  LIGHTER := -O1 -fno-sanitize=undefined
else ifeq ($(config),fuzz)
  KERNELS := scalar
endif
LIB_SRC := $(filter-out $(patsubst %,src/kernels/kernels_%.c,scalar avx2 avx512 neon wasm) src/kernels/amx.c,\
           $(LIB_SRC)) $(KERNELS:%=src/kernels/kernels_%.c) $(if $(filter avx512,$(KERNELS)),src/kernels/amx.c)
CFLAGS_ALL += $(foreach k,$(KERNELS),-DHEED_KERNELS_$(shell echo $(k) | tr a-z A-Z))
# gcc may put off the additions of a tile until all its products are there, and run out of registers;
# to follow where each variable goes would double the time.
IN_ORDER := $(shell $(CC) --version | grep -q clang || echo -fno-tree-ter -fno-var-tracking)
$(B)/src/kernels/kernels_avx2.o:   CFLAGS_ALL += -mavx2 -mfma -mf16c -ffp-contract=fast $(IN_ORDER) $(LIGHTER)
$(B)/src/kernels/kernels_avx512.o: CFLAGS_ALL += -mavx512f -mavx512bw -mavx512vl -mavx512dq \
  -mavx512vnni -mavx512vbmi -mfma -mf16c -ffp-contract=fast $(IN_ORDER)
$(B)/src/kernels/kernels_wasm.o:   CFLAGS_ALL += -O3
$(B)/src/kernels/amx.o:            CFLAGS_ALL += -mamx-tile -mamx-bf16
$(B)/src/kernels/kernels_neon.o:   CFLAGS_ALL += -march=armv8.2-a+dotprod+fp16 -ffp-contract=fast \
  $(IN_ORDER)

# ---- targets
.PHONY: all test test-models fuzz lint coverage install format clean
all: $(if $(filter wasm,$(config)),$(B)/tests/run,$(B)/libheed.a $(B)/libheed.so $(B)/heed)

# The assembler reads the built-in models, which the compiler's list of headers does not tell.
$(B)/src/builtin/builtin.o: $(wildcard models/*.gguf)

$(B)/%.o: %.c
	@mkdir -p $(@D)
	@echo "  cc $<"
	@$(CC) $(CFLAGS_ALL) $(CFLAGS) -c $< -o $@

# Only heed_ symbols leave the archive: short inner names (arena_push) cannot clash with a host's.
$(B)/libheed.a: $(call obj,$(LIB_SRC))
	@echo "  ar $@"
	@$(CC) -nostdlib -r $^ -o $(B)/libheed.o
	@$(OBJCOPY) --localize-hidden $(B)/libheed.o
	@rm -f $@ && $(AR) rcs $@ $(B)/libheed.o
$(B)/libheed.so: $(call obj,$(LIB_SRC))
	@echo "  ld $@"
	@$(CC) -shared -Wl,-soname,libheed.so.0 $^ $(LDLIBS) -o $@
# The files of the page go into the program, and the engine for the browser where it has been built.
ENGINE := $(wildcard build/wasm/engine.wasm)
$(B)/embed: tools/embed.c
	@mkdir -p $(@D)
	@$(HOSTCC) -O1 $< -o $@
$(B)/web.c: $(B)/embed $(WEB) $(ENGINE)
	@$(B)/embed web $(WEB) $(ENGINE) >$@.new && mv $@.new $@
$(B)/web.o: $(B)/web.c
	@echo "  cc $<"
	@$(CC) $(CFLAGS_ALL) $(CFLAGS) -c $< -o $@
$(B)/heed: $(call obj,$(CMD_SRC) $(LIB_SRC)) $(CMD_OBJ)
	@echo "  ld $@"
	@$(CC) $^ $(LDLIBS) $(LDLIBS_CLI) -o $@
$(B)/tests/run: $(call obj,$(TEST_SRC) $(LIB_SRC))
	@echo "  ld $@"
	@$(CC) $^ $(LDLIBS) -o $@

# RUN runs a foreign binary: RUN=qemu-aarch64, RUN='node tools/wasi.mjs'.
test: $(B)/tests/run
	$(RUN) $< $(ARGS)

# The lab for a browser: what engine.h declares, and what that needs.
ENGINE_CALLS := room open answer trace trace_bytes error error_kind
.PHONY: engine
engine: $(B)/engine.wasm
$(B)/engine.wasm: $(call obj,$(LIB_SRC))
	@echo "  ld $@"
	@$(CC) -mexec-model=reactor $^ $(LDLIBS) -Wl,--strip-all $(ENGINE_CALLS:%=-Wl,--export=engine_%) -o $@

# The lab without a server.
SITE_MODELS := $(filter-out %.f32.gguf,$(wildcard models/*.gguf))
PAGE_MODELS := world
.PHONY: site page
site:
	@$(MAKE) config=wasm engine
	tools/site.sh build/site build/wasm/engine.wasm $(SITE_MODELS)
page: site
	node tools/pack_page.mjs build/site $(PAGE_MODELS) >build/lab.html.new
	mv build/lab.html.new build/lab.html

# Real models against transformers and the original tokenizers: needs Python packages, takes minutes.
test-models: $(B)/heed $(B)/tokenize_lines
	tools/test_models.sh $(B)
$(B)/tokenize_lines: $(B)/tools/tokenize_lines.o $(call obj,$(LIB_SRC))
	@echo "  ld $@"
	@$(CC) $^ $(LDLIBS) -o $@

# Programs of libFuzzer:  make config=fuzz fuzz && build/fuzz/fuzz_gguf fuzz/corpus/gguf
FUZZ_SRC := $(wildcard fuzz/fuzz_*.c)
fuzz: $(FUZZ_SRC:fuzz/%.c=$(B)/%)
$(B)/fuzz_%: $(B)/fuzz/fuzz_%.o $(call obj,$(LIB_SRC))
	@echo "  ld $@"
	@$(CC) $^ -fsanitize=fuzzer $(LDLIBS) -o $@

lint: $(B)/libheed.a
	tools/check_layers.sh
	tools/check_headers.sh
	tools/check_style.sh
	tools/check_ops.sh
	tools/check_symbols.sh $(B)
	tools/check_format.sh

coverage:
	$(MAKE) config=coverage test
	tools/coverage.sh build/coverage$(SUFFIX)

install: all
	install -d $(DESTDIR)$(PREFIX)/bin $(DESTDIR)$(PREFIX)/lib/pkgconfig $(DESTDIR)$(PREFIX)/include/heed
	install $(B)/heed $(DESTDIR)$(PREFIX)/bin
	install -m 644 $(B)/libheed.a $(DESTDIR)$(PREFIX)/lib
	install $(B)/libheed.so $(DESTDIR)$(PREFIX)/lib/libheed.so.$(VERSION)
	ln -sf libheed.so.$(VERSION) $(DESTDIR)$(PREFIX)/lib/libheed.so.0
	ln -sf libheed.so.0 $(DESTDIR)$(PREFIX)/lib/libheed.so
	install -m 644 include/heed/*.h $(DESTDIR)$(PREFIX)/include/heed
	sed 's|@PREFIX@|$(PREFIX)|; s|@VERSION@|$(VERSION)|; s|@PRIVATE@|$(LDLIBS)|' heed.pc.in > $(DESTDIR)$(PREFIX)/lib/pkgconfig/heed.pc

format:
	clang-format -i $(wildcard src/*/*.[ch] src/*/*.inl include/heed/*.h tests/*.[ch] fuzz/*.c)
clean:
	rm -rf build

-include $(patsubst %.o,%.d,$(call obj,$(LIB_SRC) $(CMD_SRC) $(TEST_SRC) $(FUZZ_SRC) tools/tokenize_lines.c))
