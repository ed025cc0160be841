/*
 * What C programs do with libvestry, one thing for each first argument. Says what was wrong on standard
 * error, and then ends with 1.
 *
 *     functions     every function, in an unlocked keychain without items
 *     mistakes      every argument that the library refuses, in an unlocked keychain without items
 *     answers       what each function returns about item "s" "a", a line each on standard output
 *     guest         what the library does to the process that it is loaded into
 *     memory        where a secret is, and that it is zeroed
 *     threads N     threads that share a keychain; afterwards items "t" 0 to N-1
 *     groups        what a program does that has the groups "default" and "work"
 *     locked        how locked items of service "locked" are found and removed
 *     children      children of fork(2), while threads use the keychain
 *     wait MS       sleeps until item "s" "a" can be read, and prints it
 */
#define _GNU_SOURCE
#include <dirent.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>
#include <vestry.h>

static void check(int line, const char *what, long long got, long long expected)
{
    if (got == expected)
        return;
    fprintf(stderr, "line %d: %s: %lld instead of %lld (%s)\n", line, what, got, expected,
            vestry_last_error());
    exit(1);
}
#define IS(expression, expected) check(__LINE__, #expression, (long long)(expression), (expected))
#define OK(expression) IS(expression, VESTRY_OK)
#define REFUSED(expression) IS(expression, VESTRY_PARAMETER)

static vestry_keychain *opened(unsigned int flags)
{
    vestry_keychain *keychain;
    OK(vestry_keychain_open(flags, &keychain));
    return keychain;
}

static void is_secret(vestry_secret *secret, const void *bytes, size_t length)
{
    IS(vestry_secret_length(secret), (long long)length);
    IS(memcmp(vestry_secret_bytes(secret), bytes, length), 0);
    IS(((const char *)vestry_secret_bytes(secret))[length], 0);
    vestry_secret_free(secret);
}

static void is_stored(vestry_keychain *keychain, const char *account, const void *bytes, size_t length)
{
    vestry_secret *secret;
    OK(vestry_get(keychain, "service", account, &secret));
    is_secret(secret, bytes, length);
}

static void is_text(const vestry_item *item, const char *attribute, const char *expected)
{
    const char *text = vestry_item_text(item, attribute);
    if (text ? expected && !strcmp(text, expected) : !expected)
        return;
    fprintf(stderr, "%s: %s instead of %s\n", attribute, text ? text : "none", expected ? expected : "none");
    exit(1);
}

/* An item with texts: names and values, ended by NULL. */
static vestry_item *item_with(const char *const *texts)
{
    vestry_item *item;
    OK(vestry_item_new(&item));
    for (; *texts; texts += 2)
        OK(vestry_item_set_text(item, texts[0], texts[1]));
    return item;
}
#define ITEM(...) item_with((const char *const[]){__VA_ARGS__, NULL})

static void simple_functions(vestry_keychain *keychain, int largest)
{
    static char bytes[VESTRY_SECRET_MAX + 1];
    static const size_t lengths[] = {0, 1, 255, 256, 257, 4096, VESTRY_SECRET_MAX};
    vestry_secret *secret = NULL;

    for (size_t i = 0; i < sizeof(bytes); i++)
        bytes[i] = (char)(i * 7);
    for (size_t i = 0; i < sizeof(lengths) / sizeof(*lengths) - !largest; i++) {
        OK(vestry_set(keychain, "service", "account", bytes, lengths[i]));
        is_stored(keychain, "account", bytes, lengths[i]);
    }
    OK(vestry_set(keychain, "service", "account", NULL, 0));
    is_stored(keychain, "account", "", 0);
    IS(vestry_set(keychain, "service", "account", bytes, sizeof(bytes)), VESTRY_TOO_LARGE);
    IS(vestry_set(keychain, "service", "account", bytes, SIZE_MAX), VESTRY_TOO_LARGE);
    is_stored(keychain, "account", "", 0);
    IS(vestry_get(keychain, "service", "other", &secret), VESTRY_NOT_FOUND);
    IS(secret == NULL, 1);
    OK(vestry_set(keychain, "", "", "x", 1));
    OK(vestry_delete(keychain, "", ""));
    IS(vestry_delete(keychain, "", ""), VESTRY_NOT_FOUND);
    IS(strcmp(vestry_last_error(), vestry_error_message(VESTRY_NOT_FOUND)), 0);
    OK(vestry_delete(keychain, "service", "account"));
}

