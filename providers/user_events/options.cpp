#include "providers/user_events/options.h"

#include "providers/shared/tracefs/buffer_options.h"

namespace tailgate::user_events {

OptionTable options() {
  return tracefs::buffer_options();
}

}  // namespace tailgate::user_events
