#define _GNU_SOURCE
#include "CCrypto.h"

#include <dlfcn.h>
#include <limits.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <openssl/asn1.h>
#include <openssl/bio.h>
#include <openssl/err.h>
#include <openssl/evp.h>
#include <openssl/x509.h>
#include <openssl/x509v3.h>

/* Every function of libcrypto that is used, so that one list declares and loads them. */
#define FUNCTIONS(X)                                                                              \
    X(d2i_X509) X(X509_free) X(X509_get_version) X(X509_get_subject_name)                         \
    X(X509_get_issuer_name) X(X509_get_serialNumber) X(X509_get0_subject_key_id)                  \
    X(X509_pubkey_digest) X(X509_get0_notBefore) X(X509_get0_notAfter) X(X509_get1_email)         \
    X(X509_email_free) X(i2d_X509_NAME) X(d2i_X509_NAME) X(X509_NAME_free) X(X509_NAME_print_ex)  \
    X(X509_NAME_entry_count) X(X509_NAME_get_index_by_NID) X(X509_NAME_get_entry)                 \
    X(X509_NAME_ENTRY_get_data) X(i2d_ASN1_INTEGER) X(ASN1_get_object) X(ASN1_STRING_get0_data)   \
    X(ASN1_STRING_length) X(ASN1_STRING_to_UTF8) X(ASN1_TIME_to_tm) X(OPENSSL_sk_num)             \
    X(OPENSSL_sk_value) X(BIO_new) X(BIO_s_mem) X(BIO_free) X(BIO_read) X(BIO_ctrl_pending)       \
    X(CRYPTO_free) X(EVP_sha1) X(EVP_Digest) X(d2i_AutoPrivateKey) X(d2i_PUBKEY) X(d2i_PublicKey) \
    X(EVP_PKEY_free) X(EVP_PKEY_get_bits) X(EVP_PKEY_get_base_id) X(X509_PUBKEY_set)              \
    X(X509_PUBKEY_get0_param) X(X509_PUBKEY_free) X(ERR_set_mark) X(ERR_pop_to_mark)

static struct {
#define DECLARE(name) __typeof__(&name) name;
    FUNCTIONS(DECLARE)
#undef DECLARE
} crypto;

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
    FUNCTIONS(LOAD)
#undef LOAD
    is_loaded = found;
}

/* Of len or -1, and a pointer that the library has allocated. */
static int copy_and_free(struct vestry_crypto_bytes *out, unsigned char *bytes, int count)
{
    if (count < 0 || !bytes)
        return 0;
    out->bytes = malloc(count > 0 ? (size_t)count : 1);
    if (out->bytes) {
        memcpy(out->bytes, bytes, (size_t)count);
        out->count = (size_t)count;
    }
    crypto.CRYPTO_free(bytes, __FILE__, __LINE__);
    return out->bytes != NULL;
}

static int copy_name(struct vestry_crypto_bytes *out, const X509_NAME *name)
{
    unsigned char *der = NULL;
    int count = crypto.i2d_X509_NAME(name, &der);
    return copy_and_free(out, der, count);
}

static int print_name(struct vestry_crypto_bytes *out, const X509_NAME *name)
{
    BIO *memory = crypto.BIO_new(crypto.BIO_s_mem());
    if (!memory)
        return 0;
    int done = 0;
    /* Characters beyond ASCII as UTF-8, not as escapes. */
    unsigned long flags = XN_FLAG_RFC2253 & ~ASN1_STRFLGS_ESC_MSB;
    if (crypto.X509_NAME_print_ex(memory, name, 0, flags) >= 0) {
        size_t count = crypto.BIO_ctrl_pending(memory);
        out->bytes = malloc(count > 0 ? count : 1);
        if (out->bytes && count <= INT_MAX) {
            int got = count > 0 ? crypto.BIO_read(memory, out->bytes, (int)count) : 0;
            out->count = got > 0 ? (size_t)got : 0;
            done = out->count == count;
        }
    }
    crypto.BIO_free(memory);
    return done;
}

