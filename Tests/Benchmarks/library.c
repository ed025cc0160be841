/*
 * What libvestry costs in a process: the time to load it, and medians of gets.
 *
 *     library PATH-OF-THE-LIBRARY ROUNDS    nanoseconds: load, first get, get, get with files kept open
 *     library PATH-OF-THE-LIBRARY once      one get, to be measured from outside
 *     library                               nothing: what the process itself costs
 */
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <vestry.h>

static int (*open_keychain)(unsigned int, vestry_keychain **);
static int (*get)(const vestry_keychain *, const char *, const char *, vestry_secret **);
static void (*free_secret)(vestry_secret *);

static long now(void)
{
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return time.tv_sec * 1000000000L + time.tv_nsec;
}

static void get_once(vestry_keychain *keychain)
{
    vestry_secret *secret;
    if (get(keychain, "db", "app", &secret)) {
        fprintf(stderr, "the secret cannot be read\n");
        exit(1);
    }
    free_secret(secret);
}

static int by_size(const void *left, const void *right)
{
    long difference = *(const long *)left - *(const long *)right;
    return (difference > 0) - (difference < 0);
}

static long median(unsigned int flags, int rounds)
{
    vestry_keychain *keychain;
    long *times = calloc(rounds, sizeof(*times));
    if (!times || open_keychain(flags, &keychain))
        exit(1);
    for (int i = 0; i < rounds; i++) {
        long start = now();
        get_once(keychain);
        times[i] = now() - start;
    }
    qsort(times, rounds, sizeof(*times), by_size);
    return times[rounds / 2];
}

int main(int count, char **arguments)
{
    vestry_keychain *keychain;
    if (count < 3)
        return 0;
    long start = now();
    void *library = dlopen(arguments[1], RTLD_NOW);
    long loaded = now();
    if (!library) {
        fprintf(stderr, "%s\n", dlerror());
        return 1;
    }
    *(void **)&open_keychain = dlsym(library, "vestry_keychain_open");
    *(void **)&get = dlsym(library, "vestry_get");
    *(void **)&free_secret = dlsym(library, "vestry_secret_free");
    if (!open_keychain || !get || !free_secret || open_keychain(0, &keychain))
        return 1;
    get_once(keychain);
    long first = now();
    if (!strcmp(arguments[2], "once"))
        return 0;
    int rounds = atoi(arguments[2]);
    if (rounds < 1)
        return 1;
    printf("%ld %ld %ld %ld\n", loaded - start, first - loaded, median(0, rounds),
           median(VESTRY_KEEP_OPEN, rounds));
    return 0;
}
