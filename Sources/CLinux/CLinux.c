#define _GNU_SOURCE
#include "CLinux.h"

#include <errno.h>
#include <fcntl.h>
#include <malloc.h>
#include <pthread.h>
#include <shadow.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <syslog.h>
#include <time.h>
#include <unistd.h>

int vestry_setresgid(uint32_t real, uint32_t effective, uint32_t saved)
{
    return setresgid(real, effective, saved);
}

int vestry_setresuid(uint32_t real, uint32_t effective, uint32_t saved)
{
    return setresuid(real, effective, saved);
}

int vestry_set_not_dumpable(void)
{
    return prctl(PR_SET_DUMPABLE, 0, 0, 0, 0);
}

int vestry_forbid_core_dumps(void)
{
    const struct rlimit none = { 0, 0 };
    return setrlimit(RLIMIT_CORE, &none);
}

void vestry_lift_resource_limits(void)
{
    static const int resources[] = { RLIMIT_AS, RLIMIT_DATA, RLIMIT_FSIZE, RLIMIT_MEMLOCK };
    for (size_t index = 0; index < sizeof resources / sizeof *resources; index++) {
        const struct rlimit unlimited = { RLIM_INFINITY, RLIM_INFINITY };
        struct rlimit limit;
        if (setrlimit(resources[index], &unlimited) == 0)
            continue;
        /* Without CAP_SYS_RESOURCE, as in a user namespace, the hard limit is the most. */
        if (getrlimit(resources[index], &limit) == 0) {
            limit.rlim_cur = limit.rlim_max;
            (void)setrlimit(resources[index], &limit);
        }
    }
}

int vestry_try_write_lock(int descriptor, int64_t start, int64_t count)
{
    struct flock lock = {
        .l_type = F_WRLCK, .l_whence = SEEK_SET, .l_start = start, .l_len = count
    };
    return fcntl(descriptor, F_OFD_SETLK, &lock);
}

int vestry_unlock(int descriptor, int64_t start, int64_t count)
{
    struct flock lock = {
        .l_type = F_UNLCK, .l_whence = SEEK_SET, .l_start = start, .l_len = count
    };
    return fcntl(descriptor, F_OFD_SETLK, &lock);
}

void vestry_log(int priority, const char *line)
{
    syslog(LOG_AUTHPRIV | priority, "%s", line);
}

int vestry_peer_user(int socket, uint32_t *user)
{
    struct ucred peer;
    socklen_t size = sizeof peer;
    if (getsockopt(socket, SOL_SOCKET, SO_PEERCRED, &peer, &size) != 0)
        return -1;
    *user = peer.uid;
    return 0;
}

int vestry_openat(int directory, const char *name, int flags, uint32_t mode)
{
    return openat(directory, name, flags, mode);
}

int vestry_rename_without_replacing(int directory, const char *from, const char *to)
{
    return renameat2(directory, from, directory, to, RENAME_NOREPLACE);
}

int vestry_signal_descriptor(const int *signals, int count)
{
    sigset_t set;
    sigemptyset(&set);
    for (int i = 0; i < count; i++)
        sigaddset(&set, signals[i]);
    return signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK);
}

/* New uses wait behind a fork that waits, or many threads would never let one through. A use within a
 * use waits too then, but no longer than the fork does. */
static pthread_rwlock_t uses = PTHREAD_RWLOCK_WRITER_NONRECURSIVE_INITIALIZER_NP;
static pthread_mutex_t turn = PTHREAD_MUTEX_INITIALIZER;
static pthread_once_t fork_handlers = PTHREAD_ONCE_INIT;
static int fork_waited;
static int forked_in_use;
static int fork_generation;

static struct timespec after(int64_t milliseconds)
{
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    time.tv_sec += milliseconds / 1000;
    time.tv_nsec += milliseconds % 1000 * 1000000;
    if (time.tv_nsec >= 1000000000) {
        time.tv_sec += 1;
        time.tv_nsec -= 1000000000;
    }
    return time;
}

static void before_fork(void)
{
    struct timespec end = after(1000);
    fork_waited = pthread_rwlock_clockwrlock(&uses, CLOCK_MONOTONIC, &end) == 0;
}

static void after_fork_in_parent(void)
{
    if (fork_waited)
        pthread_rwlock_unlock(&uses);
}

/* The thread that forked is the only one: nobody else holds anything here. */
static void after_fork_in_child(void)
{
    if (!fork_waited)
        forked_in_use = 1;
    fork_generation++;
    uses = (pthread_rwlock_t)PTHREAD_RWLOCK_WRITER_NONRECURSIVE_INITIALIZER_NP;
    turn = (pthread_mutex_t)PTHREAD_MUTEX_INITIALIZER;
}

