/*
 * Stands in for vestry-session-helper: does what /run/stand-in/mode says, and adds one line about
 * how it was started and what it was asked to /run/stand-in/log.
 */
#define _GNU_SOURCE
#include <dirent.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "../../../pam/protocol/CUnlockProtocol.h"

static void note(int count, char **arguments, char **environment, const unsigned char *request,
                 ssize_t size)
{
    static char line[16384];
    int at = sprintf(line, "argc=%d argv0=%s", count, arguments[0]);
    int variables = 0;
    while (environment[variables])
        variables++;
    at += sprintf(line + at, " environment=%d descriptors=", variables);
    DIR *directory = opendir("/proc/self/fd");
    struct dirent *entry;
    while (directory && (entry = readdir(directory)))
        if (entry->d_name[0] != '.' && atoi(entry->d_name) != dirfd(directory))
            at += sprintf(line + at, "%s,", entry->d_name);
    if (directory)
        closedir(directory);
    char target[64] = "";
    if (readlink("/proc/self/fd/1", target, sizeof target - 1) < 0)
        target[0] = 0;
    int special = 0;
    for (int number = 1; number < NSIG; number++) {
        struct sigaction action;
        memset(&action, 0, sizeof action);
        if (sigaction(number, NULL, &action) == 0)
            special += action.sa_handler != SIG_DFL;
    }
    sigset_t mask;
    memset(&mask, 0, sizeof mask);
    sigprocmask(SIG_SETMASK, NULL, &mask);
    for (int number = 1; number < NSIG; number++)
        special += sigismember(&mask, number) == 1;
    struct ucred peer = { 0 };
    socklen_t peer_size = sizeof peer;
    getsockopt(0, SOL_SOCKET, SO_PEERCRED, &peer, &peer_size);
    at += sprintf(line + at, " out=%s signals=%d leader=%d uid=%d euid=%d peer=%d size=%zd request=",
                  target, special, getsid(0) == getpid(), getuid(), geteuid(), (int)peer.uid, size);
    for (ssize_t i = 0; i < size; i++)
        at += sprintf(line + at, "%02x", request[i]);
    line[at++] = '\n';
    int log = open("/run/stand-in/log", O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0600);
    if (write(log, line, (size_t)at) != at)
        _exit(9);
    close(log);
}

static void answer(uint32_t version, uint32_t result, uint32_t session, int32_t presence,
                   int32_t keyring)
{
    struct vestry_reply reply = { version, result, session, presence, keyring };
    send(0, &reply, sizeof reply, MSG_NOSIGNAL);
}

int main(int count, char **arguments, char **environment)
{
    /* The host's limit on files is not meant for this program. */
    struct rlimit files;
    getrlimit(RLIMIT_FSIZE, &files);
    files.rlim_cur = files.rlim_max;
    setrlimit(RLIMIT_FSIZE, &files);

    char mode[128] = "";
    int file = open("/run/stand-in/mode", O_RDONLY | O_CLOEXEC);
    if (read(file, mode, sizeof mode - 1) < 0)
        return 9;
    close(file);
    if (strncmp(mode, "early-exit", 10) == 0)
        return 1;
    if (strncmp(mode, "early-crash", 11) == 0)
        raise(SIGSEGV);

    _Alignas(struct vestry_request) unsigned char request[sizeof(struct vestry_request) + 1];
    ssize_t size = recv(0, request, sizeof request, 0);
    note(count, arguments, environment, request, size);

    int a = 0, b = 0, c = 0, d = 0;
    if (sscanf(mode, "reply %d %d %d %d", &a, &b, &c, &d) >= 1) {
        answer(VESTRY_PROTOCOL_VERSION, (uint32_t)a, (uint32_t)b, c, d);
    } else if (sscanf(mode, "slow %d %d", &a, &b) == 2) {
        poll(NULL, 0, a);
        answer(VESTRY_PROTOCOL_VERSION, (uint32_t)b, 0, 0, 0);
    } else if (sscanf(mode, "version %d", &a) == 1) {
        answer((uint32_t)a, 0, 0, 0, 0);
    } else if (sscanf(mode, "size %d", &a) == 1) {
        char bytes[256] = { VESTRY_PROTOCOL_VERSION };
        send(0, bytes, (size_t)a, MSG_NOSIGNAL);
    } else if (sscanf(mode, "crash %d", &a) == 1) {
        raise(a);
    } else if (strncmp(mode, "link", 4) == 0 &&
               ((struct vestry_request *)request)->verb == VESTRY_VERB_OPEN) {
        /* What the real one does for a session that counts. */
        long keyring = syscall(SYS_keyctl, 0 /* GET_KEYRING_ID */, -3, 0);
        long presence = syscall(SYS_add_key, "keyring", "vestry:presence", NULL, 0, keyring);
        answer(VESTRY_PROTOCOL_VERSION, VESTRY_OPENED, VESTRY_SESSION_COUNTS, (int)presence,
               (int)keyring);
    } else if (strncmp(mode, "hang-after", 10) == 0) {
        answer(VESTRY_PROTOCOL_VERSION, VESTRY_OPENED, 0, 0, 0);
        poll(NULL, 0, 600000);
    } else if (strncmp(mode, "hang", 4) == 0) {
        poll(NULL, 0, 600000);
    }
    return 0;
}
