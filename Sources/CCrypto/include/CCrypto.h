#ifndef VESTRY_CCRYPTO_H
#define VESTRY_CCRYPTO_H

#include <stddef.h>
#include <stdint.h>

/*
 * What Vestry needs to know of certificates and keys, read by OpenSSL's libcrypto.
 *
 * The library is loaded by the first call, not with the program: that costs 1.5 ms, as much as
 * everything else that happens before a password is read, and few programs ever see a certificate.
 */

enum vestry_crypto_result {
    VESTRY_CRYPTO_OK = 0,
    /* Not DER of the kind asked for, or something after it. */
    VESTRY_CRYPTO_MALFORMED = 1,
    /* libcrypto.so.3 is not there, or lacks a function. */
    VESTRY_CRYPTO_UNAVAILABLE = 2,
    VESTRY_CRYPTO_NO_MEMORY = 3,
};

/* Bytes from malloc(3). */
struct vestry_crypto_bytes {
    uint8_t *bytes;
    size_t count;
};

/* Wipes them first. */
void vestry_crypto_free(struct vestry_crypto_bytes *bytes);

#define VESTRY_CRYPTO_HASH_SIZE 20

struct vestry_certificate {
    /* 1 to 3: X.509 v1 to v3. */
    int64_t version;
    /* DER of the names. */
    struct vestry_crypto_bytes subject, issuer;
    /* The same, and the subject's most telling part, for people: UTF-8 (RFC 2253). */
    struct vestry_crypto_bytes subject_text, summary;
    /* Contents of the DER. */
    struct vestry_crypto_bytes serial;
    /* Of the extension; count 0 where there is none. */
    struct vestry_crypto_bytes subject_key_id;
    /* SHA-1 of the public key's bits. */
    uint8_t public_key_hash[VESTRY_CRYPTO_HASH_SIZE];
    /* Seconds since 1970. */
    int64_t not_before, not_after;
    /* Addresses in subject and alternative names, each ended by a line feed. */
    struct vestry_crypto_bytes email_addresses;
};

enum vestry_key_algorithm {
    VESTRY_KEY_OTHER = 0,
    VESTRY_KEY_RSA = 1,
    VESTRY_KEY_EC = 2,
};

struct vestry_key {
    enum vestry_key_algorithm algorithm;
    int is_private;
    int64_t bits;
    uint8_t public_key_hash[VESTRY_CRYPTO_HASH_SIZE];
};

/* Reads one certificate; on success the caller frees it. */
enum vestry_crypto_result vestry_certificate_read(
    const uint8_t *der, size_t count, struct vestry_certificate *certificate);

void vestry_certificate_free(struct vestry_certificate *certificate);

enum vestry_key_form {
    /*
     * A private key (PKCS #8, or PKCS #1 or SEC 1 of RSA and EC) or a public key
     * (SubjectPublicKeyInfo, or PKCS #1 of RSA).
     */
    VESTRY_KEY_DER = 0,
    /* ANSI X9.63: 04, X and Y of P-256, P-384 or P-521; and after them K of a private key. */
    VESTRY_KEY_PUBLIC_POINT = 1,
    VESTRY_KEY_PRIVATE_POINT = 2,
};

enum vestry_crypto_result vestry_key_read(
    const uint8_t *bytes, size_t count, enum vestry_key_form form, struct vestry_key *key);

/*
 * The same key, or its public half, in the form that Apple exports: PKCS #1 of RSA, X9.63 of EC. On
 * success the caller frees the bytes.
 */
enum vestry_crypto_result vestry_key_export(
    const uint8_t *bytes, size_t count, enum vestry_key_form form, int wants_public,
    struct vestry_crypto_bytes *out);

/* A certificate's public key in that form. */
enum vestry_crypto_result vestry_certificate_key(
    const uint8_t *der, size_t count, struct vestry_key *key, struct vestry_crypto_bytes *out);

enum vestry_purpose {
    VESTRY_PURPOSE_ANY = 0,
    VESTRY_PURPOSE_TLS_SERVER = 1,
    VESTRY_PURPOSE_TLS_CLIENT = 2,
};

struct vestry_trust_policy {
    enum vestry_purpose purpose;
    /* A host name or an address that the certificate must be for; NULL for none. */
    const char *host;
    /* Seconds since 1970. */
    int64_t time;
};

/*
 * Whether a chain of certificates, the one in question first, the others in any order, leads to an
 * anchor. All of them are DER, one after the other; without anchors (NULL) they are those that
 * OpenSSL is installed with.
 */
enum vestry_crypto_result vestry_certificates_verify(
    const uint8_t *chain, size_t count, const uint8_t *anchors, size_t anchors_count,
    const struct vestry_trust_policy *policy, int *is_trusted);

/* The readable form (RFC 2253, UTF-8) of a name in DER; the caller frees the bytes. */
enum vestry_crypto_result vestry_name_text(
    const uint8_t *der, size_t count, struct vestry_crypto_bytes *text);

enum vestry_pem_kind {
    VESTRY_PEM_CERTIFICATE = 0,
    /* Private or public. */
    VESTRY_PEM_KEY = 1,
};

enum vestry_pem_result {
    VESTRY_PEM_OK = 0,
    /* No block of the kind, or a broken one. */
    VESTRY_PEM_NONE = 1,
    VESTRY_PEM_SEVERAL = 2,
    /* With a password of its own. */
    VESTRY_PEM_ENCRYPTED = 3,
    VESTRY_PEM_UNAVAILABLE = 4,
    VESTRY_PEM_NO_MEMORY = 5,
};

/*
 * The DER of the one certificate or key in a text (RFC 7468); blocks of other kinds, such as EC
 * parameters before a key, are passed over. On success the caller frees the bytes with
 * vestry_crypto_free.
 */
enum vestry_pem_result vestry_pem_read(
    const uint8_t *text, size_t count, enum vestry_pem_kind kind, struct vestry_crypto_bytes *der);

#endif
