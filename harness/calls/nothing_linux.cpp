// The functions whose calls show what timing a call costs: they do nothing, in a library of their
// own.
#define TAILGATE_FLOOR extern "C" __attribute__((visibility("default")))

TAILGATE_FLOOR void tailgate_nothing() {}

// Begins with an instruction that the kernel emulates for a uprobe, where it lets the processor
// step over others, which takes many times as long in a virtual machine.
#if defined(__x86_64__)
TAILGATE_FLOOR __attribute__((naked)) void tailgate_pushing() {
  __asm__ volatile("push %rbp\n\tpop %rbp\n\tret");
}
#else
TAILGATE_FLOOR void tailgate_pushing() {}
#endif
