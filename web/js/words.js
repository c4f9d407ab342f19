// Every word of the interface, both languages side by side.
import { COST_WORDS } from './words_cost.js';

const WORDS = {
  views: {
    zh: {
      tokens: '词元',
      lines: '连线',
      wall: '头墙',
      lens: '一层又一层',
      params: '参数地图',
      cost: '代价',
      next: '下一个词',
    },
    en: {
      tokens: 'Tokens',
      lines: 'Attention lines',
      wall: 'Head wall',
      lens: 'Block and lens',
      params: 'Parameters',
      cost: 'Cost',
      next: 'Next token',
    },
  },
  asks: {
    zh: {
      tokens: '一句话怎样被切开？',
      lines: '这个词在看谁？',
      wall: '这么多头，各自在看什么？',
      lens: '每一层添了什么？',
      params: '参数都在哪里？',
      cost: '句子变长，代价多大？',
      next: '它怎样选出下一个词？',
    },
    en: {
      tokens: 'How is a sentence cut up?',
      lines: 'Who is this word looking at?',
      wall: 'So many heads: what is each looking at?',
      lens: 'What does each layer add?',
      params: 'Where are the parameters?',
      cost: 'What does a longer text cost?',
      next: 'How does it choose the next word?',
    },
  },
  examples: {
    zh: [
      '那只小猫没过马路，因为它太累了',
      '从前有一座山，山里有一座',
      '早上我吃了一个苹果',
      '猫追狗，狗追',
    ],
    en: [
      'The kitten did not cross the road because it was too tired',
      'The capital of France is',
      'Once upon a time there was a little',
      'One two three four five six',
    ],
  },
  askIn: { zh: '谁在看这个词？', en: 'Who looks at this word?' },
  sentence: { zh: '句子', en: 'Sentence' },
  edit: { zh: '改写句子', en: 'Edit the sentence' },
  another: { zh: '换一句', en: 'Next example' },
  restore: { zh: '复原', en: 'Restore' },
  changed: {
    zh: n => `模型被改了 ${n} 处`,
    en: n => `${n} change${n > 1 ? 's' : ''} to the model`,
  },
  depth: { zh: '深浅', en: 'Depth' },
  feel: { zh: '直觉', en: 'Feel' },
  steps: { zh: '步骤', en: 'Steps' },
  numbers: { zh: '数字', en: 'Numbers' },
  language: { zh: 'English', en: '中文' },
  languageShort: { zh: 'EN', en: '中' },
  theme: { zh: '主题', en: 'Theme' },
  light: { zh: '浅色', en: 'Light' },
  dark: { zh: '深色', en: 'Dark' },
  projector: { zh: '投影', en: 'Projector' },
  present: { zh: '讲课', en: 'Present' },
  leave: { zh: '退出', en: 'Leave' },
  before: { zh: '上一步', en: 'Back' },
  after: { zh: '下一步', en: 'Forward' },
  layer: { zh: '层', en: 'Layer' },
  head: { zh: '头', en: 'Head' },
  layerN: { zh: n => `第 ${n} 层`, en: n => `layer ${n}` },
  headN: { zh: n => `第 ${n} 头`, en: n => `head ${n}` },
  parameters: { zh: n => `${n}个参数`, en: n => `${n} parameters` },
  busy: { zh: '正在算…', en: 'computing…' },
  // what goes wrong
  gone: {
    zh: '连不上 heed 了：在终端里再开一次 heed lab，这里的内容都还在。',
    en: 'heed is no longer there: start heed lab again in the terminal; nothing here is lost.',
  },
  empty: { zh: '先写一个字。', en: 'Write a word first.' },
  tooLong: {
    zh: n => `这段文字有 ${n} 个字符，太长了；请少于 4000 个。`,
    en: n => `This text has ${n} characters, which is too many; keep it under 4000.`,
  },
  noAttention: {
    zh: '这一层没有注意力：它按顺序读，不回头看。',
    en: 'This layer has no attention: it reads in order.',
  },
  refused: { zh: m => `模型没有算：${m}`, en: m => `The model did not compute: ${m}` },
  // 1 tokens
  tkId: { zh: '编号', en: 'id' },
  tkBytes: { zh: '字节', en: 'bytes' },
  tkSpecial: { zh: '特殊', en: 'special' },
  tkPiece: { zh: '词元', en: 'token' },
  tkRow: {
    zh: (n, d) => `词表第 ${n} 行：${d} 个数，进第一层之前的它`,
    en: (n, d) => `row ${n} of the embedding: ${d} numbers, the token before the first layer`,
  },
  tkLength: { zh: v => `长度 ${v}`, en: v => `length ${v}` },
  // 3 lines
  out: { zh: '它在看谁', en: 'It looks at' },
  in: { zh: '谁在看它', en: 'Who looks at it' },
  rest: { zh: (n, p) => `其余 ${n} 词 ${p}`, en: (n, p) => `${n} others ${p}` },
  masked: { zh: '后面的词，它看不见', en: 'later words: it cannot see them' },
  sinkNote: {
    zh: p => `首词的 ${p} 已隐藏，其余按 100 % 重算`,
    en: p => `first word’s ${p} hidden, the rest scaled to 100 %`,
  },
  hideFirst: { zh: '隐藏首词', en: 'Hide first word' },
  looking: { zh: '谁在看', en: 'looking' },
  lookedAt: { zh: '被看', en: 'looked at' },
  // 5 wall
  kinds: {
    zh: { first: '看首词', before: '看前一词', itself: '看自己' },
    en: { first: 'first word', before: 'previous word', itself: 'itself' },
  },
  kindNote: {
    zh: '在这一句上，平均过半的注意力',
    en: 'more than half of its attention, on the mean of this sentence',
  },
  headOn: { zh: '这个头开着', en: 'this head is on' },
  nOff: { zh: n => `关掉了 ${n} 个头`, en: n => `${n} head${n > 1 ? 's' : ''} off` },
  allOn: { zh: '所有头都开着', en: 'all heads on' },
  was: { zh: '之前', en: 'before' },
  pinHint: { zh: '点一个头，放大来看', en: 'Pick a head to see it larger' },
  // 7 lens
  addsAttention: { zh: '注意力添的', en: 'attention adds' },
  addsFfn: { zh: '前馈添的', en: 'feed-forward adds' },
  lens: { zh: '透镜：要是在这一层就猜下一个词', en: 'Lens: if it had to guess the next word here' },
  lensShort: { zh: '透镜', en: 'Lens' },
  followed: { zh: '盯着的猜测', en: 'guess followed' },
  widthIs: { zh: '宽 = 向量的长度', en: 'width = vector length' },
  lost: { zh: '丢掉', en: 'lost' },
  // 12 next
  pModel: { zh: '模型给的', en: 'Model' },
  pT: { zh: '温度', en: 'Temperature' },
  pK: { zh: '前 k 个', en: 'Top-k' },
  pP: { zh: '累积到 p', en: 'Top-p' },
  pDraw: { zh: '抽', en: 'Draw' },
  all: { zh: '全部', en: 'all' },
  others: { zh: n => `其余 ${n} 个`, en: n => `${n} others` },
  dragK: { zh: '拖动：只留前 k 个', en: 'drag: keep the first k' },
  dragP: { zh: '拖动：累积到 p 为止', en: 'drag: keep up to p' },
  roll: { zh: '抽一次', en: 'Draw' },
  again: { zh: '再抽一次', en: 'Draw again' },
  take: { zh: '写进句子', en: 'Put it into the sentence' },
  seed: { zh: '种子', en: 'seed' },
  nth: { zh: n => `第 ${n} 次`, en: n => `draw ${n}` },
  greedyNote: { zh: '温度 0：直接取最大的，不抽', en: 'T = 0: take the largest, no draw' },
  bits: { zh: '不确定', en: 'uncertainty' },
  // drawer
  dTable: { zh: '数表', en: 'Table' },
  dSwitch: { zh: '开关', en: 'Switches' },
  dOrigin: { zh: '来历', en: 'Origin' },
  close: { zh: '关上', en: 'Close' },
  more: { zh: '更多', en: 'More' },
  switchLead: { zh: '拆掉一个零件，看哪里坏掉。', en: 'Take out a part and see what breaks.' },
  pictureLead: { zh: '只改画法，不改模型', en: 'Changes the picture, not the model' },
  switches: {
    zh: {
      scale: ['÷ √d', '分数不随维度膨胀'],
      causal_mask: ['因果遮罩', '看不见后面的词'],
      positions: ['位置', '知道谁在前谁在后'],
      residual: ['残差', '可以绕过一层'],
      norm: ['归一化', '数值保持稳定'],
    },
    en: {
      scale: ['÷ √d', 'keeps scores from growing with d'],
      causal_mask: ['Causal mask', 'no looking at later words'],
      positions: ['Positions', 'who stands before whom'],
      residual: ['Residual', 'a way around each layer'],
      norm: ['Norm', 'keeps values in range'],
    },
  },
  hideFirstNote: { zh: '很多头把注意力停在第一个词上', en: 'many heads park on the first word' },
  originLead: {
    zh: '点页面上任何一个数，这里说它从哪里来。',
    en: 'Pick any number on the page: here is where it comes from.',
  },
  oValue: { zh: '值', en: 'Value' },
  oArray: { zh: '数组', en: 'Array' },
  oIndex: { zh: '位置', en: 'Index' },
  oShape: { zh: '形状', en: 'Shape' },
  oHow: { zh: '怎样得来', en: 'How' },
  oCount: {
    zh: '层、头和词都从 0 数起，和 heed 的命令一样。',
    en: 'Layers, heads and tokens count from 0, as in heed’s commands.',
  },
  how: {
    zh: {
      pattern: '权重 = softmax(q·k ÷ √d)，一行加起来是 1',
      hidden: '权重 ÷ (1 − 首词的权重)：首词已隐藏',
      next_logits: '概率 = softmax(分数)，在整个词表上',
      heated: '概率 = softmax(分数 ÷ T)',
      final: '在留下的词里重新算的概率',
      lens_probability: '残差流 → 最后的归一化 → 输出头 → softmax',
      lens_final: '最后一层最看好的词，在这一层的概率',
      lens_watched: '盯着的词，在这一层的概率',
      attn_out: '这个向量的长度 √Σx²',
      mlp_out: '这个向量的长度 √Σx²',
      embed: '这个向量的长度 √Σx²',
      resid_pre: '这个向量的长度 √Σx²',
      mean: '这一句里，后面各词给出的份额的平均',
      mlp_act: '前馈这一行的激活，乘进下一个矩阵的数',
    },
    en: {
      pattern: 'weight = softmax(q·k ÷ √d); a row sums to 1',
      hidden: 'weight ÷ (1 − weight of the first word), which is hidden',
      next_logits: 'probability = softmax(logit), over the whole vocabulary',
      heated: 'probability = softmax(logit ÷ T)',
      final: 'probability among those that are left',
      lens_probability: 'residual stream → last norm → output head → softmax',
      lens_final: 'probability, at this layer, of what the last layer likes best',
      lens_watched: 'probability, at this layer, of the token that is followed',
      attn_out: 'length of this vector, √Σx²',
      mlp_out: 'length of this vector, √Σx²',
      embed: 'length of this vector, √Σx²',
      resid_pre: 'length of this vector, √Σx²',
      mean: 'mean of the shares that the later words of this sentence give',
      mlp_act: 'activation of this row, which the second matrix multiplies',
    },
  },
  thWord: { zh: '词', en: 'word' },
  thWeight: { zh: '权重', en: 'weight' },
  thModel: { zh: '模型', en: 'model' },
  thSampled: { zh: '之后', en: 'after' },
  thGuess: { zh: '猜测', en: 'guess' },
  thShare: { zh: '概率', en: 'probability' },
  thHead: { zh: '层 · 头', en: 'layer · head' },
  sum: { zh: '合计', en: 'sum' },
  ...COST_WORDS,
};

