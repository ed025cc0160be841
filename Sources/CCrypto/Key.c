#define _GNU_SOURCE
#include "Library.h"

#include <stdlib.h>
#include <string.h>

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

static int describe(EVP_PKEY *pkey, int is_private, struct vestry_key *out)
{
    if (!hash_public_key(pkey, out->public_key_hash))
        return 0;
    out->is_private = is_private;
    out->bits = crypto.EVP_PKEY_get_bits(pkey);
    switch (crypto.EVP_PKEY_get_base_id(pkey)) {
    case EVP_PKEY_RSA:
        out->algorithm = VESTRY_KEY_RSA;
        break;
    case EVP_PKEY_EC:
        out->algorithm = VESTRY_KEY_EC;
        break;
    default:
        out->algorithm = VESTRY_KEY_OTHER;
    }
    return 1;
}

static EVP_PKEY *read_der(const uint8_t *der, size_t count, int *is_private)
{
    const uint8_t *end = der;
    /* libcrypto zeroes the numbers of a private key when it frees them. */
    EVP_PKEY *pkey = crypto.d2i_AutoPrivateKey(NULL, &end, (long)count);
    *is_private = pkey != NULL;
    if (!pkey) {
        end = der;
        pkey = crypto.d2i_PUBKEY(NULL, &end, (long)count);
    }
    if (!pkey) {
        end = der;
        pkey = crypto.d2i_PublicKey(EVP_PKEY_RSA, NULL, &end, (long)count);
    }
    if (pkey && end == der + count)
        return pkey;
    crypto.EVP_PKEY_free(pkey);
    return NULL;
}

/* The curves that Apple has, by the bytes of a coordinate. */
static const struct curve {
    char name[16];
    size_t size;
} curves[] = { { "P-256", 32 }, { "P-384", 48 }, { "P-521", 66 } };

#define MAXIMUM_COORDINATE_SIZE 66

/* 04, X, Y, and of a private key K: X9.63. */
static EVP_PKEY *read_point(const uint8_t *bytes, size_t count, int is_private)
{
    const struct curve *curve = NULL;
    for (size_t i = 0; i < sizeof curves / sizeof *curves; i++)
        if (count == 1 + curves[i].size * (is_private ? 3 : 2))
            curve = &curves[i];
    if (!curve)
        return NULL;
    char name[sizeof curve->name];
    memcpy(name, curve->name, sizeof name);
    size_t point_size = 1 + 2 * curve->size;
    /* A number among parameters is in the machine's byte order. */
    uint8_t number[MAXIMUM_COORDINATE_SIZE];
    if (is_private)
        for (size_t i = 0; i < curve->size; i++)
#if __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
            number[i] = bytes[count - 1 - i];
#else
            number[i] = bytes[point_size + i];
#endif
    OSSL_PARAM parameters[] = {
        crypto.OSSL_PARAM_construct_utf8_string(OSSL_PKEY_PARAM_GROUP_NAME, name, 0),
        crypto.OSSL_PARAM_construct_octet_string(
            OSSL_PKEY_PARAM_PUB_KEY, (void *)bytes, point_size),
        is_private
            ? crypto.OSSL_PARAM_construct_BN(OSSL_PKEY_PARAM_PRIV_KEY, number, curve->size)
            : crypto.OSSL_PARAM_construct_end(),
        crypto.OSSL_PARAM_construct_end(),
    };
    EVP_PKEY *pkey = NULL;
    EVP_PKEY_CTX *context = crypto.EVP_PKEY_CTX_new_from_name(NULL, "EC", NULL);
    if (!context || crypto.EVP_PKEY_fromdata_init(context) <= 0
        || crypto.EVP_PKEY_fromdata(context, &pkey, EVP_PKEY_KEYPAIR, parameters) <= 0)
        pkey = NULL;
    crypto.EVP_PKEY_CTX_free(context);
    explicit_bzero(number, sizeof number);
    return pkey;
}

