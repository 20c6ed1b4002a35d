// Package driver makes the calls of a tailgate trial from Go: the driver of a sink that is a Go
// program. Its loggers do not pay for calls from C into Go, as those of a library do.
//
//	type myLog struct { … }
//
//	func (l *myLog) Emit(thread int, event []byte) int { … log the event; return 0 }
//	func (l *myLog) Close() error { … hand over all that is buffered }
//
//	func main() {
//		driver.Run(func(context *driver.Context) (driver.Logger, error) {
//			… open the log at context.LogPath
//		})
//	}
//
// A TOML file describes the sink, and tailgate starts the program: see README.md of tailgate's
// providers/plugin. drivers/README.md describes the memory that this package reads and writes.
package driver

import (
	"encoding/binary"
	"fmt"
	"math"
	"os"
	"runtime"
	"sort"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"time"
)

// Logger is the measured path.
type Logger interface {
	// Emit logs one event, which is valid during the call. It returns 0, or the number of a
	// refusal's cause, from 1. Only this is timed.
	Emit(thread int, event []byte) int
	// Close is called once, after the last event.
	Close() error
}

// Warmer is a logger that does something in each load thread before its first event.
type Warmer interface {
	WarmUp(thread int) error
}

// Loser is a logger that counts what it lost after Emit took it, by cause.
type Loser interface {
	Losses() map[string]uint64
}

// Context is what a logger may know of the trial.
type Context struct {
	Options       map[string]string
	LogPath       string
	Directory     string
	Threads       int
	MaxEventBytes int
	ExpectedBytes uint64
	Text          bool // events are text, else any bytes
}

const (
	magic          = 0x31474C54
	floorEvents    = 50_000
	wakeEarlyNs    = 200_000 // by how much a sleep may be too long
	longestSleepNs = 50_000_000
)

// Run makes the calls of one trial on the logger that open returns, and ends the program.
func Run(open func(context *Context) (Logger, error)) {
	path, found := os.LookupEnv("TAILGATE_DRIVER")
	if !found {
		fmt.Fprintln(os.Stderr, "TAILGATE_DRIVER is not set: tailgate starts this program, by the "+
			"sink's TOML file (tailgate run steady --sink ./mylog.toml)")
		os.Exit(1)
	}
	memory, err := openMemory(path)
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	t := &trial{memory: memory, threads: memory.at("threads")}
	if err := t.run(open); err != nil {
		fmt.Fprintln(os.Stderr, err)
		memory.setText(memory.at("provider.error"), memory.at("provider.error_bytes"), err.Error())
		memory.setPhase("failed")
		os.Exit(1)
	}
	os.Exit(0) // the load threads still wait
}

type trial struct {
	*memory
	threads int
	logger  Logger
	failed  atomic.Value // the error of a load thread
}

func (t *trial) context() *Context {
	options := map[string]string{}
	for name, value := range t.values {
		if strings.HasPrefix(name, "option.") {
			options[strings.TrimPrefix(name, "option.")] = value
		}
	}
	return &Context{
		Options: options, LogPath: t.text("log_path"), Directory: t.text("directory"),
		Threads: t.threads, MaxEventBytes: t.at("max_event_bytes"),
		ExpectedBytes: t.number("expected_bytes"), Text: t.text("encoding") == "text",
	}
}

func (t *trial) failure() error {
	failure, _ := t.failed.Load().(error)
	return failure
}

func (t *trial) stopped() bool {
	return t.loadHalf("stop") != 0 || t.failure() != nil
}

// Steps of the load threads; each waits for all of them.
type steps struct {
	bound, opened                 chan struct{}
	numbered, floor, warm, loaded sync.WaitGroup
}

func (t *trial) run(open func(*Context) (Logger, error)) error {
	s := &steps{bound: make(chan struct{}), opened: make(chan struct{})}
	s.floor.Add(1)
	s.warm.Add(t.threads)
	s.loaded.Add(t.threads)
	for number := 0; number < t.threads; number++ {
		go t.thread(number, s)
	}
	syscall.Read(t.wake, make([]byte, 1)) // the companion has bound the threads
	close(s.bound)
	s.floor.Wait()
	if t.failure() != nil {
		return t.failure()
	}
	logger, err := open(t.context())
	if err != nil {
		return err
	}
	t.logger = logger
	close(s.opened)
	s.warm.Wait()
	if t.failure() != nil {
		return t.failure()
	}
	t.setPhase("ready")
	s.loaded.Wait()
	if t.failure() != nil {
		return t.failure()
	}
	t.setPhase("closing")
	if err := logger.Close(); err != nil {
		return err
	}
	t.publishLosses()
	t.setPhase("done")
	for i := 0; i < 10_000 && t.loadHalf("sampled") == 0; i++ {
		time.Sleep(500 * time.Microsecond)
	}
	return nil
}

