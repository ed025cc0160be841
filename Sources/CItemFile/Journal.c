#include "Journal.h"

#include <string.h>

/* Enough for the pages of an ordinary change; a larger one is written in pieces of this size. */
enum { PENDING_LIMIT = 64 * 1024 };

/* What SQLite allocates; the file of "unix" follows it. */
typedef struct {
    sqlite3_file base;
    char *pending; /* PENDING_LIMIT bytes, or null as long as nothing was written. */
    int count;
    sqlite3_int64 offset; /* Of the first of them in the file. */
} journal;

/* The size of what stands before the file of "unix": no type needs a wider boundary. */
enum { HEADER_SIZE = (sizeof(journal) + 15) / 16 * 16 };

static sqlite3_file *inner_file(sqlite3_file *base)
{
    return (sqlite3_file *)((char *)base + HEADER_SIZE);
}

static int write_pending(journal *file)
{
    sqlite3_file *inner = inner_file(&file->base);
    if (file->count == 0)
        return SQLITE_OK;
    int status = inner->pMethods->xWrite(inner, file->pending, file->count, file->offset);
    if (status == SQLITE_OK)
        file->count = 0;
    return status;
}

static int journal_write(sqlite3_file *base, const void *bytes, int count, sqlite3_int64 offset)
{
    journal *file = (journal *)base;
    sqlite3_file *inner = inner_file(base);
    if (file->count > 0
        && (offset != file->offset + file->count || count > PENDING_LIMIT - file->count)) {
        int status = write_pending(file);
        if (status != SQLITE_OK)
            return status;
    }
    if (file->pending == 0)
        file->pending = sqlite3_malloc(PENDING_LIMIT);
    if (file->pending == 0 || count > PENDING_LIMIT)
        return inner->pMethods->xWrite(inner, bytes, count, offset);
    if (file->count == 0)
        file->offset = offset;
    memcpy(file->pending + file->count, bytes, (size_t)count);
    file->count += count;
    return SQLITE_OK;
}

static int journal_read(sqlite3_file *base, void *bytes, int count, sqlite3_int64 offset)
{
    const journal *file = (journal *)base;
    sqlite3_file *inner = inner_file(base);
    int status = inner->pMethods->xRead(inner, bytes, count, offset);
    if (file->count == 0 || (status != SQLITE_OK && status != SQLITE_IOERR_SHORT_READ))
        return status;
    sqlite3_int64 end = offset + count;
    sqlite3_int64 pending_end = file->offset + file->count;
    sqlite3_int64 from = offset > file->offset ? offset : file->offset;
    sqlite3_int64 to = end < pending_end ? end : pending_end;
    if (from < to)
        memcpy((char *)bytes + (from - offset), file->pending + (from - file->offset),
            (size_t)(to - from));
    /* Where nothing was written, there are zeroes in a file, and here too. */
    return pending_end >= end ? SQLITE_OK : status;
}

static int journal_truncate(sqlite3_file *base, sqlite3_int64 size)
{
    sqlite3_file *inner = inner_file(base);
    int status = write_pending((journal *)base);
    return status == SQLITE_OK ? inner->pMethods->xTruncate(inner, size) : status;
}

static int journal_sync(sqlite3_file *base, int flags)
{
    sqlite3_file *inner = inner_file(base);
    int status = write_pending((journal *)base);
    return status == SQLITE_OK ? inner->pMethods->xSync(inner, flags) : status;
}

static int journal_file_size(sqlite3_file *base, sqlite3_int64 *size)
{
    const journal *file = (journal *)base;
    sqlite3_file *inner = inner_file(base);
    int status = inner->pMethods->xFileSize(inner, size);
    if (status == SQLITE_OK && file->count > 0 && *size < file->offset + file->count)
        *size = file->offset + file->count;
    return status;
}

static int journal_close(sqlite3_file *base)
{
    journal *file = (journal *)base;
    sqlite3_file *inner = inner_file(base);
    int written = write_pending(file);
    sqlite3_free(file->pending);
    file->pending = 0;
    file->count = 0;
    int status = inner->pMethods->xClose(inner);
    return written == SQLITE_OK ? status : written;
}

/* What is not about its bytes goes to "unix". */

static int journal_lock(sqlite3_file *base, int level)
{
    sqlite3_file *inner = inner_file(base);
    return inner->pMethods->xLock(inner, level);
}

static int journal_unlock(sqlite3_file *base, int level)
{
    sqlite3_file *inner = inner_file(base);
    return inner->pMethods->xUnlock(inner, level);
}

static int journal_check_reserved_lock(sqlite3_file *base, int *is_reserved)
{
    sqlite3_file *inner = inner_file(base);
    return inner->pMethods->xCheckReservedLock(inner, is_reserved);
}

static int journal_control(sqlite3_file *base, int operation, void *argument)
{
    sqlite3_file *inner = inner_file(base);
    return inner->pMethods->xFileControl(inner, operation, argument);
}

static int journal_sector_size(sqlite3_file *base)
{
    sqlite3_file *inner = inner_file(base);
    return inner->pMethods->xSectorSize(inner);
}

static int journal_characteristics(sqlite3_file *base)
{
    sqlite3_file *inner = inner_file(base);
    return inner->pMethods->xDeviceCharacteristics(inner);
}

/* Version 1: without shared memory and without mapping. */
static const sqlite3_io_methods journal_methods = {
    .iVersion = 1,
    .xClose = journal_close,
    .xRead = journal_read,
    .xWrite = journal_write,
    .xTruncate = journal_truncate,
    .xSync = journal_sync,
    .xFileSize = journal_file_size,
    .xLock = journal_lock,
    .xUnlock = journal_unlock,
    .xCheckReservedLock = journal_check_reserved_lock,
    .xFileControl = journal_control,
    .xSectorSize = journal_sector_size,
    .xDeviceCharacteristics = journal_characteristics,
};

int vestry_journal_size(const sqlite3_vfs *unix_vfs) { return HEADER_SIZE + unix_vfs->szOsFile; }

int vestry_journal_open(
    sqlite3_vfs *unix_vfs, const char *path, sqlite3_file *file, int flags, int *actual_flags)
{
    journal *opened = (journal *)file;
    memset(opened, 0, sizeof *opened);
    int status = unix_vfs->xOpen(unix_vfs, path, inner_file(file), flags, actual_flags);
    if (status == SQLITE_OK)
        opened->base.pMethods = &journal_methods;
    return status;
}
