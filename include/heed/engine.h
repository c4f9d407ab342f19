/* heed/engine.h - a model that is open: what it is, its tokens, its chat template.
 *
 * An engine is read-only: any number of sessions may use it, one forward at a time (sessions of one
 * engine share its threads; a lock around heed_session_* calls of one engine is the caller's).
 *
 * Functions that can fail return false or NULL and fill the caller's HeedError, which may not be
 * NULL. Nothing here prints or ends the process. */
#ifndef HEED_ENGINE_H
#define HEED_ENGINE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#if defined(__GNUC__)
#define HEED_API __attribute__((visibility("default")))
#else
#define HEED_API
#endif

#ifdef __cplusplus
extern "C" {
#endif

typedef enum HeedErrorKind {
    HEED_OK,
    HEED_ERROR_USAGE,       /* an impossible option or argument */
    HEED_ERROR_IO,          /* the system refused: open, read, write, map */
    HEED_ERROR_MEMORY,      /* out of memory */
    HEED_ERROR_FORMAT,      /* a damaged or contradictory file */
    HEED_ERROR_UNSUPPORTED, /* well-formed, but nothing that heed does */
    HEED_ERROR_LIMIT,       /* a documented limit, such as the context length */
    HEED_ERROR_CANCELLED    /* a callback said so */
} HeedErrorKind;

typedef struct HeedError {
    HeedErrorKind kind;
    char text[512]; /* one line for a person: file, field, reason */
} HeedError;

typedef struct HeedEngine HeedEngine;

typedef struct HeedEngineOptions {
    int threads;         /* 0: the cores of this machine */
    bool no_mmap;        /* read the weights instead of mapping their file */
    const char *kernels; /* "scalar", "avx2", "avx512", "neon"; NULL: the best there is */
} HeedEngineOptions;

/* Opens a .gguf file or a Hugging Face folder.  options NULL: all defaults. */
HEED_API HeedEngine *heed_engine_open(const char *path, const HeedEngineOptions *options,
                                      HeedError *error);
/* Closes it; its sessions are closed before.  Accepts NULL. */
HEED_API void heed_engine_close(HeedEngine *engine);

typedef struct HeedInfo {
    const char *architecture; /* "llama" */
    int64_t parameters;       /* all, tied weights once */
    int64_t parameters_embedding, parameters_attention, parameters_recurrent,
        parameters_feed_forward, parameters_norm_position;
    int64_t weight_bytes;
    int layers, width, heads, kv_heads, head_width;
    int64_t vocabulary, context_length;
    int64_t kv_bytes_per_token; /* of a cache in f16; 0 without attention */
    int64_t carried_bytes;      /* of recurrent layers, for a text of any length */
} HeedInfo;

/* Strings live as long as the engine. */
HEED_API HeedInfo heed_engine_info(const HeedEngine *engine);

/* Encodes text (any bytes) into at most `capacity` ids; returns how many there are (perhaps more
 * than fit: call again), or -1 with an error.  add_special: what the vocabulary puts in front;
 * parse_special: control tokens written in the text become their ids.  Never set the latter for
 * text that a stranger wrote. */
HEED_API int64_t heed_tokenize(const HeedEngine *engine, const char *text, size_t bytes,
                               bool add_special, bool parse_special, int32_t *ids, int64_t capacity,
                               HeedError *error);
/* The bytes of one token, not NUL-terminated, perhaps not whole UTF-8; they live as long as the
 * engine.  Control tokens have none unless with_special. */
HEED_API const char *heed_token_bytes(const HeedEngine *engine, int32_t id, bool with_special,
                                      size_t *bytes);
/* Does the token end a generation? */
HEED_API bool heed_token_ends(const HeedEngine *engine, int32_t id);

#ifdef __cplusplus
}
#endif

#endif
