// The settings of the page as a line to copy: for a shell, and for the server behind the page.

/** A word for a POSIX shell. */
export const quoteShell = word =>
  /^[\w./:=-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`;

/** The options of a request, as docs/trace.md names them. */
export const samplingOf = ({ T, k, p, rep, seed }) => ({
  temperature: T,
  top_k: k,
  top_p: p,
  repetition_penalty: rep,
  seed,
});
const OPTIONS = {
  temperature: 'temp',
  top_k: 'top-k',
  top_p: 'top-p',
  repetition_penalty: 'repeat-penalty',
  seed: 'seed',
};

/** `heed run` with exactly these settings; min-p is named, since a model may advise one. */
export function commandLine(model, text, settings, tokens) {
  const options = Object.entries(samplingOf(settings)).map(([k, v]) => `--${OPTIONS[k]} ${v}`);
  return [
    `heed run ${quoteShell(model)} -p ${quoteShell(text)}`,
    ...options,
    `--min-p 0 -n ${tokens} --exact`,
  ].join(' ');
}

/** The same of the server at `origin`; the answer is a trace. */
export function curlLine(origin, subject, settings, tokens) {
  const request = { ...subject, generate: { tokens, ...samplingOf(settings), min_p: 0 } };
  return [
    `curl ${quoteShell(`${origin}/api/trace`)} -H 'Content-Type: application/json'`,
    `-d ${quoteShell(JSON.stringify(request))} -o answer.trace`,
  ].join(' ');
}
