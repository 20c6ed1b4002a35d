// The tables of a history, the same in every database. schema.cpp is their only description.
#pragma once

#include "harness/history/database.h"

namespace tailgate::history {

// The version that this program reads and writes. Raise it with a migration in schema.cpp; what a
// released version wrote stays readable for ever.
inline constexpr int kSchemaVersion = 4;

// Throws Error where the database holds something else than a history, or one of a newer tailgate.
// With Access::write, makes the tables where there are none and brings older ones up to date, all
// of it or nothing; several programs may do so at once. With Access::read, throws Error where that
// would be needed.
void prepare_schema(Database& database, Access access);

}  // namespace tailgate::history
