#[derive(Clone, Copy)]
enum State {
    Clean,
    Repaired,
}
//@ guard
const WORDS: [u8; 16] = [/*@words*/0x0, 0x11, 0x22, 0x33, 0x44, 0x55, 0x66, 0x77, 0x88, 0x99, 0xaa, 0xbb, 0xcc, 0xdd, 0xee, 0xff/*@*/];

fn unseal(sent: &[u8]) -> Option<(State, Vec<u8>)> {
    if sent.len() % 2 != 0 {
        return None;
    }
    let (mut state, mut body) = (State::Clean, vec![0u8; sent.len() / 2]);
    for (i, code) in sent.iter().enumerate() {
        let near = (0..16).find(|&n| (WORDS[n as usize] ^ code).count_ones() < 2)?;
        if WORDS[near as usize] != *code {
            state = State::Repaired;
        }
        body[i / 2] |= if i % 2 == /*@high*/0/*@*/ { near << 4 } else { near } as u8;
    }
    Some((state, body))
}
//@

fn main() {
    unseal(&[]);
}
