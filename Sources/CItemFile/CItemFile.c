#define _GNU_SOURCE
#include "CItemFile.h"

#include "Journal.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <sqlite3.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* The bytes that SQLite locks (sqlite.org/fileformat2.html, section 1.4). */
enum { PENDING = 0x40000000, RESERVED = PENDING + 1, SHARED = PENDING + 2, SHARED_COUNT = 510 };

/* SQLite has no public name for the level between RESERVED and EXCLUSIVE. */
enum { LEVEL_PENDING = SQLITE_LOCK_EXCLUSIVE - 1 };

/* What SQLite allocates for each open file. */
typedef struct {
    sqlite3_file base;
    int descriptor;
    int level;
    dev_t device;
    ino_t inode;
    const char *path; /* SQLite's, for as long as the file is open. */
} item_file;

static sqlite3_vfs *unix_vfs;
static const char *registered_name;

static int is_own_status(const item_file *file, struct stat *status)
{
    if (fstat(file->descriptor, status) != 0)
        return 0;
    if (status->st_dev == file->device && status->st_ino == file->inode)
        return 1;
    errno = EBADF;
    return 0;
}

static int is_own(const item_file *file)
{
    struct stat status;
    return is_own_status(file, &status);
}

/* Locking. */

static int lock_bytes(const item_file *file, short type, off_t start, off_t count)
{
    struct flock lock = {
        .l_type = type, .l_whence = SEEK_SET, .l_start = start, .l_len = count
    };
    return fcntl(file->descriptor, F_OFD_SETLK, &lock);
}

static int lock_failure(int error_code)
{
    switch (errno) {
    case EACCES:
    case EAGAIN:
    case EINTR:
    case ENOLCK:
        return SQLITE_BUSY;
    default:
        return error_code;
    }
}

static int lock_shared(item_file *file)
{
    /* Whoever waits to write holds this byte, and lets nobody in. */
    if (lock_bytes(file, F_RDLCK, PENDING, 1) != 0)
        return lock_failure(SQLITE_IOERR_RDLOCK);
    int status = SQLITE_OK;
    if (lock_bytes(file, F_RDLCK, SHARED, SHARED_COUNT) != 0)
        status = lock_failure(SQLITE_IOERR_RDLOCK);
    if (lock_bytes(file, F_UNLCK, PENDING, 1) != 0) {
        (void)lock_bytes(file, F_UNLCK, SHARED, SHARED_COUNT);
        return SQLITE_IOERR_UNLOCK;
    }
    if (status == SQLITE_OK)
        file->level = SQLITE_LOCK_SHARED;
    return status;
}

static int item_lock(sqlite3_file *base, int level)
{
    item_file *file = (item_file *)base;
    if (file->level >= level)
        return SQLITE_OK;
    if (!is_own(file))
        return SQLITE_IOERR_LOCK;
    if (level == SQLITE_LOCK_SHARED)
        return lock_shared(file);
    if (level == SQLITE_LOCK_RESERVED) {
        if (lock_bytes(file, F_WRLCK, RESERVED, 1) != 0)
            return lock_failure(SQLITE_IOERR_LOCK);
        file->level = SQLITE_LOCK_RESERVED;
        return SQLITE_OK;
    }
    if (file->level < LEVEL_PENDING) {
        if (lock_bytes(file, F_WRLCK, PENDING, 1) != 0)
            return lock_failure(SQLITE_IOERR_LOCK);
        file->level = LEVEL_PENDING;
    }
    if (lock_bytes(file, F_WRLCK, SHARED, SHARED_COUNT) != 0)
        return lock_failure(SQLITE_IOERR_LOCK);
    file->level = SQLITE_LOCK_EXCLUSIVE;
    return SQLITE_OK;
}

static int item_unlock(sqlite3_file *base, int level)
{
    item_file *file = (item_file *)base;
    if (file->level <= level)
        return SQLITE_OK;
    /* Somebody else has closed the descriptor, and the locks went with it. */
    if (!is_own(file)) {
        file->level = level;
        return SQLITE_IOERR_UNLOCK;
    }
    if (level == SQLITE_LOCK_NONE) {
        if (lock_bytes(file, F_UNLCK, PENDING, 2 + SHARED_COUNT) != 0)
            return SQLITE_IOERR_UNLOCK;
    } else {
        if (lock_bytes(file, F_RDLCK, SHARED, SHARED_COUNT) != 0)
            return SQLITE_IOERR_RDLOCK;
        if (lock_bytes(file, F_UNLCK, PENDING, 2) != 0)
            return SQLITE_IOERR_UNLOCK;
    }
    file->level = level;
    return SQLITE_OK;
}

/* Whether the path leads to another file, or to none. */
static int has_moved(const item_file *file)
{
    struct stat status;
    return stat(file->path, &status) != 0 || status.st_dev != file->device
        || status.st_ino != file->inode;
}

