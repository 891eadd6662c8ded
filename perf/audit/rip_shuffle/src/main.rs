//! Writes permutations by the generators of rip_shuffle, for `perf_quality audit` and tools/audit.
//!
//!     permutations list
//!     permutations write GENERATOR N --samples K --seed S   K permutations, drawn one after the other from seed S
//!     permutations write GENERATOR N --seeds FILE           the first permutation of each seed in FILE
//!     permutations write GENERATOR N                        the first one of the state in which the library starts
//!
//! Permutations of 0, ..., N - 1 go to standard output as unsigned integers of 32 bits, the least significant byte first.

use rand::{rngs::StdRng, SeedableRng};
use rip_shuffle::{RipShuffleParallel, RipShuffleSequential};
use std::error::Error;
use std::io::{stdout, BufWriter, Write};

/// The version in Cargo.toml.
const VERSION: &str = "rip_shuffle 0.2.0";

type Shuffle = fn(&mut [u32], &mut StdRng);

const GENERATORS: [(&str, Shuffle); 2] = [
    ("rip_shuffle::seq_shuffle, StdRng (CPU)", |values, engine| values.seq_shuffle(engine)),
    ("rip_shuffle::par_shuffle, StdRng (CPU)", |values, engine| values.par_shuffle(engine)),
];

fn write_permutation(out: &mut impl Write, shuffle: Shuffle, n: u32, engine: &mut StdRng) -> std::io::Result<()> {
    let mut values: Vec<u32> = (0..n).collect();
    shuffle(&mut values, engine);
    for value in values {
        out.write_all(&value.to_le_bytes())?;
    }
    Ok(())
}

fn write(arguments: &[String]) -> Result<(), Box<dyn Error>> {
    let [name, n, options @ ..] = arguments else { return Err("write needs GENERATOR and N".into()) };
    let (_, shuffle) = GENERATORS.iter().find(|(known, _)| known == name).ok_or(format!("no generator {name}"))?;
    let n: u32 = n.parse()?;
    let mut out = BufWriter::new(stdout().lock());
    match options.iter().map(String::as_str).collect::<Vec<_>>()[..] {
        [] => write_permutation(&mut out, *shuffle, n, &mut StdRng::from_entropy())?,
        ["--seeds", file] => {
            for seed in std::fs::read_to_string(file)?.split_whitespace() {
                write_permutation(&mut out, *shuffle, n, &mut StdRng::seed_from_u64(seed.parse()?))?;
            }
        }
        ["--samples", samples, "--seed", seed] => {
            let mut engine = StdRng::seed_from_u64(seed.parse()?);
            for _ in 0..samples.parse::<u64>()? {
                write_permutation(&mut out, *shuffle, n, &mut engine)?;
            }
        }
        _ => return Err(format!("unknown options {options:?}").into()),
    }
    Ok(out.flush()?)
}

fn main() -> Result<(), Box<dyn Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    match arguments.first().map(String::as_str) {
        Some("list") => Ok(GENERATORS.iter().for_each(|(name, _)| println!("{name}\t{VERSION}\tCPU"))),
        Some("write") => write(&arguments[1..]),
        _ => Err("the commands are list and write".into()),
    }
}
