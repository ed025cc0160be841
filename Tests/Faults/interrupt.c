/*
 * A preload library: counts the system calls with which a program changes files below one folder, and
 * interrupts the n-th of them.
 *
 *   FAULT_FOLDER   only files below it count
 *   FAULT_AT       which call, from 1; 0 interrupts none
 *   FAULT_WAY      kill: SIGKILL instead of the call; torn: half of a write, then SIGKILL;
 *                  a number: the call fails with this errno; a number and "+": so do all that follow
 *   FAULT_COUNT    a file that gets the count when the program ends, for FAULT_AT 0
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static const char *folder;
static long wanted, count;
static int is_kill, is_torn, is_sticky, failure;

__attribute__((constructor)) static void set_up(void)
{
    const char *text = getenv("FAULT_AT"), *way = getenv("FAULT_WAY");
    folder = getenv("FAULT_FOLDER");
    wanted = text ? atol(text) : 0;
    if (!way)
        return;
    is_kill = strcmp(way, "kill") == 0;
    is_torn = strcmp(way, "torn") == 0;
    failure = atoi(way);
    is_sticky = strchr(way, '+') != NULL;
}

__attribute__((destructor)) static void report(void)
{
    const char *path = getenv("FAULT_COUNT");
    FILE *file = path ? fopen(path, "w") : NULL;
    if (!file)
        return;
    fprintf(file, "%ld\n", count);
    fclose(file);
}

static int counts_file(int descriptor)
{
    char link[64], path[512];
    ssize_t size;
    if (!folder)
        return 0;
    snprintf(link, sizeof link, "/proc/self/fd/%d", descriptor);
    size = readlink(link, path, sizeof path - 1);
    if (size <= 0)
        return 0;
    path[size] = 0;
    return path[0] == '/' && strncmp(path, folder, strlen(folder)) == 0;
}

static int counts_path(int directory, const char *path)
{
    if (path[0] != '/')
        return directory != AT_FDCWD && counts_file(directory);
    return folder && strncmp(path, folder, strlen(folder)) == 0;
}

/* Whether the call is to fail; does not return when it is the end. */
static int interrupts(void)
{
    count++;
    if (wanted == 0 || count < wanted || (count > wanted && !is_sticky))
        return 0;
    if (is_kill)
        kill(getpid(), SIGKILL);
    if (failure == 0)
        return 0;
    errno = failure;
    return 1;
}

static int tears(void) { return is_torn && count == wanted; }

#define REAL(result, name, ...)                                                \
    static result (*real)(__VA_ARGS__);                                        \
    if (!real)                                                                 \
        real = (result (*)(__VA_ARGS__))dlsym(RTLD_NEXT, #name)

ssize_t write(int descriptor, const void *bytes, size_t size)
{
    REAL(ssize_t, write, int, const void *, size_t);
    if (counts_file(descriptor)) {
        if (interrupts())
            return -1;
        if (tears()) {
            real(descriptor, bytes, size / 2);
            kill(getpid(), SIGKILL);
        }
    }
    return real(descriptor, bytes, size);
}

#define POSITIONED_WRITE(name, offset_type)                                    \
    ssize_t name(int descriptor, const void *bytes, size_t size,               \
                 offset_type offset)                                           \
    {                                                                          \
        REAL(ssize_t, name, int, const void *, size_t, offset_type);           \
        if (counts_file(descriptor)) {                                         \
            if (interrupts())                                                  \
                return -1;                                                     \
            if (tears()) {                                                     \
                real(descriptor, bytes, size / 2, offset);                     \
                kill(getpid(), SIGKILL);                                       \
            }                                                                  \
        }                                                                      \
        return real(descriptor, bytes, size, offset);                          \
    }

POSITIONED_WRITE(pwrite, off_t)
POSITIONED_WRITE(pwrite64, off64_t)

#define ON_FILE(name, parameters, arguments, ...)                              \
    int name parameters                                                        \
    {                                                                          \
        REAL(int, name, __VA_ARGS__);                                          \
        if (counts_file(descriptor) && interrupts())                           \
            return -1;                                                         \
        return real arguments;                                                 \
    }

ON_FILE(fsync, (int descriptor), (descriptor), int)
ON_FILE(fdatasync, (int descriptor), (descriptor), int)
ON_FILE(ftruncate, (int descriptor, off_t size), (descriptor, size), int, off_t)
ON_FILE(ftruncate64, (int descriptor, off64_t size), (descriptor, size), int, off64_t)
ON_FILE(fchmod, (int descriptor, mode_t mode), (descriptor, mode), int, mode_t)

#define ON_PATH(name, directory, path, parameters, arguments, ...)                        \
    int name parameters                                                        \
    {                                                                          \
        REAL(int, name, __VA_ARGS__);                                          \
        if (counts_path(directory, path) && interrupts())                      \
            return -1;                                                         \
        return real arguments;                                                 \
    }

ON_PATH(unlink, AT_FDCWD, path, (const char *path), (path), const char *)
ON_PATH(unlinkat, at, path, (int at, const char *path, int flags), (at, path, flags), int,
        const char *, int)
ON_PATH(rename, AT_FDCWD, to, (const char *from, const char *to), (from, to), const char *, const char *)
ON_PATH(renameat, to_folder, to, (int from_folder, const char *from, int to_folder, const char *to),
        (from_folder, from, to_folder, to), int, const char *, int, const char *)
ON_PATH(renameat2, to_folder, to,
        (int from_folder, const char *from, int to_folder, const char *to, unsigned flags),
        (from_folder, from, to_folder, to, flags), int, const char *, int, const char *, unsigned)
ON_PATH(linkat, to_folder, to,
        (int from_folder, const char *from, int to_folder, const char *to, int flags),
        (from_folder, from, to_folder, to, flags), int, const char *, int, const char *, int)
ON_PATH(mkdirat, at, path, (int at, const char *path, mode_t mode), (at, path, mode), int,
        const char *, mode_t)

/* Opening counts where it makes a file. */
#define OPENING(name)                                                          \
    int name(int at, const char *path, int flags, ...)                         \
    {                                                                          \
        mode_t mode = 0;                                                       \
        REAL(int, name, int, const char *, int, ...);                          \
        if (flags & (O_CREAT | O_TMPFILE)) {                                   \
            va_list arguments;                                                 \
            va_start(arguments, flags);                                        \
            mode = va_arg(arguments, mode_t);                                  \
            va_end(arguments);                                                 \
        }                                                                      \
        if (flags & O_CREAT && counts_path(at, path) && interrupts())          \
            return -1;                                                         \
        return real(at, path, flags, mode);                     \
    }

OPENING(openat)
OPENING(openat64)

#define PLAIN_OPENING(name)                                                    \
    int name(const char *path, int flags, ...)                                 \
    {                                                                          \
        mode_t mode = 0;                                                       \
        REAL(int, name, const char *, int, ...);                               \
        if (flags & (O_CREAT | O_TMPFILE)) {                                   \
            va_list arguments;                                                 \
            va_start(arguments, flags);                                        \
            mode = va_arg(arguments, mode_t);                                  \
            va_end(arguments);                                                 \
        }                                                                      \
        if (flags & O_CREAT && counts_path(AT_FDCWD, path) && interrupts())              \
            return -1;                                                         \
        return real(path, flags, mode);                                        \
    }

PLAIN_OPENING(open)
PLAIN_OPENING(open64)
