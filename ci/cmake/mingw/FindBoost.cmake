include(FindPackageHandleStandardArgs)
include(header_package)
header_package(Boost boost/version.hpp Boost::headers)
