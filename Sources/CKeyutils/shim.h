#ifndef VESTRY_CKEYUTILS_SHIM_H
#define VESTRY_CKEYUTILS_SHIM_H

#include <keyutils.h>

#endif
