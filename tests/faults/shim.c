/* Breaks one file operation of a process, or ends the process at it.
 *
 * Preloaded. Stands before every libc call that changes a file or a folder, counts those that concern a path below
 * one folder, and at the counted operation that was asked for kills the process or lets the call fail. Streams are
 * opened on cookies, so that their writes come through here when they reach the file and not when they are buffered.
 * While armed, fsync is counted and not done: only a power cut could tell, and that is followed in the log instead.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/sendfile.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <unistd.h>

enum kind { COUNT, KILL_BEFORE, KILL_HALF, KILL_AFTER, FULL, FULL_ONCE, BROKEN, DEAD, FULL_DATA };
enum need { NOTHING, SPACE, DATA }; /* DATA needs space too, and half of it may be written */
enum verdict { GO_ON, REFUSE, HALF };
#define LONGEST (2 * PATH_MAX + 64)

static char prefix[PATH_MAX];
static size_t prefix_length;
static long target, counted;
static enum kind armed_kind;
static int armed, log_descriptor = -1, dies_after;
static char line[LONGEST];

#define REAL(name) ((__typeof__(&name))dlsym(RTLD_NEXT, #name))

void faults_arm(const char *folder, long number, int kind, const char *log) {
    snprintf(prefix, sizeof prefix, "%s", folder);
    prefix_length = strlen(prefix);
    target = number;
    counted = 0;
    armed_kind = kind;
    log_descriptor = log ? REAL(open)(log, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600) : -1;
    armed = 1;
}

long faults_disarm(void) {
    armed = 0;
    return counted;
}

static void die(void) {
    kill(getpid(), SIGKILL);
    for (;;) pause();
}

static int is_below(const char *path) {
    return !strncmp(path, prefix, prefix_length) && (path[prefix_length] == '/' || path[prefix_length] == 0);
}

static int descriptor_below(int descriptor, char *path) {
    char link[64];
    if (!armed) return 0;
    snprintf(link, sizeof link, "/proc/self/fd/%d", descriptor);
    ssize_t length = readlink(link, path, PATH_MAX - 1);
    path[length < 0 ? 0 : length] = 0;
    return length >= 0 && is_below(path);
}

static int path_below(int folder, const char *name, char *path) {
    char base[PATH_MAX] = "";
    if (!armed || !name) return 0;
    if (name[0] == '/') snprintf(path, PATH_MAX, "%s", name);
    else {
        if (folder == AT_FDCWD) { if (!getcwd(base, sizeof base)) return 0; }
        else descriptor_below(folder, base);
        if (snprintf(path, PATH_MAX, "%s/%s", base, name) >= PATH_MAX) return 0;
    }
    return is_below(path);
}

static enum verdict refuse(int error) {
    errno = error;
    if (log_descriptor >= 0) dprintf(log_descriptor, "%s\t%s\n", line, "refused");
    return REFUSE;
}

static enum verdict begin(const char *what, enum need need, const char *path, const char *other) {
    long number = ++counted;
    if (log_descriptor >= 0)
        snprintf(line, sizeof line, "%ld\t%s\t%d\t%s\t%s", number, what, need, path, other ? other : "");
    dies_after = number == target && armed_kind == KILL_AFTER;
    if (number == target) switch (armed_kind) {
        case KILL_HALF: if (need == DATA) return HALF; die(); break;
        case KILL_BEFORE: die(); break;
        case FULL: case FULL_DATA: if (need == DATA) return HALF; break;
        case FULL_ONCE: return refuse(ENOSPC);
        case BROKEN: return refuse(EIO);
        default: break;
    }
    if (number >= target && armed_kind == FULL && need != NOTHING) return refuse(ENOSPC);
    if (number >= target && armed_kind == FULL_DATA && need == DATA) return refuse(ENOSPC);
    if (number >= target && armed_kind == DEAD) return refuse(EROFS);
    return GO_ON;
}

static long end(long result) {
    int error = errno;
    if (dies_after) die();
    if (log_descriptor >= 0) dprintf(log_descriptor, "%s\t%s\n", line, result < 0 ? "failed" : "done");
    errno = error;
    return result;
}

/* The half that still goes through: then the process ends, or the disk is full from there on. */
static long half_done(long result) {
    if (armed_kind == KILL_HALF) die();
    if (result > 0) return end(result);
    errno = ENOSPC;
    return end(-1);
}

#define GUARD(need, path, other, call)                                                                    \
    switch (begin(__func__, need, path, other)) {                                                         \
        case REFUSE: return -1;                                                                           \
        default: return end(call);                                                                        \
    }

#define GUARD_DATA(path, length, call, half_call)                                                         \
    switch (begin("write", DATA, path, NULL)) {                                                           \
        case REFUSE: return -1;                                                                           \
        case HALF: return half_done((length) / 2 ? (half_call) : 0);                                      \
        default: return end(call);                                                                        \
    }

ssize_t write(int descriptor, const void *data, size_t length) {
    char path[PATH_MAX];
    if (!descriptor_below(descriptor, path)) return REAL(write)(descriptor, data, length);
    GUARD_DATA(path, length, REAL(write)(descriptor, data, length), REAL(write)(descriptor, data, length / 2))
}

