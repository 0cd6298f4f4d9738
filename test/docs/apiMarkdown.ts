import { readFileSync } from 'node:fs'

/** The declarations of the page, by the files that the build writes, in the order of the page. */
const PARTS: readonly Part[] = [
  { title: 'A devnet', file: 'devnet/index', names: ['createDevnet'] },
  {
    file: 'devnet/types',
    names: ['Devnet', 'ClockControl', 'Provider', 'DevAccount', 'DashboardAddress'],
  },
  { title: 'connection.pendingNode', file: 'plugin/types', names: ['PendingNode'] },
  { file: 'plugin/types', names: ['WaitOptions', 'TransactionError'] },
  { title: 'The status', file: 'devnet/types', names: ['Status', 'PreconfirmedSummary'] },
  { file: 'devnet/statusTypes', names: ['ClockStatus', 'ForkStatus'] },
  {
    title: 'Events',
    file: 'devnet/types',
    names: [
      ...['DevnetEvents', 'TickEvent', 'TickTransaction', 'SealEvent', 'UndoEvent'],
      ...['ConsoleLogEvent', 'RequestEvent', 'WalletRequestEvent', 'ForkEvent', 'ChainFileEvent'],
      ...['LoadEvent', 'ImportEvent', 'SaveEvent', 'CoverageEvent', 'LoggingEvent'],
    ],
  },
  { title: "The mock wallet's user", file: 'devnet/wallet/types', names: ['WalletControl'] },
]

const DEVNET = "declare const devnet: import('hardhat-pending-node/devnet').Devnet"

/** Lines above the examples of a file: a test that runs them as JavaScript, or their context. */
const EXAMPLES: Readonly<Record<string, readonly [comment: string, fence: string]>> = {
  'plugin/types': ['<!-- run by test/plugin/network/examples.test.ts -->', '```js'],
  'devnet/index': [
    "<!-- types: import { createDevnet } from 'hardhat-pending-node/devnet' -->",
    '```ts',
  ],
  'devnet/types': [`<!-- types: ${DEVNET} -->`, '```ts'],
  'devnet/wallet/types': [`<!-- types: ${DEVNET} -->`, '```ts'],
}

const NAMES = new Set(PARTS.flatMap(({ names }) => names))

interface Part {
  readonly title?: string
  readonly file: string
  readonly names: readonly string[]
}

interface Declared {
  /** Without its comment, in one line. */
  readonly text: string
  readonly comment: Comment
  /** Of an interface, or of an object that the member holds. */
  readonly members: readonly Declared[]
}

interface Comment {
  readonly text: string
  readonly tags: readonly { readonly name: string; readonly text: string }[]
}

/**
 * Reference of the API, from the declarations of the last build and their comments.
 *
 * @throws {Error} if a declaration of the page is not there
 */
export function apiMarkdown(): string {
  return PARTS.flatMap(({ title, file, names }) => [
    ...(title === undefined ? [] : [`## ${title}`, '']),
    ...names.flatMap((name) => section(name, declarationOf(file, name), EXAMPLES[file])),
  ]).join('\n')
}

function declarationOf(file: string, name: string): Declared {
  const text = readFileSync(new URL(`../../dist/${file}.d.ts`, import.meta.url), 'utf8')
  const found = declaredIn(text, '').find((one) =>
    new RegExp(`\\b(?:interface|function) ${name}\\b`).test(one.text),
  )
  if (found === undefined) throw new Error(`dist/${file}.d.ts declares no ${name}`)
  return found
}

