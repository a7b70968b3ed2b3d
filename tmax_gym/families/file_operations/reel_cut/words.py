"""Words of the reel-cut family."""

from __future__ import annotations

from tmax_gym.texts.clauses import Clause


def short(reel: str, target: str, *, frame: int) -> tuple[Clause, ...]:
    """Return the task of one frame."""
    return (
        Clause(
            "goal",
            (
                "{Save|Write} frame {frame} of the uncompressed film {reel} {as|to} {target}: "
                "{raw|bare} gray bytes, {upper|top} row first, {without|no} header. "
                "{Counting|The count} starts at 0.",
                "{target} {should|is to} hold the {pixels|gray values} of frame {frame} (the "
                "first is frame 0) of {reel}{, an uncompressed AVI|}, one byte each, {row by "
                "row|by rows} from the top.",
                "We need {a still|one still} from {reel}: frame {frame}, {zero-based|counted "
                "from 0}, {dumped|written} to {target} as plain bytes, rows from top to "
                "bottom, {no padding|without padding}.",
                "{Take|Pull} frame {frame} {out of|from} {reel} (frames {count|are counted} "
                "from 0) and {dump|leave} its gray {values|pixels} in {target}, a byte a "
                "pixel, {topmost|top} row first.",
                "{Extract|Export} frame number {frame} of {reel}, {where|of which} the first "
                "is 0, {into|to} {target}; {format|form}: raw 8-bit gray, {from the top row "
                "down|top row first}.",
                "{From|Out of} {reel} {comes|take} frame {frame}{, counted from zero,|, zero "
                "being the first,} as raw {bytes|gray bytes} in {target}, {rows in|in} reading "
                "order.",
            ),
            facts={"reel": reel, "target": target, "frame": str(frame)},
            role="goal",
            brief=(
                "Write frame {frame} (from 0) of {reel} to {target} as raw gray bytes, top row "
                "first."
            ),
        ),
    )


