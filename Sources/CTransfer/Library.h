#ifndef VESTRY_CTRANSFER_LIBRARY_H
#define VESTRY_CTRANSFER_LIBRARY_H

#include <dlfcn.h>
#include <stddef.h>

/* Declares `library`, with the functions of one list, and load_library(), which is false where the
 * library or one of them is missing. The file's name carries the interface's version: another one is
 * not taken for it. */
#define VESTRY_LIBRARY(file_name, FUNCTIONS)                                                      \
    static struct {                                                                               \
        FUNCTIONS(VESTRY_DECLARE)                                                                 \
    } library;                                                                                    \
    static int load_library(void)                                                                 \
    {                                                                                             \
        void *handle = dlopen(file_name, RTLD_NOW | RTLD_LOCAL);                                  \
        int found = handle != NULL;                                                               \
        if (found) {                                                                              \
            FUNCTIONS(VESTRY_LOAD)                                                                \
        }                                                                                         \
        return found;                                                                             \
    }
#define VESTRY_DECLARE(name) __typeof__(&name) name;
#define VESTRY_LOAD(name) found = (*(void **)&library.name = dlsym(handle, #name)) != NULL && found;

#endif