let language = 'zh';
export const setLanguage = l => {
  language = l === 'en' ? 'en' : 'zh';
};
export const isChinese = () => language === 'zh';
export const t = key => WORDS[key][language];
/** The examples in the language of one of them; in that of the page for any other text. */
export const examplesLike = text =>
  Object.values(WORDS.examples).find(list => list.includes(text)) ?? t('examples');
/** The first example in another language than this one's. */
export const foreignExample = text =>
  Object.values(WORDS.examples).find(list => !list.includes(text))[0];
/** Both languages have the same keys: for the tests. */
export const allWords = () => WORDS;

// ---- numbers and quotations
/** A word in the quotation marks of the language. */
export const quote = w => (isChinese() ? `「${w}」` : `“${w}”`);
export function pct(x, digits = 0) {
  const v = x * 100;
  if (!Number.isFinite(v)) return '—';
  if (v > 0 && v < 0.1) return '<0.1\u00a0%';
  return `${v.toFixed(digits || v >= 1 || v === 0 ? digits : 1)}\u00a0%`;
}
export const count = n => Math.round(n).toLocaleString('en-US');
/** Three figures, with a true minus. */
export const three = v => (Number.isFinite(v) ? String(+v.toPrecision(3)).replace('-', '−') : '—');
const RAISED = { '-': '⁻', ...[...'⁰¹²³⁴⁵⁶⁷⁸⁹'] };
/** 10⁻⁷ */
export const power = p => `10${[...String(p)].map(c => RAISED[c]).join('')}`;
/** A very small number: 4.3 × 10⁻⁷. */
export function tiny(v) {
  if (v === 0) return '0';
  const [digits, exponent] = v.toExponential(1).split('e');
  return `${digits}\u00a0×\u00a0${power(Number(exponent))}`;
}
/** A large number in the words of the language: 135 million, 1.35 亿. */
export function big(n) {
  const steps = isChinese()
    ? [
        [1e12, '万亿'],
        [1e8, '亿'],
        [1e4, '万'],
      ]
    : [
        [1e12, 'trillion'],
        [1e9, 'billion'],
        [1e6, 'million'],
      ];
  for (const [k, word] of steps)
    if (n >= k * 0.9995) return `${(+(n / k).toPrecision(3)).toLocaleString('en-US')}\u00a0${word}`;
  return count(n);
}
/** Bytes in powers of two, three figures. */
export function bytes(n) {
  const names = ['TiB', 'GiB', 'MiB', 'KiB'];
  for (const [i, name] of names.entries()) {
    const v = n / 2 ** (40 - 10 * i);
    if (v >= 1) return `${v >= 100 ? Math.round(v) : +v.toPrecision(3)}\u00a0${name}`;
  }
  return `${Math.round(n)}\u00a0B`;
}
/** Seconds as people say them. */
export function time(seconds) {
  const ms = seconds * 1000,
    two = v => +v.toPrecision(2);
  if (seconds < 0.001) return `${two(ms * 1000)}\u00a0µs`;
  if (seconds < 1) return `${ms >= 10 ? Math.round(ms) : two(ms)}\u00a0ms`;
  if (seconds < 120)
    return `${+seconds.toPrecision(seconds < 10 ? 2 : 3)}\u00a0${isChinese() ? '秒' : 's'}`;
  if (seconds < 7200) return `${Math.round(seconds / 60)}\u00a0${isChinese() ? '分钟' : 'min'}`;
  return `${+(seconds / 3600).toPrecision(3)}\u00a0${isChinese() ? '小时' : 'h'}`;
}
