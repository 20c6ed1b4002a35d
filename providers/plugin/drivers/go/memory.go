package driver

import (
	"fmt"
	"os"
	"strconv"
	"strings"
	"sync/atomic"
	"syscall"
	"unsafe"
)

const format = "1"

// The run-time system's clock: CLOCK_MONOTONIC in nanoseconds. The package time gives only
// differences of it.
//
//go:linkname nanotime runtime.nanotime
func nanotime() int64

// The shared memory of a trial, and the names by which tailgate describes it. Counts are plain
// stores of aligned words, of which each has one writer; what others wait for is written atomically.
type memory struct {
	values   map[string]string
	shared   []byte
	schedule []byte
	wake     int
	told     int
}

func openMemory(path string) (*memory, error) {
	text, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	m := &memory{values: map[string]string{}}
	for _, line := range strings.Split(string(text), "\n") {
		if name, value, found := strings.Cut(line, " "); found {
			m.values[name] = value
		}
	}
	if m.values["format"] != format {
		return nil, fmt.Errorf("%s has format %q, and this driver reads format %s: use the driver "+
			"that came with tailgate", path, m.values["format"], format)
	}
	if m.shared, err = m.mapped("memory"); err != nil {
		return nil, err
	}
	if m.schedule, err = m.mapped("schedule"); err != nil {
		return nil, err
	}
	if m.wake, err = syscall.Open(m.text("wake.path"), syscall.O_RDONLY, 0); err != nil {
		return nil, err
	}
	m.told, err = syscall.Open(m.text("told.path"), syscall.O_WRONLY, 0)
	return m, err
}

func (m *memory) mapped(name string) ([]byte, error) {
	file, err := syscall.Open(m.text(name+".path"), syscall.O_RDWR, 0)
	if err != nil {
		return nil, err
	}
	defer syscall.Close(file)
	return syscall.Mmap(file, 0, m.at(name+".bytes"), syscall.PROT_READ|syscall.PROT_WRITE,
		syscall.MAP_SHARED)
}

func (m *memory) text(name string) string {
	value, found := m.values[name]
	if !found {
		panic(fmt.Sprintf("tailgate named no %q", name))
	}
	return value
}

func (m *memory) number(name string) uint64 {
	value, err := strconv.ParseUint(m.text(name), 10, 64)
	if err != nil {
		panic(err)
	}
	return value
}

// A place in the memory, or another number that is small.
func (m *memory) at(name string) int {
	return int(m.number(name))
}

func word(bytes []byte, at int) *uint64 {
	return (*uint64)(unsafe.Pointer(&bytes[at]))
}

func half(bytes []byte, at int) *uint32 {
	return (*uint32)(unsafe.Pointer(&bytes[at]))
}

func (m *memory) loadHalf(name string) uint32 {
	return atomic.LoadUint32(half(m.shared, m.at(name)))
}

func (m *memory) storeHalf(name string, value uint32) {
	atomic.StoreUint32(half(m.shared, m.at(name)), value)
}

func (m *memory) setPhase(name string) {
	m.storeHalf("provider.phase", uint32(m.number("phase."+name)))
}

func (m *memory) setText(at int, room int, text string) {
	text = strings.ReplaceAll(text, "\x00", " ")
	if len(text) >= room {
		text = text[:room-4] + "..."
	}
	m.shared[at+copy(m.shared[at:at+room-1], text)] = 0
}

// The intended times of a thread or a turn, relative to its start.
func (m *memory) times(list int) []uint64 {
	first := m.at("schedule.first") + 8*list
	begin, end := *word(m.schedule, first), *word(m.schedule, first+8)
	if begin == end {
		return nil
	}
	return unsafe.Slice(word(m.schedule, m.at("schedule.times")+8*int(begin)), int(end-begin))
}
