//! Generators against what their keys promise, counted from the requests alone.

use wordline_core::config::{ArrivalProcess, Pattern, SizeDistribution, WorkloadConfig, WorkloadPhase};
use wordline_core::host::{HostRequest, Op, Requests};
use wordline_trace::synthetic::{Generator, SyntheticError, Writes, write_share, written_alike};

/// 64 GiB.
const CAPACITY: u64 = 1 << 27;

fn small() -> WorkloadConfig {
    WorkloadConfig { requests: 100_000, ..Default::default() }
}

fn run(config: &WorkloadConfig, capacity: u64) -> Vec<HostRequest> {
    Generator::new(config, capacity, 1).unwrap_or_else(|error| panic!("{error}")).collect()
}

fn patterns() -> [Pattern; 5] {
    [Pattern::Random, Pattern::Sequential, Pattern::Strided, Pattern::Zipf, Pattern::HotCold]
}

fn share(requests: &[HostRequest], of: impl Fn(&HostRequest) -> bool) -> f64 {
    requests.iter().filter(|request| of(request)).count() as f64 / requests.len() as f64
}

#[test]
fn the_seed_decides_and_nothing_else() {
    for pattern in patterns() {
        let config = WorkloadConfig {
            pattern,
            read_ratio: 0.6,
            cold_ratio: 0.5,
            sequentiality: 0.2,
            size_distribution: SizeDistribution::Mean,
            inter_arrival_us: 20.0,
            arrival: ArrivalProcess::HyperExponential,
            ..small()
        };
        let first = run(&config, CAPACITY);
        assert_eq!(first, run(&config, CAPACITY));
        let other: Vec<_> = Generator::new(&config, CAPACITY, 2).unwrap().collect();
        assert_ne!(first, other);
        let own_seed = WorkloadConfig { seed: 1, ..config };
        assert_ne!(first, run(&own_seed, CAPACITY), "workload.seed must matter too");
    }
}

/// The requests, so many at a time.
fn run_in_batches(config: &WorkloadConfig, size: usize) -> Vec<HostRequest> {
    let mut generator = Generator::new(config, CAPACITY, 1).unwrap();
    let mut requests = Vec::new();
    let mut batch = vec![HostRequest::new(0, Op::Flush, 0, 0); size];
    loop {
        let (count, outcome) = generator.take_batch(&mut batch);
        outcome.unwrap();
        requests.extend_from_slice(&batch[..count]);
        if count < size {
            return requests;
        }
    }
}

#[test]
fn many_at_once_are_the_same_as_one_by_one() {
    let phase = |requests, read_ratio| WorkloadPhase { requests, inter_arrival_us: 0.0, read_ratio };
    let plain = WorkloadConfig { requests: 1_000, read_ratio: 0.6, ..Default::default() };
    let sized = WorkloadConfig {
        read_block_bytes: 8_192,
        write_block_bytes: 65_536,
        phases: vec![phase(100, 1.0), phase(50, 0.0), phase(150, 0.3)],
        ..plain.clone()
    };
    let mut all: Vec<_> =
        [0.0, 0.6, 1.0].map(|read_ratio| WorkloadConfig { read_ratio, ..plain.clone() }).into();
    all.extend(patterns().map(|pattern| WorkloadConfig { pattern, ..sized.clone() }));
    all.push(WorkloadConfig { inter_arrival_us: 5.0, ..plain.clone() });
    all.push(WorkloadConfig { trim_ratio: 0.2, ..plain.clone() });
    all.push(WorkloadConfig { cold_ratio: 0.5, ..plain.clone() });
    all.push(WorkloadConfig { sequentiality: 0.2, ..plain.clone() });
    all.push(WorkloadConfig { requests: 640, size_distribution: SizeDistribution::Mean, ..plain });
    for config in all {
        let expected = run(&config, CAPACITY);
        assert_eq!(expected.len() as u64, config.requests);
        for size in [1, 7, 64, 5_000] {
            assert_eq!(run_in_batches(&config, size), expected, "{size} of {config:?}");
        }
    }
}