func (t *trial) publishLosses() {
	loser, counts := t.logger.(Loser)
	if !counts {
		return
	}
	slot := 0
	for cause, events := range loser.Losses() {
		if slot == t.at("losses.slots") {
			break
		}
		at := t.at("losses.at") + slot*t.at("losses.stride")
		t.setText(at, t.at("losses.cause_bytes"), cause)
		*word(t.shared, at+t.at("losses.events")) = events
		slot++
	}
	t.storeHalf("losses.count", uint32(slot))
}

// One load thread. It stays after the load: the system forgets the counters of a thread that ends.
func (t *trial) thread(number int, s *steps) {
	runtime.LockOSThread()
	if err := t.load(number, s); err != nil {
		t.failed.CompareAndSwap(nil, err)
	}
	s.loaded.Done()
	select {}
}

// Calls a part that may panic, and what is to follow in any case.
func guarded(part func() error, then func()) (err error) {
	defer then()
	defer func() {
		if panicked := recover(); panicked != nil {
			err = fmt.Errorf("panic: %v", panicked)
		}
	}()
	return part()
}

func (t *trial) load(number int, s *steps) error {
	shift := number * t.at("thread.stride")
	atomic.StoreUint32(half(t.shared, t.at("thread.os_thread")+shift), uint32(syscall.Gettid()))
	<-s.bound
	if number == 0 {
		if err := guarded(t.measureFloor, s.floor.Done); err != nil {
			s.warm.Done()
			return err
		}
	}
	<-s.opened
	if err := guarded(func() error { return t.warmUp(number) }, s.warm.Done); err != nil {
		return err
	}
	return guarded(func() error { t.makeCalls(number, shift); return nil }, func() {})
}

func (t *trial) warmUp(number int) error {
	if warmer, warms := t.logger.(Warmer); warms {
		return warmer.WarmUp(number)
	}
	return nil
}

func (t *trial) makeCalls(number int, shift int) {
	goNs := t.waitForGo()
	if goNs == 0 {
		return
	}
	b := newBlock(t.memory, t.shared, shift)
	closedLoop := t.number("load.closed_loop") != 0
	if t.number("turns.count") > 0 {
		calls := newCallLog(t.memory)
		t.driveTurns(newEmitter(t, number, b, t.logger, calls), calls, closedLoop)
		return
	}
	e := newEmitter(t, number, b, t.logger, newHistograms(t.memory, t.shared, shift, closedLoop))
	never := func() bool { return false }
	if !closedLoop {
		t.callOnTime(e, newPacer(t, e), t.times(number), span{
			beginNs: goNs, endNs: later(goNs, t.number("load.give_up_ns")),
			recordFromNs: t.number("load.record_start_ns"), full: never,
		})
		return
	}
	full := never
	if events := t.number("load.events"); events > 0 {
		wanted := events / uint64(t.threads)
		if uint64(number) < events%uint64(t.threads) {
			wanted++
		}
		full = func() bool { return e.recorded == wanted }
	}
	t.callAtOnce(e, newPacer(t, e), span{
		beginNs: goNs, endNs: later(goNs, t.number("load.end_ns")),
		recordFromNs: t.number("load.record_start_ns"), full: full,
		batchCalls: t.number("load.batch_calls"), pauseNs: t.number("load.pause_ns"),
	})
}

// The sum, or the largest number if that is smaller: no limit.
func later(ns uint64, byNs uint64) uint64 {
	if byNs > math.MaxUint64-ns {
		return math.MaxUint64
	}
	return ns + byNs
}

func (t *trial) waitForGo() uint64 {
	for {
		if goNs := atomic.LoadUint64(word(t.shared, t.at("go_ns"))); goNs != 0 {
			t.setPhase("loading")
			return goNs
		}
		if t.stopped() {
			return 0
		}
		sleepNs(wakeEarlyNs)
	}
}