static void item_functions(vestry_keychain *keychain)
{
    vestry_item *item = ITEM(VESTRY_SERVER, "example.org", VESTRY_ACCOUNT, "a", VESTRY_PROTOCOL, "https",
                             VESTRY_PATH, "/p", VESTRY_LABEL, "L\303\251", VESTRY_ACCESSIBLE,
                             VESTRY_WHEN_UNLOCKED, VESTRY_AUTHENTICATION_TYPE, "html-form",
                             VESTRY_SECURITY_DOMAIN, "D", VESTRY_COMMENT, "C", VESTRY_DESCRIPTION, "K");
    OK(vestry_item_set_number(item, VESTRY_PORT, 443));
    OK(vestry_item_set_number(item, VESTRY_EXPIRES, 4102444800));
    IS(vestry_set_item(keychain, item, "one", 3, VESTRY_UPDATE_ONLY), VESTRY_NOT_FOUND);
    OK(vestry_set_item(keychain, item, "one", 3, VESTRY_ADD_ONLY));
    IS(vestry_set_item(keychain, item, "two", 3, VESTRY_ADD_ONLY), VESTRY_DUPLICATE);
    OK(vestry_set_item(keychain, item, "two", 3, VESTRY_UPDATE_ONLY));

    /* What is not given stays. */
    vestry_item *names = ITEM(VESTRY_SERVER, "example.org", VESTRY_ACCOUNT, "a", VESTRY_PROTOCOL, "https",
                              VESTRY_PATH, "/p", VESTRY_AUTHENTICATION_TYPE, "html-form",
                              VESTRY_SECURITY_DOMAIN, "D", VESTRY_COMMENT, "changed");
    OK(vestry_item_set_number(names, VESTRY_PORT, 443));
    OK(vestry_set_item(keychain, names, "three", 5, 0));
    OK(vestry_item_set_number(names, VESTRY_PORT, 8443));
    OK(vestry_set_item(keychain, names, "other port", 10, 0));

    vestry_secret *secret;
    vestry_item *conditions = ITEM(VESTRY_SERVER, "example.org");
    REFUSED(vestry_get_item(keychain, conditions, &secret));
    IS(strstr(vestry_last_error(), "several items match") != NULL, 1);
    REFUSED(vestry_delete_item(keychain, conditions));
    OK(vestry_item_set_number(conditions, VESTRY_PORT, 443));
    OK(vestry_get_item(keychain, conditions, &secret));
    is_secret(secret, "three", 5);
    OK(vestry_item_set_text(conditions, VESTRY_SERVER, NULL));
    OK(vestry_get_item(keychain, conditions, &secret));
    is_secret(secret, "three", 5);

    vestry_list *list;
    OK(vestry_list_items(keychain, conditions, &list));
    IS(vestry_list_count(list), 1);
    IS(vestry_list_locked_count(list), 0);
    IS(vestry_list_damaged_count(list), 0);
    IS(vestry_list_get(list, 1) == NULL, 1);
    IS(vestry_list_get(list, SIZE_MAX) == NULL, 1);
    const vestry_item *found = vestry_list_get(list, 0);
    is_text(found, VESTRY_CLASS, "internet-password");
    is_text(found, VESTRY_SERVER, "example.org");
    is_text(found, VESTRY_PROTOCOL, "https");
    is_text(found, VESTRY_AUTHENTICATION_TYPE, "html-form");
    is_text(found, VESTRY_SECURITY_DOMAIN, "D");
    is_text(found, VESTRY_LABEL, "L\303\251");
    is_text(found, VESTRY_COMMENT, "changed");
    is_text(found, VESTRY_DESCRIPTION, "K");
    is_text(found, VESTRY_ACCESSIBLE, VESTRY_WHEN_UNLOCKED);
    is_text(found, VESTRY_GROUP, "default");
    is_text(found, VESTRY_SERVICE, NULL);
    int64_t number;
    OK(vestry_item_number(found, VESTRY_PORT, &number));
    IS(number, 443);
    OK(vestry_item_number(found, VESTRY_EXPIRES, &number));
    IS(number, 4102444800);
    OK(vestry_item_number(found, VESTRY_SYNCHRONIZABLE, &number));
    IS(number, 0);
    OK(vestry_item_number(found, VESTRY_CREATED, &number));
    IS(number > 1700000000, 1);
    OK(vestry_item_number(found, VESTRY_MODIFIED, &number));

    vestry_item *reference = ITEM(VESTRY_REFERENCE, vestry_item_text(found, VESTRY_REFERENCE));
    vestry_list_free(list);
    OK(vestry_get_item(keychain, reference, &secret));
    is_secret(secret, "three", 5);
    OK(vestry_delete_item(keychain, reference));
    IS(vestry_get_item(keychain, reference, &secret), VESTRY_NOT_FOUND);
    OK(vestry_item_set_text(reference, VESTRY_REFERENCE, NULL));
    OK(vestry_item_set_text(reference, VESTRY_SERVER, "example.org"));
    OK(vestry_delete_item(keychain, reference));

    vestry_item *grouped = ITEM(VESTRY_SERVICE, "s", VESTRY_ACCOUNT, "a", VESTRY_GROUP, "others");
    OK(vestry_set_item(keychain, grouped, "theirs", 6, 0));
    IS(vestry_get(keychain, "s", "a", &secret), VESTRY_NOT_FOUND);
    OK(vestry_get_item(keychain, grouped, &secret));
    is_secret(secret, "theirs", 6);
    OK(vestry_delete_item(keychain, grouped));

    OK(vestry_list_items(keychain, NULL, &list));
    IS(vestry_list_count(list), 0);
    vestry_list_free(list);
    vestry_item_free(item);
    vestry_item_free(names);
    vestry_item_free(conditions);
    vestry_item_free(reference);
    vestry_item_free(grouped);
}

