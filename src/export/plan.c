// plan.c - which weights are written, under which name, in which shape and type.
#include <stdarg.h>
#include <stdio.h>

#include "export/plan.h"
#include "quant/quant.h"

void export_note(Export *e, const char *format, ...) {
    char line[512];
    va_list args;
    va_start(args, format);
    vsnprintf(line, sizeof line, format, args);
    va_end(args);
    str_add_c(&e->notes, line);
    str_add_byte(&e->notes, '\n');
}

// ---------------------------------------------------------------- types
// The type in which the model's file holds a weight.  GPT-2's matrices come decoded out of a
// Hugging Face file, and all vectors.
static DType type_in_file(const Export *e, const Weight *w, int layer) {
    const Model *m = e->model;
    char buffer[WEIGHT_NAME_MAX];
    DType dtype = w->tensor->dtype;
    Error ignored = {0};
    if (!m->is_hf || w->form != FORM_TRANSPOSED) return dtype;
    const char *name = weight_name(m->arch, w, layer, true, buffer);
    const TensorEntry *entry = name ? tensor_file_find(m->tensors, str_from(name)) : NULL;
    if (entry && !tensor_file_dtype(m->tensors, entry, &dtype, &ignored)) return DTYPE_F32;
    return dtype;
}

static bool is_finer_than_q6(DType type) {
    return !dtype_is_quantized(type) || type == DTYPE_Q8_0;
}

// By the rules of export.h, whatever the length of its rows.
static DType wanted_type(const Export *e, const Weight *w, DType from) {
    const ExportOptions *o = &e->options;
    if (e->is_hf) return o->type;
    if (weight_is_f32(w)) return DTYPE_F32;
    if (o->has_adapted_type && w->tensor->adapter) return o->adapted_type;
    if (w->place == PLACE_NORM_POSITION) {
        bool is_half = from == DTYPE_F16 || (o->has_type && o->type == DTYPE_F16);
        return is_half && !(o->has_type && o->type == DTYPE_F32) ? DTYPE_F16 : DTYPE_F32;
    }
    if (!o->has_type) return from;
    if (w->place == PLACE_EMBEDDING && !is_finer_than_q6(o->type)) return DTYPE_Q6_K;
    return o->type;
}

// The nearest type that rows of this length can have.
static DType fitting_type(DType wanted, int64_t cols) {
    if (cols % dtype_block_values(wanted) == 0) return wanted;
    return cols % dtype_block_values(DTYPE_Q8_0) == 0 ? DTYPE_Q8_0 : DTYPE_F16;
}

// A folder's one type, where none is asked for: the widest of its matrices; F16 for quantised ones.
static void widen(void *user, const Weight *w, int layer) {
    Export *e = user;
    DType from = type_in_file(e, w, layer), *type = &e->options.type;
    if (weight_is_f32(w) || w->place == PLACE_NORM_POSITION) return;
    if (dtype_is_quantized(from)) from = DTYPE_F16;
    if (!e->options.has_type) *type = from;
    if (*type != from) *type = DTYPE_F32;
    e->options.has_type = true;
}

// ---------------------------------------------------------------- the list
// What a form means on the way from the model to the new file.
static Form change_of(const Export *e, const Weight *w) {
    if (w->form == FORM_ROTARY) {
        RotaryPairing pairing = e->is_hf ? PAIR_HALVES : PAIR_NEIGHBOURS;
        return e->model->config.rotary.pairing == pairing ? FORM_SAME : FORM_ROTARY;
    }
    if (w->form == FORM_LOG) return e->is_hf ? FORM_SAME : FORM_LOG;
    return e->is_hf ? w->form : FORM_SAME;
}

// Shapes that have more dimensions there than here.
static void set_shape(PlannedWeight *p, const Weight *w, bool is_hf) {
    bool is_mixture = w->form == FORM_EXPERTS && !is_hf;
    if (p->change == FORM_ROW) {
        p->rank = 2;
        p->dim[1] = p->dim[0];
        p->dim[0] = 1;
    }
    if (p->change != FORM_FILTERS && !is_mixture) return;
    p->rank = 3;
    p->dim[2] = p->dim[1];
    p->dim[1] = is_mixture ? p->dim[0] / w->parts : 1;
    p->dim[0] /= p->dim[1];
}

static void add(Export *e, const Weight *w, int layer, const char *name, Tensor source) {
    PlannedWeight *p = &e->weight[e->n++];
    DType from = type_in_file(e, w, layer), wanted = wanted_type(e, w, from);
    *p = (PlannedWeight){.source = source, .rank = source.rank, .change = change_of(e, w)};
    bool is_turned = p->change == FORM_TRANSPOSED;
    for (int i = 0; i < source.rank; i++) p->dim[i] = source.dim[is_turned ? 1 - i : i];
    int64_t cols = p->dim[source.rank - 1];
    DType to = wanted == from ? from : fitting_type(wanted, cols);
    p->as = (ExportedWeight){.name = str_copy(&e->arena, str_from(name)),
                             .role = w->gguf,
                             .from = from,
                             .wanted = wanted,
                             .to = to,
                             .count = tensor_count(&source)};
    p->as.in_panels = e->options.in_panels && !e->is_hf && dtype_is_quantized(to) &&
                      source.rank == 2 && weight_fits_panels(w) && w->form != FORM_EXPERTS;
    int64_t rows = p->as.count / cols;
    if (p->as.in_panels) rows = panel_count(rows) * PANEL_ROWS;
    p->as.bytes = (int64_t)dtype_row_bytes(to, cols) * rows;
    set_shape(p, w, e->is_hf);
    e->total += p->as.count;
}

