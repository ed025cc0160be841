#include "vestry.h"

const char *vestry_version(void)
{
    return VESTRY_VERSION;
}
