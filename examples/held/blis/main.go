// Restores of KV blocks through BLIS's transfer station: with its constants, and with a simulated drive, with and without writes
// beside them.
//
//	make capi
//	cd examples/held/blis
//	PKG_CONFIG_PATH=../../../out/capi/lib/pkgconfig go build -o blis .
//	LD_LIBRARY_PATH=../../../out/capi/lib ./blis
package main

import (
	"fmt"
	"os"

	"example.org/blis/station"
)

const (
	blockBytes = 8 << 20
	writeBytes = 18 << 20
	restores   = 100
	everyTicks = 4000
	servers    = 8
)

// Constants of nvme_gen4 in BLIS's defaults.yaml at f90a1e3a: bytes/us and us.
const (
	readBytesPerTick = 7000
	baseTicks        = 80
)

const drive = "preset = \"datacenter-tlc\"\n[ssd]\nscale = 0.00390625\n[precondition]\nfill = 1.0\n"

// mean returns the mean time of restores, ticks.
func mean(beside bool) int64 {
	tiers := []station.TierConfig{{Drive: drive, NRead: servers, NWrite: servers, SpaceBytes: 8 << 30}}
	s, err := station.New(station.Config{Tiers: tiers})
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(2)
	}
	defer s.Close()
	began := map[station.JobID]int64{}
	var sum int64
	for now, asked := int64(0), 0; asked < restores || len(began) > 0; now += 20 {
		if now%everyTicks == 0 && asked < restores {
			if beside {
				s.Submit(station.TransferJob{Direction: station.Write, Bytes: writeBytes, SubmitTick: now})
			}
			id, _ := s.Submit(station.TransferJob{Direction: station.Read, Bytes: blockBytes, SubmitTick: now})
			began[id] = now
			asked++
		}
		for _, id := range s.Poll(now) {
			if at, isRestore := began[id]; isRestore {
				sum += now - at
				delete(began, id)
			}
		}
	}
	return sum / restores
}

func main() {
	constant := int64(baseTicks + blockBytes/readBytesPerTick)
	fmt.Printf("restore of 8 MiB, us      alone   beside writes of 4.7 GB/s\n")
	fmt.Printf("constants of nvme_gen4 %8d %8d\n", constant, constant)
	fmt.Printf("datacenter-tlc         %8d %8d\n", mean(false), mean(true))
}
