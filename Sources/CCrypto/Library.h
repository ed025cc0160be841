#ifndef VESTRY_CCRYPTO_LIBRARY_H
#define VESTRY_CCRYPTO_LIBRARY_H

#include "CCrypto.h"

#include <openssl/asn1.h>
#include <openssl/bio.h>
#include <openssl/bn.h>
#include <openssl/core_names.h>
#include <openssl/err.h>
#include <openssl/evp.h>
#include <openssl/pem.h>
#include <openssl/x509.h>
#include <openssl/x509v3.h>

/* Every function of libcrypto that is used, so that one list declares and loads them. */
#define VESTRY_CRYPTO_FUNCTIONS(X)                                                                \
    X(d2i_X509) X(X509_free) X(X509_get_version) X(X509_get_subject_name)                         \
    X(X509_get_issuer_name) X(X509_get_serialNumber) X(X509_get0_subject_key_id)                  \
    X(X509_get0_pubkey) X(X509_pubkey_digest) X(X509_get0_notBefore) X(X509_get0_notAfter)        \
    X(X509_get1_email) X(X509_email_free) X(i2d_X509_NAME) X(d2i_X509_NAME) X(X509_NAME_free)     \
    X(X509_NAME_print_ex) X(X509_NAME_entry_count) X(X509_NAME_get_index_by_NID)                  \
    X(X509_NAME_get_entry) X(X509_NAME_ENTRY_get_data) X(i2d_ASN1_INTEGER) X(ASN1_get_object)     \
    X(ASN1_STRING_get0_data) X(ASN1_STRING_length) X(ASN1_STRING_to_UTF8) X(ASN1_TIME_to_tm)      \
    X(OPENSSL_sk_num) X(OPENSSL_sk_value) X(OPENSSL_sk_new_null) X(OPENSSL_sk_push)               \
    X(OPENSSL_sk_free) X(BIO_new) X(BIO_s_mem) X(BIO_free) X(BIO_read) X(BIO_ctrl_pending)        \
    X(CRYPTO_free) X(CRYPTO_clear_free) X(EVP_sha1) X(EVP_Digest) X(d2i_AutoPrivateKey)           \
    X(d2i_PUBKEY) X(d2i_PublicKey) X(i2d_PrivateKey) X(i2d_PublicKey) X(EVP_PKEY_free)            \
    X(EVP_PKEY_get_bits) X(EVP_PKEY_get_base_id) X(EVP_PKEY_CTX_new_from_name)                    \
    X(EVP_PKEY_CTX_free) X(EVP_PKEY_fromdata_init) X(EVP_PKEY_fromdata) X(EVP_PKEY_get_bn_param)  \
    X(BN_bn2binpad) X(BN_clear_free) X(OSSL_PARAM_construct_utf8_string)                          \
    X(OSSL_PARAM_construct_octet_string) X(OSSL_PARAM_construct_BN) X(OSSL_PARAM_construct_end)   \
    X(X509_PUBKEY_set) X(X509_PUBKEY_get0_param) X(X509_PUBKEY_free) X(X509_STORE_new)            \
    X(X509_STORE_free) X(X509_STORE_set_default_paths) X(X509_STORE_add_cert)                     \
    X(X509_STORE_CTX_new) X(X509_STORE_CTX_init) X(X509_STORE_CTX_free)                           \
    X(X509_STORE_CTX_get0_param) X(X509_VERIFY_PARAM_set_time) X(X509_VERIFY_PARAM_set_purpose)   \
    X(X509_VERIFY_PARAM_set1_host) X(X509_VERIFY_PARAM_set1_ip_asc) X(X509_verify_cert)           \
    X(BIO_new_mem_buf) X(PEM_read_bio) X(ERR_set_mark) X(ERR_pop_to_mark)                         \
    X(ERR_peek_last_error)

struct vestry_crypto_library {
#define DECLARE(name) __typeof__(&name) name;
    VESTRY_CRYPTO_FUNCTIONS(DECLARE)
#undef DECLARE
};

/* Filled by the first vestry_crypto_begin. */
extern struct vestry_crypto_library vestry_crypto;
#define crypto vestry_crypto

/* Loads the library, and remembers which errors are of the program's own. */
enum vestry_crypto_result vestry_crypto_begin(size_t input_count);

/* Forgets our errors: a program that uses OpenSSL itself finds its own only. */
enum vestry_crypto_result vestry_crypto_end(int done);

/* Copies bytes; whether there was memory for it. */
int vestry_crypto_copy(struct vestry_crypto_bytes *out, const void *bytes, size_t count);

/* The same of what the library has allocated, with a length or -1; frees that. */
int vestry_crypto_take(struct vestry_crypto_bytes *out, unsigned char *bytes, int count);

#endif
