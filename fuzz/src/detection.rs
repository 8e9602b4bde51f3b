//! The unit of a trace's times is found from a hundred requests and more, which a few bytes stand for here.
//!
//! The first byte gives the step from one line to the next, the second the format or its detection. Then come the first line
//! and a line that is repeated: `#` in it is the line's number times the step, `~` the same in thousandths.

#![no_main]

mod reading;

use libfuzzer_sys::fuzz_target;
use wordline_trace::Format;

use reading::read_trace;

/// More than the detection looks at, and a number that no chunk of lines divides.
const LINES: u64 = 131;

fuzz_target!(|data: &[u8]| {
    let &[step, choice, ref text @ ..] = data else { return };
    // From one to 3e18, which 131 lines take beyond 64 bits.
    let step = u128::from(step % 10).max(1) * 10u128.pow(u32::from(step / 10).min(18));
    let head = text.iter().position(|&byte| byte == b'\n').map_or(0, |at| at + 1);
    let (first, line) = text.split_at(head);
    let mut file = first.to_vec();
    for number in 0..LINES {
        let time = u128::from(number) * step;
        for &byte in line {
            match byte {
                b'#' => file.extend(time.to_string().bytes()),
                b'~' => file.extend(format!("{}.{:03}", time / 1000, time % 1000).bytes()),
                byte => file.push(byte),
            }
        }
        if !line.ends_with(b"\n") {
            file.push(b'\n');
        }
    }
    let choice = usize::from(choice) % (Format::ALL.len() + 1);
    read_trace(Format::ALL.get(choice).copied(), &file);
});
