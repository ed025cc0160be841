#define _GNU_SOURCE
#include "CPAM.h"

#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/wait.h>

#include <security/pam_ext.h>

#include "../protocol/CUnlockProtocol.h"

/* linux/wait.h; missing in glibc before 2.36. */
#define WAIT_FOR_PIDFD 3

const short vestry_spawn_setsid = POSIX_SPAWN_SETSID;

int vestry_spawn_closes_from(posix_spawn_file_actions_t *actions, int lowest)
{
    return posix_spawn_file_actions_addclosefrom_np(actions, lowest);
}

const char *vestry_helper_path(void)
{
    return VESTRY_HELPER_PATH;
}

const char *vestry_socket_path(void)
{
    return VESTRY_UNLOCK_SOCKET_PATH;
}

void vestry_log(pam_handle_t *handle, int priority, const char *line)
{
    pam_syslog(handle, priority, "%s", line);
}

void vestry_tell(pam_handle_t *handle, const char *line)
{
    pam_info(handle, "%s", line);
}

int vestry_error(void)
{
    return errno;
}

void vestry_set_error(int error)
{
    errno = error;
}

int vestry_peer_user(int socket, uid_t *user)
{
    struct ucred peer;
    socklen_t size = sizeof peer;
    if (getsockopt(socket, SOL_SOCKET, SO_PEERCRED, &peer, &size) != 0)
        return -1;
    *user = peer.uid;
    return 0;
}

int vestry_connect(int socket, const char *path, int milliseconds)
{
    struct timeval limit = {
        .tv_sec = milliseconds / 1000,
        .tv_usec = milliseconds % 1000 * 1000,
    };
    struct sockaddr_un address = { .sun_family = AF_UNIX };
    if (strlen(path) >= sizeof address.sun_path) {
        errno = ENAMETOOLONG;
        return -1;
    }
    strcpy(address.sun_path, path);
    if (setsockopt(socket, SOL_SOCKET, SO_SNDTIMEO, &limit, sizeof limit) != 0)
        return -1;
    return connect(socket, (struct sockaddr *)&address, sizeof address);
}

int vestry_open_process(pid_t process)
{
    return (int)syscall(SYS_pidfd_open, process, 0);
}

int vestry_kill_process(int process)
{
    return (int)syscall(SYS_pidfd_send_signal, process, SIGKILL, NULL, 0);
}

enum vestry_child vestry_reap(int process, pid_t number, int *ended_by)
{
    idtype_t kind = process >= 0 ? (idtype_t)WAIT_FOR_PIDFD : P_PID;
    id_t child = process >= 0 ? (id_t)process : (id_t)number;
    siginfo_t info;
    memset(&info, 0, sizeof info);
    *ended_by = 0;
    while (waitid(kind, child, &info, WEXITED | WNOHANG) != 0)
        if (errno != EINTR)
            return VESTRY_CHILD_UNKNOWN;
    if (info.si_pid == 0)
        return VESTRY_CHILD_RUNS;
    if (info.si_code == CLD_KILLED || info.si_code == CLD_DUMPED)
        *ended_by = info.si_status;
    return VESTRY_CHILD_ENDED;
}

int32_t vestry_add_key(const char *name, const void *payload, size_t count, int32_t keyring)
{
    return (int32_t)syscall(SYS_add_key, "user", name, payload, count, keyring);
}

long vestry_keyctl(int operation, long first, long second, long third, long fourth)
{
    return syscall(SYS_keyctl, operation, first, second, third, fourth);
}
