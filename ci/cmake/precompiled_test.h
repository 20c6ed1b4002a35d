// Likewise, for tests.
#pragma once

#include <catch2/catch.hpp>

#include "ci/cmake/precompiled.h"
