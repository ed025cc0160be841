#ifndef VESTRY_LAST_ERROR_H
#define VESTRY_LAST_ERROR_H

#include <stddef.h>

// What vestry_last_error() returns. Each thread has its own, in memory that ends with it, and a longer
// text is cut.

void CVestryKeepError(const char *text, size_t length);
const char *CVestryKeptError(void);

#endif