/// Fixed values: a change of platform, library or drawing order shows here.
#[test]
fn the_same_requests_on_every_machine() {
    let config = WorkloadConfig {
        requests: 200_000,
        pattern: Pattern::Zipf,
        read_ratio: 0.5,
        size_distribution: SizeDistribution::Mean,
        inter_arrival_us: 33.3,
        arrival: ArrivalProcess::HyperExponential,
        ..Default::default()
    };
    let mut digest = 0xcbf2_9ce4_8422_2325_u64;
    for request in run(&config, CAPACITY) {
        for word in [request.arrival_ns, request.sector, request.sectors.into(), request.op as u64] {
            digest = (digest ^ word).wrapping_mul(0x0100_0000_01b3);
        }
    }
    assert_eq!(format!("{digest:016x}"), "8c6fdbbd9ea649bb");
}

#[test]
fn requests_stay_inside_and_aligned() {
    for pattern in patterns() {
        for (offset_bytes, align_bytes) in [(0, 0), (1_536, 8_192), (4_096, 512)] {
            for cold_ratio in [-1.0, 0.7] {
                let config = WorkloadConfig {
                    pattern,
                    read_ratio: 0.5,
                    trim_ratio: 0.1,
                    sequentiality: 0.3,
                    size_distribution: SizeDistribution::Mix,
                    read_block_mix: vec![(4_096, 0.5), (131_072, 0.5)],
                    footprint_bytes: 50_000_384,
                    offset_bytes,
                    align_bytes,
                    cold_ratio,
                    stride_bytes: 65_536,
                    ..small()
                };
                let (start, end) = (offset_bytes / 512, (offset_bytes + 50_000_384) / 512);
                let align = if align_bytes == 0 { 8 } else { align_bytes / 512 };
                let mut highest = 0;
                for request in run(&config, CAPACITY) {
                    let last = request.sector + u64::from(request.sectors);
                    assert!(request.sectors > 0 && request.sector >= start && last <= end, "{request:?}");
                    assert_eq!(request.sector % align, 0, "{request:?}");
                    highest = highest.max(last);
                }
                assert!(highest > start + (end - start) * 9 / 10, "{pattern:?} leaves the end untouched");
            }
        }
    }
}

#[test]
fn operations_have_their_shares() {
    let requests = run(&WorkloadConfig { read_ratio: 0.55, trim_ratio: 0.15, ..small() }, CAPACITY);
    for (op, expected) in [(Op::Read, 0.55), (Op::Trim, 0.15), (Op::Write, 0.3)] {
        let measured = share(&requests, |request| request.op == op);
        assert!((measured - expected).abs() < 0.006, "{op:?}: {measured}");
    }
    assert!(run(&WorkloadConfig { read_ratio: 1.0, ..small() }, CAPACITY).iter().all(|r| r.op == Op::Read));
    assert!(run(&WorkloadConfig { read_ratio: 0.0, ..small() }, CAPACITY).iter().all(|r| r.op == Op::Write));
}

/// Chi-square over 256 slices of the device: 255 degrees of freedom, mean 255, deviation 22.6.
#[test]
fn random_is_uniform() {
    let mut counts = [0f64; 256];
    for request in run(&small(), CAPACITY) {
        counts[(request.sector * 256 / CAPACITY) as usize] += 1.0;
    }
    let expected = 100_000.0 / 256.0;
    let chi: f64 = counts.iter().map(|count| (count - expected) * (count - expected) / expected).sum();
    assert!((255.0 - 6.0 * 22.6..255.0 + 6.0 * 22.6).contains(&chi), "{chi}");
}

