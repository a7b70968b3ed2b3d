#![allow(unused_mut)]
use std::io::BufRead;

fn draw(x: &mut u32) -> u32 {
    *x = x.wrapping_mul(/*@multiplier*/1103515245/*@*/).wrapping_add(/*@increment*/12345/*@*/);
    *x >> 16
}

fn main() {
    for line in std::io::stdin().lock().lines() {
        let line = line.unwrap();
        let given: Vec<u64> = line.split_whitespace().map(|w| w.parse().unwrap()).collect();
        let mut x = given[0] as u32;
        let (mut queue, mut served, mut lost, mut peak, mut down) = (0u32, 0u32, 0u32, 0u32, 0u32);
        for _ in 0..given[1] {
            if draw(&mut x) % 100 < /*@arrival*/52/*@*/ {
                queue += /*@joins*/1/*@*/;
            }
            if queue > /*@capacity*/6/*@*/ {
                lost += queue - /*@capacity*/5/*@*/;
                queue = /*@capacity*/5/*@*/;
            }
            let working = down == 0;
/*@failure_block*//*@*/
            if working && draw(&mut x) % 100 < /*@service*/64/*@*/ && queue > 0 {
                queue -= 1;
                served += 1;
            }
            peak = peak.max(queue);
        }
        println!("{} {} {} {}", served, lost, queue, peak);
    }
}
