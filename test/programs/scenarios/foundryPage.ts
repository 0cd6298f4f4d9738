// Runs the blocks of the page about Foundry.
import { spawnSync } from 'node:child_process'
import { cpSync, readFileSync } from 'node:fs'
import { delimiter, dirname } from 'node:path'
import { cast, foundryFolder, foundryProgram, solc, url } from './support.ts'

const page = readFileSync(new URL('../../../devnet/FOUNDRY.md', import.meta.url), 'utf8')
const marker = '<!-- run by test/programs/scenarios/foundryPage.ts -->\n'
const blocks = [...page.matchAll(/^```sh\n(.*?)^```$/gms)]
  .map(({ index, 1: text = '' }) => ({ text, isMarked: page.slice(0, index).endsWith(marker) }))
  .filter(({ text }) => /\b(?:cast|forge)\b/.test(text))
if (blocks.length === 0) throw new Error('The page has no blocks.')
if (blocks.some(({ isMarked }) => !isMarked)) throw new Error('A block of the page has no marker.')

/** Options that a block asks for in its first line, one of which is enough. */
const status: { instant: boolean; modes: { receipts: string } } = JSON.parse(
  cast('rpc', 'preconf_status'),
)
const isGiven: Readonly<Record<string, boolean>> = {
  '--instant': status.instant,
  '--receipts sealed': status.modes.receipts === 'sealed',
}

cpSync(foundryFolder, '.', { recursive: true })
const programs = (['cast', 'forge'] as const).map((name) => dirname(foundryProgram(name)))
const PATH = [...programs, process.env.PATH].join(delimiter)
for (const { text } of blocks) {
  const [, wanted] = /^# with (.*)\n/.exec(text) ?? []
  if (wanted?.split(' or ').every((option) => isGiven[option] !== true)) continue
  const script = text.replaceAll('http://127.0.0.1:8545', url)
  const { status: code } = spawnSync('sh', ['-euxc', script], {
    env: { ...process.env, PATH, FOUNDRY_OFFLINE: 'true', FOUNDRY_SOLC: solc },
    stdio: ['ignore', 'inherit', 'inherit'],
  })
  if (code !== 0) throw new Error(`A block of the page fails:\n${text}`)
}
