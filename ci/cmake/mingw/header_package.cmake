# header_package(NAME HEADER TARGET [DEFINITIONS ...]): makes the imported target of a package whose
# native Debian package is nothing but headers. Only its own entry of /usr/include is linked into a
# folder of the build: the folder as a whole holds Linux's headers.
function(header_package name header target)
  cmake_parse_arguments(ARG "" "" "DEFINITIONS" ${ARGN})
  find_path(${name}_NATIVE_INCLUDE_DIR ${header}
    PATHS /usr/include NO_DEFAULT_PATH NO_CMAKE_FIND_ROOT_PATH)
  find_package_handle_standard_args(${name} REQUIRED_VARS ${name}_NATIVE_INCLUDE_DIR)
  if(${name}_FOUND AND NOT TARGET ${target})
    cmake_path(GET header PARENT_PATH entry)
    set(folder ${CMAKE_BINARY_DIR}/headers/${name})
    file(MAKE_DIRECTORY ${folder})
    file(CREATE_LINK ${${name}_NATIVE_INCLUDE_DIR}/${entry} ${folder}/${entry} SYMBOLIC)
    add_library(${target} INTERFACE IMPORTED GLOBAL)
    set_target_properties(${target} PROPERTIES
      INTERFACE_INCLUDE_DIRECTORIES ${folder}
      INTERFACE_COMPILE_DEFINITIONS "${ARG_DEFINITIONS}")
  endif()
  set(${name}_FOUND ${${name}_FOUND} PARENT_SCOPE)
endfunction()
