// builtin.c - the files themselves, taken in by the assembler: a C array of megabytes would keep
// the compiler busy.
#include "builtin/builtin.h"

#include "base/file.h"

// X(name) - models/NAME.gguf, described in models/README.md
#define BUILTIN_MODELS(X) X(world) X(poems) X(tales)

#ifdef __wasm__

const BuiltinModel *builtin_model(int i) {
    (void)i;
    return NULL;
}

#else

#ifdef __APPLE__
#define SECTION      ".const_data"
#define SYMBOL(name) "_" name
#else
#define SECTION      ".section .rodata"
#define SYMBOL(name) name
#endif
#define LABEL(name) ".global " SYMBOL(name) "\n" SYMBOL(name) ":\n"

#define X(name)                                                                                    \
    __asm__(                                                                                       \
        SECTION                                                                                    \
        "\n.balign 64\n" LABEL("heed_builtin_" #name) ".incbin \"models/" #name ".gguf\"\n" LABEL( \
            "heed_builtin_" #name "_end") ".byte 0\n.text\n");                                     \
    extern const char heed_builtin_##name[], heed_builtin_##name##_end[];
BUILTIN_MODELS(X)
#undef X

const BuiltinModel *builtin_model(int i) {
    static const BuiltinModel models[] = {
#define X(name) {#name, heed_builtin_##name, heed_builtin_##name##_end},
        BUILTIN_MODELS(X)
#undef X
    };
    return i >= 0 && i < (int)(sizeof models / sizeof *models) ? &models[i] : NULL;
}

#endif

const BuiltinModel *builtin_named(Str name) {
    const BuiltinModel *model;
    for (int i = 0; (model = builtin_model(i)); i++)
        if (str_equal(name, str_from(model->name))) return model;
    return NULL;
}

const BuiltinModel *builtin_unless_file(const char *path) {
    return file_exists(path) ? NULL : builtin_named(str_from(path));
}

Str builtin_file(const BuiltinModel *model) {
    return (Str){model->begin, (size_t)(model->end - model->begin)};
}

Str builtin_names(Arena *arena) {
    StrBuilder names = str_builder(arena);
    const BuiltinModel *model;
    for (int i = 0; (model = builtin_model(i)); i++)
        str_add_format(&names, "%s%s", i > 0 ? ", " : "", model->name);
    return str_built(&names);
}
