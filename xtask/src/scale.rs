//! `cargo xtask scale`: extracts generated pages at growing sizes, and fails where the cost grows faster than the size.
use crate::args;
use crate::run::{example, run};

const USAGE: &str = "usage: cargo xtask scale [--only NAME] [--pairs N] [--seed N] [--outputs] [--json]
       cargo xtask scale --print NAME BYTES

  --only NAME   kinds of pages with NAME in their names
  --pairs N     N pairs of constructs in place of the listed kinds
  --seed N      chooses the pairs [default: 1]
  --outputs     examine each output alone, also where everything together costs what it may
  --json        print the failures as JSON, with the costs at each size
  --print       write a page of BYTES bytes to standard output

A kind is a line of crates/maintext-core/examples/scale/constructs.rs, or a hostile page of the tests. Each is extracted at n, 2n and 4n bytes,
and at larger sizes if it seems to grow too fast. Fails where work, allocated bytes, memory or time grow with an exponent above 1.2, or exceed a
limit per byte.";

pub fn run_task(args: &[String]) -> Result<(), String> {
    let mut passed = Vec::new();
    let go = args::each(args, USAGE, |arg, values| {
        passed.push(arg.to_owned());
        match arg {
            "--json" | "--outputs" => {}
            "--only" => passed.push(values.next()?.to_owned()),
            "--pairs" | "--seed" => passed.push(values.number()?.to_string()),
            "--print" => passed.extend([values.next()?.to_owned(), values.number()?.to_string()]),
            _ => return Ok(false),
        }
        Ok(true)
    })?;
    if !go {
        return Ok(());
    }
    run(example("maintext-core", "scale").args(passed))
}
