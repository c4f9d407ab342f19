// What must hold for the page's files as they are.
import assert from 'node:assert/strict';
import { readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import test from 'node:test';
import { allWords, pct, setLanguage, t } from '../../web/js/words.js';

const root = fileURLToPath(new URL('../../web', import.meta.url));
const files = folder =>
  readdirSync(folder, { withFileTypes: true }).flatMap(x =>
    x.isDirectory() ? files(join(folder, x.name)) : [join(folder, x.name)],
  );
const sources = files(root).map(path => [path.slice(root.length + 1), readFileSync(path, 'utf8')]);

test('both languages say the same things', () => {
  const same = (a, b, path) => {
    assert.equal(typeof a, typeof b, path);
    assert.equal(Array.isArray(a), Array.isArray(b), path);
    if (typeof a === 'function') assert.equal(a.length, b.length, path);
    if (typeof a !== 'object' || Array.isArray(a)) return;
    assert.deepEqual(Object.keys(a).sort(), Object.keys(b).sort(), path);
    for (const k of Object.keys(a)) same(a[k], b[k], `${path}.${k}`);
  };
  for (const [key, { zh, en }] of Object.entries(allWords())) same(zh, en, key);
});

test('every word that is asked for is there', () => {
  for (const [path, text] of sources) {
    if (!path.endsWith('.js')) continue;
    for (const [, key] of text.matchAll(/\bt\('([A-Za-z]+)'\)/g))
      for (const lang of ['zh', 'en']) {
        setLanguage(lang);
        assert.ok(t(key) != null, `${path}: ${key}`);
      }
  }
});

test('nothing is invented, and nothing comes from elsewhere', () => {
  for (const [path, text] of sources) {
    assert.doesNotMatch(text, /Math\.random|innerHTML|eval\(/, path);
    assert.doesNotMatch(text.replaceAll('http://www.w3.org/2000/svg', ''), /https?:/, path);
  }
});

test('lines have at most 100 columns', () => {
  for (const [path, text] of sources)
    text.split('\n').forEach((line, i) => assert.ok([...line].length <= 100, `${path}:${i + 1}`));
});

test('percentages keep what is small apart from nothing', () => {
  assert.equal(pct(0), '0\u00a0%');
  assert.equal(pct(0.0004), '<0.1\u00a0%');
  assert.equal(pct(0.004), '0.4\u00a0%');
  assert.equal(pct(0.504), '50\u00a0%');
  assert.equal(pct(NaN), '—');
});