ssize_t pwrite64(int descriptor, const void *data, size_t length, off64_t offset) {
    char path[PATH_MAX];
    if (!descriptor_below(descriptor, path)) return REAL(pwrite64)(descriptor, data, length, offset);
    GUARD_DATA(path, length, REAL(pwrite64)(descriptor, data, length, offset),
               REAL(pwrite64)(descriptor, data, length / 2, offset))
}

ssize_t pwrite(int descriptor, const void *data, size_t length, off_t offset) {
    return pwrite64(descriptor, data, length, offset);
}

ssize_t writev(int descriptor, const struct iovec *parts, int count) {
    char path[PATH_MAX];
    if (!descriptor_below(descriptor, path)) return REAL(writev)(descriptor, parts, count);
    GUARD_DATA(path, parts[0].iov_len, REAL(writev)(descriptor, parts, count),
               REAL(write)(descriptor, parts[0].iov_base, parts[0].iov_len / 2))
}

static size_t left_of(int source, size_t count) {
    struct stat found;
    off_t at = lseek(source, 0, SEEK_CUR);
    size_t left = fstat(source, &found) || found.st_size <= at ? 0 : (size_t)(found.st_size - at);
    return left < count ? left : count;
}

ssize_t sendfile64(int descriptor, int source, off64_t *offset, size_t count) {
    char path[PATH_MAX];
    if (!descriptor_below(descriptor, path)) return REAL(sendfile64)(descriptor, source, offset, count);
    size_t length = left_of(source, count);
    GUARD_DATA(path, length, REAL(sendfile64)(descriptor, source, offset, count),
               REAL(sendfile64)(descriptor, source, offset, length / 2))
}

ssize_t sendfile(int descriptor, int source, off_t *offset, size_t count) {
    return sendfile64(descriptor, source, offset, count);
}

ssize_t copy_file_range(int source, off64_t *from, int descriptor, off64_t *to, size_t count, unsigned flags) {
    char path[PATH_MAX];
    if (!descriptor_below(descriptor, path)) return REAL(copy_file_range)(source, from, descriptor, to, count, flags);
    size_t length = left_of(source, count);
    GUARD_DATA(path, length, REAL(copy_file_range)(source, from, descriptor, to, count, flags),
               REAL(copy_file_range)(source, from, descriptor, to, length / 2, flags))
}

static int open_guarded(int folder, const char *name, int flags, mode_t mode) {
    char path[PATH_MAX];
    int changes = (flags & (O_ACCMODE | O_CREAT | O_TRUNC)) != O_RDONLY;
    if (!changes || !path_below(folder, name, path)) return REAL(openat)(folder, name, flags, mode);
    int creates = (flags & O_CREAT) && faccessat(folder, name, F_OK, 0);
    const char *what = creates ? "create" : flags & O_TRUNC ? "truncate" : "open";
    if (begin(what, creates ? SPACE : NOTHING, path, NULL) == REFUSE) return -1;
    return end(REAL(openat)(folder, name, flags, mode));
}

#define MODE(last)                                                                                        \
    mode_t mode = 0;                                                                                      \
    va_list rest;                                                                                         \
    va_start(rest, last);                                                                                 \
    if (last & (O_CREAT | __O_TMPFILE)) mode = va_arg(rest, mode_t);                                      \
    va_end(rest);

int open(const char *name, int flags, ...) { MODE(flags) return open_guarded(AT_FDCWD, name, flags, mode); }
int open64(const char *name, int flags, ...) { MODE(flags) return open_guarded(AT_FDCWD, name, flags, mode); }
int openat(int folder, const char *name, int flags, ...) { MODE(flags) return open_guarded(folder, name, flags, mode); }
int openat64(int folder, const char *name, int flags, ...) {
    MODE(flags) return open_guarded(folder, name, flags, mode);
}
int __open_2(const char *name, int flags) { return open_guarded(AT_FDCWD, name, flags, 0); }
int __open64_2(const char *name, int flags) { return open_guarded(AT_FDCWD, name, flags, 0); }
int __openat_2(int folder, const char *name, int flags) { return open_guarded(folder, name, flags, 0); }
int creat(const char *name, mode_t mode) { return open_guarded(AT_FDCWD, name, O_WRONLY | O_CREAT | O_TRUNC, mode); }
int creat64(const char *name, mode_t mode) { return creat(name, mode); }

static ssize_t cookie_write(void *cookie, const char *data, size_t length) {
    size_t done = 0;
    while (done < length) {
        ssize_t written = write((int)(long)cookie, data + done, length - done);
        if (written < 0) break; /* a cookie says by a short count that writing failed; errno tells why */
        done += (size_t)written;
    }
    return (ssize_t)done;
}
static ssize_t cookie_read(void *cookie, char *data, size_t length) { return read((int)(long)cookie, data, length); }
static int cookie_close(void *cookie) { return close((int)(long)cookie); }
static int cookie_seek(void *cookie, off64_t *offset, int from) {
    *offset = lseek64((int)(long)cookie, *offset, from);
    return *offset < 0 ? -1 : 0;
}