static int item_check_reserved_lock(sqlite3_file *base, int *is_reserved)
{
    const item_file *file = (item_file *)base;
    struct flock lock = {
        .l_type = F_WRLCK, .l_whence = SEEK_SET, .l_start = RESERVED, .l_len = 1
    };
    /* SQLite asks before it rolls a journal back: one beside the path is not a moved file's. */
    *is_reserved = file->level > SQLITE_LOCK_SHARED || has_moved(file);
    if (*is_reserved)
        return SQLITE_OK;
    if (!is_own(file) || fcntl(file->descriptor, F_OFD_GETLK, &lock) != 0)
        return SQLITE_IOERR_CHECKRESERVEDLOCK;
    *is_reserved = lock.l_type != F_UNLCK;
    return SQLITE_OK;
}

/* Reading and writing. */

static int item_read(sqlite3_file *base, void *bytes, int count, sqlite3_int64 offset)
{
    const item_file *file = (item_file *)base;
    int done = 0;
    if (!is_own(file))
        return SQLITE_IOERR_READ;
    while (done < count) {
        ssize_t got = pread(
            file->descriptor, (char *)bytes + done, (size_t)(count - done), offset + done);
        if (got < 0 && errno == EINTR)
            continue;
        if (got < 0)
            return SQLITE_IOERR_READ;
        if (got == 0) {
            /* SQLite counts on zeroes. */
            memset((char *)bytes + done, 0, (size_t)(count - done));
            return SQLITE_IOERR_SHORT_READ;
        }
        done += (int)got;
    }
    return SQLITE_OK;
}

static int item_write(sqlite3_file *base, const void *bytes, int count, sqlite3_int64 offset)
{
    const item_file *file = (item_file *)base;
    int done = 0;
    if (!is_own(file))
        return SQLITE_IOERR_WRITE;
    while (done < count) {
        ssize_t put = pwrite(
            file->descriptor, (const char *)bytes + done, (size_t)(count - done), offset + done);
        if (put < 0 && errno == EINTR)
            continue;
        if (put == 0)
            errno = ENOSPC;
        if (put <= 0)
            return errno == ENOSPC || errno == EDQUOT ? SQLITE_FULL : SQLITE_IOERR_WRITE;
        done += (int)put;
    }
    return SQLITE_OK;
}

static int item_truncate(sqlite3_file *base, sqlite3_int64 size)
{
    const item_file *file = (item_file *)base;
    int status = -1;
    if (!is_own(file))
        return SQLITE_IOERR_TRUNCATE;
    do
        status = ftruncate(file->descriptor, size);
    while (status != 0 && errno == EINTR);
    return status == 0 ? SQLITE_OK : SQLITE_IOERR_TRUNCATE;
}

static int item_sync(sqlite3_file *base, int flags)
{
    const item_file *file = (item_file *)base;
    (void)flags;
    /* Its size is among what fdatasync(2) writes. */
    return is_own(file) && fdatasync(file->descriptor) == 0 ? SQLITE_OK : SQLITE_IOERR_FSYNC;
}

static int item_size(sqlite3_file *base, sqlite3_int64 *size)
{
    const item_file *file = (item_file *)base;
    struct stat status;
    if (!is_own_status(file, &status))
        return SQLITE_IOERR_FSTAT;
    *size = status.st_size;
    return SQLITE_OK;
}

static int item_control(sqlite3_file *base, int operation, void *argument)
{
    const item_file *file = (item_file *)base;
    switch (operation) {
    case SQLITE_FCNTL_HAS_MOVED:
        /* A journal beside the path would not be this file's then. */
        *(int *)argument = has_moved(file);
        return SQLITE_OK;
    case SQLITE_FCNTL_LOCKSTATE:
        *(int *)argument = file->level;
        return SQLITE_OK;
    default:
        return SQLITE_NOTFOUND;
    }
}

/* As of "unix", where the file system says nothing else. */
static int item_sector_size(sqlite3_file *base)
{
    (void)base;
    return 4096;
}

static int item_characteristics(sqlite3_file *base)
{
    (void)base;
    return SQLITE_IOCAP_POWERSAFE_OVERWRITE;
}

static int item_close(sqlite3_file *base)
{
    item_file *file = (item_file *)base;
    (void)item_unlock(base, SQLITE_LOCK_NONE);
    if (is_own(file))
        (void)close(file->descriptor);
    file->descriptor = -1;
    return SQLITE_OK;
}

/* Version 1: without shared memory and without mapping. */
static const sqlite3_io_methods item_methods = {
    .iVersion = 1,
    .xClose = item_close,
    .xRead = item_read,
    .xWrite = item_write,
    .xTruncate = item_truncate,
    .xSync = item_sync,
    .xFileSize = item_size,
    .xLock = item_lock,
    .xUnlock = item_unlock,
    .xCheckReservedLock = item_check_reserved_lock,
    .xFileControl = item_control,
    .xSectorSize = item_sector_size,
    .xDeviceCharacteristics = item_characteristics,
};

int vestry_item_file_look(
    sqlite3 *connection, void *status, void *bytes, int count, int64_t offset)
{
    sqlite3_file *base = 0;
    int result = sqlite3_file_control(connection, "main", SQLITE_FCNTL_FILE_POINTER, &base);
    if (result != SQLITE_OK || base == 0 || base->pMethods != &item_methods)
        return -1;
    const item_file *file = (item_file *)base;
    if (!is_own_status(file, status))
        return -1;
    return pread(file->descriptor, bytes, (size_t)count, offset) == count ? 0 : -1;
}

