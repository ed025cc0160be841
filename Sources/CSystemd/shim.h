#ifndef VESTRY_CSYSTEMD_SHIM_H
#define VESTRY_CSYSTEMD_SHIM_H

#include <systemd/sd-bus.h>
#include <systemd/sd-daemon.h>
#include <systemd/sd-login.h>

#endif
