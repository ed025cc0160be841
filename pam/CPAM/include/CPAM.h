#ifndef VESTRY_CPAM_H
#define VESTRY_CPAM_H

#include <security/pam_modules.h>

#endif