static void functions(void)
{
    static const unsigned int flags[] = {0, VESTRY_KEEP_OPEN, VESTRY_NO_HISTORY,
                                         VESTRY_KEEP_OPEN | VESTRY_NO_HISTORY};
    for (int i = 0; i < 4; i++) {
        vestry_keychain *keychain = opened(flags[i]);
        const char *state, *reason;
        bool readable;
        OK(vestry_status(keychain, &state, &reason));
        IS(strcmp(state, VESTRY_STATE_UNLOCKED), 0);
        IS(strcmp(reason, "session-open"), 0);
        OK(vestry_status(keychain, &state, NULL));
        OK(vestry_is_readable(keychain, VESTRY_WHEN_UNLOCKED_THIS_DEVICE_ONLY, &readable));
        IS(readable, 1);
        OK(vestry_wait(keychain, VESTRY_WHEN_UNLOCKED, 0));
        OK(vestry_wait(keychain, VESTRY_AFTER_FIRST_UNLOCK, INT64_MAX));
        OK(vestry_wait(keychain, VESTRY_AFTER_FIRST_UNLOCK, -1));
        simple_functions(keychain, i == 0);
        item_functions(keychain);
        vestry_keychain_close(keychain);
    }
    IS(strcmp(vestry_version(), VESTRY_VERSION), 0);
    IS(strcmp(vestry_error_message(VESTRY_LOCKED), "the keychain is locked (-25308)"), 0);
    IS(strcmp(vestry_error_message(12345), "unknown error"), 0);
    IS(strcmp(vestry_error_message(0), "no error"), 0);
    IS(strlen(vestry_error_next_step(12345)) > 0, 1);
}