/** The declarations at one depth of a declaration file, which the compiler indents by 4. */
function declaredIn(text: string, indent: string): Declared[] {
  const form = new RegExp(
    `(?:^${indent}(/\\*\\*(?:(?!\\*/)[\\s\\S])*\\*/)\\n?)?^${indent}(?=[^\\s/])(.*(?:\\n(?:${indent}(?:\\s|[})\\]]).*|))*)`,
    'gm',
  )
  return [...text.matchAll(form)].map(([, comment = '', code = '']) => {
    const [, body] = /\{\n([\s\S]*)^\s*\}/m.exec(code) ?? []
    return {
      text: code
        .replace(/\/\*\*[\s\S]*?\*\//g, '')
        .replace(/\s+/g, ' ')
        .replace(/;? ?$|^export (?:declare )?/g, '')
        .replace(/\breadonly (?=\w+\??:)/g, '')
        .replace(/(\?: [^;]*?) \| undefined(?=;|$)/g, '$1')
        .replaceAll('; }', ' }'),
      comment: commentOf(comment),
      members: body === undefined ? [] : declaredIn(body, `${indent}    `),
    }
  })
}

function commentOf(raw: string): Comment {
  const lines = raw.replace(/^\/\*\*|\*\/$/g, '').replace(/^ *\* ?/gm, '')
  const [text = '', ...tags] = lines.split(/(?:^|(?<=\s))@(?=(?:param|returns|throws|example)\b)/)
  return {
    text: prose(text),
    tags: tags.map((tag) => {
      const [, name = '', rest = ''] = /^(\w+)\s*([\s\S]*)$/.exec(tag) ?? []
      return { name, text: name === 'example' ? rest.trim() : prose(rest) }
    }),
  }
}

/** Paragraphs, each in one line. */
function prose(text: string): string {
  return text
    .replace(/\{@link (\S+?)\}/g, (_, name) => code(name))
    .replace(/(?<!^)\{(\w+Error)\}/g, '`$1`')
    .trim()
    .replace(/(?<!\n)\n(?!\n)/g, ' ')
}

function section(
  name: string,
  { text, comment, members }: Declared,
  lines: readonly string[] = [],
): string[] {
  const base = / extends (\w+) \{/.exec(text)?.[1]
  return [
    `### ${name}`,
    '',
    ...(members.length === 0 ? [`\`${text}\``, ''] : []),
    ...explained(comment, lines),
    ...(base === undefined ? [] : [`It has the fields of ${code(base)}, and these:`, '']),
    ...(members.some((one) => one.comment.tags.length > 0 || /^\w+[<(]/.test(one.text))
      ? members.flatMap((one) => [`**\`${one.text}\`**`, '', ...explained(one.comment, lines)])
      : table(members)),
  ]
}

function explained({ text, tags }: Comment, lines: readonly string[]): string[] {
  const list = tags.filter(({ name }) => name !== 'example').map((tag) => `- ${tagText(tag)}`)
  const examples = tags.filter(({ name }) => name === 'example')
  return [
    ...(text === '' ? [] : [text, '']),
    ...(list.length === 0 ? [] : [...list, '']),
    ...examples.flatMap((example) => [...lines, example.text, '```', '']),
  ]
}

function tagText({ name, text }: Comment['tags'][number]): string {
  if (name === 'param') return text.replace(/^([\w.]+) -/, '`$1`:')
  const [, error, rest = ''] = /^\{(\w+)\}\s*([\s\S]*)$/.exec(text) ?? []
  const thrown = error === undefined ? text : `\`${error}\` ${rest}`
  return name === 'throws' ? `Throws ${thrown}` : `Returns ${text}`
}

function table(members: readonly Declared[]): string[] {
  if (members.length === 0) return []
  return ['| Field | Type | |', '|---|---|---|', ...members.flatMap((one) => rows(one, '')), '']
}

/** The row of a field, and those of an object that it holds. */
function rows({ text, comment, members }: Declared, path: string): string[] {
  const [, name = '', type = ''] = /^(\w+\??): (.*)$/.exec(text) ?? []
  const isList = type.endsWith('[]')
  const object = isList ? 'list' : type.endsWith('| null') ? 'object or `null`' : 'object'
  const inner = `${path}${name.replace('?', '')}${isList ? '[]' : ''}.`
  const cells = [`\`${path}${name}\``, members.length > 0 ? object : code(type), comment.text]
  return [
    `| ${cells.map((cell) => cell.replaceAll('|', '\\|').replace(/\s+/g, ' ')).join(' | ')} |`,
    ...members.flatMap((one) => rows(one, inner)),
  ]
}

/** Code, with a link if it is a name that the page explains, or a list of such. */
function code(text: string): string {
  const name = text.replace(/^readonly |\[\]$/g, '')
  return NAMES.has(name) ? `[\`${text}\`](#${name.toLowerCase()})` : `\`${text}\``
}
