// Words of a sentence, two of them exchanged, and the same word found again in another sentence.
import { tokenBytes } from './pieces.js';

const IDEOGRAPH = /\p{Script=Han}|\p{Script=Hiragana}|\p{Script=Katakana}/u;
const decoder = new TextDecoder();
const textOf = tokens =>
  decoder.decode(Uint8Array.from(tokens.flatMap(x => (x.special ? [] : [...tokenBytes(x)]))));

/**
 * The words of a trace's tokens, each {from, to, text, isName}: tokens up to the next blank; a
 * sign, a 汉字, a special token are words of their own.  isName: it has letters, and can change
 * places with another.
 */
export function wordsOf(tokens) {
  const units = [];
  tokens.forEach((token, i) => {
    if (i && tokens[i - 1].unit === token.unit) units.at(-1).to = i + 1;
    else units.push({ from: i, to: i + 1 });
  });
  const words = [];
  for (const { from, to } of units) {
    const text = textOf(tokens.slice(from, to)),
      last = words.at(-1);
    const goesOn = last && /[\p{L}\p{M}]$/u.test(last.text) && /^[\p{L}\p{M}]/u.test(text);
    if (goesOn && !IDEOGRAPH.test(last.text + text)) {
      last.to = to;
      last.text += text;
    } else words.push({ from, to, text });
  }
  for (const w of words) w.isName = /\p{L}/u.test(w.text);
  return words;
}

/** Which two words change places if nobody chooses: the first and the last that differ. */
export function pairOf(words) {
  let names = [...words.keys()].filter(i => words[i].isName);
  // An alphabet writes the first word in another way than the same word later: it stays.
  if (names.length > 2 && !IDEOGRAPH.test(words[names[0]].text)) names = names.slice(1);
  const last = names.filter(i => words[i].text.trim() !== words[names[0]].text.trim()).at(-1);
  return last == null ? null : [names[0], last];
}

/** The order of the tokens when words i and j change places. */
export function exchanged(words, i, j) {
  const order = [...words.keys()];
  [order[i], order[j]] = [j, i];
  return order.flatMap(k => {
    const { from, to } = words[k];
    return Array.from({ length: to - from }, (_, t) => from + t);
  });
}

/** The same in a text, for models that end a text with a token of their own. */
export function exchangedText(words, i, j) {
  const order = [...words.keys()];
  [order[i], order[j]] = [j, i];
  return order.map(k => words[k].text).join('');
}

/**
 * The same words in two sentences: for each token of the first its place in the second, or −1.
 * The k-th of several equal ones belongs to the k-th there.
 */
export function matched(tokens, others) {
  const places = new Map();
  others.forEach(({ id }, j) => places.set(id, [...(places.get(id) ?? []), j]));
  return tokens.map(({ id }) => places.get(id)?.shift() ?? -1);
}

/** How far apart two vectors are, as a share of their length (the mean of both): 0 to 2, or NaN. */
export function difference(a, b) {
  let apart = 0,
    left = 0,
    right = 0;
  for (let i = 0; i < a.length; i++) {
    apart += (a[i] - b[i]) ** 2;
    left += a[i] ** 2;
    right += b[i] ** 2;
  }
  const length = (Math.sqrt(left) + Math.sqrt(right)) / 2;
  return length === 0 ? 0 : Math.sqrt(apart) / length;
}
