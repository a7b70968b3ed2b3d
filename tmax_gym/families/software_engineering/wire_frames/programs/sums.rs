#[derive(Clone, Copy)]
enum State {
    Clean,
    Repaired,
}
//@ guard
fn unseal(sent: &[u8]) -> Option<(State, Vec<u8>)> {
    let n = sent.len().checked_sub(2)?;
    let (mut a, mut b) = (/*@start*/1/*@*/u32, /*@final*/8/*@*/u32);
    for &byte in &sent[..n] {
        a = (a + u32::from(byte)) % /*@modulus*/255/*@*/;
        b = (b + a) % /*@modulus*/255/*@*/;
    }
    let tail = [/*@pair*/a, b/*@*/];
    if tail[0] != u32::from(sent[n]) || tail[1] != u32::from(sent[n + 1]) {
        return None;
    }
    Some((State::Clean, sent[..n].to_vec()))
}
//@

fn main() {
    unseal(&[]);
}
