#ifndef VESTRY_CITEMFILE_H
#define VESTRY_CITEMFILE_H

#include <stdint.h>

struct sqlite3;

/*
 * How SQLite reaches the item file: like its own "unix" (sqlite.org/vfs.html), but for the locks.
 *
 * Those of "unix" belong to the process (fcntl(2), "record locks"). So closing any descriptor of the
 * file drops the locks of every other connection in the process; SQLite defers such a close, and yet
 * drops locks that another thread takes between its look and its close(2) (unixClose() of 3.40): two
 * writers at once then, and a broken file. And connections of one process share one lock: threads that
 * read all the time let no writer of another process in.
 *
 * Here the same bytes are locked in the name of the open file description (F_OFD_SETLK, Linux 3.15), so
 * that each connection has locks of its own. Programs with SQLite's own locks see them, and they
 * theirs.
 *
 * Before a descriptor is used it is looked whether it still stands for the file: in a program that
 * closed numbers that it had not opened, SQLite would write into whatever is open under that number now.
 *
 * There is no shared memory: a file with a write-ahead log does not open (SQLITE_CANTOPEN).
 */

/* Makes it known to SQLite, the first time. Its name, or a null pointer where that failed. */
const char *vestry_item_file_vfs(void);

/* Looks at the open file of a connection past SQLite's locks and its memory: `status` is a struct stat
 * that fstat(2) fills, `bytes` get `count` bytes from `offset`. -1 when the descriptor does not stand for
 * the file any more, or the file has not so many bytes. */
int vestry_item_file_look(
    struct sqlite3 *connection, void *status, void *bytes, int count, int64_t offset);

#endif
