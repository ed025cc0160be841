#ifndef VESTRY_CTRANSFER_H
#define VESTRY_CTRANSFER_H

#include <stddef.h>
#include <stdint.h>

/*
 * JSON by jansson and XML by expat. Each library is loaded by the first document that needs it, so
 * that a program that reads none starts without it. What they allocate is zeroed before it is freed.
 */

enum vestry_document_result {
    VESTRY_DOCUMENT_OK,
    VESTRY_DOCUMENT_MALFORMED,
    VESTRY_DOCUMENT_UNAVAILABLE,
    VESTRY_DOCUMENT_NO_MEMORY,
};

/* A JSON text. */
struct vestry_json;

enum vestry_json_kind {
    VESTRY_JSON_NULL,
    VESTRY_JSON_BOOL,
    VESTRY_JSON_INTEGER,
    VESTRY_JSON_REAL,
    VESTRY_JSON_STRING,
    VESTRY_JSON_ARRAY,
    VESTRY_JSON_OBJECT,
};

/*
 * Reads a whole text (RFC 8259); two members of one name are malformed. A malformed text has its
 * line in `line`, from 1. The root is freed by vestry_json_free; all other values are parts of it.
 */
enum vestry_document_result vestry_json_read(
    const void *bytes, size_t count, struct vestry_json **root, int *line);
void vestry_json_free(struct vestry_json *root);
enum vestry_json_kind vestry_json_kind_of(const struct vestry_json *value);
long long vestry_json_integer(const struct vestry_json *value);
int vestry_json_bool(const struct vestry_json *value);
const char *vestry_json_string(const struct vestry_json *value, size_t *count);
size_t vestry_json_count(const struct vestry_json *array);
struct vestry_json *vestry_json_element(const struct vestry_json *array, size_t index);
/* NULL where there is none. */
struct vestry_json *vestry_json_member(const struct vestry_json *object, const char *name);
/* Calls back for each member; the name ends with a zero byte. */
void vestry_json_members(
    struct vestry_json *object, void *context,
    void (*member)(void *context, const char *name, struct vestry_json *value));

/* What is called for an XML document; names and values are UTF-8 that ends with a zero byte. */
struct vestry_xml_handler {
    void *context;
    /* Attributes are names and values by turns, and NULL at the end. */
    void (*start)(void *context, const char *name, const char **attributes, long line);
    void (*end)(void *context, const char *name);
    void (*text)(void *context, const char *bytes, int count);
};

/*
 * Reads a whole document. One with a document type declaration is malformed: without it there is no
 * entity but XML's own five. A malformed document has its line in `line`, from 1.
 */
enum vestry_document_result vestry_xml_read(
    const void *bytes, size_t count, const struct vestry_xml_handler *handler, long *line);

/* What is called for each item of a Secret Service; texts are UTF-8 that ends with a zero byte. */
struct vestry_secrets_handler {
    void *context;
    void (*begin)(void *context);
    void (*attribute)(void *context, const char *name, const char *value);
    /* Last of an item; times in seconds since 1970, 0 where they are not known. */
    void (*item)(
        void *context, const char *label, uint64_t created, uint64_t modified, const void *secret,
        size_t count);
    /* Before the service asks the person, by a window of its own. */
    void (*asking)(void *context);
    /* How long the person may take. */
    unsigned int seconds;
};

/*
 * Reads everything that the Secret Service of the session bus keeps (org.freedesktop.secrets:
 * gnome-keyring, KWallet, KeePassXC), by libsystemd, which is loaded for it. Collections that are
 * locked are unlocked first: the service asks by its own window.
 *
 * 0, or an error number: ENOSYS without the library, ENOTCONN without a bus, EHOSTUNREACH without a
 * service, ECANCELED when the question was dismissed, ETIME when it was not answered, EACCES when an
 * item is locked all the same, ETIMEDOUT when the service itself does not answer.
 */
int vestry_secrets_read(const struct vestry_secrets_handler *handler);

#endif
