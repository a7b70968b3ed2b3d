"""The guards of the wire-frames family in Rust."""

from __future__ import annotations

from collections.abc import Mapping

GUARDS: Mapping[str, str] = {
    "crc": """\
fn unseal(sent: &[u8]) -> Option<(State, Vec<u8>)> {
    let n = sent.len().checked_sub(@size)?;
    let mut reg: u32 = @start;
    for &byte in &sent[..n] {
        reg ^= u32::from(byte) << @shift;
        for _ in 0..8 {
            let out = reg & @outbit;
            reg = (reg @move 1) & @full;
            if out != 0 {
                reg ^= @poly;
            }
        }
    }
    reg ^= @final;
    for i in 0..@size {
        if sent[n + i] != (reg >> (8 * (@index))) as u8 {
            return None;
        }
    }
    Some((State::Clean, sent[..n].to_vec()))
}
""",
    "sums": """\
fn unseal(sent: &[u8]) -> Option<(State, Vec<u8>)> {
    let n = sent.len().checked_sub(2)?;
    let (mut a, mut b) = (@startu32, @finalu32);
    for &byte in &sent[..n] {
        a = (a + u32::from(byte)) % @modulus;
        b = (b + a) % @modulus;
    }
    let tail = [@pair];
    if tail[0] != u32::from(sent[n]) || tail[1] != u32::from(sent[n + 1]) {
        return None;
    }
    Some((State::Clean, sent[..n].to_vec()))
}
""",
    "nibbles": """\
const WORDS: [u8; 16] = [@words];

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
        body[i / 2] |= if i % 2 == @high { near << 4 } else { near } as u8;
    }
    Some((state, body))
}
""",
    "twins": """\
fn twice(x: u32) -> u32 {
    x << 1 ^ if x & 128 != 0 { @poly } else { 0 }
}

fn unseal(sent: &[u8]) -> Option<(State, Vec<u8>)> {
    let n = sent.len().checked_sub(2)?;
    let mut body = sent[..n].to_vec();
    let (mut p, mut q) = (0, 0);
    for i in 0..n {
        let byte = u32::from(body[@far]);
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
            body[@near] ^= p as u8;
            return Some((State::Repaired, body));
        }
        wanted = twice(wanted);
    }
    None
}
""",
}
