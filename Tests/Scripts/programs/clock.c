/* A preload library: the clock stands at CLOCK_SECONDS after 1970. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdlib.h>
#include <time.h>

static time_t now(void) { return atol(getenv("CLOCK_SECONDS")); }

int clock_gettime(clockid_t clock, struct timespec *result)
{
    static int (*real)(clockid_t, struct timespec *);
    if (!real)
        real = (int (*)(clockid_t, struct timespec *))dlsym(RTLD_NEXT, "clock_gettime");
    if (clock != CLOCK_REALTIME)
        return real(clock, result);
    result->tv_sec = now();
    result->tv_nsec = 0;
    return 0;
}

time_t time(time_t *result)
{
    if (result)
        *result = now();
    return now();
}
