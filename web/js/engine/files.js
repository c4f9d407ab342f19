// The files that the page reads: beside it, or inside it where the page is one file
// (tools/pack_page.mjs).

const unpacked = new Map();

function decode(text) {
  const letters = atob(text),
    bytes = new Uint8Array(letters.length);
  for (let i = 0; i < letters.length; i++) bytes[i] = letters.charCodeAt(i);
  return bytes;
}

/** A file as a Blob where it is inside the page, else its address. */
export function locate(name) {
  const inside = document.querySelector(`script[data-file="${name}"]`);
  if (inside) {
    unpacked.set(name, new Blob([decode(inside.textContent)]));
    inside.remove();
  }
  return unpacked.get(name) ?? new URL(name, document.baseURI).href;
}

/** The bytes of a file, as an ArrayBuffer. */
export async function readFile(name) {
  const found = locate(name);
  if (typeof found !== 'string') return found.arrayBuffer();
  const answer = await fetch(found);
  if (!answer.ok) throw new Error(`${name}: HTTP ${answer.status}`);
  return answer.arrayBuffer();
}

/** What the page was put together with: names of models; null: it has a server to ask. */
export const modelsOfPage = () =>
  document.querySelector('meta[name="heed-models"]')?.content.split(' ').filter(Boolean) ?? null;
