// tensorboard.h - the same numbers for TensorBoard: an event file of scalars.
//
// The file is a row of records: length (u64), masked CRC-32C of the length, bytes, masked CRC-32C
// of the bytes (TensorFlow's TFRecord).  The bytes of a record are a protocol buffer `Event`: time,
// step, and a summary with one value for each scalar.
#ifndef HEED_TRAIN_TENSORBOARD_H
#define HEED_TRAIN_TENSORBOARD_H

#include "base/str.h"

typedef struct Scalar {
    const char *tag; // "loss/training"
    double value;    // NaN: left out
} Scalar;

// Begins a file with the record that gives its version.  `seconds`: since 1970.  TensorBoard takes
// files whose name has "tfevents" in it.
MUST_USE bool tensorboard_begin(const char *path, double seconds, Error *err);
// Appends a record with the scalars of a step.
MUST_USE bool tensorboard_add(const char *path, double seconds, int64_t step, const Scalar *scalar,
                              int n, Error *err);

// CRC-32C (Castagnoli; RFC 3720), reflected, of n bytes.
uint32_t crc32c(const void *data, size_t n);

#endif