/* The common name, or else the last part that there is; a name without parts has none. */
static int summarize(struct vestry_crypto_bytes *out, const X509_NAME *name)
{
    int index = crypto.X509_NAME_get_index_by_NID(name, NID_commonName, -1);
    if (index < 0)
        index = crypto.X509_NAME_entry_count(name) - 1;
    if (index < 0)
        return 1;
    unsigned char *text = NULL;
    int count = crypto.ASN1_STRING_to_UTF8(
        &text, crypto.X509_NAME_ENTRY_get_data(crypto.X509_NAME_get_entry(name, index)));
    return copy_and_free(out, text, count);
}

static int copy_serial(struct vestry_crypto_bytes *out, const ASN1_INTEGER *serial)
{
    unsigned char *der = NULL;
    int count = crypto.i2d_ASN1_INTEGER(serial, &der);
    if (count < 0)
        return 0;
    const unsigned char *contents = der;
    long length = 0;
    int tag = 0, class = 0;
    int done = 0;
    if (!(crypto.ASN1_get_object(&contents, &length, &tag, &class, count) & 0x80)) {
        out->bytes = malloc(length > 0 ? (size_t)length : 1);
        if (out->bytes) {
            memcpy(out->bytes, contents, (size_t)length);
            out->count = (size_t)length;
            done = 1;
        }
    }
    crypto.CRYPTO_free(der, __FILE__, __LINE__);
    return done;
}

static int read_time(int64_t *out, const ASN1_TIME *time)
{
    struct tm parts;
    if (!crypto.ASN1_TIME_to_tm(time, &parts))
        return 0;
    *out = (int64_t)timegm(&parts);
    return 1;
}

static int copy_email_addresses(struct vestry_crypto_bytes *out, X509 *certificate)
{
    STACK_OF(OPENSSL_STRING) *addresses = crypto.X509_get1_email(certificate);
    if (!addresses)
        return 1;
    const OPENSSL_STACK *stack = (const OPENSSL_STACK *)addresses;
    int number = crypto.OPENSSL_sk_num(stack);
    size_t count = 0;
    for (int i = 0; i < number; i++)
        count += strlen(crypto.OPENSSL_sk_value(stack, i)) + 1;
    out->bytes = malloc(count > 0 ? count : 1);
    if (out->bytes) {
        for (int i = 0; i < number; i++) {
            const char *address = crypto.OPENSSL_sk_value(stack, i);
            size_t length = strlen(address);
            memcpy(out->bytes + out->count, address, length);
            out->bytes[out->count + length] = '\n';
            out->count += length + 1;
        }
    }
    crypto.X509_email_free(addresses);
    return out->bytes != NULL;
}

static int read_certificate(X509 *x509, struct vestry_certificate *out)
{
    unsigned int hash_count = 0;
    out->version = crypto.X509_get_version(x509) + 1;
    const ASN1_OCTET_STRING *key_id = crypto.X509_get0_subject_key_id(x509);
    if (key_id) {
        size_t count = (size_t)crypto.ASN1_STRING_length(key_id);
        out->subject_key_id.bytes = malloc(count > 0 ? count : 1);
        if (!out->subject_key_id.bytes)
            return 0;
        memcpy(out->subject_key_id.bytes, crypto.ASN1_STRING_get0_data(key_id), count);
        out->subject_key_id.count = count;
    }
    return copy_name(&out->subject, crypto.X509_get_subject_name(x509))
        && copy_name(&out->issuer, crypto.X509_get_issuer_name(x509))
        && print_name(&out->subject_text, crypto.X509_get_subject_name(x509))
        && summarize(&out->summary, crypto.X509_get_subject_name(x509))
        && copy_serial(&out->serial, crypto.X509_get_serialNumber(x509))
        && crypto.X509_pubkey_digest(
            x509, crypto.EVP_sha1(), out->public_key_hash, &hash_count)
        && hash_count == VESTRY_CRYPTO_HASH_SIZE
        && read_time(&out->not_before, crypto.X509_get0_notBefore(x509))
        && read_time(&out->not_after, crypto.X509_get0_notAfter(x509))
        && copy_email_addresses(&out->email_addresses, x509);
}

