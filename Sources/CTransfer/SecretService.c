#define _GNU_SOURCE
#include "CTransfer.h"
#include "Library.h"

#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <systemd/sd-bus.h>

/* Every function of libsystemd that is used, so that one list declares and loads them. */
#define FUNCTIONS(X)                                                                              \
    X(sd_bus_open_user) X(sd_bus_flush_close_unref) X(sd_bus_set_method_call_timeout)             \
    X(sd_bus_call_method) X(sd_bus_call) X(sd_bus_get_property) X(sd_bus_match_signal)            \
    X(sd_bus_process) X(sd_bus_wait)                                                                    \
    X(sd_bus_message_new_method_call) X(sd_bus_message_append) X(sd_bus_message_unref)            \
    X(sd_bus_message_read) X(sd_bus_message_read_array) X(sd_bus_message_skip)                    \
    X(sd_bus_message_enter_container) X(sd_bus_message_exit_container)                            \
    X(sd_bus_message_open_container) X(sd_bus_message_close_container)                            \
    X(sd_bus_message_sensitive) X(sd_bus_slot_unref) X(sd_bus_error_free)

VESTRY_LIBRARY("libsystemd.so.0", FUNCTIONS)

static int is_loaded;
static pthread_once_t once = PTHREAD_ONCE_INIT;

static void load(void)
{
    is_loaded = load_library();
}

#define NAME "org.freedesktop.secrets"
#define SERVICE "/org/freedesktop/secrets"
#define PREFIX "org.freedesktop.Secret."

enum {
    COLLECTION_LIMIT = 1000,
    ITEM_LIMIT = 100000,
    CALL_SECONDS = 30,
};

/* Object paths, which are freed with the list. */
struct paths {
    char **paths;
    size_t count;
};

static void paths_free(struct paths *list)
{
    for (size_t index = 0; index < list->count; index++)
        free(list->paths[index]);
    free(list->paths);
    list->paths = NULL;
    list->count = 0;
}

/* Reads an array of object paths behind those of the list. */
static int paths_read(sd_bus_message *message, struct paths *list, size_t limit)
{
    const char *path;
    int status = library.sd_bus_message_enter_container(message, 'a', "o");
    if (status < 0)
        return status;
    while ((status = library.sd_bus_message_read(message, "o", &path)) > 0) {
        if (list->count >= limit)
            return -E2BIG;
        char **larger = realloc(list->paths, (list->count + 1) * sizeof *larger);
        if (!larger)
            return -ENOMEM;
        list->paths = larger;
        char *copy = strdup(path);
        if (!copy)
            return -ENOMEM;
        list->paths[list->count++] = copy;
    }
    return status < 0 ? status : library.sd_bus_message_exit_container(message);
}

static int read_property_paths(
    sd_bus *bus, const char *path, const char *interface, const char *property,
    struct paths *list, size_t limit)
{
    sd_bus_message *reply = NULL;
    int status = library.sd_bus_get_property(bus, NAME, path, interface, property, NULL, &reply, "ao");
    if (status >= 0)
        status = paths_read(reply, list, limit);
    library.sd_bus_message_unref(reply);
    return status;
}

/* How a question of the service ended. */
struct answer {
    int is_complete;
    int is_dismissed;
};

static int completed(sd_bus_message *message, void *data, sd_bus_error *error)
{
    struct answer *answer = data;
    (void)error;
    answer->is_complete = 1;
    if (library.sd_bus_message_read(message, "b", &answer->is_dismissed) < 0)
        answer->is_dismissed = 1;
    return 0;
}

/* Lets the service ask the person, and waits for the answer. */
static int ask(sd_bus *bus, const char *prompt, const struct vestry_secrets_handler *handler)
{
    struct answer answer = {0, 0};
    sd_bus_slot *slot = NULL;
    struct timespec now, end;
    int status = library.sd_bus_match_signal(
        bus, &slot, NAME, prompt, PREFIX "Prompt", "Completed", completed, &answer);
    if (status >= 0)
        handler->asking(handler->context);
    if (status >= 0)
        status = library.sd_bus_call_method(
            bus, NAME, prompt, PREFIX "Prompt", "Prompt", NULL, NULL, "s", "");
    clock_gettime(CLOCK_MONOTONIC, &end);
    end.tv_sec += handler->seconds;
    while (status >= 0 && !answer.is_complete) {
        status = library.sd_bus_process(bus, NULL);
        if (status != 0)
            continue;
        clock_gettime(CLOCK_MONOTONIC, &now);
        if (now.tv_sec >= end.tv_sec)
            status = -ETIME;
        else
            status = library.sd_bus_wait(bus, 1000000);
    }
    library.sd_bus_slot_unref(slot);
    if (status < 0)
        return status;
    return answer.is_dismissed ? -ECANCELED : 0;
}

static int unlock(
    sd_bus *bus, const struct paths *collections, const struct vestry_secrets_handler *handler)
{
    sd_bus_message *call = NULL, *reply = NULL;
    struct paths unlocked = {NULL, 0};
    const char *prompt;
    int status = library.sd_bus_message_new_method_call(
        bus, &call, NAME, SERVICE, PREFIX "Service", "Unlock");
    if (status >= 0)
        status = library.sd_bus_message_open_container(call, 'a', "o");
    for (size_t index = 0; status >= 0 && index < collections->count; index++)
        status = library.sd_bus_message_append(call, "o", collections->paths[index]);
    if (status >= 0)
        status = library.sd_bus_message_close_container(call);
    if (status >= 0)
        status = library.sd_bus_call(bus, call, 0, NULL, &reply);
    if (status >= 0)
        status = paths_read(reply, &unlocked, COLLECTION_LIMIT);
    if (status >= 0)
        status = library.sd_bus_message_read(reply, "o", &prompt);
    if (status >= 0 && strcmp(prompt, "/") != 0)
        status = ask(bus, prompt, handler);
    paths_free(&unlocked);
    library.sd_bus_message_unref(reply);
    library.sd_bus_message_unref(call);
    return status;
}

