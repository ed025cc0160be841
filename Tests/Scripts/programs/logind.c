/*
 * A stand-in for logind on a private bus: sessions that begin, lock, go idle and end at a word on
 * standard input, and a machine that goes to sleep without doing so.
 *
 *     session ID UID             begins a person's session
 *     set ID PROPERTY VALUE      Class, State, Type, LockedHint, IdleHint, IdleSinceHint
 *     remove ID, lock ID, unlock ID
 *     sleep 1, sleep 0           before and after the sleep
 *     freeze ID                  asks to lock, and then answers nobody any more
 *     name 0, name 1             goes from the bus, and comes back
 *     ping                       asks the last who listed the sessions whether they are there
 *
 * Says on standard output, a line each: ready; listed, when somebody asks for the sessions; inhibited,
 * when somebody delays the sleep; released, when they do not any more; pong, when the one who was asked
 * has answered, which is after all that it was told before; done, after each word.
 */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <systemd/sd-bus.h>
#include <unistd.h>

#define NAME "org.freedesktop.login1"
#define MANAGER "/org/freedesktop/login1"
#define PREFIX MANAGER "/session"

struct session {
    char id[32];
    uint32_t user;
    char class[32], state[32], type[32];
    int locked, idle;
    uint64_t idle_since;
};

static struct session sessions[32];
static int count;
static int delays[32];
static int delay_count;
static char watcher[64];

static void check(int status, const char *what)
{
    if (status >= 0)
        return;
    fprintf(stderr, "logind: %s: %s\n", what, strerror(-status));
    exit(1);
}

static void say(const char *line)
{
    puts(line);
    fflush(stdout);
}

static struct session *find(const char *id)
{
    for (int i = 0; i < count; i++)
        if (strcmp(sessions[i].id, id) == 0)
            return &sessions[i];
    return NULL;
}

static void path_of(const char *id, char *path, size_t size)
{
    snprintf(path, size, PREFIX "/_3%.31s", id);
}

static int find_object(sd_bus *bus, const char *path, const char *interface, void *data, void **found,
                       sd_bus_error *error)
{
    const char *prefix = PREFIX "/_3";
    (void)bus, (void)interface, (void)data, (void)error;
    if (strncmp(path, prefix, strlen(prefix)) != 0)
        return 0;
    *found = find(path + strlen(prefix));
    return *found != NULL;
}

static int get_property(sd_bus *bus, const char *path, const char *interface, const char *property,
                        sd_bus_message *reply, void *data, sd_bus_error *error)
{
    struct session *s = data;
    (void)bus, (void)path, (void)interface, (void)error;
    if (strcmp(property, "User") == 0)
        return sd_bus_message_append(reply, "(uo)", s->user, MANAGER "/user/self");
    if (strcmp(property, "Class") == 0)
        return sd_bus_message_append(reply, "s", s->class);
    if (strcmp(property, "State") == 0)
        return sd_bus_message_append(reply, "s", s->state);
    if (strcmp(property, "Type") == 0)
        return sd_bus_message_append(reply, "s", s->type);
    if (strcmp(property, "LockedHint") == 0)
        return sd_bus_message_append(reply, "b", s->locked);
    if (strcmp(property, "IdleHint") == 0)
        return sd_bus_message_append(reply, "b", s->idle);
    if (strcmp(property, "IdleSinceHint") == 0)
        return sd_bus_message_append(reply, "t", s->idle_since);
    return -EINVAL;
}

