/*
 * A stand-in for a Secret Service on a private bus, with one locked collection of two items.
 *
 *     secrets open | dismiss | never | locked      how its question ends; locked: by yes, and without an effect
 *
 * Says "ready" on standard output.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <systemd/sd-bus.h>

#define ROOT "/org/freedesktop/secrets"
#define COLLECTION ROOT "/collection/login"
#define PROMPT ROOT "/prompt/1"
#define SESSION ROOT "/session/1"
#define PREFIX "org.freedesktop.Secret."

static const char *mode;
static int is_open;

static void check(int status, const char *what)
{
    if (status >= 0)
        return;
    fprintf(stderr, "secrets: %s: %s\n", what, strerror(-status));
    exit(1);
}

static int item_number(const char *path)
{
    return path[strlen(path) - 1] - '0';
}

static int open_session(sd_bus_message *call, void *data, sd_bus_error *error)
{
    const char *algorithm;
    (void)data;
    check(sd_bus_message_read(call, "s", &algorithm), "OpenSession");
    if (strcmp(algorithm, "plain") != 0)
        return sd_bus_error_set_const(error, SD_BUS_ERROR_NOT_SUPPORTED, "plain alone");
    return sd_bus_reply_method_return(call, "vo", "s", "", SESSION);
}

static int unlock(sd_bus_message *call, void *data, sd_bus_error *error)
{
    (void)data, (void)error;
    return sd_bus_reply_method_return(call, "aoo", 0, PROMPT);
}

static int prompt(sd_bus_message *call, void *data, sd_bus_error *error)
{
    (void)data, (void)error;
    is_open = strcmp(mode, "open") == 0;
    if (strcmp(mode, "never") != 0)
        check(sd_bus_emit_signal(
                  sd_bus_message_get_bus(call), PROMPT, PREFIX "Prompt", "Completed", "bv",
                  strcmp(mode, "dismiss") == 0, "ao", 0),
            "Completed");
    return sd_bus_reply_method_return(call, "");
}

static int get_secret(sd_bus_message *call, void *data, sd_bus_error *error)
{
    static const char *const secrets[] = {"net secret", "token\n"};
    const char *secret = secrets[item_number(sd_bus_message_get_path(call))];
    sd_bus_message *reply;
    (void)data;
    if (!is_open)
        return sd_bus_error_set_const(error, "org.freedesktop.Secret.Error.IsLocked", "locked");
    check(sd_bus_message_new_method_return(call, &reply), "GetSecret");
    check(sd_bus_message_open_container(reply, 'r', "oayays"), "secret");
    check(sd_bus_message_append(reply, "o", SESSION), "session");
    check(sd_bus_message_append_array(reply, 'y', NULL, 0), "parameters");
    check(sd_bus_message_append_array(reply, 'y', secret, strlen(secret)), "value");
    check(sd_bus_message_append(reply, "s", "text/plain"), "type");
    check(sd_bus_message_close_container(reply), "secret");
    check(sd_bus_send(NULL, reply, NULL), "reply");
    sd_bus_message_unref(reply);
    return 1;
}

static int collections(sd_bus *bus, const char *path, const char *interface, const char *property,
    sd_bus_message *reply, void *data, sd_bus_error *error)
{
    (void)bus, (void)path, (void)interface, (void)property, (void)data, (void)error;
    return sd_bus_message_append(reply, "ao", 1, COLLECTION);
}

static int items(sd_bus *bus, const char *path, const char *interface, const char *property,
    sd_bus_message *reply, void *data, sd_bus_error *error)
{
    (void)bus, (void)path, (void)interface, (void)property, (void)data, (void)error;
    return sd_bus_message_append(reply, "ao", 2, COLLECTION "/0", COLLECTION "/1");
}

static int attributes(sd_bus *bus, const char *path, const char *interface, const char *property,
    sd_bus_message *reply, void *data, sd_bus_error *error)
{
    (void)bus, (void)interface, (void)property, (void)data, (void)error;
    if (item_number(path) == 0)
        return sd_bus_message_append(
            reply, "a{ss}", 4, "xdg:schema", "org.gnome.keyring.NetworkPassword", "server",
            "share.example.org", "user", "alice", "protocol", "smb");
    return sd_bus_message_append(
        reply, "a{ss}", 2, "application", "Tool", "username", "bob");
}

static int label(sd_bus *bus, const char *path, const char *interface, const char *property,
    sd_bus_message *reply, void *data, sd_bus_error *error)
{
    (void)bus, (void)interface, (void)property, (void)data, (void)error;
    return sd_bus_message_append(reply, "s", item_number(path) == 0 ? "Share" : "Token of Tool");
}

static int when(sd_bus *bus, const char *path, const char *interface, const char *property,
    sd_bus_message *reply, void *data, sd_bus_error *error)
{
    (void)bus, (void)path, (void)interface, (void)data, (void)error;
    return sd_bus_message_append(
        reply, "t", (uint64_t)(strcmp(property, "Created") == 0 ? 1500000000 : 1600000000));
}

static const sd_bus_vtable service_table[] = {
    SD_BUS_VTABLE_START(0),
    SD_BUS_METHOD("OpenSession", "sv", "vo", open_session, SD_BUS_VTABLE_UNPRIVILEGED),
    SD_BUS_METHOD("Unlock", "ao", "aoo", unlock, SD_BUS_VTABLE_UNPRIVILEGED),
    SD_BUS_PROPERTY("Collections", "ao", collections, 0, 0),
    SD_BUS_VTABLE_END,
};
static const sd_bus_vtable collection_table[] = {
    SD_BUS_VTABLE_START(0),
    SD_BUS_PROPERTY("Items", "ao", items, 0, 0),
    SD_BUS_VTABLE_END,
};
static const sd_bus_vtable item_table[] = {
    SD_BUS_VTABLE_START(0),
    SD_BUS_METHOD("GetSecret", "o", "(oayays)", get_secret, SD_BUS_VTABLE_UNPRIVILEGED),
    SD_BUS_PROPERTY("Attributes", "a{ss}", attributes, 0, 0),
    SD_BUS_PROPERTY("Label", "s", label, 0, 0),
    SD_BUS_PROPERTY("Created", "t", when, 0, 0),
    SD_BUS_PROPERTY("Modified", "t", when, 0, 0),
    SD_BUS_VTABLE_END,
};
static const sd_bus_vtable prompt_table[] = {
    SD_BUS_VTABLE_START(0),
    SD_BUS_METHOD("Prompt", "s", "", prompt, SD_BUS_VTABLE_UNPRIVILEGED),
    SD_BUS_SIGNAL("Completed", "bv", 0),
    SD_BUS_VTABLE_END,
};

int main(int argc, char **argv)
{
    sd_bus *bus;
    mode = argc > 1 ? argv[1] : "open";
    check(sd_bus_open_user(&bus), "bus");
    check(sd_bus_add_object_vtable(bus, NULL, ROOT, PREFIX "Service", service_table, NULL), "service");
    check(sd_bus_add_object_vtable(
              bus, NULL, COLLECTION, PREFIX "Collection", collection_table, NULL),
        "collection");
    check(sd_bus_add_object_vtable(bus, NULL, COLLECTION "/0", PREFIX "Item", item_table, NULL), "item");
    check(sd_bus_add_object_vtable(bus, NULL, COLLECTION "/1", PREFIX "Item", item_table, NULL), "item");
    check(sd_bus_add_object_vtable(bus, NULL, PROMPT, PREFIX "Prompt", prompt_table, NULL), "prompt");
    check(sd_bus_request_name(bus, "org.freedesktop.secrets", 0), "name");
    puts("ready");
    fflush(stdout);
    for (;;) {
        int status = sd_bus_process(bus, NULL);
        check(status, "process");
        if (status == 0)
            check(sd_bus_wait(bus, UINT64_MAX), "wait");
    }
}
