// Every word of the interface, both languages side by side.
import { COST_WORDS } from './words_cost.js';

const WORDS = {
  views: {
    zh: {
      tokens: '词元',
      lines: '连线',
      qkv: '四步 Q·K·V',
      wall: '头墙',
      order: '词序',
      lens: '一层又一层',
      params: '参数地图',
      cost: '代价',
      next: '下一个词',
    },
    en: {
      tokens: 'Tokens',
      lines: 'Attention lines',
      qkv: 'Q · K · V',
      wall: 'Head wall',
      order: 'Word order',
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
      qkv: '一个词怎样从别的词那里取东西？',
      wall: '这么多头，各自在看什么？',
      order: '打乱顺序，它还认得吗？',
      lens: '每一层添了什么？',
      params: '参数都在哪里？',
      cost: '句子变长，代价多大？',
      next: '它怎样选出下一个词？',
    },
    en: {
      tokens: 'How is a sentence cut up?',
      lines: 'Who is this word looking at?',
      qkv: 'How does a word take from other words?',
      wall: 'So many heads: what is each looking at?',
      order: 'Does it notice when words change places?',
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
  computing: { zh: (i, n) => `正在算 ${i} / ${n}…`, en: (i, n) => `computing ${i} of ${n}…` },
  // models
  models: { zh: '模型', en: 'Models' },
  kindsOfModel: {
    zh: { server: '在 heed 里', page: '在浏览器里', recording: '录下的' },
    en: { server: 'in heed', page: 'in the browser', recording: 'recorded' },
  },
  openFile: { zh: '打开文件…', en: 'Open a file…' },
  saveTrace: { zh: '存下这一句的数据', en: 'Save this sentence’s trace' },
  dropNote: {
    zh: 'GGUF 模型（2 GB 以内）或存下的数据，拖到页面上也行；文件只在这台机器里读。',
    en: 'GGUF models (up to 2 GB) and saved traces can be dropped on the page; they stay here.',
  },
  dropHere: { zh: '放下：GGUF 模型，或存下的数据', en: 'Drop a GGUF model or a saved trace' },
  ofTotal: {
    zh: (done, total) => `${done} / ${total}`,
    en: (done, total) => `${done} of ${total}`,
  },
  reading: {
    zh: (name, amount, rate) => `${name}：${amount} · ${rate}/秒`,
    en: (name, amount, rate) => `${name}: ${amount} · ${rate}/s`,
  },
  left: { zh: n => ` · 还要 ${n} 秒`, en: n => ` · ${n} s left` },
  preparing: { zh: name => `${name}：正在备好…`, en: name => `${name}: preparing…` },
  cancel: { zh: '取消', en: 'Cancel' },
  // what goes wrong
  recordedParts: {
    zh: { text: '别的句子', switches: '别的开关', lens: '这样的透镜', logits: '下一个词的分数' },
    en: {
      text: 'other sentences',
      switches: 'other switches',
      lens: 'such a lens',
      logits: 'the next token’s logits',
    },
  },
  troubles: {
    zh: {
      'no such model': m => `这里没有模型「${m}」：点模型的名字另选一个。`,
      'no model': m => `「${m}」既不是 GGUF 模型，也不是存下的数据。`,
      'no engine': m => `这个页面不带浏览器里的引擎（${m}）：请用 heed lab 打开这个文件。`,
      stopped: m => `引擎停了：${m}`,
      recorded: m => `这是录下的数据，里面没有${t('recordedParts')[m] ?? m}。`,
      AbortError: () => '没有打开模型：点「模型」选一个。',
    },
    en: {
      'no such model': m => `There is no model “${m}” here: choose another at the model’s name.`,
      'no model': m => `“${m}” is neither a GGUF model nor a saved trace.`,
      'no engine': m => `This page has no engine for the browser (${m}): use heed lab FILE.`,
      stopped: m => `The engine has stopped: ${m}`,
      recorded: m => `This is a recording, without ${t('recordedParts')[m] ?? m}.`,
      AbortError: () => 'No model is open: choose one at “Models”.',
    },
  },
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
  overflow: {
    zh: '数值在这里溢出了，没有能画的数。',
    en: 'The numbers overflow here: there is nothing to draw.',
  },
  notOpened: { zh: m => `没有打开：${m}`, en: m => `Not opened: ${m}` },
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
  // 4 query, key, value
  beats: {
    zh: ['提问', '举牌', '比对', '相加'],
    en: ['Ask', 'Hold up a card', 'Compare', 'Add'],
  },
  beatSay: {
    zh: [
      w => `课堂上，${w} 站起来问：谁有我要的东西？`,
      () => '每个同学举一张牌，写着自己能答什么。',
      w => `${w} 的问题和每张牌对一对，越合，分越高。`,
      () => '按权重，把大家带来的内容加在一起。',
    ],
    en: [
      w => `In class, ${w} stands up: who has what I need?`,
      () => 'Everyone holds up a card: what I can answer.',
      w => `${w} checks each card: the better the fit, the higher the score.`,
      () => 'What everyone brought is added up, by weight.',
    ],
  },
  beatDo: {
    zh: [
      d => `词的向量乘矩阵 W_Q，得 ${d} 个数。`,
      d => `每个词的向量乘 W_K，各得 ${d} 个数。`,
      () => '逐位相乘再相加得分数，除以 √d，softmax 成权重。',
      () => '每个词的 V × 它的权重，全部相加，就是 z。',
    ],
    en: [
      d => `The word’s vector times W_Q: ${d} numbers.`,
      d => `Each word’s vector times W_K: ${d} numbers each.`,
      () => 'Products summed give the score; ÷ √d; softmax makes shares.',
      () => 'Each word’s V × its weight, all added: that is z.',
    ],
  },
  asIf: { zh: '比方', en: 'as if' },
  inFact: { zh: '实际', en: 'in fact' },
  rowQ: { zh: '查询', en: 'query' },
  rowK: { zh: '键', en: 'key' },
  rowP: { zh: '逐位相乘', en: 'products' },
  rowW: { zh: '权重', en: 'weight' },
  rowV: { zh: '值 × 权重', en: 'value × weight' },
  nOthers: { zh: n => `其余 ${n} 词`, en: n => `${n} others` },
  nNumbers: { zh: n => `${n} 个数`, en: n => `${n} numbers` },
  turned: { zh: '按位置旋转后', en: 'turned by its position' },
  sharedKeys: {
    zh: (a, b) => `${a} 个头共用 ${b} 组键和值`,
    en: (a, b) => `${a} heads share ${b} sets of keys and values`,
  },
  pointAt: { zh: '指着一根，看它的数', en: 'point at a bar for its numbers' },
  scaleSwitch: { zh: '÷ √d（拆掉它，模型真的重算）', en: '÷ √d (off: the model is run anew)' },
  ifDivided: { zh: '要是除以别的数？', en: 'What if divided by another number?' },
  ifShare: { zh: '最大的一份', en: 'largest share' },
  ifNote: {
    zh: '页面拿这里真实的分数算的，模型没变',
    en: 'by the page, from these scores; the model stays',
  },
  ownDivisor: { zh: '模型自己的', en: 'the model’s own' },
  entropyIs: { zh: b => `${b} 比特`, en: b => `${b} bits` },
  hasBias: {
    zh: '另减一项：离得越远减得越多（ALiBi）',
    en: 'less something for distance (ALiBi)',
  },
  newWord: { zh: w => `新的${w}：z`, en: w => `the new ${w}: z` },
  madeOf: { zh: '由这些值拼成', en: 'what it is made of' },
  sumCheck: {
    zh: v => `Σ 权重 × V 与模型的 z 最多差 ${v}（舍入）`,
    en: v => `Σ weight × V and the model’s z differ by ${v} at most (rounding)`,
  },
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
  // 6 order
  oMask: { zh: ['有遮罩', '没有遮罩'], en: ['mask on', 'mask off'] },
  oPositions: { zh: ['有位置', '没有位置'], en: ['positions on', 'positions off'] },
  oShort: {
    zh: ['都有', '只有遮罩', '只有位置', '都没有'],
    en: ['both', 'mask', 'positions', 'neither'],
  },
  oTell: { zh: '分得出', en: 'can tell' },
  oSame: { zh: '差别是 0，只剩舍入：分不出', en: '0 within rounding: cannot tell' },
  oZero: { zh: '差别是 0，只剩舍入', en: '0 within rounding' },
  oSees: {
    zh: (a, b) => `前面 ${a} 词，换后 ${b} 词`,
    en: (a, b) => `sees ${a} before it, then ${b}`,
  },
  oFirst: { zh: '句一', en: 'first' },
  oSecond: { zh: '句二', en: 'second' },
  oSwapHint: {
    zh: '点两个词，让它们换位',
    en: 'pick two words to exchange',
  },
  oPair: { zh: '猫追狗', en: 'The cat saw the dog.' },
  oPrepared: { zh: w => `用「${w}」`, en: w => `Use “${w}”` },
  oOwn: { zh: '自己写第二句', en: 'write the second sentence' },
  oBack: { zh: '改回换词', en: 'back to exchanging' },
  oLayers: { zh: '一层层往上，差多少', en: 'Difference, layer by layer' },
  oScale: { zh: n => `差别：0 到 ${n} 倍自身长度`, en: n => `difference: 0 to ${n} × own length` },
  oSample: {
    zh: (k, n) => `画的是 ${n} 个数里的 ${k} 个`,
    en: (k, n) => `${k} of ${n} numbers drawn`,
  },
  oNoEffect: {
    zh: {
      mask: '遮罩开关在这个模型里不起作用：',
      positions: '位置开关在这个模型里不起作用：',
      both: '两个开关在这个模型里都不起作用：',
    },
    en: {
      mask: 'The mask switch changes nothing in this model: ',
      positions: 'The position switch changes nothing in this model: ',
      both: 'Neither switch changes anything in this model: ',
    },
  },
  oWhyNot: {
    zh: {
      order: '它按顺序一个个读，没有注意力可遮，也没有位置可拆。',
      encoder: '它是编码器，本来就没有遮罩。',
      none: '它本来就没有位置。',
      other: '每个数都和原来一样。',
    },
    en: {
      order: 'it reads in order, and has no attention to mask, no positions to remove.',
      encoder: 'it is an encoder and has no mask to begin with.',
      none: 'it has no positions to begin with.',
      other: 'every number stays as it was.',
    },
  },
  oRefused: { zh: m => `这一格没有算成：${m}`, en: m => `not computed: ${m}` },
  oNoPair: {
    zh: '这句话里没有两个不同的词可以换位。',
    en: 'There are no two different words to exchange in this sentence.',
  },
  oUnlike: {
    zh: (a, b) => `两句的词元不一样：只在句一 ${a} 个，只在句二 ${b} 个`,
    en: (a, b) => `other tokens: ${a} only in the first, ${b} only in the second`,
  },
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
  ways: {
    zh: { step: '一步', paths: '分叉', twin: '两种温度', loop: '绕圈' },
    en: { step: 'One step', paths: 'Paths', twin: '0.1 beside 1.5', loop: 'Loops' },
  },
  pPenalty: { zh: '重复惩罚', en: 'Penalty' },
  none: { zh: '没有', en: 'none' },
  copyShell: { zh: '复制命令', en: 'Copy command' },
  copyCurl: { zh: '复制 curl', en: 'Copy curl' },
  copied: { zh: '已复制', en: 'Copied' },
  stop: { zh: '停下', en: 'Stop' },
  goOn: { zh: '接着写', en: 'Go on' },
  nRuns: {
    zh: (n, k) => `${n} 遍，${k} 种`,
    en: (n, k) => `${n} runs, ${k} different`,
  },
  unlikely: { zh: '模型自己给它不到 1 %', en: 'the model gave it less than 1 %' },
  sameSeeds: { zh: n => `种子 1 到 ${n}，两边一样`, en: n => `seeds 1 to ${n} on both sides` },
  pathKinds: {
    zh: { greedy: '每步取最大', drawn: '抽到的', beam: '束搜索', rival: '没有走的路' },
    en: { greedy: 'largest each time', drawn: 'drawn', beam: 'beam search', rival: 'not taken' },
  },
  otherPaths: { zh: '再抽几条', en: 'Draw others' },
  fromHere: { zh: '点一个词，从那里接着写', en: 'pick a word to go on from there' },
  beamN: { zh: n => `束搜索第 ${n}`, en: n => `beam ${n}` },
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
  oField: { zh: '在追踪里', en: 'In the trace' },
  oWish: { zh: '请求', en: 'Asked for' },
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
      fined: '概率 = softmax(罚过的分数)：出现过的词，分数 > 0 就 ÷ r，否则 × r',
      step: '模型自己给这个词的概率，在它前面那些词之后',
      tally: '同样的词元出来了几遍：数出来的',
      chance: '一路上各个概率的乘积',
      beam: 'e 的（对数概率之和）次方',
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
      q_rot: '查询：词的向量 × W_Q，再按位置旋转',
      k_rot: '键：词的向量 × W_K，再按位置旋转',
      attn_norm: '归一化之后的词向量',
      v: '值：词的向量 × W_V',
      z: '这个头给出的向量：Σ 权重 × V',
      product: '这一维的 q × k；k 在这里，q 在 q_rot 的同一维',
      score: '分数 = Σ q × k；k 是这一行里这个头的那一段',
      scaled: '分数 ÷ √d；k 是这一行里这个头的那一段',
      divided: '权重，要是分数除以别的数：页面算的',
      difference: '两句里同一个词的向量相减，‖a − b‖ ÷ 两者长度的平均；a 是这一行',
      mlp_act: '前馈这一行的激活，乘进下一个矩阵的数',
    },
    en: {
      pattern: 'weight = softmax(q·k ÷ √d); a row sums to 1',
      hidden: 'weight ÷ (1 − weight of the first word), which is hidden',
      next_logits: 'probability = softmax(logit), over the whole vocabulary',
      fined: 'softmax after the penalty: of a token that occurred, l ÷ r, or l × r below 0',
      step: 'what the model itself gives this token after those before it',
      tally: 'how often these tokens came out: counted',
      chance: 'the product of the probabilities on the way',
      beam: 'e to the sum of log-probabilities',
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
      q_rot: 'query: the word’s vector × W_Q, then turned by its position',
      k_rot: 'key: the word’s vector × W_K, then turned by its position',
      attn_norm: 'the word’s vector after the norm',
      v: 'value: the word’s vector × W_V',
      z: 'what this head gives: Σ weight × V',
      product: 'q × k in this dimension; k is here, q in the same one of q_rot',
      score: 'score = Σ q × k; k is this head’s part of this row',
      scaled: 'score ÷ √d; k is this head’s part of this row',
      divided: 'the weight if scores were divided by something else: reckoned by the page',
      difference: 'the same word in both sentences, ‖a − b‖ ÷ their mean length; a is this row',
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
  thTimes: { zh: '次数', en: 'times' },
  thText: { zh: '文字', en: 'text' },
  thScore: { zh: '分数', en: 'score' },
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
/** The short sentence of view 6, in the writing of this one. */
export const pairLike = text => WORDS.oPair[/\p{Script=Han}/u.test(text) ? 'zh' : 'en'];
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
/** A share that may be very small: 4 %, 1/4,321, 2×10⁻¹¹. */
export function chance(x) {
  if (x >= 0.001 || x === 0) return pct(x, 1);
  return x >= 1e-5 ? `1/${count(1 / x)}` : tiny(x);
}
/** Three figures, with a true minus. */
export const three = v => (Number.isFinite(v) ? String(+v.toPrecision(3)).replace('-', '−') : '—');
/** So many decimals, with a true minus, and none before a 0. */
export function fixed(v, digits) {
  const text = v.toFixed(digits);
  return Number(text) === 0 ? text.replace('-', '') : text.replace('-', '−');
}
const RAISED = { '-': '⁻', ...[...'⁰¹²³⁴⁵⁶⁷⁸⁹'] };
/** 10⁻⁷ */
export const power = p => `10${[...String(p)].map(c => RAISED[c]).join('')}`;
/** A number that may be very small: 1.57, 0.042, 3×10⁻⁷. */
export function tiny(v) {
  if (!Number.isFinite(v) || v === 0) return v === 0 ? '0' : '—';
  if (v >= 0.001) return v.toFixed(v >= 0.1 ? 2 : v >= 0.01 ? 3 : 4);
  const [figure, exponent] = v.toExponential(0).split('e');
  return `${figure}×${power(exponent)}`;
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

/** A number of bytes: 3.8 MB. */
export const size = n =>
  n >= 1e9 ? `${(n / 1e9).toFixed(2)}\u00a0GB` : `${(n / 1e6).toFixed(n < 1e8 ? 1 : 0)}\u00a0MB`;
/** What a path or an address is called. */
export const fileName = path => path.replace(/^.*[\\/]/, '').replace(/\.gguf$/, '') || path;
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
