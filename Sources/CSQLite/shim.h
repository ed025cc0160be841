#ifndef VESTRY_CSQLITE_SHIM_H
#define VESTRY_CSQLITE_SHIM_H

#include <sqlite3.h>

/* sqlite3_db_config() is variadic, so Swift cannot call it. */
static inline int vestry_sqlite_set_defensive(sqlite3 *database)
{
    return sqlite3_db_config(database, SQLITE_DBCONFIG_DEFENSIVE, 1, (int *)0);
}

/* PRAGMA foreign_keys = ON, which does nothing within a transaction. */
static inline int vestry_sqlite_enforce_foreign_keys(sqlite3 *database)
{
    int is_on = 0;
    int status = sqlite3_db_config(database, SQLITE_DBCONFIG_ENABLE_FKEY, 1, &is_on);
    return status == SQLITE_OK && !is_on ? SQLITE_MISUSE : status;
}

/* PRAGMA trusted_schema = OFF, without a statement. */
static inline int vestry_sqlite_distrust_schema(sqlite3 *database)
{
    return sqlite3_db_config(database, SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0, (int *)0);
}

/* A cast to a function pointer, which Swift cannot write: SQLite copies the bytes at once. */
static inline int vestry_sqlite_bind_blob(
    sqlite3_stmt *statement, int index, const void *bytes, int count)
{
    /* A null pointer would bind NULL, not an empty blob. */
    return sqlite3_bind_blob(statement, index, count == 0 ? "" : bytes, count, SQLITE_TRANSIENT);
}

#endif
