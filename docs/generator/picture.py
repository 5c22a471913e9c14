"""The picture of the tour: what `nephos tour` prints on a terminal, as SVG."""

import fcntl
import html
import os
import pty
import re
import struct
import termios

COLUMNS = 104
# Chapters of the tour in the picture, and how many commands of each.
CHAPTERS = {2: 2, 5: 1, 8: 2}


def tour(program: str) -> list[str]:
    """The tour as a terminal shows it, line by line, with its colours."""
    pid, terminal = pty.fork()
    if pid == 0:
        os.environ.update(TERM="xterm-256color", COLUMNS=str(COLUMNS))
        os.environ.pop("NO_COLOR", None)
        os.execv(program, [program, "tour"])
    fcntl.ioctl(terminal, termios.TIOCSWINSZ, struct.pack("HHHH", 50, COLUMNS, 0, 0))
    output = b""
    while True:
        try:
            more = os.read(terminal, 65536)
        except OSError:  # the program has closed the terminal
            break
        if not more:
            break
        output += more
    os.waitpid(pid, 0)
    return output.decode().replace("\r", "").split("\n")


def plain(line: str) -> str:
    return re.sub(r"\x1b\[[0-9;]*m", "", line)


def chosen(lines: list[str]) -> list[str]:
    """The chapters that the picture shows."""
    shown, chapter, commands = [], 0, 0
    for line in lines:
        if match := re.match(r"(\d+)\. ", plain(line)):
            chapter, commands = int(match[1]), 0
        commands += plain(line).startswith("$ ")
        if chapter in CHAPTERS and commands <= CHAPTERS[chapter]:
            shown.append(line)
    return shown


def wrapped(line: str) -> list[str]:
    """A line in pieces that fit, broken at spaces, each with the style that it begins in."""
    if len(plain(line)) <= COLUMNS:
        return [line]
    pieces, piece, width, style = [], "", 0, ""
    for part in re.split(r"(\x1b\[[0-9;]*m| +)", line):
        if part.startswith("\x1b"):
            style = "" if part == "\x1b[0m" else style + part
            piece += part
        elif width + len(part) > COLUMNS:
            pieces.append(piece)
            piece, width = style + part.lstrip(), len(part.lstrip())
        else:
            piece, width = piece + part, width + len(part)
    return [*pieces, piece]


def spans(line: str) -> str:
    classes = {"1": "b", "2": "d", "31": "r", "32": "g", "33": "y"}
    out, style = "", []
    for part in re.split(r"(\x1b\[[0-9;]*m)", line):
        if match := re.fullmatch(r"\x1b\[([0-9;]*)m", part):
            codes = match[1].split(";")
            style = [] if codes == ["0"] else style + [classes[code] for code in codes if code in classes]
        elif part:
            text = html.escape(part, quote=False)
            out += f'<tspan class="{" ".join(style)}">{text}</tspan>' if style else text
    return out


def picture(program: str) -> str:
    """The picture of the tour, as SVG."""
    lines = [piece for line in chosen(tour(program)) for piece in wrapped(line)]
    while lines and not plain(lines[-1]).strip():
        lines.pop()
    height, width = 18 * len(lines) + 56, 8 * COLUMNS + 40
    rows = "\n".join(
        f'<text x="20" y="{52 + 18 * number}" xml:space="preserve">{spans(line)}</text>' for number, line in enumerate(lines) if plain(line).strip()
    )
    return f"""<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" role="img" aria-label="nephos tour">
<style>
text {{ font: 13px ui-monospace, Menlo, Consolas, "DejaVu Sans Mono", monospace; fill: #d8dee9; }}
.b {{ font-weight: bold; fill: #eceff4; }} .d {{ fill: #8b95a7; }} .r {{ fill: #ff7b72; }} .g {{ fill: #7ee787; }} .y {{ fill: #e3b341; }}
</style>
<rect width="{width}" height="{height}" rx="8" fill="#14181f"/>
<circle cx="22" cy="20" r="6" fill="#ff5f57"/><circle cx="42" cy="20" r="6" fill="#febc2e"/><circle cx="62" cy="20" r="6" fill="#28c840"/>
{rows}
</svg>
"""