// Puts the thread to sleep, where time.Sleep would let it look for other goroutines.
func sleepNs(ns uint64) {
	time := syscall.NsecToTimespec(int64(ns))
	syscall.Nanosleep(&time, nil)
}

type nothing struct{}

func (nothing) Emit(int, []byte) int { return 0 }
func (nothing) Close() error         { return nil }

// The emit loop around a call that does nothing, and two clock reads.
func (t *trial) measureFloor() error {
	first := t.at("thread.started")
	own := make([]byte, t.at("thread.stride"))
	e := newEmitter(t, 0, newBlock(t.memory, own, -first), nothing{},
		newHistograms(t.memory, own, -first, true))
	startNs := e.nowNs()
	for i := 0; i < floorEvents; i++ {
		e.prepare()
		nowNs := e.nowNs()
		e.emit(nowNs, nowNs, true)
	}
	loopNs := float64(e.nowNs()-startNs) / floorEvents
	service := t.at("thread.service") - first
	copy(t.shared[t.at("floor.service"):], own[service:service+8*(t.at("histogram.slots")+1)])
	means := make([]float64, 101)
	for batch := range means {
		startNs := nanotime()
		for i := 0; i < 100; i++ {
			nanotime()
			nanotime()
		}
		means[batch] = float64(nanotime()-startNs) / 100
	}
	sort.Float64s(means)
	*word(t.shared, t.at("floor.loop_ns")) = math.Float64bits(loopNs)
	*word(t.shared, t.at("floor.two_clock_reads_ns")) = math.Float64bits(means[len(means)/2])
	return nil
}

// Builds the events of one thread and makes its calls.
type emitter struct {
	*block
	baseNs, run, sequence, hash, recorded uint64
	thread, size                          int
	text                                  bool
	sizes                                 []int
	event                                 []byte
	log                                   Logger
	recorder                              recorder
}

func newEmitter(t *trial, thread int, b *block, log Logger, r recorder) *emitter {
	e := &emitter{
		block: b, baseNs: t.number("clock.base_ns"), run: t.number("run"), thread: thread, log: log,
		recorder: r, text: t.text("encoding") == "text",
		event: make([]byte, t.at("max_event_bytes")),
	}
	copy(e.event, t.schedule[t.at("schedule.event"):])
	each := t.at("schedule.sizes_each")
	sizes := t.schedule[t.at("schedule.sizes")+2*each*thread:]
	for i := 0; i < each; i++ {
		e.sizes = append(e.sizes, int(binary.LittleEndian.Uint16(sizes[2*i:])))
	}
	return e
}

func (e *emitter) nowNs() uint64 {
	return uint64(nanotime()) - e.baseNs
}

// Does the work for the next event that does not need its time.
func (e *emitter) prepare() {
	e.size = e.sizes[e.sequence%uint64(len(e.sizes))]
	first := magic | uint64(e.size)<<32 | uint64(e.thread)<<48
	e.putWord(0, first)
	e.putWord(1, e.sequence)
	hash := (first ^ e.run) * 0x9E3779B97F4A7C15
	hash ^= (e.sequence + hash>>29) * 0x6A09E667F3BCC909
	e.hash = hash ^ hash>>32
}

func (e *emitter) putWord(index int, value uint64) {
	if e.text {
		binary.LittleEndian.PutUint64(e.event[16*index:], letters(value&math.MaxUint32))
		binary.LittleEndian.PutUint64(e.event[16*index+8:], letters(value>>32))
	} else {
		binary.LittleEndian.PutUint64(e.event[8*index:], value)
	}
}

// Encodes 4 bytes as 8 letters, low half byte first.
func letters(value uint64) uint64 {
	value = (value | value<<16) & 0x0000FFFF0000FFFF
	value = (value | value<<8) & 0x00FF00FF00FF00FF
	value = (value | value<<4) & 0x0F0F0F0F0F0F0F0F
	return value + 0x6161616161616161
}

