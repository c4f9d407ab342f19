#!/usr/bin/env python3
"""Prints the checksums in tests/test_unicode.c: properties and normal forms of every code point, and
normal forms of random texts made of characters that interact.

    pip install unicodedata2==16.0.0
    python tools/golden_unicode.py
"""
import unicodedata2 as ud

import unicode_tables

MASK = (1 << 64) - 1
FORMS = ("NFC", "NFD", "NFKC", "NFKD")
# Starters and marks that compose, block, reorder or expand; Hangul parts; plain letters.
ALPHABET = [0x41, 0x61, 0x6F, 0x20, 0x300, 0x301, 0x304, 0x308, 0x30A, 0x315, 0x316, 0x323, 0x327, 0x328, 0x338,
            0x344, 0x345, 0x5B0, 0x5BF, 0x5D1, 0xFB4B, 0x1100, 0x1161, 0x11A8, 0x11A7, 0xAC00, 0xAC01, 0x3042, 0x304B,
            0x3099, 0x212B, 0x1E9B, 0x1E69, 0xFDFA, 0xFB01, 0x2F800, 0x1D15E, 0x1D165, 0x110B9, 0x110BA, 0xFEFF,
            0x4E00, 0xF900, 0x1FBE, 0x3B1, 0x342, 0x1F82, 0x9C7, 0x9D7, 0x9BE, 0x16121, 0x1611E]


class Checksum:
    """FNV-1a of 64 bits."""

    def __init__(self):
        self.value = 0xCBF29CE484222325

    def add(self, data):
        for byte in data:
            self.value = ((self.value ^ byte) * 0x100000001B3) & MASK


def every_code_point():
    return (c for c in range(0x110000) if not 0xD800 <= c < 0xE000)


def random_texts(n):
    state = 1
    for _ in range(n):
        text = []
        state = (state * 6364136223846793005 + 1442695040888963407) & MASK
        for _ in range(1 + (state >> 60)):
            state = (state * 6364136223846793005 + 1442695040888963407) & MASK
            text.append(chr(ALPHABET[(state >> 33) % len(ALPHABET)]))
        yield "".join(text)


def main():
    classes, lower, upper, combining = (Checksum() for _ in range(4))
    for c in range(0x110000):
        classes.add(bytes([unicode_tables.class_of(c)]))
        combining.add(bytes([ud.combining(chr(c))]))
    for c in every_code_point():
        lower.add(chr(unicode_tables.lower_of(c)).encode())
        upper.add(chr(unicode_tables.upper_of(c)).encode())
    print("ALPHABET", ", ".join("0x%X" % c for c in ALPHABET))
    print(f"CLASS {classes.value:#x}\nLOWER {lower.value:#x}\nUPPER {upper.value:#x}\nCOMBINING {combining.value:#x}")
    for form in FORMS:
        single, mixed = Checksum(), Checksum()
        for c in every_code_point():
            single.add(ud.normalize(form, chr(c)).encode() + b"\n")
        for text in random_texts(20000):
            mixed.add(ud.normalize(form, text).encode() + b"\n")
        print(f"{form} {single.value:#x} {mixed.value:#x}")


main()