static void refused_texts(vestry_keychain *keychain, vestry_item *item)
{
    static const char *const wrong[] = {NULL, "\377", "a\300\200", "\355\240\200"};
    static char huge[65536 + 2];
    vestry_secret *secret;
    memset(huge, 'x', sizeof(huge) - 1);
    for (int i = 0; i < 4; i++) {
        REFUSED(vestry_get(keychain, wrong[i], "a", &secret));
        REFUSED(vestry_get(keychain, "s", wrong[i], &secret));
        REFUSED(vestry_set(keychain, wrong[i], "a", "x", 1));
        REFUSED(vestry_set(keychain, "s", wrong[i], "x", 1));
        REFUSED(vestry_delete(keychain, wrong[i], "a"));
        REFUSED(vestry_delete(keychain, "s", wrong[i]));
        REFUSED(vestry_item_set_text(item, wrong[i], "a"));
        REFUSED(vestry_item_set_number(item, wrong[i], 1));
        REFUSED(vestry_wait(keychain, wrong[i], 0));
        IS(vestry_item_text(item, wrong[i]) == NULL, 1);
        if (wrong[i])
            REFUSED(vestry_item_set_text(item, VESTRY_LABEL, wrong[i]));
    }
    REFUSED(vestry_get(keychain, huge, "a", &secret));
    REFUSED(vestry_set(keychain, "s", huge, "x", 1));
    REFUSED(vestry_item_set_text(item, VESTRY_LABEL, huge));
    REFUSED(vestry_wait(keychain, "unlocked", 0));
    REFUSED(vestry_item_set_text(item, "password", "a"));
    REFUSED(vestry_item_set_text(item, VESTRY_PORT, "443"));
    REFUSED(vestry_item_set_text(item, VESTRY_CLASS, "certificate"));
    REFUSED(vestry_item_set_text(item, VESTRY_ACCESSIBLE, "ck"));
    REFUSED(vestry_item_set_text(item, VESTRY_REFERENCE, "+0-0000000000000000000000000000000"));
    REFUSED(vestry_item_set_text(item, VESTRY_REFERENCE, "0"));
    REFUSED(vestry_item_set_number(item, VESTRY_LABEL, 1));
    REFUSED(vestry_item_set_number(item, VESTRY_PORT, 65536));
    REFUSED(vestry_item_set_number(item, VESTRY_PORT, -1));
    REFUSED(vestry_item_set_number(item, VESTRY_SYNCHRONIZABLE, 2));
    REFUSED(vestry_item_set_number(item, VESTRY_EXPIRES, INT64_MIN));
    REFUSED(vestry_item_set_number(item, VESTRY_EXPIRES, INT64_MAX));
    IS(vestry_item_set_number(item, VESTRY_CREATED, 1), VESTRY_READ_ONLY_ATTRIBUTE);
}

