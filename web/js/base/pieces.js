// Pieces of tokens as a person sees them: characters, never broken bytes.

const SIGNS = { ' ': '␣', '\u00a0': '␣', '\u3000': '␣', '\n': '↵', '\r': '←', '\t': '⇥' };
const hex = b => b.toString(16).toUpperCase().padStart(2, '0');
const strict = new TextDecoder('utf-8', { fatal: true });
const SMALL = '₁₂₃₄₅₆₇₈₉';

/** The bytes in hexadecimal: "E7 8C AB". */
export const hexBytes = bytes => [...bytes].map(hex).join(' ');
export const utf8 = text => new TextEncoder().encode(text);

/** White space and controls as signs; the space before a word is left out. */
export function visible(text) {
  const bare = text.length > 1 && text[0] === ' ' && text[1] !== ' ' ? text.slice(1) : text;
  return (
    [...bare]
      .map(
        c =>
          SIGNS[c] ??
          (/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/u.test(c) ? `\\u${c.codePointAt(0).toString(16)}` : c),
      )
      .join('') || '∅'
  );
}
/** A piece that stands alone. */
export function pieceLabel(bytes) {
  try {
    return visible(strict.decode(bytes));
  } catch {
    return `⟨${hexBytes(bytes)}⟩`;
  }
}

/** The bytes of a token of a trace. */
export const tokenBytes = token => (token.bytes ? Uint8Array.from(token.bytes) : utf8(token.text));

/**
 * Labels of a trace's tokens.  Tokens that make a character only together carry that character,
 * numbered: 猫₁ 猫₂.
 */
export function tokenLabels(tokens) {
  const units = new Map();
  tokens.forEach((t, i) => units.set(t.unit, [...(units.get(t.unit) ?? []), i]));
  return tokens.map((t, i) => {
    const all = units.get(t.unit);
    if (all.length === 1) return pieceLabel(tokenBytes(t));
    const whole = Uint8Array.from(all.flatMap(k => [...tokenBytes(tokens[k])]));
    const place = all.indexOf(i);
    return `${pieceLabel(whole)}${SMALL[place] ?? `.${place + 1}`}`;
  });
}
