#ifndef VESTRY_CSODIUM_SHIM_H
#define VESTRY_CSODIUM_SHIM_H

#include <sodium.h>

#endif
