// All formats of other benchmarks. Each is a file in formats/ that defines the format of the file's
// name.
//
// A name that is missing here fails to compile in its file; one without a file fails to link.
#pragma once

#define TAILGATE_SAMPLE_FORMATS(FORMAT) \
  FORMAT(catch2)                        \
  FORMAT(fio)                           \
  FORMAT(gbench)                        \
  FORMAT(hlog)                          \
  FORMAT(hyperfine)                     \
  FORMAT(numbers)
