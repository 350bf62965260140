//! Counts words, as emit_script.py does: TRACEKIT_EMIT=rust.utrace cargo run
use std::collections::HashMap;
use tracekit_emit as tke;

fn count(text: &str, words: &mut HashMap<String, u64>) {
    let _scope = tke::scope!("count");
    for word in text.split_whitespace() {
        *words.entry(word.to_string()).or_default() += 1;
    }
}

fn main() {
    tke::start().expect("tke_start");
    tke::thread_name("Main");
    let turns: usize = std::env::args().nth(1).map_or(100, |text| text.parse().expect("a number of turns"));
    let mut words = HashMap::new();
    for turn in 0..turns {
        let _scope = tke::scope!("turn");
        count(&"one two three ".repeat(turn + 1), &mut words);
    }
    let sum: u64 = words.values().sum();
    tke::log("LogWords", 5, &format!("{sum} words"));
    tke::stop();
}
