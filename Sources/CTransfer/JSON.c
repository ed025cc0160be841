#define _GNU_SOURCE
#include "CTransfer.h"
#include "Library.h"
#include "Memory.h"

#include <pthread.h>

#include <jansson.h>

/* Every function of jansson that is used, so that one list declares and loads them. */
#define FUNCTIONS(X)                                                                              \
    X(json_set_alloc_funcs) X(json_loadb) X(json_delete) X(json_integer_value)                    \
    X(json_string_value) X(json_string_length) X(json_array_size) X(json_array_get)               \
    X(json_object_get) X(json_object_iter) X(json_object_iter_next) X(json_object_iter_key)       \
    X(json_object_iter_value)

VESTRY_LIBRARY("libjansson.so.4", FUNCTIONS)

static int is_loaded;
static pthread_once_t once = PTHREAD_ONCE_INIT;

static void load(void)
{
    is_loaded = load_library();
    if (is_loaded)
        library.json_set_alloc_funcs(vestry_wiping_malloc, vestry_wiping_free);
}

static json_t *as_json(const struct vestry_json *value)
{
    return (json_t *)value;
}

static struct vestry_json *as_value(json_t *json)
{
    return (struct vestry_json *)json;
}

enum vestry_document_result vestry_json_read(
    const void *bytes, size_t count, struct vestry_json **root, int *line)
{
    *root = NULL;
    *line = 0;
    pthread_once(&once, load);
    if (!is_loaded)
        return VESTRY_DOCUMENT_UNAVAILABLE;
    json_error_t error;
    json_t *json = library.json_loadb(
        bytes, count, JSON_REJECT_DUPLICATES | JSON_ALLOW_NUL, &error);
    *root = as_value(json);
    if (json)
        return VESTRY_DOCUMENT_OK;
    *line = error.line;
    return json_error_code(&error) == json_error_out_of_memory ? VESTRY_DOCUMENT_NO_MEMORY
                                                               : VESTRY_DOCUMENT_MALFORMED;
}

void vestry_json_free(struct vestry_json *root)
{
    json_t *json = as_json(root);
    /* What json_decref does, which is inline and names the library's own function. */
    if (json && json->refcount != (size_t)-1 && --json->refcount == 0)
        library.json_delete(json);
}

enum vestry_json_kind vestry_json_kind_of(const struct vestry_json *value)
{
    switch (as_json(value)->type) {
    case JSON_OBJECT:
        return VESTRY_JSON_OBJECT;
    case JSON_ARRAY:
        return VESTRY_JSON_ARRAY;
    case JSON_STRING:
        return VESTRY_JSON_STRING;
    case JSON_INTEGER:
        return VESTRY_JSON_INTEGER;
    case JSON_REAL:
        return VESTRY_JSON_REAL;
    case JSON_TRUE:
    case JSON_FALSE:
        return VESTRY_JSON_BOOL;
    case JSON_NULL:
        break;
    }
    return VESTRY_JSON_NULL;
}

long long vestry_json_integer(const struct vestry_json *value)
{
    return library.json_integer_value(as_json(value));
}

int vestry_json_bool(const struct vestry_json *value)
{
    return as_json(value)->type == JSON_TRUE;
}

const char *vestry_json_string(const struct vestry_json *value, size_t *count)
{
    *count = library.json_string_length(as_json(value));
    return library.json_string_value(as_json(value));
}

size_t vestry_json_count(const struct vestry_json *array)
{
    return library.json_array_size(as_json(array));
}

struct vestry_json *vestry_json_element(const struct vestry_json *array, size_t index)
{
    return as_value(library.json_array_get(as_json(array), index));
}

struct vestry_json *vestry_json_member(const struct vestry_json *object, const char *name)
{
    return as_value(library.json_object_get(as_json(object), name));
}

void vestry_json_members(
    struct vestry_json *object, void *context,
    void (*member)(void *context, const char *name, struct vestry_json *value))
{
    json_t *json = as_json(object);
    for (void *step = library.json_object_iter(json); step;
         step = library.json_object_iter_next(json, step))
        member(
            context, library.json_object_iter_key(step),
            as_value(library.json_object_iter_value(step)));
}
