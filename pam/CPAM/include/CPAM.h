#ifndef VESTRY_CPAM_H
#define VESTRY_CPAM_H

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pwd.h>
#include <signal.h>
#include <spawn.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/random.h>
#include <sys/socket.h>
#include <sys/types.h>
#include <sys/un.h>
#include <syslog.h>
#include <time.h>
#include <unistd.h>

#include <security/pam_modules.h>
#include <security/pam_modutil.h>

/*
 * What Embedded Swift cannot reach: variadic functions, function-like macros,
 * unions, and names that the C library hides behind _GNU_SOURCE.
 */

/* pam_syslog(3) and pam_info(3) with the format fixed to "%s", so that no name
 * that somebody chose is ever a format. */
void vestry_log(pam_handle_t *handle, int priority, const char *line);
void vestry_tell(pam_handle_t *handle, const char *line);

/* errno. */
int vestry_error(void);
void vestry_set_error(int error);

/* SO_PEERCRED: the user who made the other end. */
int vestry_peer_user(int socket, uid_t *user);

/* Connects within `milliseconds`: connect(2) on a full AF_UNIX backlog waits
 * as long as the send time-out says (unix(7), socket(7)). */
int vestry_connect(int socket, const char *path, int milliseconds);

extern const short vestry_spawn_setsid;
int vestry_spawn_closes_from(posix_spawn_file_actions_t *actions, int lowest);

/* The program of VESTRY_HELPER_PATH and the socket of VESTRY_UNLOCK_SOCKET_PATH
 * as C strings that live forever. */
const char *vestry_helper_path(void);
const char *vestry_socket_path(void);

/* pidfd_open(2); the C library's own is newer than some that we run on. */
int vestry_open_process(pid_t process);
int vestry_kill_process(int process);

enum vestry_child {
    /* Ended, and reaped now; `*ended_by` is its signal, 0 after exit(2). */
    VESTRY_CHILD_ENDED,
    VESTRY_CHILD_RUNS,
    /* Reaped by somebody else (the host's handler, or SIGCHLD ignored), or
     * never a child of this process. */
    VESTRY_CHILD_UNKNOWN,
};

/* Never waits. Looks at `process`, a descriptor of pidfd_open(2), or at the
 * number where the kernel gave none. */
enum vestry_child vestry_reap(int process, pid_t number, int *ended_by);

/* add_key(2) for the type "user" and keyctl(2), both without libkeyutils. */
int32_t vestry_add_key(const char *name, const void *payload, size_t count, int32_t keyring);
long vestry_keyctl(int operation, long first, long second, long third, long fourth);

#endif
