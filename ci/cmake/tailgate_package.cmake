# The Debian package: `cpack -G DEB` in the build folder (ci/package does that, and tests it).

set(CPACK_PACKAGE_NAME ${PROJECT_NAME})
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "benchmark and regression gate for event-logging paths")
set(CPACK_PACKAGE_DESCRIPTION
"What does it cost a program to log an event, at the tail, at a given rate,
through a given logging path; and did a change make it worse? tailgate loads
files, spdlog, journald, syslog, LTTng and the kernel's trace buffer at chosen
rates, counts every event, and compares tail latency and system overhead of
two sides, with an exit code that says pass or fail.
.
The daemons behind the paths are suggested only: tailgate starts its own, but
a package that brings one also starts it on the machine that is measured.")
# Debian wants an address, and the project has none; mail to .invalid goes nowhere (RFC 2606).
set(CPACK_PACKAGE_CONTACT "tailgate maintainers <maintainers@example.invalid>")
set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
set(CPACK_STRIP_FILES ON)
set(CPACK_INSTALL_DEFAULT_DIRECTORY_PERMISSIONS
  OWNER_READ OWNER_WRITE OWNER_EXECUTE GROUP_READ GROUP_EXECUTE WORLD_READ WORLD_EXECUTE)
set(CPACK_PRE_BUILD_SCRIPTS ${CMAKE_CURRENT_LIST_DIR}/package/for_debian.cmake)

set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_SECTION devel)
set(CPACK_DEBIAN_PACKAGE_PRIORITY optional)
set(CPACK_DEBIAN_PACKAGE_CONTROL_STRICT_PERMISSION ON)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
# The library that the floor of `tailgate exec` is measured with comes in the package itself.
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS_PRIVATE_DIRS ${PROJECT_BINARY_DIR}/harness/calls)
# The plots; then the library for a history on a server, which is loaded when one is named, and the
# daemons of the sinks journald, syslog and lttng.
set(CPACK_DEBIAN_PACKAGE_RECOMMENDS
  "python3, python3-matplotlib, python3-numpy, python3-jsonschema")
set(CPACK_DEBIAN_PACKAGE_SUGGESTS "libpq5, systemd, rsyslog, lttng-tools")

# debian/copyright has the licence as an indented text, with a dot in each empty line.
file(STRINGS ${PROJECT_SOURCE_DIR}/LICENSE licence_lines)
list(FILTER licence_lines INCLUDE REGEX "^Copyright")
list(GET licence_lines 0 copyright)
string(REGEX REPLACE "^Copyright \\(c\\) " "" copyright "${copyright}")
file(READ ${PROJECT_SOURCE_DIR}/LICENSE licence)
string(REGEX REPLACE "^.*\nCopyright[^\n]*\n+" "" licence "${licence}")
string(STRIP "${licence}" licence)
string(REGEX REPLACE "\n\n" "\n.\n" licence "${licence}")
string(REGEX REPLACE "\n" "\n " licence "${licence}")
configure_file(${CMAKE_CURRENT_LIST_DIR}/package/copyright.in package/copyright @ONLY)
# Of SOURCE_DATE_EPOCH where that is set.
string(TIMESTAMP date "%a, %d %b %Y %H:%M:%S +0000" UTC)
configure_file(${CMAKE_CURRENT_LIST_DIR}/package/changelog.in package/changelog @ONLY)
if(TAILGATE_OS STREQUAL linux)
  install(FILES
      ${PROJECT_BINARY_DIR}/package/copyright
      ${PROJECT_BINARY_DIR}/package/changelog
      ${PROJECT_SOURCE_DIR}/README.md
      ${PROJECT_SOURCE_DIR}/SECURITY.md
    DESTINATION ${CMAKE_INSTALL_DOCDIR})
  # The notices of what is compiled in. What is linked brings its own; Boost wants none.
  foreach(library libcli11-dev nlohmann-json3-dev libspdlog-dev libtomlplusplus-dev)
    install(FILES /usr/share/doc/${library}/copyright
      DESTINATION ${CMAKE_INSTALL_DOCDIR}/libraries RENAME ${library} OPTIONAL)
  endforeach()
endif()

# All that is installed, without the tests.
add_custom_target(tailgate_installation DEPENDS tailgate)
if(TARGET tailgate_manual_pages)
  add_dependencies(tailgate_installation tailgate_manual_pages)
endif()

include(CPack)
