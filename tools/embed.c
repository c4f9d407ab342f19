// embed.c - writes files as C: the table page_files of src/serve/page.h.
//
//     embed FOLDER FILE... >web.c      FILE is named without FOLDER in the table, one of elsewhere
//                                      by its last part
//
// A tool of the build, which runs on the building machine.
#include <stdio.h>
#include <string.h>

static int put_file(const char *path, int number) {
    FILE *in = fopen(path, "rb");
    if (!in) {
        perror(path);
        return 1;
    }
    printf("static const unsigned char file_%d[] = {", number);
    int c;
    for (long n = 0; (c = fgetc(in)) != EOF; n++) printf(n % 24 ? "%d," : "\n%d,", c);
    printf("0};\n");
    int failed = ferror(in);
    fclose(in);
    return failed;
}

static const char *name_of(const char *path, const char *folder) {
    size_t n = strlen(folder);
    const char *last = strrchr(path, '/');
    if (strncmp(path, folder, n) == 0 && path[n] == '/') return path + n + 1;
    return last ? last + 1 : path;
}

int main(int argc, char **argv) {
    if (argc < 3) {
        fprintf(stderr, "usage: embed FOLDER FILE...\n");
        return 2;
    }
    printf("#include \"serve/page.h\"\n");
    for (int i = 2; i < argc; i++)
        if (put_file(argv[i], i) != 0) return 1;
    printf("const PageFile page_files[] = {\n");
    for (int i = 2; i < argc; i++)
        printf("    {\"%s\", file_%d, sizeof file_%d - 1},\n", name_of(argv[i], argv[1]), i, i);
    printf("};\nconst size_t n_page_files = sizeof page_files / sizeof *page_files;\n");
    return fflush(stdout) != 0;
}
