/* Preloaded: sends late, so that a helper that leaves at once is gone before it is asked. */
#define _GNU_SOURCE
#include <poll.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

ssize_t send(int socket, const void *data, size_t count, int flags)
{
    poll(NULL, 0, 100);
    return syscall(SYS_sendto, socket, data, count, flags, NULL, 0);
}
