/*
 * host DESCRIPTOR CONFDIR SERVICE USER STEP...
 *
 * A PAM host that does what its steps say and writes "step=value" lines to DESCRIPTOR, so that a
 * test can be any host: sshd with its child, a screen locker, su, something with closed descriptors.
 * It keeps no password: answers come masked (each byte XOR 0x5A, hexadecimal) and are unmasked
 * straight into the reply that PAM frees.
 */
#define _GNU_SOURCE
#include <dirent.h>
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <poll.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <security/pam_appl.h>

static int out;
static pam_handle_t *handle;
static int questions, messages, last;
static char *answers[16];
static int answer_count, next_answer;
static volatile sig_atomic_t children_seen, reap_all, closed_all, strays;

static void say(const char *format, ...) __attribute__((format(printf, 1, 2)));
static void say(const char *format, ...)
{
    va_list list;
    va_start(list, format);
    vdprintf(out, format, list);
    va_end(list);
}

static unsigned char masked(const char *text, size_t index)
{
    unsigned value = 0;
    sscanf(text + 2 * index, "%2x", &value);
    return (unsigned char)value ^ 0x5A;
}

static char *unmask(const char *text)
{
    size_t count = strlen(text) / 2;
    char *clear = calloc(1, count + 1);
    for (size_t i = 0; i < count; i++)
        clear[i] = (char)masked(text, i);
    return clear;
}

static int converse(int count, const struct pam_message **list, struct pam_response **replies,
                    void *unused)
{
    (void)unused;
    struct pam_response *reply = calloc((size_t)count, sizeof *reply);
    for (int i = 0; i < count; i++) {
        if (list[i]->msg_style == PAM_TEXT_INFO || list[i]->msg_style == PAM_ERROR_MSG) {
            messages++;
            say("message=%s\n", list[i]->msg);
            continue;
        }
        questions++;
        const char *text = next_answer < answer_count ? answers[next_answer++] : "error";
        if (strcmp(text, "error") == 0) {
            free(reply);
            return PAM_CONV_ERR;
        }
        if (strcmp(text, "null") != 0)
            reply[i].resp = unmask(text);
    }
    *replies = reply;
    return PAM_SUCCESS;
}

static struct pam_conv conversation = { converse, NULL };

static void on_child(int number)
{
    (void)number;
    int saved = errno;
    children_seen++;
    if (reap_all)
        while (waitpid(-1, NULL, WNOHANG) > 0)
            ;
    errno = saved;
}

static int count_entries(const char *path)
{
    DIR *directory = opendir(path);
    int count = 0;
    struct dirent *entry;
    while (directory && (entry = readdir(directory)))
        count += entry->d_name[0] != '.';
    if (directory)
        closedir(directory);
    return count;
}

/* Memory, descriptors, threads, children, signal dispositions and mask: what a module must leave as found. */
static void show_state(void)
{
    unsigned long handlers = 5381;
    for (int number = 1; number < NSIG; number++) {
        struct sigaction action;
        memset(&action, 0, sizeof action);
        sigaction(number, NULL, &action);
        handlers = handlers * 33 + (unsigned long)action.sa_handler + (unsigned long)action.sa_flags;
    }
    sigset_t mask;
    memset(&mask, 0, sizeof mask);
    sigprocmask(SIG_SETMASK, NULL, &mask);
    int blocked = 0;
    for (int number = 1; number < NSIG; number++)
        blocked += sigismember(&mask, number) == 1;
    int child = waitpid(-1, NULL, WNOHANG);
    int pages = 0;
    FILE *sizes = fopen("/proc/self/statm", "re");
    if (!sizes || fscanf(sizes, "%d", &pages) != 1)
        abort();
    fclose(sizes);
    say("state=pages %d descriptors %d threads %d child %s handlers %lx blocked %d umask %o\n",
        pages, count_entries("/proc/self/fd"), count_entries("/proc/self/task"),
        child == 0 ? "runs" : child > 0 ? "zombie" : "none", handlers, blocked, umask(022));
}

