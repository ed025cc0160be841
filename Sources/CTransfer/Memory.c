#define _GNU_SOURCE
#include "Memory.h"

#include <malloc.h>
#include <stdlib.h>
#include <string.h>

void *vestry_wiping_malloc(size_t count)
{
    return malloc(count);
}

void vestry_wiping_free(void *memory)
{
    if (memory)
        explicit_bzero(memory, malloc_usable_size(memory));
    free(memory);
}

/* realloc(3) may move the bytes, and leave the old ones. */
void *vestry_wiping_realloc(void *memory, size_t count)
{
    void *larger = malloc(count > 0 ? count : 1);
    if (!larger)
        return NULL;
    if (memory) {
        size_t old_count = malloc_usable_size(memory);
        memcpy(larger, memory, old_count < count ? old_count : count);
        vestry_wiping_free(memory);
    }
    return larger;
}