#[test]
fn sequential_reads_and_writes_each_have_a_cursor_and_wrap() {
    let config =
        WorkloadConfig { pattern: Pattern::Sequential, read_ratio: 0.5, footprint_bytes: 1 << 20, ..small() };
    let (mut read, mut write) = (0, 0);
    for request in run(&config, CAPACITY) {
        let cursor = if request.op == Op::Read { &mut read } else { &mut write };
        assert_eq!(request.sector, *cursor);
        *cursor = (*cursor + 8) % 2048;
    }
}

#[test]
fn strides_visit_every_place_once_a_round() {
    let config = WorkloadConfig {
        requests: 256,
        pattern: Pattern::Strided,
        stride_bytes: 65_536,
        footprint_bytes: 1 << 20,
        ..Default::default()
    };
    let requests = run(&config, CAPACITY);
    assert_eq!(requests[1].sector - requests[0].sector, 128);
    let mut places: Vec<_> = requests.iter().map(|request| request.sector / 8).collect();
    places.sort_unstable();
    assert_eq!(places, (0..256).collect::<Vec<_>>());
}

/// Reads of another size and alignment than the writes still meet what was written.
#[test]
fn cold_reads_never_meet_a_write_and_all_others_do() {
    let config = WorkloadConfig {
        read_ratio: 0.8,
        cold_ratio: 0.3,
        read_block_bytes: 65_536,
        write_block_bytes: 4_096,
        footprint_bytes: 1 << 30,
        write_footprint_bytes: 100_000_256,
        offset_bytes: 5_120,
        ..small()
    };
    let requests = run(&config, CAPACITY);
    let mut written = vec![false; (1 << 30) / 512 + 10];
    let mut warm = 0;
    for request in &requests {
        let range = request.sector as usize..request.sector as usize + request.sectors as usize;
        if request.op == Op::Write {
            written[range].fill(true);
        } else {
            assert_eq!(request.sector % 128, 0, "{request:?}");
            // The very first reads precede all writes.
            warm += u32::from(written[range].contains(&true));
        }
    }
    let reads = requests.iter().filter(|request| request.op == Op::Read).count() as f64;
    assert!((f64::from(warm) / reads - 0.7).abs() < 0.01, "{warm} of {reads}");
    for request in requests.iter().filter(|request| request.op == Op::Read) {
        let range = request.sector as usize..request.sector as usize + request.sectors as usize;
        let cold = request.sector >= (5_120 + 100_000_256) / 512;
        assert!(!cold || !written[range].contains(&true), "{request:?}");
    }
}

#[test]
fn runs_continue_with_the_given_probability() {
    let config = WorkloadConfig { sequentiality: 0.6, read_ratio: 0.5, ..small() };
    let mut ends = [u64::MAX; 2];
    let mut continued = 0;
    for request in run(&config, CAPACITY) {
        let end = &mut ends[usize::from(request.op == Op::Read)];
        continued += u32::from(request.sector == *end);
        *end = request.sector + u64::from(request.sectors);
    }
    assert!((f64::from(continued) / 1e5 - 0.6).abs() < 0.006, "{continued}");
}

#[test]
fn hot_places_get_their_share() {
    let config =
        WorkloadConfig { pattern: Pattern::HotCold, hot_fraction: 0.1, hot_access_fraction: 0.9, ..small() };
    let hot = share(&run(&config, CAPACITY), |request| request.sector < CAPACITY / 10);
    assert!((hot - 0.9).abs() < 0.004, "{hot}");
}

