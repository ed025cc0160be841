#define _GNU_SOURCE
#include "Library.h"

#include <string.h>

/* The certificates that stand one after the other; NULL where they are anything else. */
static OPENSSL_STACK *read_all(const uint8_t *der, size_t count)
{
    OPENSSL_STACK *all = crypto.OPENSSL_sk_new_null();
    const uint8_t *next = der;
    while (all && next < der + count) {
        X509 *x509 = crypto.d2i_X509(NULL, &next, (long)(der + count - next));
        if (x509 && crypto.OPENSSL_sk_push(all, x509) > 0)
            continue;
        crypto.X509_free(x509);
        break;
    }
    return all;
}

static void free_all(OPENSSL_STACK *all)
{
    for (int i = 0; all && i < crypto.OPENSSL_sk_num(all); i++)
        crypto.X509_free(crypto.OPENSSL_sk_value(all, i));
    crypto.OPENSSL_sk_free(all);
}

static int add_anchors(X509_STORE *store, const uint8_t *anchors, size_t count)
{
    if (!anchors)
        return crypto.X509_STORE_set_default_paths(store);
    OPENSSL_STACK *all = read_all(anchors, count);
    int done = all != NULL;
    for (int i = 0; done && i < crypto.OPENSSL_sk_num(all); i++)
        done = crypto.X509_STORE_add_cert(store, crypto.OPENSSL_sk_value(all, i));
    free_all(all);
    return done;
}

static int set_policy(X509_VERIFY_PARAM *parameters, const struct vestry_trust_policy *policy)
{
    crypto.X509_VERIFY_PARAM_set_time(parameters, (time_t)policy->time);
    int purpose = policy->purpose == VESTRY_PURPOSE_TLS_SERVER ? X509_PURPOSE_SSL_SERVER
        : policy->purpose == VESTRY_PURPOSE_TLS_CLIENT         ? X509_PURPOSE_SSL_CLIENT
                                                               : 0;
    if (purpose && !crypto.X509_VERIFY_PARAM_set_purpose(parameters, purpose))
        return 0;
    return !policy->host || crypto.X509_VERIFY_PARAM_set1_ip_asc(parameters, policy->host)
        || crypto.X509_VERIFY_PARAM_set1_host(parameters, policy->host, strlen(policy->host));
}

enum vestry_crypto_result vestry_certificates_verify(
    const uint8_t *chain, size_t count, const uint8_t *anchors, size_t anchors_count,
    const struct vestry_trust_policy *policy, int *is_trusted)
{
    *is_trusted = 0;
    enum vestry_crypto_result ready = vestry_crypto_begin(count);
    if (ready != VESTRY_CRYPTO_OK)
        return ready;
    OPENSSL_STACK *all = read_all(chain, count);
    X509_STORE *store = crypto.X509_STORE_new();
    X509_STORE_CTX *context = crypto.X509_STORE_CTX_new();
    int done = all && crypto.OPENSSL_sk_num(all) > 0 && store && context
        && add_anchors(store, anchors, anchors_count)
        && crypto.X509_STORE_CTX_init(
            context, store, crypto.OPENSSL_sk_value(all, 0), (STACK_OF(X509) *)all)
        && set_policy(crypto.X509_STORE_CTX_get0_param(context), policy);
    /* What cannot be verified, for whatever reason, is not trusted. */
    if (done)
        *is_trusted = crypto.X509_verify_cert(context) == 1;
    crypto.X509_STORE_CTX_free(context);
    crypto.X509_STORE_free(store);
    free_all(all);
    return vestry_crypto_end(done);
}
