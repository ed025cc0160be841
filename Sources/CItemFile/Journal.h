#ifndef VESTRY_CITEMFILE_JOURNAL_H
#define VESTRY_CITEMFILE_JOURNAL_H

#include <sqlite3.h>

/*
 * The rollback journal, of SQLite's own VFS "unix" but for its writes: SQLite writes each page in three
 * pieces, which follow one another in the file, and here they go there together.
 *
 * What is held back is written before anything is synchronized, so that each fsync(2) finds what it would
 * find otherwise; until then reads see it here. Whoever is killed before that leaves a journal with less in
 * it, and SQLite has not changed the item file by then. What the disk does not take stays here too: SQLite
 * rolls back by it.
 */

/* How many bytes SQLite has to allocate for it. */
int vestry_journal_size(const sqlite3_vfs *unix_vfs);

/* Opens it by xOpen of "unix", with the same arguments and results. */
int vestry_journal_open(
    sqlite3_vfs *unix_vfs, const char *path, sqlite3_file *file, int flags, int *actual_flags);

#endif
