# Builds for 64-bit Windows on Debian: g++-mingw-w64-x86-64-posix, and Wine to run what was built.
# Preset mingw uses it; ci/windows prepares what it looks for.
set(CMAKE_SYSTEM_NAME Windows)
set(CMAKE_SYSTEM_PROCESSOR x86_64)
set(CMAKE_C_COMPILER x86_64-w64-mingw32-gcc-posix)
set(CMAKE_CXX_COMPILER x86_64-w64-mingw32-g++-posix)
set(CMAKE_RC_COMPILER x86_64-w64-mingw32-windres)

# Libraries built from Debian's sources by ci/windows lie in the second of these.
set(CMAKE_FIND_ROOT_PATH
  /usr/x86_64-w64-mingw32
  ${CMAKE_CURRENT_LIST_DIR}/../../../build/mingw-libraries)
set(CMAKE_FIND_ROOT_PATH_MODE_PROGRAM NEVER)
set(CMAKE_FIND_ROOT_PATH_MODE_LIBRARY ONLY)
set(CMAKE_FIND_ROOT_PATH_MODE_INCLUDE ONLY)
set(CMAKE_FIND_ROOT_PATH_MODE_PACKAGE ONLY)

# A program that needs the compiler's own DLLs does not start without them beside it. The folder lld
# has what links.
set(link_flags "-static -B${CMAKE_CURRENT_LIST_DIR}/lld/")
set(CMAKE_EXE_LINKER_FLAGS_INIT ${link_flags})
set(CMAKE_SHARED_LINKER_FLAGS_INIT ${link_flags})
set(CMAKE_MODULE_LINKER_FLAGS_INIT ${link_flags})
set(ZLIB_USE_STATIC_LIBS ON)

# Of the interfaces, those of Windows 10 (sdkddkver.h: _WIN32_WINNT_WIN10).
add_compile_definitions(_WIN32_WINNT=0x0A00)

set(CMAKE_CROSSCOMPILING_EMULATOR ${CMAKE_CURRENT_LIST_DIR}/run_in_wine)
# How packages that are headers only are found: FindNAME.cmake beside this file.
list(APPEND CMAKE_MODULE_PATH ${CMAKE_CURRENT_LIST_DIR})
