#ifndef VESTRY_CLINUX_H
#define VESTRY_CLINUX_H

#include <stddef.h>
#include <stdint.h>

/*
 * Calls that glibc declares only under _GNU_SOURCE, which the Glibc module is
 * not built with, and calls whose C form Swift cannot write (variadic ones).
 * Same arguments, return values and errno as the originals. The types are
 * spelled out, so that this module and Glibc do not both define uid_t.
 */
int vestry_setresgid(uint32_t real, uint32_t effective, uint32_t saved);
int vestry_setresuid(uint32_t real, uint32_t effective, uint32_t saved);

/* prctl(PR_SET_DUMPABLE, 0): no core, no ptrace and no /proc/PID/mem for equals. */
int vestry_set_not_dumpable(void);

/* setrlimit(2): no core file; and as far as allowed no limit on memory, locked memory and file size,
 * which a host of the PAM module may have set for itself. */
int vestry_forbid_core_dumps(void);
void vestry_lift_resource_limits(void);

/* mallopt(M_PERTURB), which malloc.h alone declares: memory that is freed from now on is overwritten. */
void vestry_overwrite_freed_memory(void);

/* fcntl(2) with a record lock that belongs to the open file description, on `count` bytes from
 * `start` (0: to the end of the file). EAGAIN when somebody else has one of them. */
int vestry_try_write_lock(int descriptor, int64_t start, int64_t count);

/* Gives back what vestry_try_write_lock() took of these bytes. */
int vestry_unlock(int descriptor, int64_t start, int64_t count);

/* syslog(3), which is variadic: one line to the authpriv facility. */
void vestry_log(int priority, const char *line);

/* getsockopt(SO_PEERCRED), whose struct ucred needs _GNU_SOURCE. */
int vestry_peer_user(int socket, uint32_t *user);

/* openat(2) with its variadic mode. */
int vestry_openat(int directory, const char *name, int flags, uint32_t mode);

/* getspnam_r(3): copies the record of an account's password, without a NUL. Its size, or -1 for an
 * account that is not in the database, and for a record that is larger than `capacity`. */
int vestry_read_password_record(const char *name, void *record, size_t capacity);

/* renameat2(RENAME_NOREPLACE): EEXIST when the new name is taken. */
int vestry_rename_without_replacing(int directory, const char *from, const char *to);

/*
 * Uses of what a child of fork(2) cannot have in the middle of work, such as the locks that SQLite
 * keeps inside a process. A fork waits until no thread is between begin and end, at most a second;
 * the child of one that did not wait longer gets ECANCELED from begin, for good.
 * 0 or an error number.
 */
int vestry_use_begin(void);
void vestry_use_end(void);

/* How many forks since the first call or use led to this process. */
int vestry_fork_generation(void);

/* The turn of one thread of the process among those that want to write: 0, or ETIMEDOUT. */
int vestry_turn_begin(int64_t milliseconds);
void vestry_turn_end(void);

/* signalfd(2) for `count` signals, which the Glibc module does not show. */
int vestry_signal_descriptor(const int *signals, int count);

/*
 * posix_spawnp(3) with this process's environment, `name` as the one argument, no signal blocked,
 * pipes `to` its standard input and `from` its standard output, /dev/null for its messages, and no
 * other descriptor. The numbers 0 to 2 must be taken. 0 or an error number.
 */
int vestry_start_program(const char *name, int32_t *process, int *to, int *from);

/* The same with arguments, of which the first is the name, and /dev/null for its standard input. */
int vestry_run_program(char *const *arguments, int32_t *process, int *from);

/* The same with a path as the first argument, pipes `to` its standard input and `from` its output,
 * and no environment at all: for root, who trusts none. */
int vestry_start_filter(char *const *arguments, int32_t *process, int *to, int *from);

#endif
