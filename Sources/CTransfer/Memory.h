#ifndef VESTRY_CTRANSFER_MEMORY_H
#define VESTRY_CTRANSFER_MEMORY_H

#include <stddef.h>

/* malloc(3), realloc(3) and free(3), which leave nothing behind in memory that is given back. */
void *vestry_wiping_malloc(size_t count);
void *vestry_wiping_realloc(void *memory, size_t count);
void vestry_wiping_free(void *memory);

#endif