static void mistakes(void)
{
    vestry_keychain *keychain = opened(0);
    vestry_item *item = ITEM(VESTRY_SERVICE, "s", VESTRY_ACCOUNT, "a");
    vestry_item *empty;
    vestry_secret *secret;
    vestry_list *list;
    const char *state;
    bool readable;
    int64_t number;

    OK(vestry_item_new(&empty));
    refused_texts(keychain, item);
    REFUSED(vestry_keychain_open(0, NULL));
    vestry_keychain *none = keychain;
    REFUSED(vestry_keychain_open(4, &none));
    IS(none == NULL, 1);
    REFUSED(vestry_item_new(NULL));
    REFUSED(vestry_status(NULL, &state, NULL));
    IS(state == NULL, 1);
    REFUSED(vestry_status(keychain, NULL, NULL));
    REFUSED(vestry_is_readable(NULL, VESTRY_WHEN_UNLOCKED, &readable));
    REFUSED(vestry_is_readable(keychain, NULL, &readable));
    REFUSED(vestry_is_readable(keychain, VESTRY_WHEN_UNLOCKED, NULL));
    REFUSED(vestry_wait(NULL, VESTRY_WHEN_UNLOCKED, 0));
    REFUSED(vestry_get(NULL, "s", "a", &secret));
    IS(secret == NULL, 1);
    REFUSED(vestry_get(keychain, "s", "a", NULL));
    REFUSED(vestry_set(NULL, "s", "a", "x", 1));
    REFUSED(vestry_set(keychain, "s", "a", NULL, 1));
    REFUSED(vestry_delete(NULL, "s", "a"));
    REFUSED(vestry_item_set_text(NULL, VESTRY_LABEL, "a"));
    REFUSED(vestry_item_set_number(NULL, VESTRY_PORT, 1));
    REFUSED(vestry_item_number(NULL, VESTRY_PORT, &number));
    REFUSED(vestry_item_number(item, VESTRY_PORT, NULL));
    REFUSED(vestry_item_number(item, VESTRY_LABEL, &number));
    IS(vestry_item_number(item, VESTRY_PORT, &number), VESTRY_NOT_FOUND);
    IS(vestry_item_text(NULL, VESTRY_LABEL) == NULL, 1);
    REFUSED(vestry_get_item(NULL, item, &secret));
    REFUSED(vestry_get_item(keychain, NULL, &secret));
    REFUSED(vestry_get_item(keychain, item, NULL));
    REFUSED(vestry_get_item(keychain, empty, &secret));
    REFUSED(vestry_delete_item(NULL, item));
    REFUSED(vestry_delete_item(keychain, NULL));
    REFUSED(vestry_delete_item(keychain, empty));
    REFUSED(vestry_set_item(NULL, item, "x", 1, 0));
    REFUSED(vestry_set_item(keychain, NULL, "x", 1, 0));
    REFUSED(vestry_set_item(keychain, item, NULL, 1, 0));
    REFUSED(vestry_set_item(keychain, item, "x", 1, VESTRY_ADD_ONLY | VESTRY_UPDATE_ONLY));
    REFUSED(vestry_set_item(keychain, empty, "x", 1, 0));
    REFUSED(vestry_list_items(NULL, item, &list));
    IS(list == NULL, 1);
    REFUSED(vestry_list_items(keychain, item, NULL));
    /* Of another class, and a reference together with something else. */
    OK(vestry_item_set_number(item, VESTRY_PORT, 1));
    OK(vestry_item_set_text(item, VESTRY_CLASS, "generic-password"));
    REFUSED(vestry_get_item(keychain, item, &secret));
    REFUSED(vestry_set_item(keychain, item, "x", 1, 0));
    OK(vestry_item_set_text(empty, VESTRY_REFERENCE, "00112233445566778899aabbccddeeff"));
    IS(vestry_get_item(keychain, empty, &secret), VESTRY_NOT_FOUND);
    OK(vestry_item_set_text(empty, VESTRY_LABEL, "a"));
    REFUSED(vestry_get_item(keychain, empty, &secret));

    IS(vestry_secret_bytes(NULL) == NULL, 1);
    IS(vestry_secret_length(NULL), 0);
    IS(vestry_list_count(NULL), 0);
    IS(vestry_list_locked_count(NULL), 0);
    IS(vestry_list_damaged_count(NULL), 0);
    IS(vestry_list_get(NULL, 0) == NULL, 1);
    vestry_secret_free(NULL);
    vestry_list_free(NULL);
    vestry_item_free(NULL);
    vestry_keychain_close(NULL);

    /* Nothing of all that was stored. */
    OK(vestry_list_items(keychain, NULL, &list));
    IS(vestry_list_count(list), 0);
    vestry_list_free(list);
    vestry_item_free(item);
    vestry_item_free(empty);
    vestry_keychain_close(keychain);
}

static void answers(void)
{
    vestry_keychain *keychain = opened(0);
    const char *state, *reason;
    vestry_secret *secret = NULL;
    vestry_list *list;
    bool readable;
    int error = vestry_status(keychain, &state, &reason);
    printf("status %d %s %s\n", error, state, reason);
    error = vestry_is_readable(keychain, VESTRY_WHEN_UNLOCKED, &readable);
    printf("when-unlocked %d %d\n", error, readable);
    error = vestry_is_readable(keychain, VESTRY_AFTER_FIRST_UNLOCK, &readable);
    printf("after-first-unlock %d %d\n", error, readable);
    printf("wait %d\n", vestry_wait(keychain, VESTRY_WHEN_UNLOCKED, 0));
    error = vestry_get(keychain, "s", "a", &secret);
    printf("get %d %s\n", error, error ? vestry_last_error() : (const char *)vestry_secret_bytes(secret));
    vestry_secret_free(secret);
    vestry_item *item = ITEM(VESTRY_SERVICE, "s");
    printf("get_item %d\n", vestry_get_item(keychain, item, &secret));
    vestry_secret_free(secret);
    error = vestry_list_items(keychain, NULL, &list);
    printf("list %d %zu %zu %zu\n", error, vestry_list_count(list), vestry_list_locked_count(list),
           vestry_list_damaged_count(list));
    vestry_list_free(list);
    printf("set %d\n", vestry_set(keychain, "s", "a", "new", 3));
    OK(vestry_item_set_text(item, VESTRY_ACCOUNT, "a"));
    printf("set_item %d\n", vestry_set_item(keychain, item, "new", 3, VESTRY_UPDATE_ONLY));
    vestry_item_free(item);
    vestry_keychain_close(keychain);
}