func (e *emitter) emit(intendedNs, startNs uint64, recorded bool) {
	e.putWord(2, startNs)
	e.putWord(3, e.run|(e.hash^startNs^startNs>>32)<<32)
	*e.lastStart = startNs
	*e.started = e.sequence + 1
	status := e.log.Emit(e.thread, e.event[:e.size:e.size])
	endNs := e.nowNs()
	if status != 0 {
		if status > len(e.refused) {
			status = len(e.refused)
		}
		*e.refused[status-1]++
	}
	*e.finished = e.sequence + 1
	*e.lastEnd = endNs
	if recorded {
		e.recorded++
		e.recorder.record(e.sequence, intendedNs, startNs, endNs)
	}
	e.sequence++
}

type pacer struct {
	trial   *trial
	emitter *emitter
	earlyNs uint64
}

func newPacer(t *trial, e *emitter) *pacer {
	early := map[string]uint64{"spin": math.MaxUint64, "hybrid": wakeEarlyNs, "sleep": 0}
	return &pacer{trial: t, emitter: e, earlyNs: early[t.text("load.pacing")]}
}

// Returns the last time read; early if the load is stopped.
func (p *pacer) waitUntil(intendedNs uint64) uint64 {
	now := p.emitter.nowNs()
	for now < intendedNs && !p.trial.stopped() {
		left, before := intendedNs-now, now
		if left > p.earlyNs {
			left -= p.earlyNs
			if left > longestSleepNs {
				left = longestSleepNs
			}
			sleepNs(left)
			now = p.emitter.nowNs()
		} else {
			now = p.emitter.nowNs()
			*p.emitter.spun += now - before
		}
	}
	return now
}

// When calls are made. An open loop gives up at endNs, a closed one begins no call from there on.
type span struct {
	beginNs, endNs, recordFromNs uint64
	full                         func() bool
	batchCalls, pauseNs          uint64
}

// Makes the calls of a list of times.
func (t *trial) callOnTime(e *emitter, p *pacer, times []uint64, s span) {
	for i, offsetNs := range times {
		*e.lastIntended = s.beginNs + offsetNs
		e.prepare()
		startNs := p.waitUntil(s.beginNs + offsetNs)
		if t.stopped() {
			return
		}
		if startNs > s.endNs || s.full() {
			*e.unissued += uint64(len(times) - i)
			return
		}
		e.emit(s.beginNs+offsetNs, startNs, offsetNs >= s.recordFromNs)
	}
}

// Makes one call after the other, in batches if batchCalls is not 0.
func (t *trial) callAtOnce(e *emitter, p *pacer, s span) {
	p.waitUntil(s.beginNs)
	recordAtNs := later(s.beginNs, s.recordFromNs)
	untilPause := s.batchCalls // from 0 it wraps around: no pause, ever
	for !s.full() && !t.stopped() {
		e.prepare()
		startNs := e.nowNs()
		if startNs >= s.endNs {
			return
		}
		e.emit(startNs, startNs, startNs >= recordAtNs)
		if untilPause--; untilPause == 0 {
			p.waitUntil(e.nowNs() + s.pauseNs)
			untilPause = s.batchCalls
		}
	}
}

// Returns whether the turn is granted; no if the load is stopped.
func (t *trial) granted(turn int) bool {
	for !t.stopped() {
		if int(t.loadHalf("turn.granted")) > turn {
			return true
		}
		if count, err := syscall.Read(t.wake, make([]byte, 1)); count == 0 ||
			(err != nil && err != syscall.EINTR) {
			return false
		}
	}
	return false
}

func (t *trial) driveTurns(e *emitter, calls *callLog, closedLoop bool) {
	count, warmup := t.at("turns.count"), t.at("turns.warmup")
	p := newPacer(t, e)
	for turn := 0; turn < count; turn++ {
		if !t.granted(turn) {
			return
		}
		s := span{beginNs: e.nowNs() + t.number("turns.lead_ns"), full: calls.full}
		if turn < warmup {
			s.recordFromNs = math.MaxUint64
		}
		calls.beginTurn(turn - warmup)
		if closedLoop {
			s.endNs = s.beginNs + t.number("turns.length_ns")
			t.callAtOnce(e, p, s)
		} else {
			s.endNs = s.beginNs + t.number("turns.give_up_ns")
			t.callOnTime(e, p, t.times(turn), s)
		}
		t.storeHalf("turn.done", uint32(turn+1))
		syscall.Write(t.told, []byte("d"))
	}
	t.granted(count) // closing must not disturb the other side's turns
}
