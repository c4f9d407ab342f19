// Words, exchanged and found again: what view 6 compares.
import assert from 'node:assert/strict';
import test from 'node:test';
import {
  difference,
  exchanged,
  exchangedText,
  matched,
  pairOf,
  wordsOf,
} from '../../web/js/base/match.js';
import { utf8 } from '../../web/js/base/pieces.js';
import { fixed, pairLike, tiny } from '../../web/js/words.js';

/** Tokens of pieces; a list of pieces is one character in several tokens. */
function tokensOf(...pieces) {
  return pieces.flatMap((piece, unit) =>
    [piece].flat().map(x => {
      const bytes = typeof x === 'string' ? utf8(x) : x;
      return { id: bytes.reduce((a, b) => a * 31 + b, 7), text: '?', bytes: [...bytes], unit };
    }),
  );
}
const cat = utf8('猫');
const split = [cat.subarray(0, 1), cat.subarray(1)];
const texts = words => words.map(w => w.text);

test('words are tokens up to the next blank; characters and signs stand alone', () => {
  const tokens = tokensOf('The', ' cat', ' ch', 'ases', ' the', ' dog', '.');
  assert.deepEqual(texts(wordsOf(tokens)), ['The', ' cat', ' chases', ' the', ' dog', '.']);
  assert.deepEqual(texts(wordsOf(tokensOf(split, '追', '狗'))), ['猫', '追', '狗']);
  assert.deepEqual(wordsOf(tokensOf(split, '追'))[0], { from: 0, to: 2, text: '猫', isName: true });
  const special = { id: 1, text: '<s>', unit: 0, special: true };
  const words = wordsOf([special, ...tokensOf('a', 'b').map(x => ({ ...x, unit: x.unit + 1 }))]);
  assert.deepEqual(texts(words), ['', 'ab']);
  assert.ok(!words[0].isName && words[1].isName);
});

test('the first and the last word that differ change places', () => {
  const pair = (...pieces) => pairOf(wordsOf(tokensOf(...pieces)));
  assert.deepEqual(pair('猫', '追', '狗'), [0, 2]);
  assert.deepEqual(pair('The', ' cat', ' saw', ' the', ' dog', '.'), [1, 4]);
  assert.deepEqual(pair('猫', '追', '猫'), [0, 1]);
  assert.equal(pair('猫', '，', '猫'), null);
  assert.equal(pair('.', ','), null);
});

test('whole words change places, with all their tokens', () => {
  const tokens = tokensOf('The', ' kit', 'ten', ' saw', ' dog'),
    words = wordsOf(tokens),
    order = exchanged(words, 1, 3);
  assert.deepEqual(order, [0, 4, 3, 1, 2]);
  assert.equal(exchangedText(words, 1, 3), 'The dog saw kitten');
  const places = matched(tokens, order.map(i => tokens[i])); // prettier-ignore
  assert.deepEqual(places, [0, 3, 4, 2, 1]);
});

test('equal words are matched in turn, others not at all', () => {
  const a = tokensOf('a', ' b', ' a', ' b', 'c'),
    b = tokensOf(' b', 'a', ' b', ' d');
  assert.deepEqual(matched(a, b), [1, 0, -1, 2, -1]);
});

test('a difference is a share of the length', () => {
  assert.equal(difference([3, 4], [3, 4]), 0);
  assert.equal(difference([3, 4], [-3, -4]), 2);
  assert.ok(Math.abs(difference([1, 0], [0, 1]) - Math.SQRT2) < 1e-12);
  assert.equal(difference([0, 0], [0, 0]), 0);
  assert.ok(Number.isNaN(difference([NaN, 0], [1, 0]))); // what overflowed is not the same
});

test('small numbers keep their size, and only 0 is 0', () => {
  assert.deepEqual([0, 3.7e-7, 9.7e-7, 0.0046, 0.042, 1.566].map(tiny), [
    ...['0', '4×10⁻⁷', '1×10⁻⁶', '0.0046', '0.042', '1.57'],
  ]);
  assert.equal(tiny(NaN), '—');
  assert.deepEqual([fixed(-0.04, 1), fixed(-0.06, 1), fixed(1.25, 1)], ['0.0', '−0.1', '1.3']);
  assert.equal(pairLike('猫'), '猫追狗');
  assert.equal(pairLike('cat'), 'The cat saw the dog.');
});