def whole(reel: str, folder: str, *, index: str, cells: int) -> tuple[Clause, ...]:
    """Return the task of a whole film."""
    return (
        Clause(
            "goal",
            (
                "{Cut|Split} {reel}, an uncompressed 8-bit gray AVI, {into its scenes|by "
                "scenes}: the frames of each go {as they are|unchanged} to a file {below|in} "
                "{folder}.",
                "{The editor|Our editor} needs the scenes of {reel} {one by one|as single "
                "files} in {folder}, {losslessly|without any loss}; the film is "
                "{plain|uncompressed} gray AVI.",
                "{reel} (gray, uncompressed AVI) {holds|is a roll of} several takes of several "
                "scenes. {Put|Write} each scene's {good|valid} take into {folder}.",
                "{Make|Create} {folder} with one file {a scene|per scene} from the film "
                "{reel}{, which is uncompressed gray video|, an AVI without compression}.",
                "From {reel}{, an uncompressed AVI in gray,|, uncompressed and gray,} "
                "{extract|cut out} every scene to a file {of its own|} in {folder}.",
                "The {dailies|rushes} in {reel} must be {taken apart|cut}: {a file for|one "
                "file for} every scene, in {folder}. {It is|The film is} AVI, gray, "
                "{uncompressed|not compressed}.",
            ),
            facts={"reel": reel, "folder": folder},
            role="goal",
            brief="Cut the uncompressed gray AVI {reel} into scenes below {folder}.",
        ),
        Clause(
            "slate",
            (
                "A slate {opens|begins} every take and is no part of it: {a frame|any frame} "
                "whose pixel {corner} is {brighter than|above} 200. {Its|The} scene number "
                "stands in 5 cells, centres at {cells}, white for 1, the {first|left} one "
                "worth 16.",
                "{Slates|Slate frames} (pixel {corner} above 200) {separate|come before} the "
                "takes; {read|take} the scene number from the pixels {cells}, five bits, "
                "{highest|most significant} first, white is 1. {Drop|Cut} the slate itself.",
                "{Where|Whenever} pixel {corner} {exceeds|is over} 200, the frame {is|must be} "
                "a slate "
                "and a take {starts|begins} {after it|with the next frame}. Pixels {cells} "
                "{spell|give} its scene in binary: white 1, black 0, {left|the left one} "
                "counts 16.",
                "Takes run {from slate to slate|between slates}, slates excluded. You "
                "{know|tell} a slate by pixel {corner}, {brighter|more} than 200; five cells "
                "with centres {cells} are the bits of the scene ({white|bright} = 1, "
                "{largest|heaviest} first).",
                "{Look at|Check} pixel {corner} of each frame: {more|higher} than 200 means "
                "slate. {Then|There} {cells} hold the scene number, {a bit a cell|one bit "
                "each}, 16 first, "
                "{white set|white meaning 1}; frames up to the next slate {are|make} the take.",
                "The {clapper|slate} is a single frame with pixel {corner} over 200, {not to "
                "be|never} copied; its five cells ({cells}) {encode|show} the scene, "
                "{binary|in binary}, white as 1, with 16 {leftmost|on the left}.",
            ),
            facts={
                "corner": "x=1, y=1",
                "cells": f"x=3, 8, 13, 18, 23 at y={cells}",
            },
            role="input",
            brief=(
                "A frame with pixel {corner} above 200 is a slate (not copied); the scene "
                "number is in the bits at {cells}, white 1, highest first."
            ),
        ),
        Clause(
            "takes",
            (
                "A take is {spoilt|void} if {mark} of its slate is {also|too} over 200; of "
                "{what remains|the others}, a scene's last take {counts|is used}.",
                "{Ignore|Skip} takes whose slate has {mark} above 200. {If|Where} several are "
                "left for a scene, {use|take} the {last|latest}.",
                "{Use|Keep} the last take of {each|every} scene, {not counting|apart from} "
                "those with {mark} over 200 on the slate.",
                "{mark} above 200 on {a|the} slate {voids|cancels} the take; among {the "
                "rest|valid ones} the {last|latest} of a scene {wins|is the one}.",
                "{Several|Some} takes share a scene: the {last|latest} one is wanted whose "
                "slate {does not have|is without} {mark} over 200.",
                "{Cancelled|Rejected} takes {show|have} {mark} {brighter|higher} than 200 on "
                "the slate and {are left out|do not count}; the {last|latest} other take of "
                "each scene does.",
            ),
            facts={"mark": "pixel x=30, y=1"},
            brief=(
                "Skip takes whose slate has {mark} above 200; of the others a scene's last counts."
            ),
        ),
        Clause(
            "files",
            (
                "{Name|Call} the files {name} (the scene with two digits); {content|inside}: "
                "{bare|raw} gray bytes of all frames {in turn|one after the other}, "
                "{top|upper} row first, no padding.",
                "{A scene|Each scene} becomes {name}, its number in two digits: {frames|all "
                "frames} in order, one byte a pixel, {rows|each} from the top, {nothing "
                "else|no headers}.",
                "Files are {called|named} {name} with {two digits|a two-digit number}, and "
                "{hold|contain} pixels only, a byte each, frame {after|by} frame, {top|upper} "
                "row first.",
                "{Write|Store} raw pixels, 8 bits each, {rows from top to bottom|top row "
                "first}, frames {back to back|in sequence}, {to|in} {name}, two digits {for "
                "the scene|each}.",
                "{Format|File format}: no header, frames {in order|one by one}, rows from the "
                "top {down|on}, {a byte|one byte} per pixel; {names|file names} {name} with "
                "the scene as two digits.",
                "{name} ({two digits|scene in two digits}) takes the frames {as|in} plain gray "
                "bytes, {each frame|all} from its top row {down|to the bottom}, {in film "
                "order|in order}.",
            ),
            facts={"name": "`<scene>.raw`"},
            role="format",
            brief=(
                "Files are {name} (two digits): raw gray bytes, frames in order, top row first."
            ),
        ),
        Clause(
            "index",
            (
                "{List|Record} the {cuts|scenes} in {index}, CSV with {header}: {scene "
                "number|the scene} "
                "and the frame numbers of the {film|reel}, {counted from|from} 0, {by|sorted "
                "by} scene, {plain numbers|numbers unpadded}.",
                "{index} {tells|says} where they came from: {header}, then {for each|per} "
                "scene its first and last frame{ in the film|}, {zero-based|counting from 0}, "
                "in order of scenes, {no number padded|numbers without padding}.",
                "{Add|Write} {index} ({header}): a line a scene, {sorted|ascending}, {first "
                "and last|with the first and the last} frame counted from 0 over the "
                "{whole|entire} film, {no leading zeros|without leading zeros}.",
                "A cut list {goes to|belongs in} {index}: {header} {on top|first}, one line "
                "per scene {by number|in numeric order}, frames {counted|numbered} from 0 {in "
                "the reel|overall}, {here|all} {in plain numbers|unpadded}.",
                "{Also|Besides}, {index}: CSV, header {header}, {scenes|numbers} in "
                "{rising|ascending} order, {here without padding|here "
                "unpadded}, with {their|the} first and last frame {of the film|in the film}, the "
                "film's first being 0.",
                "{For|As} the cut list write {index}, {headed|beginning with} {header}; scenes "
                "{ascend|go up}, frames {are|count} zero-based {positions|numbers} in the "
                "whole film, {none|nothing} with leading zeros.",
            ),
            facts={"index": index, "header": "`scene,first,last`"},
            role="output",
            brief="List them in {index} ({header}), by scene, frames from 0, {unpadded|plain}.",
        ),
    )
