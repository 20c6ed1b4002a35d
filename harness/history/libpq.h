// The functions of libpq that are used. It is loaded when a server is named, and not when the
// program starts: with it come two dozen libraries, which would be part of every provider process.
#pragma once

#include <libpq-fe.h>

namespace tailgate::history {

#define TAILGATE_LIBPQ_FUNCTIONS(FUNCTION) \
  FUNCTION(PQclear)                        \
  FUNCTION(PQconnectdb)                    \
  FUNCTION(PQconninfoFree)                 \
  FUNCTION(PQconninfoParse)                \
  FUNCTION(PQerrorMessage)                 \
  FUNCTION(PQexec)                         \
  FUNCTION(PQexecPrepared)                 \
  FUNCTION(PQfinish)                       \
  FUNCTION(PQfreemem)                      \
  FUNCTION(PQftype)                        \
  FUNCTION(PQgetisnull)                    \
  FUNCTION(PQgetlength)                    \
  FUNCTION(PQgetvalue)                     \
  FUNCTION(PQnfields)                      \
  FUNCTION(PQntuples)                      \
  FUNCTION(PQprepare)                      \
  FUNCTION(PQresultErrorField)             \
  FUNCTION(PQresultStatus)                 \
  FUNCTION(PQsetNoticeProcessor)           \
  FUNCTION(PQstatus)                       \
  FUNCTION(PQtransactionStatus)            \
  FUNCTION(PQunescapeBytea)

struct Libpq {
#define TAILGATE_LIBPQ_MEMBER(name) decltype(&::name) name = nullptr;
  TAILGATE_LIBPQ_FUNCTIONS(TAILGATE_LIBPQ_MEMBER)
#undef TAILGATE_LIBPQ_MEMBER
};

// Loads the library at the first call. Throws Error where it is not installed.
const Libpq& libpq();

}  // namespace tailgate::history