enum vestry_crypto_result vestry_certificate_read(
    const uint8_t *der, size_t count, struct vestry_certificate *certificate)
{
    memset(certificate, 0, sizeof *certificate);
    pthread_once(&once, load);
    if (!is_loaded)
        return VESTRY_CRYPTO_UNAVAILABLE;
    if (count > INT_MAX)
        return VESTRY_CRYPTO_MALFORMED;
    crypto.ERR_set_mark();
    const uint8_t *end = der;
    X509 *x509 = crypto.d2i_X509(NULL, &end, (long)count);
    int done = x509 && end == der + count && read_certificate(x509, certificate);
    if (!done)
        vestry_certificate_free(certificate);
    crypto.X509_free(x509);
    /* A program that uses OpenSSL itself finds its own errors only. */
    crypto.ERR_pop_to_mark();
    return done ? VESTRY_CRYPTO_OK : VESTRY_CRYPTO_MALFORMED;
}

void vestry_certificate_free(struct vestry_certificate *certificate)
{
    free(certificate->subject.bytes);
    free(certificate->issuer.bytes);
    free(certificate->subject_text.bytes);
    free(certificate->summary.bytes);
    free(certificate->serial.bytes);
    free(certificate->subject_key_id.bytes);
    free(certificate->email_addresses.bytes);
    memset(certificate, 0, sizeof *certificate);
}

static int hash_public_key(EVP_PKEY *pkey, uint8_t *hash)
{
    X509_PUBKEY *info = NULL;
    const unsigned char *bits = NULL;
    int count = 0;
    int done = crypto.X509_PUBKEY_set(&info, pkey)
        && crypto.X509_PUBKEY_get0_param(NULL, &bits, &count, NULL, info) && count >= 0
        && crypto.EVP_Digest(bits, (size_t)count, hash, NULL, crypto.EVP_sha1(), NULL);
    crypto.X509_PUBKEY_free(info);
    return done;
}

enum vestry_crypto_result vestry_key_read(
    const uint8_t *der, size_t count, struct vestry_key *key)
{
    memset(key, 0, sizeof *key);
    pthread_once(&once, load);
    if (!is_loaded)
        return VESTRY_CRYPTO_UNAVAILABLE;
    if (count > INT_MAX)
        return VESTRY_CRYPTO_MALFORMED;
    crypto.ERR_set_mark();
    const uint8_t *end = der;
    /* libcrypto zeroes the numbers of a private key when it frees them. */
    EVP_PKEY *pkey = crypto.d2i_AutoPrivateKey(NULL, &end, (long)count);
    key->is_private = pkey != NULL;
    if (!pkey) {
        end = der;
        pkey = crypto.d2i_PUBKEY(NULL, &end, (long)count);
    }
    if (!pkey) {
        end = der;
        pkey = crypto.d2i_PublicKey(EVP_PKEY_RSA, NULL, &end, (long)count);
    }
    int done = pkey && end == der + count && hash_public_key(pkey, key->public_key_hash);
    if (done) {
        key->bits = crypto.EVP_PKEY_get_bits(pkey);
        switch (crypto.EVP_PKEY_get_base_id(pkey)) {
        case EVP_PKEY_RSA:
            key->algorithm = VESTRY_KEY_RSA;
            break;
        case EVP_PKEY_EC:
            key->algorithm = VESTRY_KEY_EC;
            break;
        default:
            key->algorithm = VESTRY_KEY_OTHER;
        }
    }
    crypto.EVP_PKEY_free(pkey);
    crypto.ERR_pop_to_mark();
    return done ? VESTRY_CRYPTO_OK : VESTRY_CRYPTO_MALFORMED;
}

enum vestry_crypto_result vestry_name_text(
    const uint8_t *der, size_t count, struct vestry_crypto_bytes *text)
{
    memset(text, 0, sizeof *text);
    pthread_once(&once, load);
    if (!is_loaded)
        return VESTRY_CRYPTO_UNAVAILABLE;
    if (count > INT_MAX)
        return VESTRY_CRYPTO_MALFORMED;
    crypto.ERR_set_mark();
    const uint8_t *end = der;
    X509_NAME *name = crypto.d2i_X509_NAME(NULL, &end, (long)count);
    int done = name && end == der + count && print_name(text, name);
    if (!done) {
        free(text->bytes);
        memset(text, 0, sizeof *text);
    }
    crypto.X509_NAME_free(name);
    crypto.ERR_pop_to_mark();
    return done ? VESTRY_CRYPTO_OK : VESTRY_CRYPTO_MALFORMED;
}
