// reading.c - encoding, and the ends of what was encoded.
#include "look/reading.h"

bool reading_make(const Model *model, Arena *arena, Str text, Reading *r, Error *err) {
    const Tokenizer *t = model->tokenizer;
    Tokens tokens;
    if (!t)
        return error_set(err, ERROR_UNSUPPORTED, "the model has no tokenizer: it reads no text");
    const Vocab *vocab = tokenizer_vocab(t);
    if (!tokenizer_encode(t, arena, text, (EncodeOptions){.add_special = true}, &tokens, err))
        return false;
    if (vocab->add_eos && tokens.n > 0 && tokens.token[tokens.n - 1].id == vocab->eos) tokens.n--;
    bool has_bos = tokens.n > 0 && tokens.token[0].id == vocab->bos;
    int front = !has_bos && vocab->bos >= 0;
    *r = (Reading){.n = tokens.n + front};
    r->ids = arena_new(arena, int32_t, r->n + 1);
    r->token = arena_new(arena, Token, r->n + 1);
    if (front) r->token[0].id = vocab->bos;
    for (int64_t i = front; i < r->n; i++) r->token[i] = tokens.token[i - front];
    for (int64_t i = 0; i < r->n; i++) {
        r->ids[i] = r->token[i].id;
        if (r->ids[i] < 0 || r->ids[i] >= model->config.vocab)
            return error_set(err, ERROR_FORMAT, "token %d is not in a vocabulary of %lld",
                             r->ids[i], (long long)model->config.vocab);
    }
    return true;
}