/// The most popular place and the share of the ten most popular ones, against the generalised harmonic numbers.
#[test]
fn zipf_places_have_their_frequencies_and_are_scattered() {
    let places = 10_000;
    let config = WorkloadConfig {
        requests: 200_000,
        pattern: Pattern::Zipf,
        zipf_theta: 1.1,
        footprint_bytes: places * 4_096,
        ..Default::default()
    };
    let mut counts = vec![(0u32, 0u64); places as usize];
    for request in run(&config, CAPACITY) {
        let slot = request.sector / 8;
        counts[slot as usize] = (counts[slot as usize].0 + 1, slot);
    }
    counts.sort_unstable_by_key(|entry| std::cmp::Reverse(entry.0));
    let weights: Vec<f64> = (1..=places).map(|k| libm::pow(k as f64, -1.1)).collect();
    let total: f64 = weights.iter().sum();
    let top = f64::from(counts[0].0) / 200_000.0;
    assert!((top - 1.0 / total).abs() < 0.003, "{top} against {}", 1.0 / total);
    let ten: u32 = counts[..10].iter().map(|entry| entry.0).sum();
    let expected = weights[..10].iter().sum::<f64>() / total;
    assert!((f64::from(ten) / 200_000.0 - expected).abs() < 0.005, "{ten}");
    let slots: Vec<_> = counts[..10].iter().map(|entry| entry.1).collect();
    assert!(slots.iter().all(|a| slots.iter().all(|b| a == b || a.abs_diff(*b) > 100)), "{slots:?}");
}

#[test]
fn arrivals_never_go_back_and_keep_their_mean() {
    for (arrival, tolerance) in [
        (ArrivalProcess::Fixed, 1e-5),
        (ArrivalProcess::Exponential, 0.015),
        (ArrivalProcess::HyperExponential, 0.04),
        (ArrivalProcess::Bursts, 0.06),
    ] {
        let config = WorkloadConfig {
            inter_arrival_us: 12.345_678_9,
            arrival,
            arrival_cv2: 10.0,
            burst_requests: 50,
            burst_inter_arrival_us: 1.0,
            ..small()
        };
        let requests = run(&config, CAPACITY);
        assert!(requests.is_sorted_by_key(|request| request.arrival_ns));
        let mean_us = requests[99_999].arrival_ns as f64 / 99_999.0 / 1e3;
        assert!((mean_us / 12.345_678_9 - 1.0).abs() < tolerance, "{arrival:?}: {mean_us}");
    }
    assert!(run(&small(), CAPACITY).iter().all(|request| request.arrival_ns == 0));
}

#[test]
fn hyper_exponential_gaps_have_their_variance() {
    let config = WorkloadConfig {
        requests: 400_000,
        inter_arrival_us: 100.0,
        arrival: ArrivalProcess::HyperExponential,
        arrival_cv2: 5.0,
        ..Default::default()
    };
    let requests = run(&config, CAPACITY);
    let gaps: Vec<f64> =
        requests.windows(2).map(|pair| (pair[1].arrival_ns - pair[0].arrival_ns) as f64).collect();
    let mean = gaps.iter().sum::<f64>() / gaps.len() as f64;
    let variance = gaps.iter().map(|gap| (gap - mean) * (gap - mean)).sum::<f64>() / gaps.len() as f64;
    assert!((variance / (mean * mean) - 5.0).abs() < 0.3, "{}", variance / (mean * mean));
}

#[test]
fn bursts_are_dense_inside_and_apart_outside() {
    let config = WorkloadConfig {
        inter_arrival_us: 100.0,
        arrival: ArrivalProcess::Bursts,
        burst_requests: 64,
        burst_inter_arrival_us: 2.0,
        ..small()
    };
    for burst in run(&config, CAPACITY).chunks(64) {
        assert!(burst.windows(2).all(|pair| pair[1].arrival_ns - pair[0].arrival_ns == 2_000));
    }
}

/// The number of requests that a request meets in its own window of time, over the plain mean.
fn met(requests: &[HostRequest], window_s: u64) -> f64 {
    let windows = requests[requests.len() - 1].arrival_ns / (window_s * 1_000_000_000) + 1;
    let mut counts = vec![0.0; windows as usize];
    for request in requests {
        counts[(request.arrival_ns / (window_s * 1_000_000_000)) as usize] += 1.0;
    }
    let all = requests.len() as f64;
    counts.iter().map(|count| count * count).sum::<f64>() / all / (all / windows as f64)
}

