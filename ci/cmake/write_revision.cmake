# Writes a header with the git revision of SOURCE_DIR to OUTPUT, and leaves the file alone when
# nothing changed. Runs in every build:
#   cmake -D SOURCE_DIR=... -D OUTPUT=... -P write_revision.cmake
# The revision is "unknown" where git is missing, or SOURCE_DIR is not the top of a clone (an
# unpacked archive inside of somebody else's clone has no revision of its own).

function(git result)
  execute_process(COMMAND git --no-optional-locks ${ARGN} WORKING_DIRECTORY ${SOURCE_DIR}
    RESULT_VARIABLE status OUTPUT_VARIABLE output OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET)
  if(NOT status EQUAL 0)
    set(output "")
  endif()
  set(${result} "${output}" PARENT_SCOPE)
endfunction()

set(revision "unknown")
set(dirty "false")
git(top rev-parse --show-toplevel)
file(REAL_PATH ${SOURCE_DIR} source)
if(top STREQUAL source)
  git(head rev-parse --short=12 HEAD)
  if(head)
    set(revision ${head})
  endif()
  git(changes status --porcelain --untracked-files=no)
  if(changes)
    set(dirty "true")
  endif()
endif()

file(CONFIGURE OUTPUT ${OUTPUT} CONTENT
"// Written by every build.
#pragma once

#define TAILGATE_REVISION \"${revision}\"
#define TAILGATE_DIRTY ${dirty}
")