static int read_attributes(
    sd_bus *bus, const char *item, const struct vestry_secrets_handler *handler)
{
    sd_bus_message *reply = NULL;
    const char *name, *value;
    int status = library.sd_bus_get_property(
        bus, NAME, item, PREFIX "Item", "Attributes", NULL, &reply, "a{ss}");
    if (status >= 0)
        status = library.sd_bus_message_enter_container(reply, 'a', "{ss}");
    while (status >= 0) {
        status = library.sd_bus_message_read(reply, "{ss}", &name, &value);
        if (status <= 0)
            break;
        handler->attribute(handler->context, name, value);
    }
    library.sd_bus_message_unref(reply);
    return status;
}

static int read_number(sd_bus *bus, const char *item, const char *property, uint64_t *number)
{
    sd_bus_message *reply = NULL;
    *number = 0;
    int status = library.sd_bus_get_property(
        bus, NAME, item, PREFIX "Item", property, NULL, &reply, "t");
    if (status >= 0)
        status = library.sd_bus_message_read(reply, "t", number);
    library.sd_bus_message_unref(reply);
    return status;
}

static int read_secret(
    sd_bus *bus, const char *item, const char *session, const char *label, uint64_t created,
    uint64_t modified, const struct vestry_secrets_handler *handler)
{
    sd_bus_message *reply = NULL;
    sd_bus_error error = SD_BUS_ERROR_NULL;
    const char *ignored;
    const void *bytes;
    size_t count;
    int status = library.sd_bus_call_method(
        bus, NAME, item, PREFIX "Item", "GetSecret", &error, &reply, "o", session);
    if (status < 0 && error.name && strcmp(error.name, PREFIX "Error.IsLocked") == 0)
        status = -EACCES;
    library.sd_bus_error_free(&error);
    if (status >= 0) {
        /* Its memory is zeroed when the message goes. */
        library.sd_bus_message_sensitive(reply);
        status = library.sd_bus_message_enter_container(reply, 'r', "oayays");
    }
    if (status >= 0)
        status = library.sd_bus_message_read(reply, "o", &ignored);
    if (status >= 0)
        status = library.sd_bus_message_skip(reply, "ay");
    if (status >= 0)
        status = library.sd_bus_message_read_array(reply, 'y', &bytes, &count);
    if (status >= 0)
        handler->item(handler->context, label, created, modified, bytes, count);
    library.sd_bus_message_unref(reply);
    return status;
}

static int read_item(
    sd_bus *bus, const char *item, const char *session,
    const struct vestry_secrets_handler *handler)
{
    sd_bus_message *reply = NULL;
    const char *label;
    uint64_t created, modified;
    handler->begin(handler->context);
    int status = read_attributes(bus, item, handler);
    if (status >= 0)
        status = read_number(bus, item, "Created", &created);
    if (status >= 0)
        status = read_number(bus, item, "Modified", &modified);
    if (status >= 0)
        status = library.sd_bus_get_property(
            bus, NAME, item, PREFIX "Item", "Label", NULL, &reply, "s");
    if (status >= 0)
        status = library.sd_bus_message_read(reply, "s", &label);
    if (status >= 0)
        status = read_secret(bus, item, session, label, created, modified, handler);
    library.sd_bus_message_unref(reply);
    return status;
}

static int open_session(sd_bus *bus, char **session)
{
    sd_bus_message *reply = NULL;
    const char *path;
    /* Plain: who reads the messages of this user's bus can ask the service too. */
    int status = library.sd_bus_call_method(
        bus, NAME, SERVICE, PREFIX "Service", "OpenSession", NULL, &reply, "sv", "plain", "s", "");
    if (status >= 0)
        status = library.sd_bus_message_skip(reply, "v");
    if (status >= 0)
        status = library.sd_bus_message_read(reply, "o", &path);
    if (status >= 0 && !(*session = strdup(path)))
        status = -ENOMEM;
    library.sd_bus_message_unref(reply);
    return status;
}

static int read_all(sd_bus *bus, const struct vestry_secrets_handler *handler)
{
    struct paths collections = {NULL, 0}, items = {NULL, 0};
    char *session = NULL;
    int status = open_session(bus, &session);
    if (status >= 0)
        status = read_property_paths(
            bus, SERVICE, PREFIX "Service", "Collections", &collections, COLLECTION_LIMIT);
    if (status >= 0)
        status = unlock(bus, &collections, handler);
    for (size_t index = 0; status >= 0 && index < collections.count; index++)
        status = read_property_paths(
            bus, collections.paths[index], PREFIX "Collection", "Items", &items, ITEM_LIMIT);
    for (size_t index = 0; status >= 0 && index < items.count; index++)
        status = read_item(bus, items.paths[index], session, handler);
    paths_free(&items);
    paths_free(&collections);
    free(session);
    return status;
}

int vestry_secrets_read(const struct vestry_secrets_handler *handler)
{
    sd_bus *bus = NULL;
    pthread_once(&once, load);
    if (!is_loaded)
        return ENOSYS;
    int status = library.sd_bus_open_user(&bus);
    if (status < 0)
        return ENOTCONN;
    library.sd_bus_set_method_call_timeout(
        bus, (handler->seconds < CALL_SECONDS ? handler->seconds : CALL_SECONDS) * 1000000ULL);
    status = read_all(bus, handler);
    library.sd_bus_flush_close_unref(bus);
    return status < 0 ? -status : 0;
}