/* Looks through every readable page for the masked text, and never holds it itself. */
static void scan(const char *text)
{
    size_t count = strlen(text) / 2;
    unsigned char *needle = malloc(count);
    for (size_t i = 0; i < count; i++)
        needle[i] = masked(text, i) ^ 0x5A;
    FILE *maps = fopen("/proc/self/maps", "re");
    int memory = open("/proc/self/mem", O_RDONLY | O_CLOEXEC);
    char line[512];
    unsigned long found = 0, pages = 0;
    static unsigned char page[4096 + 1024];
    while (fgets(line, sizeof line, maps)) {
        unsigned long from, to;
        char mode[8];
        if (sscanf(line, "%lx-%lx %7s", &from, &to, mode) != 3 || mode[0] != 'r')
            continue;
        for (unsigned long at = from; at < to; at += 4096) {
            size_t size = to - at < sizeof page ? to - at : sizeof page;
            ssize_t got = pread(memory, page, size, (off_t)at);
            if (got < (ssize_t)count)
                continue;
            pages++;
            for (size_t i = 0; i + count <= (size_t)got; i++) {
                size_t same = 0;
                while (same < count && (page[i + same] ^ 0x5A) == needle[same])
                    same++;
                found += same == count;
            }
            memset(page, 0, sizeof page);
        }
    }
    fclose(maps);
    close(memory);
    free(needle);
    say("scan=%s\n", pages < 50 ? "blind" : found ? "found" : "clean");
}

static long milliseconds(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

static int credentials(const char *name)
{
    return strcmp(name, "establish") == 0 ? PAM_ESTABLISH_CRED
         : strcmp(name, "delete") == 0    ? PAM_DELETE_CRED
         : strcmp(name, "refresh") == 0   ? PAM_REFRESH_CRED
                                          : PAM_REINITIALIZE_CRED;
}

static void limit(const char *text)
{
    static const struct { const char *name; int kind; } kinds[] = {
        { "nproc", RLIMIT_NPROC },   { "fsize", RLIMIT_FSIZE }, { "nofile", RLIMIT_NOFILE },
        { "memlock", RLIMIT_MEMLOCK }, { "as", RLIMIT_AS },
    };
    const char *value = strchr(text, ':') + 1;
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
        struct rlimit now;
        if (strncmp(text, kinds[i].name, strlen(kinds[i].name)) != 0)
            continue;
        /* The hard limit stays, so that the helper can do what the real one has to. */
        getrlimit(kinds[i].kind, &now);
        now.rlim_cur = strtoul(value, NULL, 10);
        if (setrlimit(kinds[i].kind, &now) != 0)
            abort();
    }
}

static void on_alarm(int number)
{
    (void)number;
    int saved = errno;
    /* A host that writes to the descriptors it has closed. What it then reaches may be libpam's own
     * socket to the kernel's audit; to a program leads only a local one. */
    for (int i = 0; closed_all && i < 3; i++) {
        int domain = 0;
        socklen_t size = sizeof domain;
        getsockopt(i, SOL_SOCKET, SO_DOMAIN, &domain, &size);
        strays += write(i, "stray", 5) >= 0 && domain == AF_UNIX;
    }
    errno = saved;
}

/* Answers ENOSYS to the calls, as a container's filter or an old kernel does. */
static void forbid(const char *calls)
{
    int keys = strcmp(calls, "keys") == 0;
    struct sock_filter filter[] = {
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, keys ? SYS_keyctl : SYS_pidfd_open, 1, 0),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, keys ? SYS_add_key : SYS_pidfd_send_signal, 0, 1),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | ENOSYS),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
    };
    struct sock_fprog program = { sizeof filter / sizeof *filter, filter };
    prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
    if (prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) != 0)
        abort();
}

static char **run(char **step);

/* As OpenSSH's keyboard-interactive child: PAM data dies with it, and the PAM environment comes
 * back only when pam_authenticate and what follows it succeeded. */
static char **run_child(char **step)
{
    int ends[2];
    if (pipe2(ends, O_CLOEXEC) != 0)
        abort();
    pid_t child = fork();
    if (child == 0) {
        run(step);
        char **list = last == PAM_SUCCESS ? pam_getenvlist(handle) : NULL;
        for (; list && *list; list++)
            dprintf(ends[1], "%s\n", *list);
        _exit(0);
    }
    close(ends[1]);
    FILE *lines = fdopen(ends[0], "re");
    char *line = NULL;
    size_t size = 0;
    while (getline(&line, &size, lines) > 0) {
        line[strcspn(line, "\n")] = 0;
        if (strncmp(line, "SSH_AUTH_INFO_0", 15) != 0)
            pam_putenv(handle, line);
    }
    free(line);
    fclose(lines);
    waitpid(child, NULL, 0);
    while (*step && strcmp(*step, "}") != 0)
        step++;
    return step;
}

