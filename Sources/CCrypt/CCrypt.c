#include "CCrypt.h"

#include <crypt.h>
#include <stdlib.h>
#include <string.h>

int vestry_password_fits(const char *password, const char *record)
{
    /* 32 KiB, too much for a stack. */
    struct crypt_data *data = calloc(1, sizeof *data);
    if (data == NULL)
        return -1;
    int fits = -1;
    const char *made = crypt_r(password, record, data);
    /* What begins with "*" is no record, but a failure (crypt(3)). */
    if (made != NULL && made[0] != '*') {
        size_t size = strlen(record);
        /* Its time tells nobody anything: whoever asks is root, and waits for much longer things. */
        fits = strlen(made) == size && memcmp(made, record, size) == 0;
    }
    explicit_bzero(data, sizeof *data);
    free(data);
    return fits;
}
