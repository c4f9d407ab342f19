// tensorboard.c - protocol buffers by hand: three messages need a dozen fields.
#include "train/tensorboard.h"

#include <math.h>
#include <string.h>

#include "base/file.h"

// ---------------------------------------------------------------- records
uint32_t crc32c(const void *data, size_t n) {
    const unsigned char *p = data;
    uint32_t crc = ~0u;
    for (size_t i = 0; i < n; i++) {
        crc ^= p[i];
        for (int bit = 0; bit < 8; bit++) crc = crc >> 1 ^ (crc & 1 ? 0x82f63b78u : 0);
    }
    return ~crc;
}

static void add_u32(StrBuilder *out, uint32_t v) {
    for (int i = 0; i < 4; i++) str_add_byte(out, (char)(v >> 8 * i));
}

static void add_u64(StrBuilder *out, uint64_t v) {
    for (int i = 0; i < 8; i++) str_add_byte(out, (char)(v >> 8 * i));
}

// Turned and shifted, so that the checksum of data that holds checksums is worth something.
static uint32_t masked_crc(const char *data, size_t n) {
    uint32_t crc = crc32c(data, n);
    return (crc >> 15 | crc << 17) + 0xa282ead8u;
}

static void add_record(StrBuilder *out, Str bytes) {
    size_t start = out->n;
    add_u64(out, bytes.n);
    add_u32(out, masked_crc(out->data + start, 8));
    str_add(out, bytes);
    add_u32(out, masked_crc(bytes.data, bytes.n));
}

// ---------------------------------------------------------------- messages
// A field begins with its number and the wire type of its value.
enum { WIRE_VARINT = 0, WIRE_64 = 1, WIRE_BYTES = 2, WIRE_32 = 5 };
// event.proto: Event; summary.proto: Summary, Summary.Value
enum { EVENT_WALL_TIME = 1, EVENT_STEP = 2, EVENT_FILE_VERSION = 3, EVENT_SUMMARY = 5 };
enum { SUMMARY_VALUE = 1, VALUE_TAG = 1, VALUE_SIMPLE = 2 };

static void add_varint(StrBuilder *out, uint64_t v) {
    for (; v >= 128; v >>= 7) str_add_byte(out, (char)(v | 128));
    str_add_byte(out, (char)v);
}

static void add_key(StrBuilder *out, int field, int wire) {
    add_varint(out, (uint64_t)(field << 3 | wire));
}

static void add_bytes(StrBuilder *out, int field, Str bytes) {
    add_key(out, field, WIRE_BYTES);
    add_varint(out, bytes.n);
    str_add(out, bytes);
}

static void add_double(StrBuilder *out, int field, double v) {
    uint64_t bits;
    memcpy(&bits, &v, sizeof bits);
    add_key(out, field, WIRE_64);
    add_u64(out, bits);
}

static void add_float(StrBuilder *out, int field, float v) {
    uint32_t bits;
    memcpy(&bits, &v, sizeof bits);
    add_key(out, field, WIRE_32);
    add_u32(out, bits);
}

static Str value_message(Arena *arena, const Scalar *scalar) {
    StrBuilder out = str_builder(arena);
    add_bytes(&out, VALUE_TAG, str_from(scalar->tag));
    add_float(&out, VALUE_SIMPLE, (float)scalar->value);
    return str_built(&out);
}

static Str summary_message(Arena *arena, const Scalar *scalar, int n) {
    StrBuilder out = str_builder(arena);
    for (int i = 0; i < n; i++)
        if (!isnan(scalar[i].value))
            add_bytes(&out, SUMMARY_VALUE, value_message(arena, &scalar[i]));
    return str_built(&out);
}

// ---------------------------------------------------------------- files
enum { ARENA_BYTES = 1 << 20 };

bool tensorboard_begin(const char *path, double seconds, Error *err) {
    Arena arena;
    if (!arena_init(&arena, ARENA_BYTES, err)) return false;
    StrBuilder event = str_builder(&arena), out = str_builder(&arena);
    add_double(&event, EVENT_WALL_TIME, seconds);
    add_bytes(&event, EVENT_FILE_VERSION, STR("brain.Event:2"));
    add_record(&out, str_built(&event));
    FileWriter *writer = file_create(path, err);
    if (writer) file_write(writer, out.data, out.n);
    bool ok = writer && file_commit(writer, err);
    arena_drop(&arena);
    return ok;
}

bool tensorboard_add(const char *path, double seconds, int64_t step, const Scalar *scalar, int n,
                     Error *err) {
    Arena arena;
    if (!arena_init(&arena, ARENA_BYTES, err)) return false;
    StrBuilder event = str_builder(&arena), out = str_builder(&arena);
    add_double(&event, EVENT_WALL_TIME, seconds);
    add_key(&event, EVENT_STEP, WIRE_VARINT);
    add_varint(&event, (uint64_t)step);
    add_bytes(&event, EVENT_SUMMARY, summary_message(&arena, scalar, n));
    add_record(&out, str_built(&event));
    bool ok = file_append(path, out.data, out.n, err);
    arena_drop(&arena);
    return ok;
}
