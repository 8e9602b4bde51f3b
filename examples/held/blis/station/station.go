// Package station is a transfer station of BLIS with a simulated drive for each tier in place of constants.
//
// Its methods are those of TransferStation in inference-sim/inference-sim (sim/kvtransfer/station.go at f90a1e3a): New, Submit,
// Poll, ActiveJobs, ServiceTicks. A tick is a microsecond. A tier has servers that read first and servers that write first; a
// server carries out one job at a time. How long a job takes is up to the drive, so jobs slow each other down.
package station

/*
#cgo pkg-config: wordline
#include <stdlib.h>
#include "wordline.h"
*/
import "C"

import (
	"fmt"
	"sort"
	"unsafe"
)

// Direction says where bytes go.
type Direction int

// Read brings blocks from the tier, Write takes them there.
const (
	Read Direction = iota
	Write
)

// JobID is the number of a job, from 1 on.
type JobID int64

// TransferJob is a transfer of so many bytes.
type TransferJob struct {
	Tier       int
	Direction  Direction
	Bytes      int64
	SubmitTick int64
}

// TierConfig is a tier: its drive, as the name of a preset or as TOML, the servers that read first and those that write first.
type TierConfig struct {
	Drive         string
	NRead, NWrite int
	// CommandBytes is the largest read or write, a multiple of 4096; 0 is 1 MiB.
	CommandBytes int64
	// SpaceBytes is the part of the drive that blocks take: writes go round in it.
	SpaceBytes int64
}

// Config is the tiers.
type Config struct {
	Tiers []TierConfig
}

const nsPerTick = 1000
const sector = 4096

type job struct {
	id        JobID
	direction Direction
	bytes     int64
	readFirst bool
}

type tier struct {
	config    TierConfig
	drive     *C.wl_drive
	queues    [2][]job
	freeRead  int
	freeWrite int
	active    [2]int
	cursors   [2]int64
	running   map[uint64]job
}

// TransferStation moves blocks between memory and drives.
type TransferStation struct {
	tiers  []*tier
	now    int64
	nextID JobID
	done   []completion
}

type completion struct {
	ns uint64
	id JobID
}

func wrong(code C.wl_code) error {
	if code == C.WL_OK {
		return nil
	}
	return fmt.Errorf("wordline: %s", C.GoString(C.wl_error()))
}

func must(code C.wl_code) {
	if err := wrong(code); err != nil {
		panic(err)
	}
}

// New opens a drive for each tier.
func New(config Config) (*TransferStation, error) {
	if len(config.Tiers) == 0 {
		return nil, fmt.Errorf("station: there is no tier")
	}
	s := &TransferStation{}
	for i, each := range config.Tiers {
		if each.NRead < 0 || each.NWrite < 0 || each.NRead+each.NWrite < 1 {
			return nil, fmt.Errorf("station: tier %d has no server", i)
		}
		if each.CommandBytes == 0 {
			each.CommandBytes = 1 << 20
		}
		if each.CommandBytes%sector != 0 || each.SpaceBytes < each.CommandBytes {
			return nil, fmt.Errorf("station: tier %d: commands are multiples of %d, and fit into the space", i, sector)
		}
		// Restores read what writes reach last.
		middle := each.SpaceBytes / 2 / sector * sector
		t := &tier{cursors: [2]int64{Read: middle}, config: each, freeRead: each.NRead, freeWrite: each.NWrite, running: map[uint64]job{}}
		text := C.CString(each.Drive)
		err := wrong(C.wl_open(text, 1, nil, &t.drive))
		C.free(unsafe.Pointer(text))
		if err != nil {
			s.Close()
			return nil, err
		}
		s.tiers = append(s.tiers, t)
	}
	return s, nil
}

// Close frees the drives.
func (s *TransferStation) Close() {
	for _, t := range s.tiers {
		C.wl_close(t.drive)
	}
	s.tiers = nil
}

// Submit puts a job into its queue. Ticks never go back.
func (s *TransferStation) Submit(j TransferJob) (JobID, bool) {
	s.advance(j.SubmitTick)
	s.nextID++
	t := s.tiers[j.Tier]
	t.queues[j.Direction] = append(t.queues[j.Direction], job{id: s.nextID, direction: j.Direction, bytes: j.Bytes})
	t.assign(uint64(s.now) * nsPerTick)
	return s.nextID, true
}

