// The function whose calls show what timing a call costs: it does nothing, in a library of its own.
extern "C" __attribute__((visibility("default"))) void tailgate_nothing() {}
