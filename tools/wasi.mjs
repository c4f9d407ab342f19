// wasi.mjs - runs a WebAssembly program of the WASI kind under node:
//
//     node tools/wasi.mjs build/wasm/tests/run [ARGUMENT...]
//
// The program sees the current folder (the source tree, for fixtures) as it is, except that its
// scratch folder, heed-test-scratch, is a fresh one elsewhere that is removed at the end.
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import process from 'node:process';
import { setFlagsFromString } from 'node:v8';

// The short way from WebAssembly into node:wasi may collect garbage where V8 does not expect it, and
// node then crashes (github.com/nodejs/node/issues/46777).  The long way is slower but safe.
setFlagsFromString('--no-turbo-fast-api-calls');
// node:wasi announces that it is experimental each time it is loaded; the output is for people.
process.removeAllListeners('warning');
const { WASI } = await import('node:wasi');

const [program, ...args] = process.argv.slice(2);
if (!program) {
    console.error('usage: node wasi.mjs PROGRAM [ARGUMENT...]');
    process.exit(2);
}

const scratch = await mkdtemp(join(tmpdir(), 'heed-wasi-'));
let status = 1;
try {
    const wasi = new WASI({
        version: 'preview1',
        args: [program, ...args],
        env: {},
        preopens: { '.': process.cwd(), 'heed-test-scratch': scratch },
        returnOnExit: true,
    });
    const module = await WebAssembly.compile(await readFile(program));
    const instance = await WebAssembly.instantiate(module, {
        wasi_snapshot_preview1: wasi.wasiImport,
    });
    status = wasi.start(instance);
} catch (error) {
    console.error(`${program}: ${error.message}`);
} finally {
    await rm(scratch, { recursive: true, force: true });
}
process.exitCode = status;