/* Opening. */

static int open_descriptor(const char *path, int flags)
{
    int descriptor;
    do
        descriptor = open(path, flags | O_CLOEXEC | O_NOFOLLOW);
    while (descriptor < 0 && errno == EINTR);
    if (descriptor < 0 || descriptor > STDERR_FILENO)
        return descriptor;
    /* Many programs write to these three without a look. */
    int higher = fcntl(descriptor, F_DUPFD_CLOEXEC, STDERR_FILENO + 1);
    int failure = errno;
    (void)close(descriptor);
    errno = failure;
    return higher;
}

static int item_open(
    sqlite3_vfs *vfs, const char *path, sqlite3_file *base, int flags, int *actual_flags)
{
    item_file *file = (item_file *)base;
    struct stat status;
    (void)vfs;
    if (path != 0 && (flags & SQLITE_OPEN_MAIN_JOURNAL) != 0)
        return vestry_journal_open(unix_vfs, path, base, flags, actual_flags);
    if (path == 0 || (flags & SQLITE_OPEN_MAIN_DB) == 0)
        return unix_vfs->xOpen(unix_vfs, path, base, flags, actual_flags);
    memset(file, 0, sizeof *file);
    int descriptor = -1;
    if ((flags & SQLITE_OPEN_READONLY) == 0)
        descriptor = open_descriptor(path, O_RDWR);
    if (descriptor < 0
        && ((flags & SQLITE_OPEN_READONLY) != 0 || errno == EACCES || errno == EPERM
            || errno == EROFS)) {
        descriptor = open_descriptor(path, O_RDONLY);
        flags = (flags & ~(SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE)) | SQLITE_OPEN_READONLY;
    }
    if (descriptor < 0)
        return SQLITE_CANTOPEN;
    if (fstat(descriptor, &status) != 0 || !S_ISREG(status.st_mode)) {
        (void)close(descriptor);
        return SQLITE_CANTOPEN;
    }
    file->descriptor = descriptor;
    file->level = SQLITE_LOCK_NONE;
    file->device = status.st_dev;
    file->inode = status.st_ino;
    file->path = path;
    file->base.pMethods = &item_methods;
    if (actual_flags != 0)
        *actual_flags = flags;
    return SQLITE_OK;
}

/* What is not about an open file goes to "unix". */

static int item_delete(sqlite3_vfs *vfs, const char *path, int synchronizes)
{
    (void)vfs;
    return unix_vfs->xDelete(unix_vfs, path, synchronizes);
}

static int item_access(sqlite3_vfs *vfs, const char *path, int flags, int *result)
{
    (void)vfs;
    return unix_vfs->xAccess(unix_vfs, path, flags, result);
}

static int item_full_path(sqlite3_vfs *vfs, const char *path, int count, char *result)
{
    (void)vfs;
    return unix_vfs->xFullPathname(unix_vfs, path, count, result);
}

static int item_randomness(sqlite3_vfs *vfs, int count, char *result)
{
    (void)vfs;
    return unix_vfs->xRandomness(unix_vfs, count, result);
}

static int item_sleep(sqlite3_vfs *vfs, int microseconds)
{
    (void)vfs;
    return unix_vfs->xSleep(unix_vfs, microseconds);
}

static int item_time(sqlite3_vfs *vfs, double *result)
{
    (void)vfs;
    return unix_vfs->xCurrentTime(unix_vfs, result);
}

static int item_last_error(sqlite3_vfs *vfs, int count, char *text)
{
    (void)vfs;
    (void)count;
    (void)text;
    return errno;
}

static sqlite3_vfs item_vfs = {
    .iVersion = 1,
    .zName = "vestry",
    .xOpen = item_open,
    .xDelete = item_delete,
    .xAccess = item_access,
    .xFullPathname = item_full_path,
    .xRandomness = item_randomness,
    .xSleep = item_sleep,
    .xCurrentTime = item_time,
    .xGetLastError = item_last_error,
};

static void register_vfs(void)
{
    if (sqlite3_initialize() != SQLITE_OK)
        return;
    unix_vfs = sqlite3_vfs_find("unix");
    if (unix_vfs == 0)
        return;
    item_vfs.mxPathname = unix_vfs->mxPathname;
    item_vfs.xDlOpen = unix_vfs->xDlOpen;
    item_vfs.xDlError = unix_vfs->xDlError;
    item_vfs.xDlSym = unix_vfs->xDlSym;
    item_vfs.xDlClose = unix_vfs->xDlClose;
    item_vfs.szOsFile = vestry_journal_size(unix_vfs);
    if (item_vfs.szOsFile < (int)sizeof(item_file))
        item_vfs.szOsFile = (int)sizeof(item_file);
    if (sqlite3_vfs_register(&item_vfs, 0) == SQLITE_OK)
        registered_name = item_vfs.zName;
}

const char *vestry_item_file_vfs(void)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, register_vfs);
    return registered_name;
}
