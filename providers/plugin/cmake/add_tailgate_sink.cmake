# add_tailgate_sink(NAME SOURCES FILE ... [LIBS LIBRARY ...])
#     A plugin of tailgate, the shared library NAME.so or NAME.dll: see tailgate/sink.h.
function(add_tailgate_sink name)
  cmake_parse_arguments(ARG "" "" "SOURCES;LIBS" ${ARGN})
  if(NOT ARG_SOURCES OR ARG_UNPARSED_ARGUMENTS)
    message(FATAL_ERROR "add_tailgate_sink(${name}): give SOURCES, and LIBS; "
      "not understood: '${ARG_UNPARSED_ARGUMENTS}'")
  endif()
  add_library(${name} MODULE ${ARG_SOURCES})
  target_link_libraries(${name} PRIVATE tailgate::sink ${ARG_LIBS})
  target_compile_features(${name} PRIVATE cxx_std_20)
  # The one function that a plugin exports says so itself; what else it is made of stays its own.
  set_target_properties(${name} PROPERTIES
    PREFIX ""
    C_VISIBILITY_PRESET hidden
    CXX_VISIBILITY_PRESET hidden
    VISIBILITY_INLINES_HIDDEN ON)
endfunction()
