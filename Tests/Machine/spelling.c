/* A source of accounts for nsswitch.conf(5) that takes capital letters in a name for small ones, as
 * directories do: the record is the one of /etc/passwd. */
#include <ctype.h>
#include <errno.h>
#include <nss.h>
#include <pwd.h>
#include <shadow.h>
#include <stdio.h>
#include <string.h>

static int lowered(const char *name, char *lower, size_t size)
{
    size_t count = strlen(name);
    if (count >= size)
        return 0;
    for (size_t i = 0; i <= count; i++)
        lower[i] = (char)tolower((unsigned char)name[i]);
    return strcmp(name, lower) != 0;
}

enum nss_status _nss_spelling_getpwnam_r(const char *name, struct passwd *record, char *buffer,
                                         size_t size, int *error)
{
    char lower[256];
    struct passwd *found = NULL;
    FILE *file = lowered(name, lower, sizeof lower) ? fopen("/etc/passwd", "re") : NULL;
    if (file == NULL)
        return NSS_STATUS_NOTFOUND;
    while ((*error = fgetpwent_r(file, record, buffer, size, &found)) == 0 &&
           strcmp(found->pw_name, lower) != 0)
        ;
    fclose(file);
    return *error == 0 ? NSS_STATUS_SUCCESS
                       : *error == ERANGE ? NSS_STATUS_TRYAGAIN : NSS_STATUS_NOTFOUND;
}

enum nss_status _nss_spelling_getspnam_r(const char *name, struct spwd *record, char *buffer,
                                         size_t size, int *error)
{
    char lower[256];
    struct spwd *found = NULL;
    FILE *file = lowered(name, lower, sizeof lower) ? fopen("/etc/shadow", "re") : NULL;
    if (file == NULL)
        return NSS_STATUS_NOTFOUND;
    while ((*error = fgetspent_r(file, record, buffer, size, &found)) == 0 &&
           strcmp(found->sp_namp, lower) != 0)
        ;
    fclose(file);
    return *error == 0 ? NSS_STATUS_SUCCESS
                       : *error == ERANGE ? NSS_STATUS_TRYAGAIN : NSS_STATUS_NOTFOUND;
}
