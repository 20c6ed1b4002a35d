// The library that `tailgate exec --calls libmylog.so:log_write` gives to the dynamic linker's
// audit interface (rtld-audit(7)): the linker calls it before and after each call of those
// functions that goes through a linkage table, whatever their signature. It lives in a name space
// of its own with a C library of its own, so it shares nothing with the program but the thread's
// time.
//
// A call within a timed call of the same thread is part of it: it is counted, not timed.
#include <link.h>
#include <string.h>

#include "harness/calls/wrapped_functions.h"
#define TAILGATE_MARK_VARIABLE TAILGATE_WRAPPED_VARIABLE
#include "harness/calls/include/tailgate/mark.h"

namespace {

// The linker copies so many bytes of the caller's stack for arguments that are passed there.
constexpr long kStackArgumentBytes = 256;

struct Wanted {
  const char* library;  // not ended by 0; empty: any
  size_t library_bytes;
  const char* name;
  size_t name_bytes;
};
Wanted wanted[TAILGATE_MARK_KINDS];
uint32_t wanted_count = 0;
tailgate_mark_memory* memory;  // null: none; its threads' part is opened by the first call

// The timed call of this thread, and its frame: those below it on the stack that never returned
// (an exception, longjmp) are gone.
struct Running {
  tailgate_mark mark;
  uint64_t stack;
};
__thread Running running;
__thread bool is_running;

void read_list(const char* list) {
  while (list != nullptr && *list != '\0' && wanted_count < TAILGATE_MARK_KINDS) {
    const char* const comma = strchrnul(list, ',');
    const auto length = static_cast<size_t>(comma - list);
    const auto* const colon = static_cast<const char*>(memrchr(list, ':', length));
    const char* const name = colon == nullptr ? list : colon + 1;
    wanted[wanted_count++] = {list, colon == nullptr ? 0 : static_cast<size_t>(colon - list), name,
                              static_cast<size_t>(comma - name)};
    list = *comma == '\0' ? comma : comma + 1;
  }
}

// Bit i: the library is one that function i may be in.
uintptr_t functions_in(const char* path) {
  const char* const slash = strrchr(path, '/');
  const char* const file = slash == nullptr ? path : slash + 1;
  uintptr_t functions = 0;
  for (uint32_t i = 0; i < wanted_count; ++i) {
    if (strncmp(file, wanted[i].library, wanted[i].library_bytes) == 0) functions |= 1ul << i;
  }
  return functions;
}

// TAILGATE_MARK_KINDS: none.
uint32_t kind_of(const char* name, uintptr_t functions) {
  for (uint32_t i = 0; i < wanted_count; ++i) {
    if ((functions >> i & 1) == 0) continue;
    if (strncmp(name, wanted[i].name, wanted[i].name_bytes) == 0 &&
        name[wanted[i].name_bytes] == '\0') {
      return i;
    }
  }
  return TAILGATE_MARK_KINDS;
}

}  // namespace

#define TAILGATE_AUDIT extern "C" __attribute__((visibility("default")))

TAILGATE_AUDIT unsigned la_version(unsigned version) {
  read_list(getenv(TAILGATE_CALLS_VARIABLE));
  if (wanted_count == 0) return 0;
  memory = tailgate_mark_open_();
  return version < LAV_CURRENT ? version : LAV_CURRENT;
}

TAILGATE_AUDIT unsigned la_objopen(struct link_map* map, Lmid_t, uintptr_t* cookie) {
  *cookie = functions_in(map->l_name);
  if (memory != nullptr) {
    __atomic_fetch_or(&memory->libraries_loaded, static_cast<uint32_t>(*cookie), __ATOMIC_RELAXED);
  }
  return *cookie == 0 ? LA_FLG_BINDFROM : LA_FLG_BINDFROM | LA_FLG_BINDTO;
}

TAILGATE_AUDIT uintptr_t la_symbind64(Elf64_Sym* symbol, unsigned, uintptr_t*,
                                      uintptr_t* defined_in, unsigned* flags, const char* name) {
  const uint32_t kind = kind_of(name, *defined_in);
  if (kind == TAILGATE_MARK_KINDS) {
    *flags |= LA_SYMB_NOPLTENTER | LA_SYMB_NOPLTEXIT;
  } else if (memory != nullptr) {
    __atomic_fetch_or(&memory->functions_bound, 1u << kind, __ATOMIC_RELAXED);
  }
  return symbol->st_value;
}

TAILGATE_AUDIT Elf64_Addr la_x86_64_gnu_pltenter(Elf64_Sym* symbol, unsigned, uintptr_t*,
                                                 uintptr_t* defined_in, La_x86_64_regs* registers,
                                                 unsigned*, const char* name, long* stack_bytes) {
  if (is_running && registers->lr_rsp < running.stack) {
    if (tailgate_mark_thread* block = tailgate_mark_local_.block) {
      tailgate_mark_increment_(&block->inner);
    }
    return symbol->st_value;
  }
  *stack_bytes = kStackArgumentBytes;  // makes the linker call la_x86_64_gnu_pltexit
  is_running = true;
  running.stack = registers->lr_rsp;
  running.mark = tailgate_mark_begin(kind_of(name, *defined_in));
  return symbol->st_value;
}

TAILGATE_AUDIT unsigned la_x86_64_gnu_pltexit(Elf64_Sym*, unsigned, uintptr_t*, uintptr_t*,
                                              const La_x86_64_regs* registers, La_x86_64_retval*,
                                              const char*) {
  if (is_running && registers->lr_rsp == running.stack) {
    tailgate_mark_end(running.mark);
    is_running = false;
  }
  return 0;
}
