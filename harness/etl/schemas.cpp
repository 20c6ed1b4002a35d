#include "harness/etl/schemas.h"

#include <string_view>

#include "harness/etl/clr_schemas.h"
#include "harness/etl/kernel_schemas.h"
#include "harness/etl/methods_schemas.h"
#include "harness/etl/pktmon_schemas.h"
#include "harness/etl/tasks_schemas.h"
#include "harness/etl/tcpip_schemas.h"

namespace tailgate::etl {

void add_bundled_schemas(Decoder& decoder) {
  for (std::string_view xml : {kClrSchemas, kKernelSchemas, kMethodsSchemas, kPktMonSchemas,
                               kTasksSchemas, kTcpipSchemas}) {
    decoder.add_manifest({reinterpret_cast<const std::uint8_t*>(xml.data()), xml.size()});
  }
}

}  // namespace tailgate::etl
