#include "Library.h"

#include <string.h>

#include <openssl/pem.h>

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
    return vestry_crypto_copy(der, data, (size_t)count) ? VESTRY_PEM_OK : VESTRY_PEM_NO_MEMORY;
}

static enum vestry_pem_result read_blocks(
    BIO *source, enum vestry_pem_kind kind, struct vestry_crypto_bytes *der)
{
    enum vestry_pem_result result = VESTRY_PEM_OK;
    char *label, *header;
    unsigned char *data;
    long count;
    while (result == VESTRY_PEM_OK && crypto.PEM_read_bio(source, &label, &header, &data, &count)) {
        if (is_wanted(label, kind))
            result = take(der, label, header, data, count);
        crypto.CRYPTO_free(label, __FILE__, __LINE__);
        crypto.CRYPTO_free(header, __FILE__, __LINE__);
        crypto.CRYPTO_clear_free(data, (size_t)count, __FILE__, __LINE__);
    }
    if (result != VESTRY_PEM_OK)
        return result;
    /* Every other reason than that no further block begins is a broken one. */
    if (ERR_GET_REASON(crypto.ERR_peek_last_error()) != PEM_R_NO_START_LINE)
        return VESTRY_PEM_NONE;
    return der->bytes ? VESTRY_PEM_OK : VESTRY_PEM_NONE;
}

enum vestry_pem_result vestry_pem_read(
    const uint8_t *text, size_t count, enum vestry_pem_kind kind, struct vestry_crypto_bytes *der)
{
    memset(der, 0, sizeof *der);
    if (count == 0)
        return VESTRY_PEM_NONE;
    switch (vestry_crypto_begin(count)) {
    case VESTRY_CRYPTO_OK: break;
    case VESTRY_CRYPTO_UNAVAILABLE: return VESTRY_PEM_UNAVAILABLE;
    default: return VESTRY_PEM_NONE;
    }
    enum vestry_pem_result result = VESTRY_PEM_NO_MEMORY;
    BIO *source = crypto.BIO_new_mem_buf(text, (int)count);
    if (source)
        result = read_blocks(source, kind, der);
    crypto.BIO_free(source);
    vestry_crypto_end(1);
    if (result != VESTRY_PEM_OK)
        vestry_crypto_free(der);
    return result;
}
