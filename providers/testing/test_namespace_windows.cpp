#include "providers/testing/test_namespace.h"

namespace tailgate {

// Windows has none: the pid is always 0.
EnteredNamespace::EnteredNamespace(int) {}

EnteredNamespace::~EnteredNamespace() = default;

}  // namespace tailgate