static const sd_bus_vtable session_table[] = {
    SD_BUS_VTABLE_START(0),
    SD_BUS_PROPERTY("User", "(uo)", get_property, 0, SD_BUS_VTABLE_PROPERTY_CONST),
    SD_BUS_PROPERTY("Class", "s", get_property, 0, 0),
    SD_BUS_PROPERTY("State", "s", get_property, 0, 0),
    SD_BUS_PROPERTY("Type", "s", get_property, 0, 0),
    SD_BUS_PROPERTY("LockedHint", "b", get_property, 0, SD_BUS_VTABLE_PROPERTY_EMITS_CHANGE),
    SD_BUS_PROPERTY("IdleHint", "b", get_property, 0, SD_BUS_VTABLE_PROPERTY_EMITS_CHANGE),
    SD_BUS_PROPERTY("IdleSinceHint", "t", get_property, 0, SD_BUS_VTABLE_PROPERTY_EMITS_CHANGE),
    SD_BUS_VTABLE_END
};

static int list_sessions(sd_bus_message *call, void *data, sd_bus_error *error)
{
    sd_bus_message *reply = NULL;
    (void)data, (void)error;
    snprintf(watcher, sizeof watcher, "%s", sd_bus_message_get_sender(call));
    check(sd_bus_message_new_method_return(call, &reply), "reply");
    check(sd_bus_message_open_container(reply, 'a', "(susso)"), "reply");
    for (int i = 0; i < count; i++) {
        char path[96];
        path_of(sessions[i].id, path, sizeof path);
        check(sd_bus_message_append(reply, "(susso)", sessions[i].id, sessions[i].user, "somebody", "",
                                    path), "reply");
    }
    check(sd_bus_message_close_container(reply), "reply");
    say("listed");
    int status = sd_bus_send(NULL, reply, NULL);
    sd_bus_message_unref(reply);
    return status;
}

static int inhibit(sd_bus_message *call, void *data, sd_bus_error *error)
{
    const char *what, *who, *why, *mode;
    int ends[2];
    (void)data;
    check(sd_bus_message_read(call, "ssss", &what, &who, &why, &mode), "Inhibit");
    if (strcmp(what, "sleep") != 0 || strcmp(mode, "delay") != 0)
        return sd_bus_error_set(error, SD_BUS_ERROR_INVALID_ARGS, "only sleep, and only delay");
    if (access("/run/vestry-test/no-inhibitors", F_OK) == 0)
        return sd_bus_error_set(error, SD_BUS_ERROR_ACCESS_DENIED, "not for you");
    check(pipe2(ends, O_CLOEXEC), "pipe");
    delays[delay_count++] = ends[0];
    int status = sd_bus_reply_method_return(call, "h", ends[1]);
    close(ends[1]);
    say("inhibited");
    return status;
}

static const sd_bus_vtable manager_table[] = {
    SD_BUS_VTABLE_START(0),
    SD_BUS_METHOD("ListSessions", "", "a(susso)", list_sessions, SD_BUS_VTABLE_UNPRIVILEGED),
    SD_BUS_METHOD("Inhibit", "ssss", "h", inhibit, SD_BUS_VTABLE_UNPRIVILEGED),
    SD_BUS_SIGNAL("SessionNew", "so", 0),
    SD_BUS_SIGNAL("SessionRemoved", "so", 0),
    SD_BUS_SIGNAL("PrepareForSleep", "b", 0),
    SD_BUS_VTABLE_END
};

static int ponged(sd_bus_message *reply, void *data, sd_bus_error *error)
{
    (void)data, (void)error;
    say(sd_bus_message_is_method_error(reply, NULL) ? "no answer" : "pong");
    return 0;
}

