// The page as one file (tools/pack_page.mjs): nothing is left outside, everything is as it was.
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import test from 'node:test';
import { pack } from '../../tools/pack_page.mjs';

const root = fileURLToPath(new URL('../..', import.meta.url));
const folder = mkdtempSync(join(tmpdir(), 'heed-pack-'));
test.after(() => rmSync(folder, { recursive: true }));
const site = join(folder, 'site');
for (const name of ['small.gguf', 'other.gguf', 'e.wasm'])
  writeFileSync(join(folder, name), `\0${name}</script>\xff`, 'latin1');
execFileSync(join(root, 'tools/site.sh'), [
  site,
  ...['e.wasm', 'small.gguf', 'other.gguf'].map(name => join(folder, name)),
]);

test('a site lists its models and is the page else', () => {
  const index = readFileSync(join(site, 'index.html'), 'utf8');
  assert.match(index, /<meta name="heed-models" content="small other">/);
  assert.equal(
    index.replace(/<meta name="heed-models".*\n/, ''),
    readFileSync(join(root, 'web/index.html'), 'utf8'),
  );
  for (const name of ['js/app.js', 'css/frame.css'])
    assert.deepEqual(readFileSync(join(site, name)), readFileSync(join(root, 'web', name)));
});

test('one file holds all modules, which import one another by name', () => {
  const html = pack(site, ['small']);
  assert.match(html, /<meta name="heed-models" content="small">/);
  assert.doesNotMatch(html, /<script[^>]*\ssrc=|<link rel="stylesheet"/);
  const { imports } = JSON.parse(html.match(/<script type="importmap">(.*)<\/script>/)[1]);
  let n = 0;
  for (const [name, address] of Object.entries(imports)) {
    const text = Buffer.from(
      address.replace(/^data:text\/javascript;base64,/, ''),
      'base64',
    ).toString();
    const original = readFileSync(join(root, 'web', name), 'utf8');
    assert.equal(text.split('\n').length, original.split('\n').length, name);
    for (const [, to] of text.matchAll(/\bfrom '([^']+)'/g)) {
      assert.ok(to in imports, `${name} imports ${to}`);
      n++;
    }
    assert.doesNotMatch(text, /\bimport\s*\(|from '\.|from "/, name);
  }
  assert.ok(n > 40, `${n} imports`);
  const inside = html.matchAll(/<script type="text\/plain" data-file="([^"]+)">(.*)<\/script>/g);
  const files = Object.fromEntries([...inside].map(x => [x[1], Buffer.from(x[2], 'base64')]));
  assert.deepEqual(Object.keys(files), ['js/engine/worker.js', 'engine.wasm', 'models/small.gguf']);
  for (const [name, bytes] of Object.entries(files))
    assert.deepEqual(bytes, readFileSync(join(site, name)), name);
});
