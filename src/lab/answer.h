// answer.h - the parts of an answer; private to lab/.
#ifndef HEED_LAB_ANSWER_H
#define HEED_LAB_ANSWER_H

#include "generate/session.h"
#include "lab/lab.h"
#include "lab/trace.h"

typedef struct Answer {
    Lab *lab;
    LabRequest request;
    int32_t *ids; // (n) the text, and what follows it
    int64_t n;
    TraceWriter trace;
    Capture capture; // what the forward left
} Answer;

// tokens.c: reads the text; then "text", "tokens" and, where asked for, the vocabulary.
MUST_USE bool answer_read(Answer *a, Error *err);
void answer_put_tokens(Answer *a);
void answer_put_vocabulary(Answer *a);
// taps.c: the forward, with taps and logits as arrays.
MUST_USE bool answer_look(Answer *a, Error *err);
// lens.c: what the model would say after each layer.
MUST_USE bool answer_lens(Answer *a, Error *err);
// steps.c: a generation, token by token.
MUST_USE bool answer_generate(Answer *a, Error *err);
// measure.c: how long a forward takes here, attention and the rest.
MUST_USE bool answer_measure(Answer *a, Error *err);
// beams.c: the beams of a session that stands behind the text, each an element of the array that
// is open.
MUST_USE bool answer_beams(Answer *a, Session *s, Error *err);

bool answer_goes_on(Answer *a, Error *err); // false and ERROR_CANCELLED when it is to stop

void answer_put_count(JsonWriter *json, const char *key, int64_t value);
void answer_put_number(JsonWriter *json, const char *key, double value);
// {"id", "text", "bytes"?}: the piece of a token, with its bytes where they are no UTF-8.
void answer_put_piece(JsonWriter *json, const Model *model, int32_t id);

#endif
