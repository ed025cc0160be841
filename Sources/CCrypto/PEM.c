#define _GNU_SOURCE
#include "CCrypto.h"

#include <dlfcn.h>
#include <limits.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include <openssl/bio.h>
#include <openssl/crypto.h>
#include <openssl/err.h>
#include <openssl/pem.h>

#define FUNCTIONS(X)                                                                              \
    X(BIO_new_mem_buf) X(BIO_free) X(PEM_read_bio) X(CRYPTO_free) X(CRYPTO_clear_free)            \
    X(ERR_set_mark) X(ERR_pop_to_mark) X(ERR_peek_last_error)

static struct {
#define DECLARE(name) __typeof__(&name) name;
    FUNCTIONS(DECLARE)
#undef DECLARE
} pem;

static int is_loaded;
static pthread_once_t once = PTHREAD_ONCE_INIT;

static void load(void)
{
    void *library = dlopen("libcrypto.so.3", RTLD_NOW | RTLD_LOCAL);
    if (!library)
        return;
    int found = 1;
#define LOAD(name)                                                                                \
    *(void **)&pem.name = dlsym(library, #name);                                                  \
    found = found && pem.name;
    FUNCTIONS(LOAD)
#undef LOAD
    is_loaded = found;
}

/* The labels of RFC 7468, sections 5 to 13, and those of the older forms of RSA and EC keys. */
static int is_wanted(const char *label, enum vestry_pem_kind kind)
{
    static const char *const certificates[] = {"CERTIFICATE", "X509 CERTIFICATE", NULL};
    static const char *const keys[] = {
        "PRIVATE KEY", "RSA PRIVATE KEY", "EC PRIVATE KEY", "PUBLIC KEY", "RSA PUBLIC KEY",
        "ENCRYPTED PRIVATE KEY", NULL};
    const char *const *labels = kind == VESTRY_PEM_CERTIFICATE ? certificates : keys;
    for (; *labels; labels++)
        if (strcmp(label, *labels) == 0)
            return 1;
    return 0;
}

static enum vestry_pem_result take(
    struct vestry_crypto_bytes *der, const char *label, const char *header,
    const unsigned char *data, long count)
{
    if (der->bytes)
        return VESTRY_PEM_SEVERAL;
    if (strcmp(label, "ENCRYPTED PRIVATE KEY") == 0 || strstr(header, "ENCRYPTED"))
        return VESTRY_PEM_ENCRYPTED;
    der->bytes = malloc(count > 0 ? (size_t)count : 1);
    if (!der->bytes)
        return VESTRY_PEM_NO_MEMORY;
    memcpy(der->bytes, data, (size_t)count);
    der->count = (size_t)count;
    return VESTRY_PEM_OK;
}

static enum vestry_pem_result read_blocks(
    BIO *source, enum vestry_pem_kind kind, struct vestry_crypto_bytes *der)
{
    enum vestry_pem_result result = VESTRY_PEM_OK;
    char *label, *header;
    unsigned char *data;
    long count;
    while (result == VESTRY_PEM_OK && pem.PEM_read_bio(source, &label, &header, &data, &count)) {
        if (is_wanted(label, kind))
            result = take(der, label, header, data, count);
        pem.CRYPTO_free(label, __FILE__, __LINE__);
        pem.CRYPTO_free(header, __FILE__, __LINE__);
        pem.CRYPTO_clear_free(data, (size_t)count, __FILE__, __LINE__);
    }
    if (result != VESTRY_PEM_OK)
        return result;
    /* Every other reason than that no further block begins is a broken one. */
    if (ERR_GET_REASON(pem.ERR_peek_last_error()) != PEM_R_NO_START_LINE)
        return VESTRY_PEM_NONE;
    return der->bytes ? VESTRY_PEM_OK : VESTRY_PEM_NONE;
}

enum vestry_pem_result vestry_pem_read(
    const uint8_t *text, size_t count, enum vestry_pem_kind kind, struct vestry_crypto_bytes *der)
{
    memset(der, 0, sizeof *der);
    pthread_once(&once, load);
    if (!is_loaded)
        return VESTRY_PEM_UNAVAILABLE;
    if (count == 0 || count > INT_MAX)
        return VESTRY_PEM_NONE;
    pem.ERR_set_mark();
    enum vestry_pem_result result = VESTRY_PEM_NO_MEMORY;
    BIO *source = pem.BIO_new_mem_buf(text, (int)count);
    if (source)
        result = read_blocks(source, kind, der);
    pem.BIO_free(source);
    /* A program that uses OpenSSL itself finds its own errors only. */
    pem.ERR_pop_to_mark();
    if (result != VESTRY_PEM_OK)
        vestry_pem_free(der);
    return result;
}

void vestry_pem_free(struct vestry_crypto_bytes *der)
{
    if (der->bytes)
        explicit_bzero(der->bytes, der->count);
    free(der->bytes);
    memset(der, 0, sizeof *der);
}