#[test]
fn busy_times_keep_the_mean_and_gather_requests() {
    let with = |busy_factor| WorkloadConfig {
        requests: 1_000_000,
        inter_arrival_us: 100_000.0,
        arrival: ArrivalProcess::Exponential,
        busy_factor,
        busy_s: 45.0,
        ..Default::default()
    };
    let (steady, busy) = (run(&with(1.0), CAPACITY), run(&with(25.0), CAPACITY));
    let mean_us = busy[999_999].arrival_ns as f64 / 999_999.0 / 1e3;
    assert!((mean_us / 1e5 - 1.0).abs() < 0.15, "{mean_us}: about a hundred busy times");
    // The closed form of a two-state process: 1 + (factor - 1) g(window / tau), g(x) = 2 (x - 1 + exp(-x)) / x^2.
    for window_s in [10_u64, 60, 300] {
        let x = window_s as f64 / (45.0 * 24.0 / 25.0);
        let form = 1.0 + 24.0 * 2.0 * (x - 1.0 + libm::exp(-x)) / (x * x);
        let found = met(&busy, window_s);
        assert!((found / form - 1.0).abs() < 0.15, "{window_s} s: {found}, not {form}");
        assert!(met(&steady, window_s) < 1.02);
    }
}

#[test]
fn phases_repeat_in_turn() {
    let phases = vec![
        WorkloadPhase { requests: 1_000, inter_arrival_us: 1.0, read_ratio: 0.0 },
        WorkloadPhase { requests: 500, inter_arrival_us: 50.0, read_ratio: 1.0 },
    ];
    let requests = run(&WorkloadConfig { phases, ..small() }, CAPACITY);
    for (index, pair) in requests.windows(2).enumerate() {
        let writing = index % 1_500 < 1_000;
        assert_eq!(pair[0].op, if writing { Op::Write } else { Op::Read }, "request {index}");
        let gap_ns = if writing { 1_000 } else { 50_000 };
        assert_eq!(pair[1].arrival_ns - pair[0].arrival_ns, gap_ns, "request {index}");
    }
}

#[test]
fn a_small_device_gets_the_workload_scaled_down() {
    let config = WorkloadConfig {
        read_ratio: 0.5,
        cold_ratio: 0.5,
        footprint_bytes: 64 << 30,
        write_footprint_bytes: 16 << 30,
        ..small()
    };
    let generator = Generator::new(&config, 1 << 15, 1).unwrap();
    assert_eq!(generator.scale(), 1.0 / 4096.0);
    assert_eq!(generator.footprint_sectors(), 0..1 << 15);
    for request in generator {
        assert!(request.sector + u64::from(request.sectors) <= 1 << 15);
        assert!(request.op == Op::Read || request.sector < 1 << 13, "writes stay in their quarter");
    }
    let whole = Generator::new(&config, CAPACITY, 1).unwrap();
    assert_eq!(whole.scale(), 1.0);
}

#[test]
fn a_device_without_room_is_an_error_that_says_how_much_is_missing() {
    let config = WorkloadConfig { read_block_bytes: 1 << 20, name: "big".into(), ..small() };
    let error = Generator::new(&config, 1_000, 1).unwrap_err();
    assert!(matches!(error, SyntheticError::CapacityTooSmall { available_bytes: 512_000, .. }), "{error:?}");
    assert!(error.to_string().contains("'big' needs at least 2097152 bytes"), "{error}");
}

