// corpus.h - what is learned from: token ids, what is kept for validation, and samples of both.
//
// A sample is a stretch of tokens in which each but the first is to be predicted from those before
// it.  A text gives windows of one length, cut anew for each epoch; pairs (an instruction and its
// answer) give one stretch each, in which only the answer counts.  For an encoder a sample is a
// document, or a stretch of a longer one, bare of what begins and ends it (packed.h).  Which sample
// comes when follows from the seed and a counter alone: training resumes by remembering one number.
#ifndef HEED_TRAIN_CORPUS_H
#define HEED_TRAIN_CORPUS_H

#include "base/pool.h"
#include "base/rng.h"
#include "text/tokenizer.h"

typedef struct Sample {
    int64_t first, n; // tokens of the corpus
    int64_t given;    // the first of them that are not scored: at least 1, for an encoder 0
} Sample;

typedef struct Corpus {
    const Tokenizer *tokenizer;
    int32_t *id; // (n) training tokens, then validation tokens
    int64_t n, n_train;
    int64_t n_bytes;   // of the texts
    int64_t n_invalid; // bytes of them that are not UTF-8
    const Sample
        *stretch; // (n_stretches) pairs, or an encoder's documents; NULL: windows of a text
    int64_t n_stretches, n_train_stretches;
    int64_t longest;      // tokens of the longest pair, 0: a text
    uint64_t fingerprint; // of ids and split: resuming wants the same
} Corpus;

typedef enum Documents {
    DOCUMENTS_FILES,     // each file is a document
    DOCUMENTS_PARAGRAPHS // an empty line ends a document
} Documents;

typedef struct CorpusSpec {
    const Tokenizer *tokenizer;
    const Str *text; // (n_texts) one file each
    int64_t n_texts;
    const Str *validation; // (n_validation) files of their own; 0: the end of the texts is kept
    int64_t n_validation;
    double validation_share; // of the tokens, where no file is given
    Documents documents;     // what ends with the end-of-text token
    bool pairs;              // lines "instruction TAB answer", further columns are not read
    bool for_encoder;        // samples are documents; two tokens stand around each
    int64_t context;         // the longest sample
    bool (*go_on)(void *user, int64_t done, int64_t total); // bytes; false: ERROR_CANCELLED
    void *user;
} CorpusSpec;

// Encodes the texts into `arena`.  ERROR_USAGE names what is too short to learn from, or the line
// of a pair that has no answer or is longer than the context.
MUST_USE bool corpus_make(Arena *arena, const CorpusSpec *spec, Corpus *corpus, Error *err);

// Draws samples in an order that is new for each epoch.
typedef struct Draw {
    const Corpus *corpus;
    int64_t context;
    uint64_t seed;
    int64_t epoch; // whose order is at hand; -1: none
    int64_t offset, n_samples;
    int32_t *order;  // (n_samples) of pairs or windows
    int64_t counter; // samples drawn so far
} Draw;

Draw draw_make(Arena *arena, const Corpus *corpus, int64_t context, uint64_t seed);
Sample draw_next(Draw *draw);
// Samples in an epoch, before a random offset is taken off.
int64_t corpus_samples(const Corpus *corpus, int64_t context);
// Tokens of a sample on the average.
double corpus_mean_sample(const Corpus *corpus, int64_t context);

// The validation part in order: sample i, 0 <= i < corpus_validation_samples.
int64_t corpus_validation_samples(const Corpus *corpus, int64_t context);
Sample corpus_validation(const Corpus *corpus, int64_t context, int64_t i);

#endif
