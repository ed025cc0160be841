#define _GNU_SOURCE
#include "Library.h"

#include <dlfcn.h>
#include <limits.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

struct vestry_crypto_library vestry_crypto;

static int is_loaded;
static pthread_once_t once = PTHREAD_ONCE_INIT;

static void load(void)
{
    /* The name carries the interface's version: another one is not taken for it. */
    void *library = dlopen("libcrypto.so.3", RTLD_NOW | RTLD_LOCAL);
    if (!library)
        return;
    int found = 1;
#define LOAD(name)                                                                                \
    *(void **)&crypto.name = dlsym(library, #name);                                               \
    found = found && crypto.name;
    VESTRY_CRYPTO_FUNCTIONS(LOAD)
#undef LOAD
    is_loaded = found;
}

enum vestry_crypto_result vestry_crypto_begin(size_t input_count)
{
    pthread_once(&once, load);
    if (!is_loaded)
        return VESTRY_CRYPTO_UNAVAILABLE;
    if (input_count > INT_MAX)
        return VESTRY_CRYPTO_MALFORMED;
    crypto.ERR_set_mark();
    return VESTRY_CRYPTO_OK;
}

enum vestry_crypto_result vestry_crypto_end(int done)
{
    crypto.ERR_pop_to_mark();
    return done ? VESTRY_CRYPTO_OK : VESTRY_CRYPTO_MALFORMED;
}

int vestry_crypto_copy(struct vestry_crypto_bytes *out, const void *bytes, size_t count)
{
    out->bytes = malloc(count > 0 ? count : 1);
    if (!out->bytes)
        return 0;
    if (count > 0)
        memcpy(out->bytes, bytes, count);
    out->count = count;
    return 1;
}

int vestry_crypto_take(struct vestry_crypto_bytes *out, unsigned char *bytes, int count)
{
    if (count < 0 || !bytes)
        return 0;
    int done = vestry_crypto_copy(out, bytes, (size_t)count);
    crypto.CRYPTO_clear_free(bytes, (size_t)count, __FILE__, __LINE__);
    return done;
}

void vestry_crypto_free(struct vestry_crypto_bytes *bytes)
{
    if (bytes->bytes)
        explicit_bzero(bytes->bytes, bytes->count);
    free(bytes->bytes);
    memset(bytes, 0, sizeof *bytes);
}
