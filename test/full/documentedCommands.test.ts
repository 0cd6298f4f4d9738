import { cpSync, existsSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { connectWallet } from '../../devnet/wallet/index.ts'
import { blocks } from '../docs/blocks.ts'
import type { HardhatProcess } from '../plugin/hardhatProcess.ts'
import { freePort } from '../support/freePort.ts'
import { type Consumer, createConsumer, pack } from './consumer.ts'

const examples = fileURLToPath(new URL('../../examples/', import.meta.url))

/** Blocks whose comments name this file, and those that a test here has taken. */
const named = blocks.filter(({ comment }) => comment.includes('full/documentedCommands.test.ts'))
const taken = new Set<string>()

let packed: ReturnType<typeof pack>
let project: Consumer
let ports: readonly [number, number]

beforeAll(async () => {
  packed = pack()
  project = createConsumer()
  // The folder is empty, as the README has it.
  rmSync(join(project.folder, 'package.json'))
  const install = commandsOf('README.md', 'npm init').join('\n')
  await run(install.replace('hardhat-pending-node ', `${packed.file} `))
  cpSync(join(examples, 'viem-vitest/hardhat.config.ts'), join(project.folder, 'hardhat.config.ts'))
})
beforeEach(async () => {
  ports = [await freePort(), await freePort()]
})
afterAll(() => {
  project[Symbol.dispose]()
  packed[Symbol.dispose]()
})

/** The lines of the block in a document that holds these words. */
function commandsOf(document: string, words: string): readonly string[] {
  const found = named.filter((one) => one.document === document && one.code.includes(words))
  expect(found).toHaveLength(1)
  const { code = '', line } = found[0] ?? {}
  taken.add(`${document}:${line}`)
  return code.trimEnd().split('\n')
}

/** A command as it is, but with other ports, which nobody uses. */
function onPorts(command: string): string {
  const [one, other] = ports.map(String)
  return command
    .replace(/pending-node (?:seal|status)\b/g, '$& --url http://127.0.0.1:8545')
    .replace(/pending-node (?=--)(?!--help|.*--port)/g, '$&--port 8545 ')
    .replaceAll('8545', `${one}`)
    .replaceAll('8546', `${other}`)
}

/** Runs commands to their end. */
async function run(script: string, env: NodeJS.ProcessEnv = {}): Promise<string> {
  const quiet = { npm_config_prefer_offline: 'true', npm_config_audit: 'false' }
  await using shell = project.shell(`set -e\n${script}`, { ...quiet, ...env })
  const { code, stdout, stderr } = await shell.ended
  expect(code, stdout + stderr).toBe(0)
  return stdout
}

/** Starts a node, and waits until it listens. */
async function start(command = '', env: NodeJS.ProcessEnv = {}): Promise<HardhatProcess> {
  const node = project.shell(onPorts(command), env)
  expect(await node.firstLine).toContain('http://127.0.0.1:')
  return node
}

/** Ends a node as Ctrl-C does, which a terminal sends to all of its processes. */
async function end({ child, ended }: HardhatProcess) {
  process.kill(-Number(child.pid), 'SIGINT')
  await ended
}

async function ask(path: string, method: string, params: unknown): Promise<unknown> {
  const response = await fetch(`http://127.0.0.1:${path}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }),
  })
  return await response.json()
}

async function resultOf(method: string, port = ports[0]): Promise<unknown> {
  const answer = await ask(`${port}`, method, [])
  return typeof answer === 'object' && answer !== null && 'result' in answer ? answer.result : null
}

test('README.md: a node for other programs, and both views of its chain', async () => {
  await using _ = await start(commandsOf('README.md', '--frozen').join('\n'))
  const commands = commandsOf('README.md', 'rpc()')
  const results = [...(await run(onPorts(commands.join('\n')))).matchAll(/"result":("0x\d")\}/g)]
  const expected = commands.flatMap((line) => /# ("0x\d"):/.exec(line)?.[1] ?? [])
  expect(expected).toHaveLength(3)
  expect(results.map(([, result]) => result)).toEqual(expected)
})

test('plugin/README.md: the program', async () => {
  const [install = '', node, ...others] = commandsOf('plugin/README.md', '--help')
  await run(install.replace('hardhat-pending-node', packed.file))
  await using _ = await start(node)
  const printed = await run(onPorts(others.join('\n')))
  expect(printed).toContain('Usage: npx pending-node')
})

test('devnet/persistence/README.md: a chain that continues', async () => {
  const [first, second] = commandsOf('devnet/persistence/README.md', '--state')
  await using node = await start(first)
  await resultOf('evm_mine')
  await end(node)
  expect(existsSync(join(project.folder, 'state.json'))).toBe(true)
  await using other = await start(second)
  expect(Number(await resultOf('eth_blockNumber'))).toBeGreaterThan(0)
  await end(other)
  expect(existsSync(join(project.folder, 'other.json'))).toBe(true)
})

test('devnet/stream/README.md: a node that follows', async () => {
  await using _leader = await start('npx pending-node --frozen')
  await using _follower = await start(commandsOf('devnet/stream/README.md', '--follow').join('\n'))
  await resultOf('preconf_seal')
  await expect.poll(() => resultOf('eth_blockNumber', ports[1])).toBe('0x1')
})

test('devnet/wallet/README.md: a request that waits, and commands from another process', async () => {
  const [node, ...client] = commandsOf('devnet/wallet/README.md', '--wallet-policy hold')
  const TOKEN = 'of-the-documents'
  await using _wallet = await start(node, { PENDING_NODE_WALLET_TOKEN: TOKEN })
  const [, other] = /another node there: (.*)\)/.exec(client.join('\n')) ?? []
  await using _other = await start(other)
  const url = `http://127.0.0.1:${ports[0]}/wallet`
  const wallet = connectWallet({ url, token: TOKEN })
  const answer = run(onPorts(client.join('\n')))
  await wallet.approve((await wallet.waitFor({ method: 'wallet_addEthereumChain' })).id)
  expect(client.at(-1)).toContain((await answer).trim())

  await wallet.policy({ default: 'approve' })
  await ask(`${ports[0]}/wallet`, 'eth_requestAccounts', [])
  await wallet.policy({ default: 'hold' })
  const [{ address: from } = { address: null }] = await wallet.accounts()
  const sent = ask(`${ports[0]}/wallet`, 'eth_sendTransaction', [{ from, to: from, value: '0x1' }])
  const { id } = await wallet.waitFor({ method: 'eth_sendTransaction' })
  const control = commandsOf('devnet/wallet/README.md', 'control()').join('\n')
  const printed = await run(onPorts(control).replaceAll('"id":"7"', `"id":"${id}"`), { TOKEN })
  expect(printed).not.toContain('"error"')
  expect(printed).toContain(`"id":"${id}"`)
  expect(await sent).toMatchObject({ result: expect.stringMatching(/^0x[0-9a-f]{64}$/) })
})

test('every block that names this file is run by it', () => {
  expect(new Set(named.map(({ document, line }) => `${document}:${line}`))).toEqual(taken)
})
