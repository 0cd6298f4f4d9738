import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { gunzipSync } from 'node:zlib'
import { createDevnet } from '../../devnet/index.ts'
import type { OptionDefinition, ValueDefinition } from '../../devnet/options/optionDefinition.ts'
import { optionTable, shownDefault } from '../../devnet/options/optionTable.ts'
import { optionFlag } from '../../devnet/options/optionText.ts'
import { walletOptionTable } from '../../devnet/options/walletOptions.ts'
import { methodTable } from '../../devnet/rpc/methodTable.ts'
import { COMMON_OPTIONS, CONTROL_COMMANDS } from '../../plugin/tasks/control-commands.ts'
import { Declarations } from './declarations.ts'

const root = new URL('../../', import.meta.url)

/** All that keeps its meaning within a major version, as text in which a change is easy to see. */
export async function apiReport(): Promise<string> {
  return [
    'What keeps its meaning as STABILITY.md says. Written by `npm run generate`, after a build.',
    ...section('Command line, and options of createDevnet() and of networks', options()),
    ...section('Options of the wallet', definitions(walletOptionTable)),
    ...section('Commands to a running node', commands()),
    ...section('JSON-RPC methods', Object.keys(methodTable).sort()),
    ...section('Fields of a state file', await stateFields()),
    ...exported(),
  ]
    .join('\n')
    .concat('\n')
}

function section(title: string, lines: readonly string[]): string[] {
  return ['', `== ${title}`, '', ...lines]
}

function options(): string[] {
  return Object.entries<OptionDefinition>(optionTable).map(([name, option]) => {
    const { alias, shorthand } = option
    const spellings = [name, ...(alias === undefined ? [] : [alias])].map(optionFlag)
    const short =
      shorthand === undefined ? '' : `, ${optionFlag(shorthand.flag)} for ${shorthand.value}`
    return `${spellings.join(', ')}${short}: ${valueText(option)}`
  })
}

function definitions(table: Readonly<Record<string, ValueDefinition>>): string[] {
  return Object.entries(table).map(([name, option]) => `${name}: ${valueText(option)}`)
}

function valueText(option: ValueDefinition): string {
  const type = option.type === 'choice' ? option.choices.join(' | ') : option.type
  return `${type} = ${shownDefault(option)}`
}

function commands(): string[] {
  return Object.entries(CONTROL_COMMANDS).map(([name, { options: own }]) => {
    const flags = Object.entries({ ...own, ...COMMON_OPTIONS }).map(([option, { type }]) =>
      type === 'flag' ? optionFlag(option) : `${optionFlag(option)} <text>`,
    )
    return [name, ...flags].join(' ')
  })
}

/** Paths of the fields in the dump of a chain that has some of everything. */
async function stateFields(): Promise<string[]> {
  await using devnet = createDevnet({ port: 0, frozen: true, timestamp: 1_800_000_000 })
  await devnet.start()
  const request = (method: string, ...params: unknown[]) =>
    devnet.provider.request({ method, params })
  await devnet.clock.freeze({ ticks: true })
  const [from, to] = devnet.accounts.map(({ address }) => address)
  // Writes a slot and returns no code.
  await request('eth_sendTransaction', { from, data: '0x600160005500', gas: '0x30000' })
  await devnet.clock.advance({ blocks: 1 })
  await request('hardhat_setBalance', to, '0x1')
  await request('hardhat_setNextBlockBaseFeePerGas', '0x3b9aca00')
  await request('eth_sendTransaction', { from, to, value: '0x1' })
  await devnet.clock.advance({ ticks: 1 })
  await request('eth_sendTransaction', { from, to, value: '0x1', nonce: '0x9' })
  const dump = Buffer.from(String(await request('hardhat_dumpState')).slice(2), 'hex')
  const paths = new Set<string>()
  walk(JSON.parse(gunzipSync(dump).toString()), '', paths)
  const format = /"format":\d+/.exec(gunzipSync(dump).toString())?.[0]
  return [`${format}`, ...[...paths].sort()]
}

/** Adds the path of each value; lists and maps by hashes and addresses are one step each. */
function walk(value: unknown, path: string, paths: Set<string>) {
  if (Array.isArray(value)) for (const entry of value) walk(entry, `${path}[]`, paths)
  else if (typeof value === 'object' && value !== null) {
    for (const [name, entry] of Object.entries(value)) {
      walk(entry, `${path}${/^0x/.test(name) ? '{}' : `.${name}`}`, paths)
    }
  } else paths.add(path.slice(1))
}

function exported(): string[] {
  const manifest: { readonly exports: Record<string, string | { types: string }> } = JSON.parse(
    readFileSync(new URL('package.json', root), 'utf8'),
  )
  const entries = Object.entries(manifest.exports).flatMap(([name, entry]) =>
    typeof entry === 'string'
      ? []
      : [
          {
            name: `hardhat-pending-node${name.slice(1)}`,
            file: fileURLToPath(new URL(entry.types, root)),
          },
        ],
  )
  const files = entries.map(({ file }) => file)
  const declarations = new Declarations(files)
  const lines = entries.flatMap(({ name, file }) => {
    const from = entries.find((entry) => declarations.includes(file, entry.file))
    const repeated = new Set(from && declarations.exportsOf(from.file).keys())
    const own = [...declarations.exportsOf(file)].filter(([one]) => !repeated.has(one))
    const named = (wanted: boolean) =>
      own.flatMap(([one, { isType }]) => (isType === wanted ? [one] : []))
    const rest = from === undefined ? [] : [`those of ${from.name}`]
    return [
      name,
      ...wrapped('values', named(false)),
      ...wrapped('types', [...named(true), ...rest]),
    ]
  })
  return [
    ...section('Exports of the package', lines),
    ...section('Declarations of these exports, and of what they name', declarations.textsOf(files)),
  ]
}

/** A list in lines of at most 100 columns. */
function wrapped(title: string, words: readonly string[]): string[] {
  if (words.length === 0) return []
  const lines: string[] = []
  let line = `  ${title}:`
  for (const [index, word] of words.entries()) {
    const next = ` ${word}${index < words.length - 1 ? ',' : ''}`
    if (line.length + next.length > 100) {
      lines.push(line)
      line = '   '
    }
    line += next
  }
  return [...lines, line]
}