static FILE *stream_on(int descriptor, const char *mode) {
    cookie_io_functions_t calls = {cookie_read, cookie_write, cookie_seek, cookie_close};
    return descriptor < 0 ? NULL : fopencookie((void *)(long)descriptor, mode, calls);
}

FILE *fdopen(int descriptor, const char *mode) {
    char path[PATH_MAX];
    int guarded = strpbrk(mode, "wa+") && descriptor_below(descriptor, path);
    return guarded ? stream_on(descriptor, mode) : REAL(fdopen)(descriptor, mode);
}

FILE *fopen64(const char *name, const char *mode) {
    char path[PATH_MAX];
    if (!strpbrk(mode, "wa+") || !path_below(AT_FDCWD, name, path)) return REAL(fopen64)(name, mode);
    int flags = strchr(mode, '+') ? O_RDWR : O_WRONLY;
    flags |= mode[0] == 'w' ? O_CREAT | O_TRUNC : mode[0] == 'a' ? O_CREAT | O_APPEND : 0;
    return stream_on(open_guarded(AT_FDCWD, name, flags, 0666), mode);
}

FILE *fopen(const char *name, const char *mode) { return fopen64(name, mode); }

/* Calls that take one path, two paths or a descriptor, and change nothing but names, sizes and rights. */
#define AT(folder, name, need, call)                                                                      \
    char path[PATH_MAX];                                                                                  \
    if (!path_below(folder, name, path)) return call;                                                     \
    GUARD(need, path, NULL, call)

#define AT_BOTH(folder, name, new_folder, new_name, call)                                                 \
    char path[PATH_MAX] = "", other[PATH_MAX] = "";                                                       \
    if (!(path_below(folder, name, path) | path_below(new_folder, new_name, other))) return call;         \
    GUARD(SPACE, path, other, call)

#define ON(descriptor, need, call, done)                                                                  \
    char path[PATH_MAX];                                                                                  \
    if (!descriptor_below(descriptor, path)) return call;                                                 \
    GUARD(need, path, NULL, done)

int fsync(int descriptor) { ON(descriptor, SPACE, REAL(fsync)(descriptor), 0) }
int fdatasync(int descriptor) { ON(descriptor, SPACE, REAL(fdatasync)(descriptor), 0) }
int ftruncate64(int descriptor, off64_t length) {
    ON(descriptor, NOTHING, REAL(ftruncate64)(descriptor, length), REAL(ftruncate64)(descriptor, length))
}
int ftruncate(int descriptor, off_t length) { return ftruncate64(descriptor, length); }
int fchmod(int descriptor, mode_t mode) {
    ON(descriptor, NOTHING, REAL(fchmod)(descriptor, mode), REAL(fchmod)(descriptor, mode))
}
int truncate64(const char *name, off64_t length) { AT(AT_FDCWD, name, NOTHING, REAL(truncate64)(name, length)) }
int truncate(const char *name, off_t length) { return truncate64(name, length); }
int chmod(const char *name, mode_t mode) { AT(AT_FDCWD, name, NOTHING, REAL(chmod)(name, mode)) }
int fchmodat(int folder, const char *name, mode_t mode, int flags) {
    AT(folder, name, NOTHING, REAL(fchmodat)(folder, name, mode, flags))
}
int mkdirat(int folder, const char *name, mode_t mode) { AT(folder, name, SPACE, REAL(mkdirat)(folder, name, mode)) }
int mkdir(const char *name, mode_t mode) { AT(AT_FDCWD, name, SPACE, REAL(mkdir)(name, mode)) }
int unlink(const char *name) { AT(AT_FDCWD, name, NOTHING, REAL(unlink)(name)) }
int rmdir(const char *name) { AT(AT_FDCWD, name, NOTHING, REAL(rmdir)(name)) }
int unlinkat(int folder, const char *name, int flags) { AT(folder, name, NOTHING, REAL(unlinkat)(folder, name, flags)) }
int rename(const char *name, const char *to) { AT_BOTH(AT_FDCWD, name, AT_FDCWD, to, REAL(rename)(name, to)) }
int renameat(int folder, const char *name, int new_folder, const char *to) {
    AT_BOTH(folder, name, new_folder, to, REAL(renameat)(folder, name, new_folder, to))
}
int renameat2(int folder, const char *name, int new_folder, const char *to, unsigned flags) {
    AT_BOTH(folder, name, new_folder, to, REAL(renameat2)(folder, name, new_folder, to, flags))
}
int link(const char *name, const char *to) { AT_BOTH(AT_FDCWD, name, AT_FDCWD, to, REAL(link)(name, to)) }
int linkat(int folder, const char *name, int new_folder, const char *to, int flags) {
    AT_BOTH(folder, name, new_folder, to, REAL(linkat)(folder, name, new_folder, to, flags))
}
int symlink(const char *name, const char *to) { AT(AT_FDCWD, to, SPACE, REAL(symlink)(name, to)) }
