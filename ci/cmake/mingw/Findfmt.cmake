include(FindPackageHandleStandardArgs)
include(header_package)
header_package(fmt fmt/core.h fmt::fmt DEFINITIONS FMT_HEADER_ONLY)