static char **run(char **step)
{
    for (; *step && strcmp(*step, "}") != 0; step++) {
        char *name = *step;
        char *value = strchr(name, '=');
        size_t length = value ? (size_t)(value - name) : strlen(name);
        value = value ? value + 1 : name + length;
#define IS(word) (length == sizeof word - 1 && strncmp(name, word, length) == 0)
        long start = milliseconds();
        int status = -1;
        if (IS("auth")) {
            status = last = pam_authenticate(handle, 0);
        } else if (IS("setcred")) {
            status = pam_setcred(handle, credentials(value));
        } else if (IS("acct")) {
            status = last = pam_acct_mgmt(handle, 0);
        } else if (IS("open")) {
            status = pam_open_session(handle, *value ? PAM_SILENT : 0);
        } else if (IS("close")) {
            status = pam_close_session(handle, 0);
        } else if (IS("chauthtok")) {
            status = last = pam_chauthtok(handle, *value ? PAM_SILENT : 0);
        } else if (IS("end")) {
            pam_end(handle, atoi(value));
            handle = NULL;
        } else if (IS("user")) {
            pam_set_item(handle, PAM_USER, value);
        } else if (IS("env")) {
            pam_putenv(handle, value);
        } else if (IS("showenv")) {
            const char *found = pam_getenv(handle, value);
            say("env=%s\n", found ? found : "");
        } else if (IS("answer")) {
            answers[answer_count++ % 16] = value;
        } else if (IS("skip")) {
            /* A child's answers count for the parent too, if the test says so. */
            next_answer++;
        } else if (IS("child{")) {
            step = run_child(step + 1);
        } else if (IS("state")) {
            show_state();
        } else if (IS("scan")) {
            scan(value);
        } else if (IS("plant")) {
            char *volatile kept = unmask(value);
            (void)kept;
        } else if (IS("sigchld")) {
            reap_all = strcmp(value, "reap") == 0;
            signal(SIGCHLD, strcmp(value, "ignore") == 0 ? SIG_IGN : on_child);
        } else if (IS("sigchld-seen")) {
            say("sigchld-seen=%d\n", (int)children_seen);
        } else if (IS("closed")) {
            close(0), close(1), close(2), closed_all = 1;
        } else if (IS("strays")) {
            say("strays=%d\n", (int)strays);
        } else if (IS("limit")) {
            limit(value);
        } else if (IS("uid")) {
            uid_t user = (uid_t)atoi(value);
            if (setresgid(user, user, user) != 0 || setresuid(user, user, user) != 0)
                abort();
            /* So that `scan` may look. */
            prctl(PR_SET_DUMPABLE, 1, 0, 0, 0);
        } else if (IS("ruid")) {
            if (setresuid((uid_t)atoi(value), 0, 0) != 0)
                abort();
        } else if (IS("timer")) {
            struct sigaction action = { .sa_handler = on_alarm };
            struct itimerval often = { { 0, atoi(value) * 1000 }, { 0, atoi(value) * 1000 } };
            sigaction(SIGALRM, &action, NULL);
            setitimer(ITIMER_REAL, &often, NULL);
        } else if (IS("signals")) {
            /* Ignored, handled and blocked: nothing of it is for the helper. */
            sigset_t some;
            signal(SIGPIPE, SIG_IGN), signal(SIGINT, SIG_IGN), signal(SIGTERM, on_alarm);
            sigemptyset(&some);
            sigaddset(&some, SIGUSR1), sigaddset(&some, SIGCHLD);
            sigprocmask(SIG_BLOCK, &some, NULL);
        } else if (IS("run")) {
            if (system(value) != 0)
                abort();
        } else if (IS("forbid")) {
            forbid(value);
        } else if (IS("noplace")) {
            char place[] = "/run/place-XXXXXX";
            if (!mkdtemp(place) || chdir(place) != 0 || rmdir(place) != 0)
                abort();
        } else if (IS("reload")) {
            for (int i = 0; i < 100; i++) {
                void *module = dlopen(value, RTLD_NOW);
                if (!module || !dlsym(module, "pam_sm_authenticate"))
                    abort();
                dlclose(module);
            }
            say("reload=done\n");
        } else if (IS("pid")) {
            say("pid=%d\n", getpid());
        } else if (IS("wait")) {
            poll(NULL, 0, atoi(value));
        } else {
            say("unknown step %s\n", name);
        }
        if (status >= 0)
            say("%.*s=%d\nelapsed=%ld\n", (int)length, name, status, milliseconds() - start);
    }
    return step;
}

int main(int count, char **list)
{
    if (count < 5)
        return 2;
    int inherited = atoi(list[1]);
    out = fcntl(inherited, F_DUPFD_CLOEXEC, 20);
    close(inherited);
    if (pam_start_confdir(list[3], list[4], &conversation, list[2], &handle) != PAM_SUCCESS)
        return 3;
    run(list + 5);
    say("questions=%d\nmessages=%d\n", questions, messages);
    if (handle)
        pam_end(handle, PAM_SUCCESS);
    say("finished=yes\n");
    return 0;
}
