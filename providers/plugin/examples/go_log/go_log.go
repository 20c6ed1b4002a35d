// Go's log package as a sink, in a library that is built with
//
//	CGO_CFLAGS=-IDIR/include go build -buildmode=c-shared -o libgo_log.so
//
// table.c has the table that the library exports; this file has what its functions do.
package main

/*
#include <stdlib.h>
#include <string.h>
#include <tailgate/sink.h>
*/
import "C"

import (
	"log"
	"os"
	"runtime/cgo"
	"strconv"
	"sync/atomic"
	"time"
	"unsafe"
)

// What emit returns: indices into the table's refusal_causes + 1.
const (
	accepted = 0
	closed   = 1
	failed   = 2
)

type goLog struct {
	file   *os.File
	log    *log.Logger
	sleep  time.Duration
	closed atomic.Bool
}

func settingsOf(context *C.tailgate_context) map[string]string {
	settings := map[string]string{}
	for _, setting := range unsafe.Slice(context.settings, context.setting_count) {
		settings[C.GoString(setting.name)] = C.GoString(setting.value)
	}
	return settings
}

// Writes the error's text into tailgate's buffer; 0 if there was none.
func code(failure error, text *C.char, size C.size_t) C.int {
	if failure == nil {
		return 0
	}
	buffer := unsafe.Slice((*byte)(unsafe.Pointer(text)), size)
	buffer[copy(buffer[:size-1], failure.Error())] = 0
	return 1
}

func open(context *C.tailgate_context) (*goLog, error) {
	sleepUs, err := strconv.Atoi(settingsOf(context)["sleep_us"])
	if err != nil {
		return nil, err
	}
	file, err := os.OpenFile(C.GoString(context.log_path), os.O_WRONLY|os.O_APPEND, 0o644)
	if err != nil {
		return nil, err
	}
	flags := log.LstdFlags | log.Lmicroseconds
	return &goLog{
		file:  file,
		log:   log.New(file, "", flags),
		sleep: time.Duration(sleepUs) * time.Microsecond,
	}, nil
}

//export goOpen
func goOpen(context *C.tailgate_context, handle *C.uintptr_t, text *C.char, size C.size_t) C.int {
	opened, err := open(context)
	if err == nil {
		*handle = C.uintptr_t(cgo.NewHandle(opened))
	}
	return code(err, text, size)
}

// A thread's first call into Go is slow; this makes it before the load.
//
//export goWarmUp
func goWarmUp() {}

//export goEmit
func goEmit(handle C.uintptr_t, event unsafe.Pointer, size C.size_t) C.uint8_t {
	sink := cgo.Handle(handle).Value().(*goLog)
	if sink.closed.Load() {
		return closed
	}
	if sink.sleep > 0 {
		time.Sleep(sink.sleep)
	}
	// The logger may keep its argument, so that it gets a string of Go's own.
	message := C.GoStringN((*C.char)(event), C.int(size))
	if sink.log.Output(1, message) != nil {
		return failed
	}
	return accepted
}

//export goClose
func goClose(handle C.uintptr_t, text *C.char, size C.size_t) C.int {
	sink := cgo.Handle(handle).Value().(*goLog)
	if sink.closed.Swap(true) {
		return 0
	}
	return code(sink.file.Close(), text, size)
}

//export goFree
func goFree(handle C.uintptr_t) {
	cgo.Handle(handle).Delete()
}

func main() {} // a library needs one
