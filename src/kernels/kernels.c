// kernels.c - which tables there are, and which of them this processor can run.
//
// All tables that can run are filled once, at the first question, and never change.  The compiler
// knows whether AVX2 and AVX-512 are there and kept by the operating system; what it has no common
// name for is read from CPUID here.  (Arm: the auxiliary vector of Linux; Apple's chips have all.)
#include "kernels/kernels.h"

#include <stdatomic.h>
#include <string.h>

#include "kernels/kernel_sets.h"

#if defined(__x86_64__)
#include <cpuid.h>
#elif defined(__aarch64__) && defined(__linux__)
#include <sys/auxv.h>
#endif

enum { TABLES_MAX = 4 };

static struct {
    atomic_int state; // 0 untouched, 1 being filled, 2 ready
    Kernels table[TABLES_MAX];
    int n_tables; // in ascending order of speed
    char features[128];
} chosen;

#if defined(__x86_64__)
// Bit `bit` of a register (0 eax .. 3 edx) that CPUID returns for a leaf.
static bool cpuid_bit(unsigned leaf, unsigned subleaf, int reg, int bit) {
    unsigned r[4] = {0};
    if (!__get_cpuid_count(leaf, subleaf, &r[0], &r[1], &r[2], &r[3])) return false;
    return r[reg] >> bit & 1;
}

// Linux gives a process the tile registers, 8 KB more for each thread to keep, when it asks for
// them: arch_prctl(ARCH_REQ_XCOMP_PERM, XTILEDATA).  Elsewhere they are left alone.
static bool may_use_tiles(void) {
#ifdef __linux__
    enum { ARCH_PRCTL = 158, REQUEST_PERMISSION = 0x1023, TILE_DATA = 18 };
    long status = ARCH_PRCTL;
    __asm__ volatile("syscall"
                     : "+a"(status)
                     : "D"((long)REQUEST_PERMISSION), "S"((long)TILE_DATA)
                     : "rcx", "r11", "memory");
    return status == 0;
#else
    return false;
#endif
}

static CpuFeatures cpu_features(void) {
    CpuFeatures f = {0};
    __builtin_cpu_init();
    f.avx2 = __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") &&
             cpuid_bit(1, 0, 2, 29); // f16c
    f.avx512 = f.avx2 && __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
               __builtin_cpu_supports("avx512vl") && __builtin_cpu_supports("avx512dq") &&
               __builtin_cpu_supports("avx512vnni") && __builtin_cpu_supports("avx512vbmi");
    f.avx_vnni = f.avx2 && cpuid_bit(7, 1, 0, 4);
    f.bf16 = f.avx512 && cpuid_bit(7, 1, 0, 5);
    f.amx = f.bf16 && cpuid_bit(7, 0, 3, 22) && cpuid_bit(7, 0, 3, 24) && may_use_tiles();
    f.fp16 = f.avx512 && cpuid_bit(7, 0, 3, 23);
    return f;
}
#elif defined(__aarch64__) && defined(__linux__)
// The bits of Linux' <asm/hwcap.h> for arm64.
static CpuFeatures cpu_features(void) {
    unsigned long caps = getauxval(AT_HWCAP), caps2 = getauxval(AT_HWCAP2);
    CpuFeatures f = {0};
    f.fp16 = caps >> 10 & 1;             // asimdhp
    f.neon = f.fp16 && (caps >> 20 & 1); // asimddp
    f.i8mm = caps2 >> 13 & 1;
    f.bf16 = caps2 >> 14 & 1;
    return f;
}
#elif defined(__aarch64__) && defined(__APPLE__)
static CpuFeatures cpu_features(void) {
    return (CpuFeatures){.neon = true, .fp16 = true};
}
#elif defined(__wasm__)
// A module with SIMD is either accepted as a whole or not loaded.
static CpuFeatures cpu_features(void) {
    return (CpuFeatures){.wasm = true};
}
#else
static CpuFeatures cpu_features(void) {
    return (CpuFeatures){0};
}
#endif

// The sets that are built in, from the slowest to the fastest.
#if defined(HEED_KERNELS_AVX2) || defined(HEED_KERNELS_AVX512) || defined(HEED_KERNELS_NEON) || \
    defined(HEED_KERNELS_WASM)
static void add_table(bool can_run, const char *name, void (*fill)(Kernels *, const CpuFeatures *),
                      const CpuFeatures *features) {
    if (!can_run) return;
    Kernels *table = &chosen.table[chosen.n_tables++];
    kernels_scalar(table);
    fill(table, features);
    table->name = name;
}
#endif

static void fill_tables(const CpuFeatures *f) {
    (void)f;
    kernels_scalar(&chosen.table[0]);
    chosen.n_tables = 1;
#ifdef HEED_KERNELS_AVX2
    add_table(f->avx2, "avx2", kernels_avx2, f);
#endif
#ifdef HEED_KERNELS_AVX512
    add_table(f->avx512, "avx512", kernels_avx512, f);
#endif
#ifdef HEED_KERNELS_NEON
    add_table(f->neon, "neon", kernels_neon, f);
#endif
#ifdef HEED_KERNELS_WASM
    add_table(f->wasm, "wasm", kernels_wasm, f);
#endif
}

static void add_word(bool has, const char *word) {
    if (!has) return;
    if (chosen.features[0]) strcat(chosen.features, " ");
    strcat(chosen.features, word);
}

static void fill_features(const CpuFeatures *f) {
    add_word(f->avx2, "avx2 fma f16c");
    add_word(f->avx512, "avx512 vnni vbmi");
    add_word(f->neon, "neon dotprod");
    add_word(f->wasm, "simd128");
    add_word(f->avx_vnni, "avx-vnni");
    add_word(f->bf16, "bf16");
    add_word(f->amx, "amx");
    add_word(f->fp16, "fp16");
    add_word(f->i8mm, "i8mm");
    add_word(!chosen.features[0], "none");
}

// The first thread fills, others that come meanwhile wait: it takes microseconds.
static void choose(void) {
    int expected = 0;
    if (atomic_load_explicit(&chosen.state, memory_order_acquire) == 2) return;
    if (atomic_compare_exchange_strong(&chosen.state, &expected, 1)) {
        CpuFeatures features = cpu_features();
        fill_tables(&features);
        fill_features(&features);
        atomic_store_explicit(&chosen.state, 2, memory_order_release);
    }
    while (atomic_load_explicit(&chosen.state, memory_order_acquire) != 2) {}
}

const Kernels *kernels_best(void) {
    choose();
    return &chosen.table[chosen.n_tables - 1];
}

const Kernels *kernels_named(const char *name) {
    choose();
    for (int i = 0; i < chosen.n_tables; i++) {
        if (strcmp(chosen.table[i].name, name) == 0) return &chosen.table[i];
    }
    return NULL;
}

int kernels_all(const Kernels *tables[4]) {
    choose();
    for (int i = 0; i < chosen.n_tables; i++) tables[i] = &chosen.table[i];
    return chosen.n_tables;
}

const char *kernels_features(void) {
    choose();
    return chosen.features;
}