static void groups(void)
{
    vestry_keychain *keychain = opened(0);
    vestry_secret *secret;
    vestry_item *work = ITEM(VESTRY_SERVICE, "service", VESTRY_ACCOUNT, "account", VESTRY_GROUP, "work");
    OK(vestry_set_item(keychain, work, "one", 3, 0));
    is_stored(keychain, "account", "one", 3);
    OK(vestry_set(keychain, "service", "account", "two", 3));
    OK(vestry_get_item(keychain, work, &secret));
    is_secret(secret, "two", 3);
    OK(vestry_delete(keychain, "service", "account"));
    IS(vestry_get(keychain, "service", "account", &secret), VESTRY_NOT_FOUND);
    OK(vestry_set(keychain, "service", "account", "first", 5));
    OK(vestry_set_item(keychain, work, "second", 6, 0));
    REFUSED(vestry_get(keychain, "service", "account", &secret));
    REFUSED(vestry_delete(keychain, "service", "account"));
    OK(vestry_item_set_text(work, VESTRY_GROUP, "default"));
    OK(vestry_get_item(keychain, work, &secret));
    is_secret(secret, "first", 5);
    vestry_item_free(work);
    vestry_keychain_close(keychain);
}

static void locked(void)
{
    vestry_keychain *keychain = opened(0);
    vestry_item *item = ITEM(VESTRY_SERVICE, "locked");
    vestry_secret *secret;
    REFUSED(vestry_delete_item(keychain, item));
    IS(vestry_get_item(keychain, item, &secret), VESTRY_LOCKED);
    OK(vestry_item_set_text(item, VESTRY_ACCOUNT, "1"));
    OK(vestry_delete_item(keychain, item));
    OK(vestry_delete(keychain, "locked", "2"));
    OK(vestry_item_set_text(item, VESTRY_ACCOUNT, NULL));
    OK(vestry_delete_item(keychain, item));
    IS(vestry_delete_item(keychain, item), VESTRY_NOT_FOUND);
    vestry_item_free(item);
    vestry_keychain_close(keychain);
}

static int entries(const char *folder)
{
    DIR *directory = opendir(folder);
    int count = 0;
    while (directory && readdir(directory))
        count++;
    closedir(directory);
    return count;
}

static void guest(void)
{
    int descriptors = entries("/proc/self/fd");
    vestry_keychain *keychain = opened(VESTRY_KEEP_OPEN);
    OK(vestry_set(keychain, "service", "account", "x", 1));
    is_stored(keychain, "account", "x", 1);
    IS(entries("/proc/self/task"), 3);
    for (int number = 1; number < NSIG; number++) {
        struct sigaction action;
        if (sigaction(number, NULL, &action) == 0 && action.sa_handler != SIG_DFL)
            check(number, "the handler of a signal", 1, 0);
    }
    sigset_t blocked;
    sigprocmask(SIG_BLOCK, NULL, &blocked);
    IS(sigisemptyset(&blocked), 1);
    vestry_keychain_close(keychain);
    IS(entries("/proc/self/fd"), descriptors);
}

/* The flags in smaps of the memory that an address is in. */
static void memory_flags(const void *address, char *flags, size_t size)
{
    FILE *maps = fopen("/proc/self/smaps", "r");
    char line[512];
    int inside = 0;
    flags[0] = '\0';
    while (maps && fgets(line, sizeof(line), maps)) {
        unsigned long from, to;
        if (sscanf(line, "%lx-%lx ", &from, &to) == 2)
            inside = (unsigned long)address >= from && (unsigned long)address < to;
        else if (inside && !strncmp(line, "VmFlags:", 8))
            snprintf(flags, size, "%s", line);
    }
    fclose(maps);
}

static void memory(void)
{
    vestry_keychain *keychain = opened(0);
    vestry_secret *secret;
    char flags[512];
    OK(vestry_set(keychain, "service", "account", "a secret", 8));
    OK(vestry_get(keychain, "service", "account", &secret));
    const char *bytes = vestry_secret_bytes(secret);
    memory_flags(bytes, flags, sizeof(flags));
    /* Left out of core dumps, and locked. */
    IS(strstr(flags, " dd") != NULL, 1);
    IS(strstr(flags, " lo") != NULL, 1);
    vestry_secret_free(secret);
    /* Small secrets share memory that stays. */
    for (int i = 0; i < 8; i++)
        IS(((const volatile char *)bytes)[i], 0);
    vestry_keychain_close(keychain);
}

