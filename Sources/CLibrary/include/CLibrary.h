// The library's interface is vestry.h; this target only says how it is linked.
