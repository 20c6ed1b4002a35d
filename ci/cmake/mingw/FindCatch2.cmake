include(FindPackageHandleStandardArgs)
include(header_package)
header_package(Catch2 catch2/catch.hpp Catch2::Catch2)

# Its functions for CMake, which make ctest's tests of its cases.
find_path(Catch2_CMAKE_DIR Catch.cmake
  PATHS /usr/lib/cmake/Catch2 NO_DEFAULT_PATH NO_CMAKE_FIND_ROOT_PATH)
list(APPEND CMAKE_MODULE_PATH ${Catch2_CMAKE_DIR})
