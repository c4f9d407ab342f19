// body_limits.inl - what the set's instructions can do at most: arithmetic that never leaves the
// registers, and reading that does nothing else.
//
// A chain waits for its own last result, so several run side by side, in named variables: gcc keeps
// those in registers, and not always the items of an array.  What a chain starts from depends on n,
// for a compiler that knew the start would work out the loop itself.

// clang-format off
// X(chain, its neighbour): 12 chains hide a latency of five cycles in two pipes, and fit 16
// registers; sets with 32 run 24.
#define RING(X)                                             \
    X(0, 1) X(1, 2) X(2, 3) X(3, 4) X(4, 5) X(5, 6) X(6, 7) \
    X(7, 8) X(8, 9) X(9, 10) X(10, 11) X(11, 0)
#define SECOND_RING(X)                                              \
    X(12, 13) X(13, 14) X(14, 15) X(15, 16) X(16, 17) X(17, 18)     \
    X(18, 19) X(19, 20) X(20, 21) X(21, 22) X(22, 23) X(23, 12)
enum { MANY = REGISTERS >= 32, RING_CHAINS = MANY ? 24 : 12 };

// The other factor of a step is what the neighbour held a round ago: it changes, so that no product
// can be computed once for all rounds.
static double limit_f32(int64_t n, float *sink) {
    vf factor = vf_set(1e-9f), sum = vf_zero(); // small: nothing overflows in any number of rounds
#define START(i, next) vf a##i = vf_set((float)(n % 8 + 1 + (i)));
#define STEP(i, next) a##i = vf_fma(a##next, factor, a##i);
#define TAKE(i, next) sum = vf_add(sum, a##i);
    RING(START) SECOND_RING(START)
    for (int64_t round = 0; round < n; round++) {
        RING(STEP)
        if (MANY) { SECOND_RING(STEP) }
    }
    RING(TAKE) SECOND_RING(TAKE)
#undef START
#undef STEP
#undef TAKE
    *sink = vf_sum(sum);
    return 2.0 * VF * RING_CHAINS * (double)n;
}

// X(weights, activations): a tile as in a product, since products of bytes may take several
// instructions and then wait for themselves much less.
#define GRID(X)        X(0, 0) X(0, 1) X(1, 0) X(1, 1) X(2, 0) X(2, 1) X(3, 0) X(3, 1)
#define SECOND_GRID(X) X(0, 2) X(0, 3) X(1, 2) X(1, 3) X(2, 2) X(2, 3) X(3, 2) X(3, 3)
enum { GRID_CHAINS = MANY ? 16 : 8, GRID_LINES = 12 };

// A plain use of the lanes: seen as floats, gcc would copy every chain in every round.
WORD uint32_t lanes_sum(const int32_t lane[VF]) {
    uint32_t sum = 0;
    for (int i = 0; i < VF; i++) sum += (uint32_t)lane[i];
    return sum;
}

// Four products and as many additions a lane; operands come from the L1 cache, and which
// they are changes from round to round.
static double limit_int8(int64_t n, float *sink) {
    int8_t bytes[GRID_LINES * 4 * VF];
    int32_t lane[VF];
    uint32_t sum = 0;
    for (int i = 0; i < GRID_LINES * 4 * VF; i++) bytes[i] = (int8_t)((n + 7 * i) % 100);
#define START(i, j) vi a##i##j = vi_zero();
#define STEP(i, j) a##i##j = vi_dot(a##i##j, w##i, x##j);
#define TAKE(i, j) vi_store(lane, a##i##j), sum += lanes_sum(lane);
    GRID(START) SECOND_GRID(START)
    for (int64_t round = 0; round < n; round++) {
        const int8_t *w = bytes + round % 4 * 4 * VF, *x = w + 4 * 4 * VF;
        vi w0 = vi_load(w), w1 = vi_load(w + 4 * VF);
        vi w2 = vi_load(w + 8 * VF), w3 = vi_load(w + 12 * VF);
        vi x0 = vi_load(x), x1 = vi_load(x + 4 * VF);
        GRID(STEP)
        vi x2 = vi_load(x + 8 * VF), x3 = vi_load(x + 12 * VF);
        if (MANY) { SECOND_GRID(STEP) }
    }
    GRID(TAKE) SECOND_GRID(TAKE)
#undef START
#undef STEP
#undef TAKE
    *sink = (float)sum;
    return 8.0 * VF * GRID_CHAINS * (double)n;
}
// clang-format on

// ---------------------------------------------------------------- reading
enum { READ_AHEAD = 1024 }; // bytes, in each stream

// The streams share the bytes; what is left over after equal shares of whole lines comes last.
WORD uint64_t read_streams(const uint8_t *p, size_t bytes, int n_streams, bool prefetch) {
    size_t share = bytes / (size_t)n_streams / READ_LINE * READ_LINE;
    v32 low = v32_set(0), high = v32_set(0);
    for (size_t i = 0; i < share; i += READ_LINE) {
        UNROLL_8
        for (int s = 0; s < n_streams; s++) {
            const uint8_t *line = p + (size_t)s * share + i;
            low = v32_xor(low, v32_load(line));
            high = v32_xor(high, v32_load(line + 32));
            if (prefetch) PREFETCH(line + READ_AHEAD);
        }
    }
    for (size_t i = share * (size_t)n_streams; i + READ_LINE <= bytes; i += READ_LINE) {
        low = v32_xor(low, v32_load(p + i));
        high = v32_xor(high, v32_load(p + i + 32));
    }
    uint64_t word[4];
    v32_store(word, v32_xor(low, high));
    return word[0] ^ word[1] ^ word[2] ^ word[3];
}

static uint64_t limit_read(const void *p, size_t bytes, int pattern) {
    switch (pattern) {
    case 0: return read_streams(p, bytes, 1, false);
    case 1: return read_streams(p, bytes, 1, true);
    case 2: return read_streams(p, bytes, 2, false);
    case 3: return read_streams(p, bytes, 2, true);
    case 4: return read_streams(p, bytes, 4, false);
    case 5: return read_streams(p, bytes, 4, true);
    case 6: return read_streams(p, bytes, 8, false);
    default: return read_streams(p, bytes, 8, true);
    }
}

static void limit_entries(Kernels *table) {
    table->limit_f32 = limit_f32;
    table->limit_int8 = limit_int8;
    table->limit_read = limit_read;
}
