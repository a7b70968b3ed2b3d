#[derive(Clone, Copy)]
enum State {
    Clean,
    Repaired,
}
//@ guard
fn twice(x: u32) -> u32 {
    x << 1 ^ if x & 128 != 0 { /*@poly*/0x11d/*@*/ } else { 0 }
}

fn unseal(sent: &[u8]) -> Option<(State, Vec<u8>)> {
    let n = sent.len().checked_sub(2)?;
    let mut body = sent[..n].to_vec();
    let (mut p, mut q) = (0, 0);
    for i in 0..n {
        let byte = u32::from(body[/*@far*/n - 1 - i/*@*/]);
        p ^= byte;
        q = twice(q) ^ byte;
    }
    p ^= u32::from(sent[n]);
    q ^= u32::from(sent[n + 1]);
    if p == 0 && q == 0 {
        return Some((State::Clean, body));
    }
    if p == 0 || q == 0 {
        return Some((State::Repaired, body));
    }
    let mut wanted = p;
    for i in 0..n {
        if wanted == q {
            body[/*@near*/i/*@*/] ^= p as u8;
            return Some((State::Repaired, body));
        }
        wanted = twice(wanted);
    }
    None
}
//@

fn main() {
    unseal(&[]);
}
