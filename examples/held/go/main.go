// Reads beside a burst of writes on a small drive of today, stepped from Go: the same as ../drive.c.
//
//	make capi
//	cd examples/held/go
//	PKG_CONFIG_PATH=../../../out/capi/lib/pkgconfig go build -o drive .
//	LD_LIBRARY_PATH=../../../out/capi/lib ./drive
package main

/*
#cgo pkg-config: wordline
#include <stdlib.h>
#include "wordline.h"
*/
import "C"

import (
	"fmt"
	"os"
	"unsafe"
)

const config = "preset = \"datacenter-tlc\"\n[ssd]\nscale = 0.015625\n"

func check(code C.wl_code) {
	if code != C.WL_OK {
		fmt.Fprintln(os.Stderr, "wordline:", C.GoString(C.wl_error()))
		os.Exit(2)
	}
}

func main() {
	text := C.CString(config)
	defer C.free(unsafe.Pointer(text))
	var drive *C.wl_drive
	check(C.wl_open(text, 1, nil, &drive))
	defer C.wl_close(drive)

	writes := make([]C.wl_op, 64)
	for i := range writes {
		writes[i] = C.wl_op{operation: C.WL_WRITE, offset: C.uint64_t(i) << 17, length: 1 << 17}
	}
	length := C.uint32_t(len(writes))
	check(C.wl_submit(drive, 0, &writes[0], C.size_t(len(writes)), &length, 1, nil))
	for i := 0; i < 100; i++ {
		read := C.wl_op{operation: C.WL_READ, offset: C.uint64_t(1000+i*37) << 20, length: 4096}
		check(C.wl_submit(drive, C.uint64_t(i)*50000, &read, 1, nil, 0, nil))
	}

	var done [16]C.wl_done
	var jobs, lastNs, sumNs uint64
	for count := C.size_t(16); count == 16; {
		check(C.wl_advance(drive, C.WL_UNTIL_DONE, &done[0], 16, &count))
		for _, each := range done[:count] {
			jobs++
			lastNs = uint64(each.done_ns)
			if each.job > 0 {
				sumNs += uint64(each.done_ns) - (uint64(each.job)-1)*50000
			}
		}
	}
	fmt.Printf("%d jobs, the last at %d ns, reads %d ns in the mean\n", jobs, lastNs, sumNs/100)
}
