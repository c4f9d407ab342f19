// size.h - what a person left open, fitted to the text, the time and the machine.
#ifndef HEED_TRAIN_SIZE_H
#define HEED_TRAIN_SIZE_H

#include "train/settings.h"

// What is known before anything is made.
typedef struct SizeHints {
    int64_t text_bytes;
    double flops;    // operations a second that this machine reaches in training
    int64_t longest; // tokens of the longest pair, which is never cut; 0: a text, which is
    double sample;   // mean tokens of a sample; 0: the context
} SizeHints;

// Tokens of a BPE vocabulary for so much text, a power of two: about 1024 for a megabyte, twice as
// many for four times the text.
int64_t size_vocab(int64_t text_bytes);

// Fills every setting that is 0 and may not stay so.  `n_tokens` of the training text, encoded with
// the vocabulary of settings->vocab tokens.  The model: as large as 20 tokens for each parameter
// allow in the time (Hoffmann et al. 2022, arXiv 2203.15556), but the text is not to be seen more
// than some 30 times.  ERROR_USAGE for numbers that contradict one another.
MUST_USE bool size_fit(Settings *settings, const SizeHints *hints, int64_t n_tokens, Error *err);

#endif
