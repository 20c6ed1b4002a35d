// The functions that the preloaded library wraps: those whose signature it knows. The second names
// are what the same call is compiled to with another option of the C library or of a header.
#pragma once

#define TAILGATE_WRAPPED_FUNCTIONS(FUNCTION) \
  FUNCTION(write)                            \
  FUNCTION(writev)                           \
  FUNCTION(pwrite)                           \
  FUNCTION(pwritev)                          \
  FUNCTION(fsync)                            \
  FUNCTION(fdatasync)                        \
  FUNCTION(fwrite)                           \
  FUNCTION(fputs)                            \
  FUNCTION(fflush)                           \
  FUNCTION(send)                             \
  FUNCTION(sendto)                           \
  FUNCTION(sendmsg)                          \
  FUNCTION(sendmmsg)                         \
  FUNCTION(syslog)                           \
  FUNCTION(vsyslog)                          \
  FUNCTION(sd_journal_print)                 \
  FUNCTION(sd_journal_printv)                \
  FUNCTION(sd_journal_sendv)                 \
  FUNCTION(tailgate_nothing)

// As TAILGATE_MARK_VARIABLE of tailgate/mark.h, for the libraries that wrap functions: marks of the
// program itself are not recorded then.
#define TAILGATE_WRAPPED_VARIABLE "TAILGATE_WRAPPED"

// The names of the functions to time, by commas; a name's place is its kind of call.
#define TAILGATE_CALLS_VARIABLE "TAILGATE_CALLS"
