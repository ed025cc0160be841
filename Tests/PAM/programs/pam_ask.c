/*
 * The module that asks, in the tests' stacks. In every group it returns `result=N` (0), and before
 * that, in the auth and password groups, does what its arguments say in their order:
 *
 *   ask         ask for the password through libpam, as pam_unix does, and compare it with `is=HEX`
 *   token=HEX   set PAM_AUTHTOK to these bytes; "token=" to an empty one
 *   old=HEX     set PAM_OLDAUTHTOK
 *   early=HEX   set PAM_AUTHTOK, also in the preliminary phase of a password change
 *   user=NAME   set PAM_USER
 *   is=HEX      PAM_AUTH_ERR when the password is another one (bytes masked with 0x5A)
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <security/pam_ext.h>
#include <security/pam_modules.h>

static void set(pam_handle_t *handle, int item, const char *text)
{
    size_t count = strlen(text) / 2;
    char *value = calloc(1, count + 1);
    for (size_t i = 0; i < count; i++) {
        unsigned byte = 0;
        sscanf(text + 2 * i, "%2x", &byte);
        value[i] = (char)byte;
    }
    pam_set_item(handle, item, value);
    memset(value, 0, count);
    free(value);
}

static int differs(const char *token, const char *text)
{
    size_t count = strlen(text) / 2;
    if (strlen(token) != count)
        return 1;
    for (size_t i = 0; i < count; i++) {
        unsigned byte = 0;
        sscanf(text + 2 * i, "%2x", &byte);
        if (((unsigned char)token[i] ^ 0x5A) != byte)
            return 1;
    }
    return 0;
}

static int act(pam_handle_t *handle, int sets, int count, const char **list)
{
    int result = PAM_SUCCESS;
    for (int i = 0; i < count; i++) {
        const char *token = NULL;
        if (strncmp(list[i], "result=", 7) == 0)
            result = atoi(list[i] + 7);
        if (strncmp(list[i], "early=", 6) == 0)
            set(handle, PAM_AUTHTOK, list[i] + 6);
        if (!sets)
            continue;
        if (strcmp(list[i], "ask") == 0) {
            if (pam_get_authtok(handle, PAM_AUTHTOK, &token, NULL) != PAM_SUCCESS)
                result = PAM_AUTH_ERR;
        } else if (strncmp(list[i], "token=", 6) == 0) {
            set(handle, PAM_AUTHTOK, list[i] + 6);
        } else if (strncmp(list[i], "old=", 4) == 0) {
            set(handle, PAM_OLDAUTHTOK, list[i] + 4);
        } else if (strncmp(list[i], "user=", 5) == 0) {
            pam_set_item(handle, PAM_USER, list[i] + 5);
        } else if (strncmp(list[i], "is=", 3) == 0) {
            if (pam_get_item(handle, PAM_AUTHTOK, (const void **)&token) != PAM_SUCCESS || !token
                || differs(token, list[i] + 3))
                result = PAM_AUTH_ERR;
        }
    }
    return result;
}

#define ENTRY(name, sets)                                                          \
    int name(pam_handle_t *handle, int flags, int count, const char **list)       \
    {                                                                             \
        (void)flags;                                                              \
        return act(handle, sets, count, list);                                    \
    }

ENTRY(pam_sm_authenticate, 1)
ENTRY(pam_sm_setcred, 0)
ENTRY(pam_sm_acct_mgmt, 0)
ENTRY(pam_sm_open_session, 0)
ENTRY(pam_sm_close_session, 0)
ENTRY(pam_sm_chauthtok, flags &PAM_UPDATE_AUTHTOK)
