/* libwordline: a simulated SSD that a program steps. Made by cbindgen of crates/wordline-capi/src/lib.rs; `make capi` renews it. */

#ifndef WORDLINE_H
#define WORDLINE_H

#include <stddef.h>
#include <stdint.h>

// Version of this interface. It grows when a call or a struct changes for those who have it.
#define WL_ABI 2

// `wl_advance` up to this time: until every job is done.
#define WL_UNTIL_DONE UINT64_MAX

// `wl_next_event` when no job is under way.
#define WL_NEVER UINT64_MAX

// How a call ends.
typedef enum {
  // It did what was asked.
  WL_OK = 0,
  // A mistake in the configuration.
  WL_CONFIG = 1,
  // A time that is over, an operation that makes no sense, an unknown flow, or a null pointer.
  WL_REQUEST = 2,
  // The simulated SSD has no room left.
  WL_OUT_OF_SPACE = 3,
  // A state that cannot be read or written.
  WL_STATE = 4,
  // The simulation cannot go on for another reason.
  WL_SIMULATION = 5,
  // Another thread uses the drive at this moment.
  WL_BUSY = 6,
  // A fault of Wordline. The drive is of no further use.
  WL_FAULT = 7,
} wl_code;

// What an operation does.
typedef enum {
  // Read bytes.
  WL_READ = 0,
  // Write bytes.
  WL_WRITE = 1,
  // Forget bytes (deallocate).
  WL_TRIM = 2,
  // Make what was acknowledged durable; it has no address.
  WL_FLUSH = 3,
  // Close the open groups of blocks (reclaim unit handle update); it has no address.
  WL_CLOSE = 4,
  // Write bytes at the write pointer of the zone that begins at the offset.
  WL_APPEND = 5,
  // Open the zone that begins at the offset; it has no length, as all that follow.
  WL_ZONE_OPEN = 6,
  // Close the zone.
  WL_ZONE_CLOSE = 7,
  // Fill the zone.
  WL_ZONE_FINISH = 8,
  // Empty the zone.
  WL_ZONE_RESET = 9,
  // Report all zones; it has no address.
  WL_ZONE_REPORT = 10,
} wl_operation;

// How a job ends.
typedef enum {
  // It was served.
  WL_SUCCESS = 0,
  // An operation on nothing.
  WL_INVALID_FIELD = 1,
  // An address beyond the drive.
  WL_LBA_OUT_OF_RANGE = 2,
  // A page that could not be decoded.
  WL_UNRECOVERED_READ_ERROR = 3,
  // The power failed.
  WL_ABORTED = 4,
  // The drive has no such command.
  WL_INVALID_OPCODE = 5,
  // It would leave its zone, or the capacity of its zone.
  WL_ZONE_BOUNDARY_ERROR = 6,
  // A write to a zone that is full.
  WL_ZONE_IS_FULL = 7,
  // A write to a zone that can only be read.
  WL_ZONE_IS_READ_ONLY = 8,
  // A zone that cannot be used.
  WL_ZONE_IS_OFFLINE = 9,
  // A write that does not begin at the write pointer.
  WL_ZONE_INVALID_WRITE = 10,
  // One active zone too many.
  WL_TOO_MANY_ACTIVE_ZONES = 11,
  // One open zone too many.
  WL_TOO_MANY_OPEN_ZONES = 12,
  // The zone does not go from its state to the one that is asked for.
  WL_INVALID_ZONE_TRANSITION = 13,
} wl_status;

// A drive.
typedef struct wl_drive wl_drive;

// An operation of a job. Set what you do not use to 0.
typedef struct {
  // First byte, a multiple of 512.
  uint64_t offset;
  // Bytes, a multiple of 512.
  uint64_t length;
  // A `wl_operation`.
  uint32_t operation;
  // The flow that asks, from 0.
  uint16_t flow;
  // A placement handle; 0 for none.
  uint16_t handle;
} wl_op;

// A job that is done.
typedef struct {
  // Its number.
  uint64_t job;
  // When it was done, ns.
  uint64_t done_ns;
  // First byte of its operation that was complete last: of an append, where the drive has put the data.
  uint64_t offset;
  // A `wl_status`.
  uint32_t status;
  // 0.
  uint32_t reserved;
} wl_done;

#ifdef __cplusplus
extern "C" {
#endif // __cplusplus

// Returns `WL_ABI` of the library.
uint32_t wl_abi(void);

// Returns what went wrong in the last call of this thread that failed, one line in UTF-8. It is valid until the thread's
// next call.
const char *wl_error(void);

// Opens a drive. `config` is the name of a preset or the text of a configuration (TOML, UTF-8); `flows` is the number of
// flows that may ask, from 1; `state` is a file of `wl_save`, or NULL. The drive is at time 0.
//
// # Safety
// `config` and `state` are strings that end with 0, or NULL; `drive` is a place for a pointer.
wl_code wl_open(const char *config,
                uint16_t flows,
                const char *state,
                wl_drive **drive);

// Closes a drive and frees its memory. NULL is ignored.
//
// # Safety
// `drive` comes from `wl_open` or `wl_fork`, and is not used any more.
void wl_close(wl_drive *drive);

// Submits jobs at a time, ns, which is not before an earlier one. `ops` has `count` operations. With `lengths` they are
// `jobs` jobs of so many operations each; without (NULL) each is a job, and `jobs` is ignored. The number of the first
// job is put into `first` (NULL is ignored); the others follow. Nothing is submitted if the call fails.
//
// # Safety
// `drive` is open; `ops` and `lengths` have as many elements as is said.
wl_code wl_submit(const wl_drive *drive,
                  uint64_t at_ns,
                  const wl_op *ops,
                  size_t count,
                  const uint32_t *lengths,
                  size_t jobs,
                  uint64_t *first);

// Lets time go on to `until_ns`, or with `WL_UNTIL_DONE` until every job is done. Puts up to `room` jobs that are done, in
// order of completion, into `done`, and their number into `count`. If `count` equals `room`, call it again with the same
// time: more jobs may be done.
//
// # Safety
// `drive` is open; `done` has room for `room` elements; `count` is a place for a number.
wl_code wl_advance(const wl_drive *drive,
                   uint64_t until_ns,
                   wl_done *done,
                   size_t room,
                   size_t *count);

// Puts the time of the next event, ns, into `at_ns`: no job is done before it. `WL_NEVER` while no job is under way.
//
// # Safety
// `drive` is open; `at_ns` is a place for a number.
wl_code wl_next_event(const wl_drive *drive,
                      uint64_t *at_ns);

// Lets the results begin now: what is complete counts as warm-up.
//
// # Safety
// `drive` is open.
wl_code wl_mark(const wl_drive *drive);

// Puts the results so far into `json`, as the measured part of Wordline's result document. Free it with `wl_free`.
//
// # Safety
// `drive` is open; `json` is a place for a pointer.
wl_code wl_result(const wl_drive *drive,
                  char **json);

// Frees a text of `wl_result`. NULL is ignored.
//
// # Safety
// `text` comes from `wl_result`, and is not used any more.
void wl_free(char *text);

// Puts a second drive in the same state into `fork`, jobs under way included.
//
// # Safety
// `drive` is open; `fork` is a place for a pointer.
wl_code wl_fork(const wl_drive *drive, wl_drive **fork);

// Writes the state of the drive, as if it were switched off in good order now with all jobs done, to a file.
//
// # Safety
// `drive` is open; `path` is a string that ends with 0.
wl_code wl_save(const wl_drive *drive,
                const char *path);

#ifdef __cplusplus
}  // extern "C"
#endif  // __cplusplus

#endif  /* WORDLINE_H */
