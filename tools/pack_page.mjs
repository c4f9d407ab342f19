// pack_page.mjs - the lab as one file, which opens by a double click and needs no network:
//
//     node tools/pack_page.mjs SITE MODEL... >lab.html
//
// SITE is what tools/site.sh made; the models that are named go into the file, the first is shown.
// From file:// a browser loads no module, no worker and no data, so that all of it is inside: styles
// as they are, modules as data: addresses in an import map, other files as base64 in scripts that do
// not run (web/js/engine/files.js reads them).
import { readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import process from 'node:process';

const WORKER = 'js/engine/worker.js'; // is started from a Blob and imports nothing

const filesIn = (folder, inner = '') =>
  readdirSync(join(folder, inner), { withFileTypes: true }).flatMap(x => {
    const name = inner ? `${inner}/${x.name}` : x.name;
    return x.isDirectory() ? filesIn(folder, name) : [name];
  });

/** A module whose imports are names of the import map: data: addresses have no neighbours. */
function withNames(text, name) {
  const base = `page:/${name}`;
  return text.replace(
    /^((?:import|export)\b[^'"`;]*?)'(\.[^']*)'/gm,
    (whole, before, to) => `${before}'${new URL(to, base).pathname.slice(1)}'`,
  );
}

export function pack(site, models) {
  const read = name => readFileSync(join(site, name));
  const modules = filesIn(site, 'js').filter(name => name !== WORKER);
  const imports = {};
  for (const name of modules) {
    const text = withNames(read(name).toString(), name);
    imports[name] = `data:text/javascript;base64,${Buffer.from(text).toString('base64')}`;
  }
  const inside = [WORKER, 'engine.wasm', ...models.map(name => `models/${name}.gguf`)].map(
    name =>
      `<script type="text/plain" data-file="${name}">${read(name).toString('base64')}</script>`,
  );
  const scripts = [
    ...inside,
    `<script type="importmap">${JSON.stringify({ imports })}</script>`,
    `<script type="module">import 'js/app.js';</script>`,
  ].join('\n');
  const replace = (text, what, by) => {
    if (!what.test(text)) throw new Error(`index.html without ${what}`);
    return text.replace(what, by);
  };
  let html = read('index.html').toString();
  html = replace(html, /<link rel="stylesheet" href="([^"]+)">/g, (whole, name) => {
    return `<style>\n${read(name).toString()}</style>`;
  });
  html = replace(html, /(<meta name="heed-models" content=")[^"]*/, `$1${models.join(' ')}`);
  return replace(html, /<script type="module" src="js\/app\.js"><\/script>/, () => scripts);
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) {
  const [site, ...models] = process.argv.slice(2);
  if (!models.length) {
    console.error('usage: node pack_page.mjs SITE MODEL...');
    process.exit(2);
  }
  process.stdout.write(pack(site, models));
}
