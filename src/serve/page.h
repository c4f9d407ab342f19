// page.h - the files of the page: inside the program, or in a folder while one works on them.
#ifndef HEED_SERVE_PAGE_H
#define HEED_SERVE_PAGE_H

#include <stddef.h>

#include "base/str.h"

typedef struct PageFile {
    const char *path; // "js/app.js"
    const unsigned char *data;
    size_t n;
} PageFile;

// Made by tools/embed.c from web/.
extern const PageFile page_files[];
extern const size_t n_page_files;

// The file at `path` ("/" is index.html), of the program or of `folder` (NULL: the program's).  One
// of a folder is read into `arena`.  False: there is none.  A path is letters, digits and . _ - /,
// and no part of it begins with a dot.
bool page_find(const char *folder, const char *path, Arena *arena, Str *bytes);
// "text/html; charset=utf-8": by the end of the name.
const char *page_type(const char *path);

#endif