static void act(sd_bus *bus, char *line)
{
    char word[32] = "", id[32] = "", name[32] = "", value[32] = "", path[96];
    sscanf(line, "%31s %31s %31s %31s", word, id, name, value);
    path_of(id, path, sizeof path);
    struct session *s = find(id);
    if (strcmp(word, "session") == 0) {
        s = &sessions[count++];
        *s = (struct session){ .user = (uint32_t)atoi(name), .class = "user", .state = "active", .type = "tty" };
        strcpy(s->id, id);
        check(sd_bus_emit_signal(bus, MANAGER, NAME ".Manager", "SessionNew", "so", id, path), "signal");
    } else if (strcmp(word, "remove") == 0 && s) {
        *s = sessions[--count];
        check(sd_bus_emit_signal(bus, MANAGER, NAME ".Manager", "SessionRemoved", "so", id, path), "signal");
    } else if (strcmp(word, "set") == 0 && s) {
        if (strcmp(name, "Class") == 0) strcpy(s->class, value);
        if (strcmp(name, "State") == 0) strcpy(s->state, value);
        if (strcmp(name, "Type") == 0) strcpy(s->type, value);
        if (strcmp(name, "LockedHint") == 0) s->locked = atoi(value);
        if (strcmp(name, "IdleHint") == 0) s->idle = atoi(value);
        if (strcmp(name, "IdleSinceHint") == 0) s->idle_since = strtoull(value, NULL, 10);
        /* logind sends none for the others. */
        if (strstr(name, "Hint"))
            check(sd_bus_emit_properties_changed(bus, path, NAME ".Session", name, NULL), "signal");
    } else if ((strcmp(word, "lock") == 0 || strcmp(word, "freeze") == 0) && s) {
        check(sd_bus_emit_signal(bus, path, NAME ".Session", "Lock", ""), "signal");
        if (strcmp(word, "freeze") == 0) {
            check(sd_bus_flush(bus), "flush");
            say("done");
            raise(SIGSTOP);
            return;
        }
    } else if (strcmp(word, "unlock") == 0 && s) {
        check(sd_bus_emit_signal(bus, path, NAME ".Session", "Unlock", ""), "signal");
    } else if (strcmp(word, "sleep") == 0) {
        check(sd_bus_emit_signal(bus, MANAGER, NAME ".Manager", "PrepareForSleep", "b", atoi(id)), "signal");
    } else if (strcmp(word, "name") == 0) {
        check(atoi(id) ? sd_bus_request_name(bus, NAME, 0) : sd_bus_release_name(bus, NAME), "name");
    } else if (strcmp(word, "ping") == 0) {
        check(sd_bus_call_method_async(bus, NULL, watcher, "/", "org.freedesktop.DBus.Peer", "Ping", ponged,
                                       NULL, ""), "ping");
    } else {
        check(-EINVAL, line);
    }
    check(sd_bus_flush(bus), "flush");
    say("done");
}

int main(void)
{
    sd_bus *bus = NULL;
    check(sd_bus_open_system(&bus), "bus");
    check(sd_bus_add_object_vtable(bus, NULL, MANAGER, NAME ".Manager", manager_table, NULL), "objects");
    check(sd_bus_add_fallback_vtable(bus, NULL, PREFIX, NAME ".Session", session_table, find_object, NULL),
          "objects");
    check(sd_bus_request_name(bus, NAME, 0), "name");
    say("ready");
    for (;;) {
        int status;
        while ((status = sd_bus_process(bus, NULL)) > 0)
            ;
        check(status, "bus");
        struct pollfd entries[2 + 32] = {
            { .fd = STDIN_FILENO, .events = POLLIN },
            { .fd = sd_bus_get_fd(bus), .events = (short)sd_bus_get_events(bus) },
        };
        for (int i = 0; i < delay_count; i++)
            entries[2 + i] = (struct pollfd){ .fd = delays[i], .events = POLLIN };
        if (poll(entries, 2 + (nfds_t)delay_count, -1) < 0)
            continue;
        for (int i = delay_count - 1; i >= 0; i--) {
            if (entries[2 + i].revents) {
                close(delays[i]);
                delays[i] = delays[--delay_count];
                say("released");
            }
        }
        if (entries[0].revents) {
            char line[256];
            ssize_t size = 0;
            while (size < (ssize_t)sizeof line - 1 && read(STDIN_FILENO, line + size, 1) == 1 && line[size] != '\n')
                size++;
            if (size == 0)
                return 0;
            line[size] = 0;
            act(bus, line);
        }
    }
}
