// weights.h - the weight list of a model, and what walks it.
//
// An architecture names each of its weights once: the field, its GGUF name, its Hugging Face name,
// its shape, its place in the parameter table.  Loading, saving, counting, initialising and giving
// gradients are visitors of that one list.
#ifndef HEED_MODEL_WEIGHTS_H
#define HEED_MODEL_WEIGHTS_H

#include "format/tensor_file.h"
#include "model/model.h"

// The places of the parameter table; "recurrent" are the mixers that are no attention.
#define PLACES(X)                   \
    X(EMBEDDING, "embedding")       \
    X(ATTENTION, "attention")       \
    X(RECURRENT, "recurrent")       \
    X(FEED_FORWARD, "feed_forward") \
    X(NORM_POSITION, "norm_position")

typedef enum Place {
#define X(name, words) PLACE_##name,
    PLACES(X)
#undef X
        PLACE_COUNT
} Place;
const char *place_name(Place place);

// How a Hugging Face file stores what GGUF (and heed) store otherwise.
typedef enum Form {
    FORM_SAME,
    FORM_TRANSPOSED, // GPT-2's Conv1D: (in, out)
    FORM_ONE_PLUS,   // Gemma's norms: the factor minus 1
    FORM_ROTARY,     // Llama's q, k: halves of a head there, neighbours in a GGUF (either runs)
    FORM_FILTERS,    // a convolution of single channels: (C, 1, W) there, (C, W) here
    FORM_EXPERTS, // a mixture's: each a tensor of its own there, (E, F, C) in a GGUF, (E*F, C) here
    FORM_ROW,     // a vector: (1, C) there
    FORM_LOG      // Mamba's A: its logarithm there and here, -exp of that in a GGUF
} Form;

typedef struct Weight {
    Tensor *tensor;
    const char *gguf, *hf; // within a layer: without "blk.N." and the architecture's hf_layer
    int64_t dim[2];        // (rows, cols), or (n, 0) for a vector
    Place place;
    Form form;
    bool is_optional;
    int parts;    // > 1: as many views of equal parts are used
    bool by_rows; // not a factor of a product alone: never in panels
    bool is_fine; // decides more than it multiplies (a router): f32, as vectors are
} Weight;

// Vectors, routers and Mamba's small matrices are computed with in f32, whatever a file has.
static inline bool weight_is_f32(const Weight *w) {
    return w->dim[1] == 0 || w->is_fine || w->form == FORM_FILTERS || w->form == FORM_LOG;
}
// Can this matrix be held in panels?  Position tables are looked up by rows, views begin a panel.
bool weight_fits_panels(const Weight *weight);

// The pairs of a head stand as neighbours or as halves: the row that goes to `row` when they become
// the other.
int64_t rotary_row(int64_t row, int head_width, bool to_halves);

// Called with each weight and its layer (-1: of no layer).
typedef struct WeightVisitor WeightVisitor;
struct WeightVisitor {
    void (*visit)(void *user, const Weight *weight, int layer);
    void *user;
};

// For the architecture files: hands a list, ended by an empty entry, to the visitor.
void weights_visit(WeightVisitor *v, int layer, const Weight *list);

// The parts of a list that Llama named and most decoders took over: embedding, last norm and head;
// q, k, v, o of layer l; gate, up, down of layer l.  `norm_form`: Gemma stores its norms otherwise.
void weights_ends(WeightVisitor *v, Model *m, Form norm_form);
void weights_attention(WeightVisitor *v, Model *m, int l, Form query_key_form);
void weights_gated_channel(WeightVisitor *v, Model *m, int l);
// The experts of layer l, with the names of Mixtral's folders or with Qwen's; Qwen2's shared one.
void weights_experts(WeightVisitor *v, Model *m, int l, bool as_mixtral);
void weights_shared_expert(WeightVisitor *v, Model *m, int l);
// The other mixers of layer l; Mamba's under the names that its own files have.
void weights_recurrent(WeightVisitor *v, Model *m, int l);
void weights_mamba(WeightVisitor *v, Model *m, int l);

// The full name of a weight in either world.
enum { WEIGHT_NAME_MAX = 128 };
const char *weight_name(const Arch *arch, const Weight *weight, int layer, bool is_hf,
                        char out[WEIGHT_NAME_MAX]);
// That of one expert in a folder.
const char *weight_expert_name(const Arch *arch, const Weight *weight, int layer, int expert,
                               char out[WEIGHT_NAME_MAX]);

// ---------------------------------------------------------------- visitors
// Binds every weight to a file: found, of the right shape, in heed's form (copied into the model's
// arena only where the forms differ).  A tensor of the file that is not in the list is refused,
// unless it is known to be needless (rotary buffers, attention masks).
MUST_USE bool weights_load(Model *model, Error *err);

// Brings every quantised matrix into panels, so that a model which is to be run is read in the
// order in which it is computed.  The pool (or NULL) shares the work.  Once is enough.
MUST_USE bool weights_pack(Model *model, Pool *pool, Error *err);

// All values of a weight as f32, whatever its type and layout; a row out of a panel is put together
// in `unpacked`.
void weight_decode(const Tensor *weight, void *unpacked, float *values);

typedef struct WeightCount {
    int64_t place[PLACE_COUNT]; // parameters
    int64_t total;
    int64_t bytes;
    int64_t in_panels; // of the total
} WeightCount;
// Of the whole model or of one layer.  Tied weights count once.
WeightCount weights_count(const Model *model);
WeightCount weights_count_layer(const Model *model, int layer);

// Calls fn for each present weight, in the order of the list.
void weights_each(Model *model, void (*fn)(void *user, const Weight *weight, int layer),
                  void *user);

// Weights that are views of another (q of a fused q, k, v) follow it to where it lies now.
void weights_bind_views(Model *model);

// Gives every f32 weight a zeroed gradient, in one block of *n floats in the model's arena.
float *weights_give_gradients(Model *model, int64_t *n);

#endif
