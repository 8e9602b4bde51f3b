"""The words of docs/validation/warp.md."""
# ruff: noqa: E501

HEAD = """# Two drives with placement handles beside their presets

<!-- Made by tools/warp_page.py: change that, then run it. -->

**Question.** Do the presets `samsung-pm9d3a-7680gb` and `fadu-3840gb` amplify writes as the drives do that WARP
(FAST 2026) measured, and do handles help them as much?

**Answer.** One stream of random writes, to which they were fitted: within 5 % in each tenth of a pass, but for the
first one of drive B (-19 %). Three streams with handles, which were run after the presets were fixed: {three_a} on drive A,
where 2.58 was measured, and {three_b} on drive B, where 4.49 was. A flash cache with handles is amplified too much: {cache}.

![Write amplification over one pass of random writes, measured and simulated](warp-one-stream.svg)

"""
ONE = """## One stream: what the presets were fitted to

fio's random map writes each block once a pass, in a new order each time. The second and later passes repeat: the drive
begins each with superblocks that are nearly empty, has few of them at a quarter of it, and gains them back.

"""
WHAT = """
- Measured: MoatLab/WARP-FAST26-AE, NVMe's FDP statistics once a minute; the mean over all steady passes, and over
  their bytes. A sample ends within 0.03 of a pass of the end of its tenth.
- Simulated: all superblocks of the drive, each narrowed to two dies and 33 pages a block, so that one holds 1056
  blocks of the job. On the drive A one holds 67,968 of 128 KiB. The third pass after a fresh drive.
- Two numbers of a drive are fitted: how many superblocks it has, and the rule of its garbage collection (greedy,
  FIFO or cost-benefit); on drive B also how many superblocks it keeps free (4, 6 or 8). The rest of the presets is
  from data sheets or assumed.
- Drive A erases in units of 8496 MiB. Blocks of 2124 pages of 16 KiB on 64 dies of four planes make this, and 2124
  is 236 layers times three strings times three pages, as a reseller's sheet has it. The count of dies and planes
  follows from that.
- What differs: drive B starts to collect earlier than the preset, so that it moves more in the first tenth of a
  pass. It may keep more superblocks free than six, and use them up later.
"""
STREAMS = """
## Two and three streams: not fitted, run after the presets were fixed

![Write amplification of two and three streams by placement](warp-streams.svg)

The jobs are [two-streams.fio](../../examples/two-streams.fio) and [three-streams.fio](../../examples/three-streams.fio),
with WARP's settings and our words. One writer goes round its part of the drive in order (*log*), one writes the rest at
random (*buckets*), and the third overwrites the log at random (*jumper*).

```console
$ wordline compare examples/cachelib-drive.toml examples/two-streams.fio --placement plain,fdp-ii --set precondition.overwrite=1
```

### Two streams

Write amplification over the last fifth of seven drive writes, by the share of the drive that the random stream has (WARP has no number of drive B's for them):

{two}
On drive A fio wrote for 22,000 s. The drive takes {media:.2f} GB/s of media writes at most, and the host gave it {host:.2f} GB/s, so
amplification below {free:.1f} costs no speed and cannot be seen in it. Above it can:

| random part | placement | fio, MB/s | amplification that this means | simulated |
|---|---|---|---|---|
{rates}
The last but one column takes the first drive write at full speed, and the highest rate of media writes after that, so it is an upper
bound. Where the simulated number is above it, the preset amplifies too much: with 10 % at random by some 4 %. A shared handle costs
what no handle does, on the drive and here.

On drive B, which has half the spare, handles make the load of 90 % at random worse here.

### Three streams

The jumper overwrites the log uniformly, or on drive A also by a Zipf law of 1.2. WARP has a Zipf law of 2.2, too, nearly all of which stays in the write cache
here, so that a run has many times the requests and takes minutes, and a zoned one; both are left out. Time in the narrow part is 1/64 of the drive's.

From the end of the fill, for as long as WARP's uniform job ran (9000 s, which are 140 s of the narrow part):

{three}
| three streams, handles on | measured | simulated, fdp-ii | fdp-pi |
|---|---|---|---|
| drive A | 2.58 | {a_ii} | {a_pi} |
| drive B | 4.49 | {b_ii} | {b_pi} |

Measured: the abstract of a talk on WARP's study (SNIA), "adversarial load of three streams". It names neither the distribution of the
jumper nor which drive had which number, nor the isolation of the handles; here it is the uniform job, and the larger number is drive B's.
"""
SHOWS = """
## What WARP shows, here

WARP emulates a drive in real time: 500 GB of DRAM, and 4 to 5 hours a curve, as its artifact says. Here a run takes
seconds. The figures below are
of drive A unless they say otherwise, and three streams with a uniform jumper.

### Isolation and shared handles

See the figure above: handles help two streams most, and three least. One that overwrites what another one has kept
apart spoils it: the superblocks of the log get holes. Persistent isolation keeps this to the log; with initial isolation
what moves of all three lies together. Both streams on one handle give what no handle gives.

### A noisy handle

![Who causes and who bears what GC moves](warp-noisy.svg)

{noisy}
Bytes that GC moved over those that the host wrote: borne, out of the stream's units; caused, while the stream was the last one to open a unit.

### Seeds

![Write amplification of three seeds](warp-seeds.svg)

{seeds}
### Size of the reclaim unit

![Write amplification by the size of the reclaim unit](warp-units.svg)

{units}
A unit of drive A is a superblock of 8496 MiB; here it has one to eight of them (`fdp.unit_superblocks`), on 1016 of 1019 superblocks, which eight divide.
Each stream keeps a unit open, with persistent isolation a second one for what moves, and these come out of the spare.
"""
CACHES = """
## CacheLib

Drive A, with a flash cache on all of it: buckets of 4 KiB at random, and a log. The share of bytes that buckets get is fitted to the run without handles
of a pair; the run with handles is then predicted. Write amplification over the last fifth of the run; what is off is that of amplification less one.

| trace | space for buckets | measured, plain | simulated | bytes to buckets | measured, FDP | fdp-ii | fdp-pi |
|---|---|---|---|---|---|---|---|
{rows}
- {verdict} of the measured amplification less one.
- The plain run of the third pair is not reached by any share of bytes: its drive was written three times as long.
- Neither isolation was measured: which of the two the drive has is not known. They differ, so both are here.
- Runs are as long as the drive's in drive writes, ten at most: the drive's second and third pair took 27 and 81, 31 and 10.
- Where two shares of bytes give the plain run, the smaller one is taken. The next table has the other one, too.
- The traces are not replayed: objects that the cache does not write again, and times of day, are not in it.
- The load is `wordline.applications.cachelib`: [its page](../workloads/cachelib.md).

### Readings of the first pair

What the rule of the drive's garbage collection is, and how the share of bytes is fitted, decides more than the tolerance. These were tried after the comparison above:
they are no predictions, and the preset stays as it was fixed.

| rule of GC | bytes to buckets fitted to | bytes to buckets | plain (2.92) | fdp-ii (1.62) | fdp-pi (1.62) |
|---|---|---|---|---|---|
{readings}
- Two shares of bytes give the plain run's last fifth, and with the preset's rule both are as near to all of its tenths. With the larger one amplification rises when the log
  has gone round once, at three drive writes, as in the drive, but then it goes on to 3.4.
- The prediction is steep in the share: 2 % of the bytes more at 50 % make 0.1 to 0.2.
- Perfectly isolated, with all spare for the buckets, these would have 1.4 (52 %) and 1.7 (82 %): the closed form of FIFO with 18 % spare. Cost-benefit does not reach it, since it
  prefers old units, and those of the log are old just before they are empty.
"""
PUBLISHED = """
## Published by others, not fitted

### LMCache #4016: a KV cache without handles and with a handle a class, 2.60 and 1.43

| bytes of a worker | objects are replaced | spare units | plain, fitted to 2.60 | fdp-ii, order | fdp-pi, order |
|---|---|---|---|---|---|
{caches}
- Published: a PM9D3a with a test capacity of 960 GiB, units of 16 GiB, filled in order, then written four times. Nine workers on 855 GiB in five classes, a
  handle a class: 2 of 90 GiB with objects of 4 MiB, 1 of 180 GiB (32 MiB), 2 of 90 GiB (16 MiB), 3 of 90 GiB (2 MiB), 1 of 45 GiB (1 MiB).
- Not published: what each worker writes, which objects are replaced, and the spare. The first two are readings, the spare is fitted to the run without handles (9 units, the
  least that GC works with, to 40).
- Published is initial isolation as what the drive may have.
- Why the order is another in most readings: 60 units hold the data, and each of five handles keeps one of 9 to 19 spare ones open, which GC lacks. Classes that all write at random at the
  same rate gain nothing by being apart. The published gain needs a drive with more units, or classes that differ more in how long their objects live.

### RocksDB: no hints, hints, tuned hints

| | none | RocksDB's hints | tuned hints | order | none over tuned |
|---|---|---|---|---|---|
| published | 2.70 | 2.40 | 1.90 | | 1.42 |
{database}
- Published: facebook/rocksdb, pull request 13994, YCSB on ext4: 200 million records loaded, 100 million updated. The tuned hints are medium to level 3, long for level 4 and
  extreme below.
- Simulated: `wordline.applications.rocksdb` ([its page](../workloads/rocksdb.md)) with six levels, each four times the one above, on drive A with 98 % used. The published
  drive, its fill and the sizes of the levels are not known here, so only order and ratio can be compared.
- The first simulated row was fixed before it was run. The others change one thing of it that the source does not say, or two, and were tried after it was seen.
- No reading gives 1.42. The published drive amplifies 2.70 without hints, ours 1.76 at most, so hints have less to win here. What mixes files on that drive, such as
  ext4's allocation and parallel compactions, is not modelled.
"""