#[test]
fn a_value_out_of_range_names_its_key() {
    let cases = [
        (WorkloadConfig { read_ratio: 1.5, ..small() }, "workload.read_ratio = 1.5: must be 0..1"),
        (WorkloadConfig { read_ratio: f64::NAN, ..small() }, "workload.read_ratio = nan"),
        (WorkloadConfig { trim_ratio: 0.1, ..small() }, "workload.trim_ratio = 0.1: with reads at 1"),
        (WorkloadConfig { requests: 0, ..small() }, "workload.requests = 0"),
        (WorkloadConfig { read_block_bytes: 1_000, ..small() }, "workload.read_block_bytes = 1000"),
        (WorkloadConfig { cold_ratio: 0.5, ..small() }, "workload.cold_ratio = 0.5: reads of written"),
        (WorkloadConfig { cold_ratio: -0.5, ..small() }, "workload.cold_ratio = -0.5: must be 0..1 or -1"),
        (WorkloadConfig { sequentiality: 1.0, ..small() }, "workload.sequentiality = 1"),
        (WorkloadConfig { inter_arrival_us: -1.0, ..small() }, "workload.inter_arrival_us = -1"),
        (
            WorkloadConfig { inter_arrival_us: 5.0, arrival: ArrivalProcess::Bursts, ..small() },
            "workload.burst_inter_arrival_us = 10: must be 0 us to the mean",
        ),
        (
            WorkloadConfig {
                size_distribution: SizeDistribution::Mean,
                read_size_mean_bytes: 1e6,
                ..small()
            },
            "workload.read_size_mean_bytes = 1000000: must be between",
        ),
    ];
    for (config, expected) in cases {
        let message = Generator::new(&config, CAPACITY, 1).unwrap_err().to_string();
        assert!(message.starts_with(expected), "'{message}' instead of '{expected}…'");
    }
}

#[test]
fn a_generator_can_move_to_another_thread() {
    fn check<T: Iterator<Item = HostRequest> + Send + Clone>(_: T) {}
    check(Generator::new(&small(), CAPACITY, 1).unwrap());
}

/// Sizes and places of writes alone are those of the writes among reads, and do not depend on these.
#[test]
fn writes_alone_are_those_of_the_workload() {
    for pattern in patterns() {
        let config = WorkloadConfig {
            pattern,
            read_ratio: 0.6,
            sequentiality: if pattern == Pattern::HotCold { 0.3 } else { 0.0 },
            size_distribution: SizeDistribution::Mean,
            footprint_bytes: 1 << 24,
            ..small()
        };
        let among_reads: Vec<_> = run(&config, CAPACITY)
            .into_iter()
            .filter(|request| request.op == Op::Write)
            .map(|request| (request.sector, request.sectors))
            .collect();
        let alone = |config: &WorkloadConfig| -> Vec<(u64, u32)> {
            Writes::new(config, CAPACITY, 1).unwrap().take(among_reads.len()).collect()
        };
        let mean = |writes: &[(u64, u32)], of: fn(&(u64, u32)) -> f64| {
            writes.iter().map(of).sum::<f64>() / writes.len() as f64
        };
        let first = alone(&config);
        assert_ne!(first, among_reads, "the run must not repeat what was written before it");
        for of in [|write: &(u64, u32)| write.0 as f64, |write: &(u64, u32)| f64::from(write.1)] {
            let (here, there) = (mean(&first, of), mean(&among_reads, of));
            assert!((here / there - 1.0).abs() < 0.02, "{pattern:?}: {here} and {there}");
        }
        let changed =
            WorkloadConfig { requests: 7, read_ratio: 0.1, inter_arrival_us: 3.0, ..config.clone() };
        assert_eq!(alone(&changed), first);
        assert_eq!(written_alike(&changed), written_alike(&config));
    }
}

#[test]
fn the_share_of_writes() {
    let of = |read_ratio, trim_ratio| write_share(&WorkloadConfig { read_ratio, trim_ratio, ..small() });
    assert!((of(0.6, 0.1) - 0.3).abs() < 1e-9);
    assert_eq!((of(1.0, 0.0), of(0.7, 0.3)), (0.0, 0.0));
    let phase = |requests, read_ratio| WorkloadPhase { requests, read_ratio, ..Default::default() };
    let phases = WorkloadConfig { phases: vec![phase(30, 0.0), phase(10, 1.0)], ..small() };
    assert!((write_share(&phases) - 0.75).abs() < 1e-9);
}
