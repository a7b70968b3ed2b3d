#[derive(Clone, Copy)]
enum State {
    Clean,
    Repaired,
}
//@ guard
fn unseal(sent: &[u8]) -> Option<(State, Vec<u8>)> {
    let n = sent.len().checked_sub(/*@size*/2/*@*/)?;
    let mut reg: u32 = /*@start*/0xffff/*@*/;
    for &byte in &sent[..n] {
        reg ^= u32::from(byte) << /*@shift*/8/*@*/;
        for _ in 0..8 {
            let out = reg & /*@outbit*/0x8000/*@*/;
            reg = (reg /*@move*/<</*@*/ 1) & /*@full*/0xffff/*@*/;
            if out != 0 {
                reg ^= /*@poly*/0x1021/*@*/;
            }
        }
    }
    reg ^= /*@final*/0/*@*/;
    for i in 0../*@size*/2/*@*/ {
        if sent[n + i] != (reg >> (8 * (/*@index*/1 - i/*@*/))) as u8 {
            return None;
        }
    }
    Some((State::Clean, sent[..n].to_vec()))
}
//@

fn main() {
    unseal(&[]);
}