static vestry_keychain *shared;
static volatile int stop;

static void *write_and_read(void *argument)
{
    char account[16], text[32];
    for (int turn = 0; turn < 20; turn++) {
        vestry_secret *secret;
        vestry_list *list;
        snprintf(account, sizeof(account), "%ld", (long)argument);
        snprintf(text, sizeof(text), "%ld/%d", (long)argument, turn);
        OK(vestry_set(shared, "t", account, text, strlen(text)));
        OK(vestry_get(shared, "t", account, &secret));
        is_secret(secret, text, strlen(text));
        OK(vestry_list_items(shared, NULL, &list));
        IS(vestry_list_count(list) > 0, 1);
        vestry_list_free(list);
        /* Each thread has its own last error. */
        REFUSED(argument ? vestry_get(shared, NULL, "a", &secret) : vestry_wait(shared, "x", 0));
        IS(strstr(vestry_last_error(), argument ? "NULL" : "no such class") != NULL, 1);
    }
    return NULL;
}

static void threads(int count)
{
    pthread_t running[64];
    shared = opened(VESTRY_KEEP_OPEN | VESTRY_NO_HISTORY);
    for (long i = 0; i < count && i < 64; i++)
        OK(pthread_create(&running[i], NULL, write_and_read, (void *)i));
    for (int i = 0; i < count && i < 64; i++)
        OK(pthread_join(running[i], NULL));
    vestry_keychain_close(shared);
}

static void *read_on(void *argument)
{
    while (!stop) {
        vestry_secret *secret;
        OK(vestry_get(shared, "service", "account", &secret));
        is_secret(secret, "x", 1);
    }
    return argument;
}

static void children(void)
{
    pthread_t reader;
    shared = opened(VESTRY_KEEP_OPEN);
    OK(vestry_set(shared, "service", "account", "x", 1));
    is_stored(shared, "account", "x", 1);
    OK(pthread_create(&reader, NULL, read_on, NULL));
    for (int turn = 0; turn < 20; turn++) {
        pid_t child = fork();
        if (child == 0) {
            alarm(20);
            is_stored(shared, "account", "x", 1);
            OK(vestry_set(shared, "service", "child", "y", 1));
            is_stored(shared, "child", "y", 1);
            vestry_keychain_close(shared);
            _exit(0);
        }
        int status;
        IS(waitpid(child, &status, 0), child);
        IS(status, 0);
        is_stored(shared, "child", "y", 1);
    }
    stop = 1;
    OK(pthread_join(reader, NULL));
    vestry_keychain_close(shared);
}

static int wait_and_get(const char *milliseconds)
{
    vestry_keychain *keychain = opened(VESTRY_KEEP_OPEN);
    vestry_secret *secret;
    printf("waiting\n");
    fflush(stdout);
    int error = vestry_wait(keychain, VESTRY_AFTER_FIRST_UNLOCK, atoll(milliseconds));
    if (!error)
        error = vestry_get(keychain, "s", "a", &secret);
    if (error) {
        printf("%d\n", error);
        return 0;
    }
    printf("%s\n", (const char *)vestry_secret_bytes(secret));
    vestry_secret_free(secret);
    vestry_keychain_close(keychain);
    return 0;
}

int main(int count, char **arguments)
{
    const char *what = count > 1 ? arguments[1] : "";
    if (!strcmp(what, "functions"))
        functions();
    else if (!strcmp(what, "mistakes"))
        mistakes();
    else if (!strcmp(what, "answers"))
        answers();
    else if (!strcmp(what, "guest"))
        guest();
    else if (!strcmp(what, "groups"))
        groups();
    else if (!strcmp(what, "locked"))
        locked();
    else if (!strcmp(what, "memory"))
        memory();
    else if (!strcmp(what, "threads") && count > 2)
        threads(atoi(arguments[2]));
    else if (!strcmp(what, "children"))
        children();
    else if (!strcmp(what, "wait") && count > 2)
        return wait_and_get(arguments[2]);
    else
        return 2;
    printf("done\n");
    return 0;
}
