package driver

import (
	"math/bits"
	"sync/atomic"
)

// Takes calls that were made.
type recorder interface {
	record(sequence, intendedNs, startNs, endNs uint64)
}

// The calls with the longest times: a heap whose top is the shortest of them.
type longest struct {
	bytes                               []byte
	times                               []uint64
	slots                               []int
	end, start, intended, sequence, cpu int
}

func newLongest(m *memory, bytes []byte, at int, count int) *longest {
	l := &longest{
		bytes: bytes, times: make([]uint64, count), slots: make([]int, count),
		end: m.at("slow.end_ns"), start: m.at("slow.start_ns"), intended: m.at("slow.intended_ns"),
		sequence: m.at("slow.sequence"), cpu: m.at("slow.cpu"),
	}
	for i := range l.slots {
		l.slots[i] = at + i*m.at("slow.stride")
	}
	return l
}

func (l *longest) offer(ns, sequence, intendedNs, startNs, endNs uint64) {
	if len(l.times) == 0 || ns <= l.times[0] {
		return
	}
	slot := l.slots[0]
	atomic.StoreUint64(word(l.bytes, slot+l.end), 0) // readers ignore the slot while it is written
	atomic.StoreUint64(word(l.bytes, slot+l.start), startNs)
	atomic.StoreUint64(word(l.bytes, slot+l.intended), intendedNs)
	atomic.StoreUint64(word(l.bytes, slot+l.sequence), sequence)
	atomic.StoreUint64(word(l.bytes, slot+l.cpu), ^uint64(0)) // not known
	atomic.StoreUint64(word(l.bytes, slot+l.end), endNs)
	at := 0
	for child := 1; child < len(l.times); child = 2*at + 1 {
		if child+1 < len(l.times) && l.times[child+1] < l.times[child] {
			child++
		}
		if l.times[child] >= ns {
			break
		}
		l.times[at], l.slots[at] = l.times[child], l.slots[child]
		at = child
	}
	l.times[at], l.slots[at] = ns, slot
}

// The fields that one load thread writes: in the shared memory, or for the floor in another.
type block struct {
	started, finished, lastStart, lastEnd, lastIntended, spun, unissued *uint64
	refused                                                             []*uint64
}

func newBlock(m *memory, bytes []byte, shift int) *block {
	at := func(name string) *uint64 { return word(bytes, m.at("thread."+name)+shift) }
	b := &block{
		started: at("started"), finished: at("finished"), lastStart: at("last_start_ns"),
		lastEnd: at("last_end_ns"), lastIntended: at("last_intended_ns"), spun: at("spun_ns"),
		unissued: at("unissued"),
	}
	for cause := 0; cause < m.at("thread.refused_causes"); cause++ {
		b.refused = append(b.refused, word(bytes, m.at("thread.refused")+shift+8*cause))
	}
	return b
}

// Records calls as a trial does: distributions and the slowest calls.
type histograms struct {
	bytes                                  []byte
	closedLoop                             bool
	service, response, startLag            int
	slowest, slowestResponses              *longest
	slots, mask, half, perDoubling, offset uint64
}

func newHistograms(m *memory, bytes []byte, shift int, closedLoop bool) *histograms {
	at := func(name string) int { return m.at("thread."+name) + shift }
	return &histograms{
		bytes: bytes, closedLoop: closedLoop, service: at("service"), response: at("response"),
		startLag: at("start_lag"),
		slowest:  newLongest(m, bytes, at("slowest"), m.at("thread.slowest_slots")),
		slowestResponses: newLongest(m, bytes, at("slowest_responses"),
			m.at("thread.slowest_responses_slots")),
		slots: m.number("histogram.slots"), mask: m.number("histogram.mask"),
		half: m.number("histogram.half_magnitude"), offset: m.number("histogram.offset"),
		perDoubling: m.number("histogram.slots_per_doubling"),
	}
}

func (h *histograms) count(at int, value uint64) {
	top := uint64(bits.Len64(value|h.mask)) - 1
	slot := value>>(top-h.half) + top*h.perDoubling - h.offset
	if slot > h.slots {
		slot = h.slots
	}
	*word(h.bytes, at+8*int(slot))++
}

func (h *histograms) record(sequence, intendedNs, startNs, endNs uint64) {
	h.count(h.service, endNs-startNs)
	h.slowest.offer(endNs-startNs, sequence, intendedNs, startNs, endNs)
	if h.closedLoop {
		return
	}
	h.count(h.response, endNs-intendedNs)
	h.count(h.startLag, startNs-intendedNs)
	h.slowestResponses.offer(endNs-intendedNs, sequence, intendedNs, startNs, endNs)
}

// Records calls as a duet does: all of them, within the turn's share of the log.
type callLog struct {
	bytes                                   []byte
	begin, stride, intended, start, end, at int
	total                                   *uint64
	logged, room, fullAt                    uint64
	turn                                    uint32
}

func newCallLog(m *memory) *callLog {
	turns := m.number("turns.count") - m.number("turns.warmup")
	return &callLog{
		bytes: m.shared, begin: m.at("calls.at"), stride: m.at("calls.stride"),
		intended: m.at("calls.intended_ns"), start: m.at("calls.start_ns"),
		end: m.at("calls.end_ns"), at: m.at("calls.turn"),
		total: word(m.shared, m.at("turn.logged")), room: m.number("turns.max_calls") / turns,
	}
}

func (c *callLog) beginTurn(number int) {
	c.turn = uint32(number)
	c.fullAt = c.logged + c.room
}

func (c *callLog) full() bool {
	return c.logged == c.fullAt
}

func (c *callLog) record(_, intendedNs, startNs, endNs uint64) {
	at := c.begin + int(c.logged)*c.stride
	*word(c.bytes, at+c.intended) = intendedNs
	*word(c.bytes, at+c.start) = startNs
	*word(c.bytes, at+c.end) = endNs
	*half(c.bytes, at+c.at) = c.turn
	c.logged++
	atomic.StoreUint64(c.total, c.logged)
}
