"""Writes a browser's picture as a PNG of at most 256 colours, a third of what the browser makes."""

import base64
import struct
import zlib
from collections import Counter
from collections.abc import Iterator
from typing import Final

from playwright.sync_api import Page

COLOURS_MAX: Final = 256
SHADES_MAX: Final = 160  # of the palette, so that small things in a rare colour keep it
SHADE: Final = 24  # how far apart two shades are, of 256
SIGNATURE: Final = b"\x89PNG\r\n\x1a\n"
PIXELS: Final = """async (url) => {
  const image = new Image();
  image.src = url;
  await image.decode();
  const pen = new OffscreenCanvas(image.width, image.height).getContext("2d");
  pen.drawImage(image, 0, 0);
  const { data } = pen.getImageData(0, 0, image.width, image.height);
  let text = "";
  for (let at = 0; at < data.length; at += 8192) {
    text += String.fromCharCode(...data.subarray(at, at + 8192));
  }
  return [image.width, image.height, btoa(text)];
}"""


def smaller(picture: bytes, blank: Page) -> bytes:
    """The same picture with a palette; `blank` is a page to decode it on.

    A colour that is not in the palette becomes the nearest that is.
    """
    url = f"data:image/png;base64,{base64.b64encode(picture).decode()}"
    width, height, text = blank.evaluate(PIXELS, url)
    data = base64.b64decode(text)
    pixels = [data[at : at + 3] for at in range(0, len(data), 4)]
    used = Counter(pixels)
    palette = _palette(used)
    places = {colour: _nearest(colour, palette) for colour in used}
    rows = (pixels[at : at + width] for at in range(0, len(pixels), width))
    lines = b"".join(b"\0" + bytes(places[pixel] for pixel in row) for row in rows)
    head = struct.pack(">IIBBBBB", width, height, 8, 3, 0, 0, 0)
    parts = ((b"IHDR", head), (b"PLTE", b"".join(palette)), (b"IDAT", zlib.compress(lines, 9)))
    return SIGNATURE + b"".join(_chunk(*part) for part in (*parts, (b"IEND", b"")))


def chunks(picture: bytes) -> Iterator[tuple[bytes, bytes]]:
    """The parts of a PNG, by their names."""
    at = len(SIGNATURE)
    while at < len(picture):
        (length,) = struct.unpack(">I", picture[at : at + 4])
        yield picture[at + 4 : at + 8], picture[at + 8 : at + 8 + length]
        at += 12 + length


def _palette(used: Counter[bytes]) -> list[bytes]:
    """One colour of each shade, then the most frequent."""
    shades: dict[bytes, bytes] = {}
    for colour, _ in used.most_common():
        shades.setdefault(bytes(part // SHADE for part in colour), colour)
    frequent = [colour for colour, _ in used.most_common()]
    return list(dict.fromkeys([*list(shades.values())[:SHADES_MAX], *frequent]))[:COLOURS_MAX]


def _chunk(name: bytes, content: bytes) -> bytes:
    check = struct.pack(">I", zlib.crc32(name + content))
    return struct.pack(">I", len(content)) + name + content + check


def _nearest(colour: bytes, palette: list[bytes]) -> int:
    def distance(place: int) -> int:
        return sum((one - other) ** 2 for one, other in zip(colour, palette[place], strict=True))

    return min(range(len(palette)), key=distance)