static void add_present(void *user, const Weight *w, int layer) {
    Export *e = user;
    char buffer[WEIGHT_NAME_MAX];
    const Arch *arch = e->model->arch;
    const Tensor *t = w->tensor;
    if (w->form == FORM_EXPERTS && e->is_hf) {
        int64_t rows = t->dim[0] / w->parts;
        for (int i = 0; i < w->parts; i++)
            add(e, w, layer, weight_expert_name(arch, w, layer, i, buffer),
                tensor_slice(t, i * rows, rows));
        return;
    }
    const char *name = weight_name(arch, w, layer, e->is_hf, buffer);
    if (name) add(e, w, layer, name, *t); // else the other world says it in its config
}

// Tensors that there may be of it in a file.
static void count(void *user, const Weight *w, int layer) {
    (void)layer;
    *(int64_t *)user += w->form == FORM_EXPERTS ? w->parts : 1;
}

// A GGUF has llama3 scaling as a tensor; a model from elsewhere has it in its config alone.
static void add_divisors(Export *e) {
    const RotarySpec *spec = &e->model->config.rotary;
    if (e->is_hf || e->model->config.positions != POSITION_ROTARY ||
        spec->scaling != SCALING_LLAMA3)
        return;
    Tensor divisors = {.dtype = DTYPE_F32, .rank = 1, .dim = {spec->width / 2}};
    divisors.data = rotary_llama3_divisors(&e->arena, spec);
    Weight w = {.tensor = &divisors, .gguf = "rope_freqs.weight", .place = PLACE_NORM_POSITION};
    add(e, &w, -1, w.gguf, divisors);
}

static bool check_type(const Export *e, Error *err) {
    const ExportOptions *o = &e->options;
    if (!o->has_type) return true;
    if (e->is_hf && dtype_is_quantized(o->type))
        return error_set(err, ERROR_USAGE, "a folder holds F32, F16 or BF16, not %s",
                         dtype_name(o->type));
    if (quant_can_encode(o->type)) return true;
    return error_set(err, ERROR_USAGE,
                     "%s cannot be written: only F32, F16, BF16, Q8_0, Q4_0, Q4_K, Q5_K and Q6_K",
                     dtype_name(o->type));
}

// A weight with an adapter is encoded anew, even in the type that it has.
static bool check_adapted(const Export *e, Error *err) {
    for (int64_t i = 0; i < e->n; i++) {
        const PlannedWeight *p = &e->weight[i];
        if (!p->source.adapter || quant_can_encode(p->as.to)) continue;
        return error_set(err, ERROR_USAGE,
                         "%.*s is %s, which cannot be written with its adapter: say another --type",
                         STR_ARG(p->as.name), dtype_name(p->as.to));
    }
    return true;
}

bool export_begin(Export *e, Error *err) {
    // The list takes a model that could be changed; an export changes nothing.
    Model *model = (Model *)(uintptr_t)e->model;
    int64_t most = 1; // the divisors
    if (!check_type(e, err) || !arena_init(&e->arena, ARENA_DEFAULT, err)) return false;
    e->notes = str_builder(&e->arena);
    const RotarySpec *spec = &model->config.rotary;
    if (model->config.positions == POSITION_ROTARY && spec->scaling == SCALING_YARN &&
        !spec->truncate)
        return error_set(err, ERROR_UNSUPPORTED,
                         "yarn scaling with \"truncate\": false cannot be"
                         " written");
    if (e->is_hf && !e->options.has_type) weights_each(model, widen, e);
    weights_each(model, count, &most);
    e->weight = arena_new(&e->arena, PlannedWeight, most);
    add_divisors(e);
    weights_each(model, add_present, e);
    return check_adapted(e, err);
}

void export_drop(Export *e) {
    arena_drop(&e->arena);
}

// ---------------------------------------------------------------- the report
void export_report(const Export *e) {
    ExportReport *r = e->options.report;
    if (!r) return;
    ExportedWeight *weight = arena_new(r->arena, ExportedWeight, e->n);
    for (int64_t i = 0; i < e->n; i++) {
        weight[i] = e->weight[i].as;
        weight[i].name = str_copy(r->arena, weight[i].name);
    }
    r->weight = weight;
    r->n = e->n;
    r->notes = str_builder(r->arena);
    str_add(&r->notes, (Str){e->notes.data, e->notes.n});
    str_built(&r->notes);
}