static EVP_PKEY *read_key(
    const uint8_t *bytes, size_t count, enum vestry_key_form form, int *is_private)
{
    if (form == VESTRY_KEY_DER)
        return read_der(bytes, count, is_private);
    *is_private = form == VESTRY_KEY_PRIVATE_POINT;
    return read_point(bytes, count, *is_private);
}

enum vestry_crypto_result vestry_key_read(
    const uint8_t *bytes, size_t count, enum vestry_key_form form, struct vestry_key *key)
{
    memset(key, 0, sizeof *key);
    enum vestry_crypto_result ready = vestry_crypto_begin(count);
    if (ready != VESTRY_CRYPTO_OK)
        return ready;
    int is_private = 0;
    EVP_PKEY *pkey = read_key(bytes, count, form, &is_private);
    int done = pkey && describe(pkey, is_private, key);
    crypto.EVP_PKEY_free(pkey);
    return vestry_crypto_end(done);
}

/* PKCS #1 for RSA, the point for EC. */
static int export_public(EVP_PKEY *pkey, struct vestry_crypto_bytes *out)
{
    unsigned char *bytes = NULL;
    int count = crypto.i2d_PublicKey(pkey, &bytes);
    return vestry_crypto_take(out, bytes, count);
}

static int export_private(EVP_PKEY *pkey, struct vestry_crypto_bytes *out)
{
    if (crypto.EVP_PKEY_get_base_id(pkey) != EVP_PKEY_EC) {
        unsigned char *bytes = NULL;
        int count = crypto.i2d_PrivateKey(pkey, &bytes);
        return vestry_crypto_take(out, bytes, count);
    }
    struct vestry_crypto_bytes point = { NULL, 0 };
    BIGNUM *number = NULL;
    int done = 0;
    /* A compressed point has no room for its Y, and its form no room for K. */
    if (export_public(pkey, &point) && point.count > 0 && point.bytes[0] == 4
        && crypto.EVP_PKEY_get_bn_param(pkey, OSSL_PKEY_PARAM_PRIV_KEY, &number)) {
        size_t size = (point.count - 1) / 2;
        out->count = point.count + size;
        out->bytes = malloc(out->count);
        if (out->bytes) {
            memcpy(out->bytes, point.bytes, point.count);
            done = crypto.BN_bn2binpad(number, out->bytes + point.count, (int)size) == (int)size;
        }
    }
    crypto.BN_clear_free(number);
    vestry_crypto_free(&point);
    return done;
}

enum vestry_crypto_result vestry_key_export(
    const uint8_t *bytes, size_t count, enum vestry_key_form form, int wants_public,
    struct vestry_crypto_bytes *out)
{
    memset(out, 0, sizeof *out);
    enum vestry_crypto_result ready = vestry_crypto_begin(count);
    if (ready != VESTRY_CRYPTO_OK)
        return ready;
    int is_private = 0;
    EVP_PKEY *pkey = read_key(bytes, count, form, &is_private);
    int done = pkey
        && (is_private && !wants_public ? export_private(pkey, out) : export_public(pkey, out));
    if (!done)
        vestry_crypto_free(out);
    crypto.EVP_PKEY_free(pkey);
    return vestry_crypto_end(done);
}

enum vestry_crypto_result vestry_certificate_key(
    const uint8_t *der, size_t count, struct vestry_key *key, struct vestry_crypto_bytes *out)
{
    memset(key, 0, sizeof *key);
    memset(out, 0, sizeof *out);
    enum vestry_crypto_result ready = vestry_crypto_begin(count);
    if (ready != VESTRY_CRYPTO_OK)
        return ready;
    const uint8_t *end = der;
    X509 *x509 = crypto.d2i_X509(NULL, &end, (long)count);
    EVP_PKEY *pkey = x509 ? crypto.X509_get0_pubkey(x509) : NULL;
    int done = pkey && describe(pkey, 0, key) && export_public(pkey, out);
    if (!done)
        vestry_crypto_free(out);
    crypto.X509_free(x509);
    return vestry_crypto_end(done);
}
