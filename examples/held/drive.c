/* Reads beside a burst of writes on a small drive of today, stepped from C.
 *
 *   make capi
 *   cc examples/held/drive.c -o drive $(PKG_CONFIG_PATH=out/capi/lib/pkgconfig pkg-config --cflags --libs wordline)
 *   LD_LIBRARY_PATH=out/capi/lib ./drive
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "wordline.h"

static const char *CONFIG = "preset = \"datacenter-tlc\"\n[ssd]\nscale = 0.015625\n";

static void check(wl_code code) {
  if (code != WL_OK) {
    fprintf(stderr, "wordline: %s\n", wl_error());
    exit(2);
  }
}

int main(void) {
  if (wl_abi() != WL_ABI) {
    fprintf(stderr, "the library has another interface than this header\n");
    return 2;
  }
  wl_drive *drive;
  check(wl_open(CONFIG, 1, NULL, &drive));

  /* A job of 64 writes, and a read every 50 us. */
  wl_op writes[64], read;
  memset(writes, 0, sizeof writes);
  memset(&read, 0, sizeof read);
  for (uint64_t i = 0; i < 64; i++) {
    writes[i].operation = WL_WRITE;
    writes[i].offset = i << 17;
    writes[i].length = 1 << 17;
  }
  uint32_t length = 64;
  check(wl_submit(drive, 0, writes, 64, &length, 1, NULL));
  read.operation = WL_READ;
  read.length = 4096;
  for (uint64_t i = 0; i < 100; i++) {
    read.offset = (1000 + i * 37) << 20;
    check(wl_submit(drive, i * 50000, &read, 1, NULL, 0, NULL));
  }

  wl_done done[16];
  size_t count;
  uint64_t jobs = 0, last_ns = 0, sum_ns = 0;
  do {
    check(wl_advance(drive, WL_UNTIL_DONE, done, 16, &count));
    for (size_t i = 0; i < count; i++) {
      jobs++;
      last_ns = done[i].done_ns;
      if (done[i].job > 0) sum_ns += done[i].done_ns - (done[i].job - 1) * 50000;
    }
  } while (count == 16);
  printf("%" PRIu64 " jobs, the last at %" PRIu64 " ns, reads %" PRIu64 " ns in the mean\n", jobs, last_ns, sum_ns / 100);
  wl_close(drive);
  return 0;
}
