// beam_session.h - beam search on a model: every beam is a memory forked from the session's.
#ifndef HEED_GENERATE_BEAM_SESSION_H
#define HEED_GENERATE_BEAM_SESSION_H

#include "generate/beam.h"
#include "generate/session.h"

// Makes ids (n) the session's text and searches on from it; the session itself stays there.
// options.end NULL: what ends the model's texts; not NULL with n_end 0: nothing does.
// All beams of a step go through the model as one batch.
MUST_USE bool session_beams(Session *session, Arena *arena, const int32_t *ids, int64_t n,
                            BeamOptions options, BeamResult *result, Error *err);

#endif
