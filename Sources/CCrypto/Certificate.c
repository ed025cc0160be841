#define _GNU_SOURCE
#include "Library.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static int copy_name(struct vestry_crypto_bytes *out, const X509_NAME *name)
{
    unsigned char *der = NULL;
    int count = crypto.i2d_X509_NAME(name, &der);
    return vestry_crypto_take(out, der, count);
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
    return vestry_crypto_take(out, text, count);
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
    int done = !(crypto.ASN1_get_object(&contents, &length, &tag, &class, count) & 0x80)
        && vestry_crypto_copy(out, contents, (size_t)length);
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
    if (key_id
        && !vestry_crypto_copy(
            &out->subject_key_id, crypto.ASN1_STRING_get0_data(key_id),
            (size_t)crypto.ASN1_STRING_length(key_id)))
        return 0;
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
    enum vestry_crypto_result ready = vestry_crypto_begin(count);
    if (ready != VESTRY_CRYPTO_OK)
        return ready;
    const uint8_t *end = der;
    X509 *x509 = crypto.d2i_X509(NULL, &end, (long)count);
    int done = x509 && end == der + count && read_certificate(x509, certificate);
    if (!done)
        vestry_certificate_free(certificate);
    crypto.X509_free(x509);
    return vestry_crypto_end(done);
}

void vestry_certificate_free(struct vestry_certificate *certificate)
{
    vestry_crypto_free(&certificate->subject);
    vestry_crypto_free(&certificate->issuer);
    vestry_crypto_free(&certificate->subject_text);
    vestry_crypto_free(&certificate->summary);
    vestry_crypto_free(&certificate->serial);
    vestry_crypto_free(&certificate->subject_key_id);
    vestry_crypto_free(&certificate->email_addresses);
}

enum vestry_crypto_result vestry_name_text(
    const uint8_t *der, size_t count, struct vestry_crypto_bytes *text)
{
    memset(text, 0, sizeof *text);
    enum vestry_crypto_result ready = vestry_crypto_begin(count);
    if (ready != VESTRY_CRYPTO_OK)
        return ready;
    const uint8_t *end = der;
    X509_NAME *name = crypto.d2i_X509_NAME(NULL, &end, (long)count);
    int done = name && end == der + count && print_name(text, name);
    if (!done)
        vestry_crypto_free(text);
    crypto.X509_NAME_free(name);
    return vestry_crypto_end(done);
}
