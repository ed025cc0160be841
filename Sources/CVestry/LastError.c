#include "LastError.h"

#include <string.h>

static _Thread_local char kept[1024];

void CVestryKeepError(const char *text, size_t length)
{
    if (length > sizeof(kept) - 1)
        length = sizeof(kept) - 1;
    memcpy(kept, text, length);
    kept[length] = '\0';
}

const char *CVestryKeptError(void)
{
    return kept;
}
