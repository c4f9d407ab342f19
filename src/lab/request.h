// request.h - what the page asks of a model: JSON, checked field by field (docs/trace.md).
#ifndef HEED_LAB_REQUEST_H
#define HEED_LAB_REQUEST_H

#include "generate/sampler.h"
#include "look/capture.h"
#include "model/model.h"

enum {
    LAB_TAPS_MAX = CAPTURE_WANTS_MAX - 2, // the lens adds its own two
    LAB_REQUEST_BYTES_MAX = 1 << 20,
    LAB_TOKENS_MAX = 512, // of the text, with what follows it
    LAB_STEPS_MAX = 256,  // of a generation
    LAB_BEAMS_MAX = 16,
    LAB_TOP_MAX = 64,        // candidates that are listed one by one
    LAB_WATCHED_MAX = 16,    // tokens whose probability the lens follows
    LAB_MEASURED_MAX = 8192, // tokens of a forward that is timed
    LAB_REPEAT_MAX = 9,      // times that it is done
    LAB_PLAIN_MAX = 1 << 28, // bytes of a pattern that is made whole while the clock runs
    LAB_TRACE_MAX = 64 << 20 // bytes of what is copied out of a forward
};

typedef struct LensWish {
    bool is_wanted;
    int64_t top;
    int32_t watched[LAB_WATCHED_MAX];
    int n_watched;
} LensWish;

typedef struct GenerateWish {
    bool is_wanted;
    int64_t tokens, top;
    int64_t repeat; // times that the steps are done again for the clock; 0: they are not timed
    int64_t beams;  // 0: sampling, else beam search with so many
    SamplerOptions sampling;
} GenerateWish;

// A forward over the text, said again and again until it has so many tokens, for its time alone.
typedef struct MeasureWish {
    bool is_wanted;
    int64_t tokens, chunk; // at once; 1: word by word
    int64_t repeat;        // the least time of each part counts
    bool is_plain;         // attention makes the whole pattern, instead of tiles
} MeasureWish;

typedef struct LabRequest {
    Str text;
    bool parse_special;  // control tokens in the text are read as such
    const int32_t *then; // (n_then) tokens that follow the text
    int64_t n_then;
    CaptureWant tap[LAB_TAPS_MAX];
    int n_taps;
    bool wants_logits; // of the last token
    bool wants_vocabulary;
    bool wants_weights; // what the model is made of, tensor by tensor
    LensWish lens;
    GenerateWish generate;
    MeasureWish measure;
    Switches switches; // head_gate in the arena
    int n_heads_off;
} LabRequest;

// Every key is known, every number in its range, every site and layer there: else ERROR_USAGE,
// which names the key.  ERROR_FORMAT for what is no JSON.
MUST_USE bool lab_request_parse(LabRequest *request, const Model *model, Arena *arena, Str json,
                                Error *err);

#endif
