// run.c - step memory, the tape and the probe: everything that is the same for all ops.
#include "tensor/run.h"

#include <string.h>

#include "base/memory.h"

enum { STEP_ALIGNMENT = 64, ZERO_VALUES = 1 << 16 }; // values that a thread sets to zero at once

// ---------------------------------------------------------------- life
bool run_open(Run *run, Pool *pool, Error *err) {
    *run = (Run){.kernels = kernels_best(), .pool = pool};
    return arena_init(&run->shapes, ARENA_DEFAULT, err);
}

static void release_blocks(Run *run) {
    for (int i = 0; i < STEP_BLOCKS; i++) {
        if (run->block[i].base) memory_release(run->block[i].base, run->block[i].capacity);
        run->block[i] = (StepBlock){0};
    }
}

void run_close(Run *run) {
    release_blocks(run);
    arena_drop(&run->shapes);
    *run = (Run){0};
}

void run_plan_begin(Run *run) {
    release_blocks(run);
    run->dry = true;
    run_begin(run);
}

bool run_allocate(Run *run, Error *err) {
    run->dry = false;
    for (int i = 0; i < STEP_BLOCKS; i++) {
        StepBlock *block = &run->block[i];
        if (!block->peak) continue;
        block->capacity = block->peak;
        block->base = memory_reserve(block->capacity);
        if (!block->base) {
            size_t bytes = block->capacity;
            release_blocks(run);
            return error_set(err, ERROR_MEMORY, "cannot reserve %zu bytes for activations", bytes);
        }
    }
    run_begin(run);
    return true;
}

size_t run_planned_bytes(const Run *run) {
    size_t bytes = 0;
    for (int i = 0; i < STEP_BLOCKS; i++) bytes += run->block[i].peak;
    return bytes;
}

void run_begin(Run *run) {
    run->which = 0;
    for (int i = 0; i < STEP_BLOCKS; i++) run->block[i].used = 0;
    arena_back(&run->shapes, (ArenaMark){0});
    run->n_dropouts = 0;
    if (run->tape) *run->tape = (Tape){0};
}

void run_next_block(Run *run) {
    if (run->tape || run->is_inside) return; // a tape keeps every value for the way back
    run->which ^= 1;
    run->block[run->which].used = 0;
}

// ---------------------------------------------------------------- step memory
// NULL while dry: then only the count matters.
static void *step_push(Run *run, int which, size_t bytes) {
    StepBlock *block = &run->block[which];
    size_t at = (block->used + STEP_ALIGNMENT - 1) & ~(size_t)(STEP_ALIGNMENT - 1);
    block->used = at + bytes;
    if (block->used > block->peak) block->peak = block->used;
    if (run->dry) return NULL;
    require(block->used <= block->capacity); // else the plan was not of this size
    return block->base + at;
}

static void zero_task(void *arg, int64_t begin, int64_t end, int worker) {
    (void)worker;
    memset((float *)arg + begin, 0, sizeof(float) * (size_t)(end - begin));
}

static Tensor *new_in(Run *run, int which, int rank, const int64_t *dim) {
    Tensor *t = run_describe(run, sizeof *t);
    *t = (Tensor){.dtype = DTYPE_F32, .rank = rank};
    memcpy(t->dim, dim, sizeof *dim * (size_t)rank);
    size_t bytes = (size_t)tensor_count(t) * sizeof(float);
    t->data = step_push(run, which, bytes);
    if (run->tape) {
        t->grad = step_push(run, which, bytes);
        if (!run->dry) pool_run(run->pool, zero_task, t->grad, tensor_count(t), ZERO_VALUES);
    }
    return t;
}

Tensor *run_new(Run *run, int rank, const int64_t *dim) {
    require(rank >= 1 && rank <= TENSOR_RANK_MAX);
    return new_in(run, run->which, rank, dim);
}

Tensor *run_new2(Run *run, int64_t rows, int64_t cols) {
    return new_in(run, run->which, 2, (int64_t[]){rows, cols});
}

Tensor *run_new_kept(Run *run, int64_t rows, int64_t cols) {
    return new_in(run, STEP_KEPT, 2, (int64_t[]){rows, cols});
}

void *run_save(Run *run, size_t bytes) {
    return run->tape ? step_push(run, run->which, bytes) : NULL;
}

size_t run_mark(const Run *run) {
    return run->block[run->which].used;
}
void *run_bytes(Run *run, size_t bytes) {
    return step_push(run, run->which, bytes);
}
void run_back(Run *run, size_t mark) {
    run->block[run->which].used = mark;
}

void *run_describe(Run *run, size_t bytes) {
    return arena_push(&run->shapes, bytes);
}

Tensor tensor_slice(const Tensor *t, int64_t from, int64_t n) {
    require(t->rank <= 2 && from >= 0 && n >= 0 && from + n <= t->dim[0]);
    Tensor view = *t;
    view.dim[0] = n;
    int64_t width = t->rank == 2 ? t->dim[1] : 1;
    require(!t->in_panels || from % PANEL_ROWS == 0);
    size_t bytes =
        t->in_panels ? panel_bytes(t->dtype, width) / PANEL_ROWS : dtype_row_bytes(t->dtype, width);
    if (t->data) view.data = (char *)t->data + bytes * (size_t)from;
    if (t->grad) view.grad = t->grad + from * width;
    view.adapter_row += from;
    return view;
}

// ---------------------------------------------------------------- tape
void *run_record(Run *run, void (*backward)(Run *, Node *), size_t bytes) {
    if (!run->tape) return NULL;
    Node *node = run_describe(run, bytes);
    memset(node, 0, bytes);
    *node = (Node){backward, run->tape->last};
    run->tape->last = node;
    run->tape->n_nodes++;
    return node;
}

void run_backward(Run *run, Tensor *loss) {
    require(run->tape && tensor_count(loss) == 1);
    if (!run->dry) loss->grad[0] = 1;
    run_walk_back(run);
}

void run_walk_back(Run *run) {
    for (Node *node = run->tape->last; node; node = node->previous) {
        size_t mark = run_mark(run);
        node->backward(run, node);
        run_back(run, mark);
    }
}

// ---------------------------------------------------------------- probe
const char *site_name(Site site) {
    static const char *const names[] = {
#define X(name, words, shape) [SITE_##name] = (words),
        SITES(X)
#undef X
    };
    return names[site];
}

bool site_from_name(const char *name, Site *site) {
    for (int i = 0; i < SITE_COUNT; i++) {
        if (strcmp(name, site_name((Site)i)) != 0) continue;
        *site = (Site)i;
        return true;
    }
    return false;
}

bool probe_wants(const Run *run, Site site, int layer) {
    return run->probe && run->probe->wants(run->probe->user, site, layer);
}

Tensor *probe_at(Run *run, Site site, int layer, Tensor *value) {
    if (!probe_wants(run, site, layer)) return value;
    return run->probe->at(run->probe->user, run, site, layer, value);
}