// Poll lets time go on, and returns the jobs that are done since the last call, in order of completion.
func (s *TransferStation) Poll(now int64) []JobID {
	s.advance(now)
	sort.Slice(s.done, func(a, b int) bool {
		if s.done[a].ns != s.done[b].ns {
			return s.done[a].ns < s.done[b].ns
		}
		return s.done[a].id < s.done[b].id
	})
	ids := make([]JobID, 0, len(s.done))
	for _, each := range s.done {
		ids = append(ids, each.id)
	}
	s.done = s.done[:0]
	return ids
}

// ActiveJobs returns how many jobs of a direction are in service.
func (s *TransferStation) ActiveJobs(index int, direction Direction) int {
	return s.tiers[index].active[direction]
}

// ServiceTicks returns how long a job would take with nothing beside it that is not under way already: on a copy of the drive.
func (s *TransferStation) ServiceTicks(index int, direction Direction, bytes int64) int64 {
	t := s.tiers[index]
	copied := &tier{config: t.config, cursors: t.cursors, running: map[uint64]job{}}
	must(C.wl_fork(t.drive, &copied.drive))
	defer C.wl_close(copied.drive)
	begin := uint64(s.now) * nsPerTick
	number := copied.start(job{direction: direction, bytes: bytes}, begin)
	for {
		var event C.uint64_t
		must(C.wl_next_event(copied.drive, &event))
		for _, each := range copied.step(uint64(event)) {
			if uint64(each.job) == number {
				return int64((uint64(each.done_ns) - begin + nsPerTick - 1) / nsPerTick)
			}
		}
	}
}

func (s *TransferStation) advance(now int64) {
	if now < s.now {
		return
	}
	until := uint64(now) * nsPerTick
	for _, t := range s.tiers {
		for {
			var event C.uint64_t
			must(C.wl_next_event(t.drive, &event))
			if uint64(event) > until {
				break
			}
			for _, each := range t.step(uint64(event)) {
				j := t.running[uint64(each.job)]
				delete(t.running, uint64(each.job))
				t.active[j.direction]--
				if j.readFirst {
					t.freeRead++
				} else {
					t.freeWrite++
				}
				s.done = append(s.done, completion{uint64(each.done_ns), j.id})
			}
			// A server that has become free takes the next job at once.
			t.assign(uint64(event))
		}
	}
	s.now = now
}

// step lets time go on to ns; returns what is done.
func (t *tier) step(ns uint64) []C.wl_done {
	var all []C.wl_done
	var buffer [16]C.wl_done
	for count := C.size_t(len(buffer)); count == C.size_t(len(buffer)); {
		must(C.wl_advance(t.drive, C.uint64_t(ns), &buffer[0], C.size_t(len(buffer)), &count))
		all = append(all, buffer[:count]...)
	}
	return all
}

// assign gives free servers jobs: those of their own direction first.
func (t *tier) assign(ns uint64) {
	take := func(first, second Direction) (job, bool) {
		for _, direction := range []Direction{first, second} {
			if queue := t.queues[direction]; len(queue) > 0 {
				t.queues[direction] = queue[1:]
				return queue[0], true
			}
		}
		return job{}, false
	}
	for t.freeRead > 0 {
		j, ok := take(Read, Write)
		if !ok {
			break
		}
		j.readFirst = true
		t.freeRead--
		t.begin(j, ns)
	}
	for t.freeWrite > 0 {
		j, ok := take(Write, Read)
		if !ok {
			break
		}
		t.freeWrite--
		t.begin(j, ns)
	}
}

func (t *tier) begin(j job, ns uint64) {
	t.active[j.direction]++
	t.running[t.start(j, ns)] = j
}

// start submits the commands of a job; returns the drive's number of it.
func (t *tier) start(j job, ns uint64) uint64 {
	operation := C.uint32_t(C.WL_READ)
	if j.direction == Write {
		operation = C.WL_WRITE
	}
	var ops []C.wl_op
	for left := (j.bytes + sector - 1) / sector * sector; ; {
		length := min(left, t.config.CommandBytes)
		if t.cursors[j.direction]+length > t.config.SpaceBytes {
			t.cursors[j.direction] = 0
		}
		ops = append(ops, C.wl_op{operation: operation, offset: C.uint64_t(t.cursors[j.direction]), length: C.uint64_t(length)})
		t.cursors[j.direction] += length
		if left -= length; left <= 0 {
			break
		}
	}
	length := C.uint32_t(len(ops))
	var number C.uint64_t
	must(C.wl_submit(t.drive, C.uint64_t(ns), &ops[0], C.size_t(len(ops)), &length, 1, &number))
	return uint64(number)
}