static void handle_forks(void)
{
    pthread_atfork(before_fork, after_fork_in_parent, after_fork_in_child);
}

int vestry_use_begin(void)
{
    pthread_once(&fork_handlers, handle_forks);
    if (forked_in_use)
        return ECANCELED;
    return pthread_rwlock_rdlock(&uses);
}

void vestry_use_end(void)
{
    pthread_rwlock_unlock(&uses);
}

int vestry_fork_generation(void)
{
    pthread_once(&fork_handlers, handle_forks);
    return fork_generation;
}

int vestry_turn_begin(int64_t milliseconds)
{
    struct timespec end = after(milliseconds);
    return pthread_mutex_clocklock(&turn, CLOCK_MONOTONIC, &end);
}

void vestry_turn_end(void)
{
    pthread_mutex_unlock(&turn);
}

static int start_program(
    char *const *arguments, char *const *environment, int input, int output, int32_t *process)
{
    posix_spawn_file_actions_t actions;
    posix_spawnattr_t attributes;
    sigset_t none;
    int error = posix_spawn_file_actions_init(&actions);
    if (error != 0)
        return error;
    error = posix_spawnattr_init(&attributes);
    if (error != 0) {
        posix_spawn_file_actions_destroy(&actions);
        return error;
    }
    sigemptyset(&none);
    if ((error = posix_spawn_file_actions_adddup2(&actions, input, STDIN_FILENO)) == 0 &&
        (error = posix_spawn_file_actions_adddup2(&actions, output, STDOUT_FILENO)) == 0 &&
        (error = posix_spawn_file_actions_addopen(
            &actions, STDERR_FILENO, "/dev/null", O_WRONLY, 0)) == 0 &&
        (error = posix_spawn_file_actions_addclosefrom_np(&actions, STDERR_FILENO + 1)) == 0 &&
        (error = posix_spawnattr_setsigmask(&attributes, &none)) == 0 &&
        (error = posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGMASK)) == 0)
        error = posix_spawnp(
            process, arguments[0], &actions, &attributes, arguments, environment);
    posix_spawnattr_destroy(&attributes);
    posix_spawn_file_actions_destroy(&actions);
    return error;
}

static int start_with_pipes(
    char *const *arguments, char *const *environment, int32_t *process, int *to, int *from)
{
    int input[2], output[2];
    if (pipe2(input, O_CLOEXEC) != 0)
        return errno;
    if (pipe2(output, O_CLOEXEC) != 0) {
        int error = errno;
        close(input[0]);
        close(input[1]);
        return error;
    }
    int error = start_program(arguments, environment, input[0], output[1], process);
    close(input[0]);
    close(output[1]);
    if (error != 0) {
        close(input[1]);
        close(output[0]);
        return error;
    }
    *to = input[1];
    *from = output[0];
    return 0;
}

int vestry_start_program(const char *name, int32_t *process, int *to, int *from)
{
    char *arguments[] = { (char *)name, NULL };
    return start_with_pipes(arguments, environ, process, to, from);
}

int vestry_start_filter(char *const *arguments, int32_t *process, int *to, int *from)
{
    char *nothing[] = { NULL };
    return start_with_pipes(arguments, nothing, process, to, from);
}

int vestry_run_program(char *const *arguments, int32_t *process, int *from)
{
    int output[2];
    int input = open("/dev/null", O_RDONLY | O_CLOEXEC);
    if (input == -1)
        return errno;
    if (pipe2(output, O_CLOEXEC) != 0) {
        int error = errno;
        close(input);
        return error;
    }
    int error = start_program(arguments, environ, input, output[1], process);
    close(input);
    close(output[1]);
    if (error != 0)
        close(output[0]);
    else
        *from = output[0];
    return error;
}

int vestry_read_password_record(const char *name, void *record, size_t capacity)
{
    struct spwd entry, *found = NULL;
    char buffer[8192];
    int size = -1;
    if (getspnam_r(name, &entry, buffer, sizeof buffer, &found) == 0 && found != NULL &&
        found->sp_pwdp != NULL && strlen(found->sp_pwdp) <= capacity) {
        size = (int)strlen(found->sp_pwdp);
        memcpy(record, found->sp_pwdp, (size_t)size);
    }
    explicit_bzero(buffer, sizeof buffer);
    return size;
}

void vestry_overwrite_freed_memory(void)
{
    /* The low byte is what freed memory is filled with; new memory gets its complement, zero. */
    mallopt(M_PERTURB, 0xFF);
}
