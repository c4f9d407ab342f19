// The line to copy: the settings of the page for a shell, and for the server.
import { h } from '../base/dom.js';
import { commandLine, curlLine } from '../base/command.js';
import { S, nChanges } from '../state.js';
import { t } from '../words.js';

const copy = text => e => {
  const button = e.currentTarget,
    said = () => (button.textContent = t('copied'));
  // Without a clipboard the line is still there to be selected.
  navigator.clipboard?.writeText(text).then(said, () => {});
};

/** `tokens` to write.  A command cannot take the switches of the page: then only the request. */
export function copyLine(context, tokens) {
  const shell = commandLine(S.model, context.text(), S, tokens),
    subject = { model: S.model, text: S.text, then: S.then, switches: context.switches() },
    curl = context.isServed() ? curlLine(location.origin, subject, S, tokens) : '';
  const isWhole = nChanges() === 0;
  return h(
    'div',
    { class: 'copyline' },
    h('code', { title: isWhole ? shell : curl }, isWhole ? shell : curl),
    isWhole ? h('button', { class: 'act', onclick: copy(shell) }, t('copyShell')) : '',
    curl ? h('button', { class: 'act', onclick: copy(curl) }, t('copyCurl')) : '',
  );
}
