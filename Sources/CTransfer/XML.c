#define _GNU_SOURCE
#include "CTransfer.h"
#include "Library.h"
#include "Memory.h"

#include <limits.h>
#include <pthread.h>

#include <expat.h>

/* Every function of expat that is used, so that one list declares and loads them. */
#define FUNCTIONS(X)                                                                              \
    X(XML_ParserCreate_MM) X(XML_ParserFree) X(XML_SetUserData) X(XML_SetElementHandler)          \
    X(XML_SetCharacterDataHandler) X(XML_SetStartDoctypeDeclHandler) X(XML_Parse)                 \
    X(XML_StopParser) X(XML_GetCurrentLineNumber) X(XML_GetErrorCode)

VESTRY_LIBRARY("libexpat.so.1", FUNCTIONS)

static int is_loaded;
static pthread_once_t once = PTHREAD_ONCE_INIT;

static void load(void)
{
    is_loaded = load_library();
}

struct reading {
    XML_Parser parser;
    const struct vestry_xml_handler *handler;
};

static void start(void *data, const XML_Char *name, const XML_Char **attributes)
{
    struct reading *reading = data;
    long line = (long)library.XML_GetCurrentLineNumber(reading->parser);
    reading->handler->start(reading->handler->context, name, attributes, line);
}

static void end(void *data, const XML_Char *name)
{
    struct reading *reading = data;
    reading->handler->end(reading->handler->context, name);
}

static void text(void *data, const XML_Char *bytes, int count)
{
    struct reading *reading = data;
    reading->handler->text(reading->handler->context, bytes, count);
}

static void refuse(
    void *data, const XML_Char *name, const XML_Char *system, const XML_Char *public, int internal)
{
    struct reading *reading = data;
    (void)name, (void)system, (void)public, (void)internal;
    library.XML_StopParser(reading->parser, XML_FALSE);
}

enum vestry_document_result vestry_xml_read(
    const void *bytes, size_t count, const struct vestry_xml_handler *handler, long *line)
{
    static const XML_Memory_Handling_Suite memory = {
        vestry_wiping_malloc, vestry_wiping_realloc, vestry_wiping_free};
    *line = 0;
    pthread_once(&once, load);
    if (!is_loaded)
        return VESTRY_DOCUMENT_UNAVAILABLE;
    if (count > INT_MAX)
        return VESTRY_DOCUMENT_MALFORMED;
    struct reading reading = {library.XML_ParserCreate_MM(NULL, &memory, NULL), handler};
    if (!reading.parser)
        return VESTRY_DOCUMENT_NO_MEMORY;
    library.XML_SetUserData(reading.parser, &reading);
    library.XML_SetElementHandler(reading.parser, start, end);
    library.XML_SetCharacterDataHandler(reading.parser, text);
    library.XML_SetStartDoctypeDeclHandler(reading.parser, refuse);
    enum vestry_document_result result = VESTRY_DOCUMENT_OK;
    if (library.XML_Parse(reading.parser, bytes, (int)count, 1) != XML_STATUS_OK) {
        *line = (long)library.XML_GetCurrentLineNumber(reading.parser);
        result = library.XML_GetErrorCode(reading.parser) == XML_ERROR_NO_MEMORY
                     ? VESTRY_DOCUMENT_NO_MEMORY
                     : VESTRY_DOCUMENT_MALFORMED;
    }
    library.XML_ParserFree(reading.parser);
    return result;
}
