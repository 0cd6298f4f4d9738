import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { chmodSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { parse } from 'yaml'
import { freePort } from '../support/freePort.ts'
import { askNode } from '../support/peerNode.ts'
import { pack } from './consumer.ts'

const root = fileURLToPath(new URL('../..', import.meta.url))

interface Action {
  readonly inputs: Readonly<Record<string, { readonly default: string }>>
  readonly outputs?: Readonly<Record<string, { readonly value: string }>>
  readonly runs: {
    readonly steps: readonly {
      readonly id?: string
      readonly if?: string
      readonly uses?: string
      readonly run?: string
      readonly env?: Readonly<Record<string, string>>
    }[]
  }
}

const action = (path: string): Action =>
  parse(readFileSync(join(root, '.github/actions', path, 'action.yml'), 'utf8'))
const actions = { start: action('pending-node'), stop: action('pending-node/stop') }

let folder: string
let port: number

beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'pending-node-action-'))
  const program = join(folder, 'project/node_modules/.bin/pending-node')
  mkdirSync(dirname(program), { recursive: true })
  const binary = join(root, 'dist/plugin/bin/pending-node.js')
  writeFileSync(program, `#!/bin/sh\nexec "${process.execPath}" "${binary}" "$@"\n`)
  chmodSync(program, 0o755)
  port = await freePort()
})
afterEach(async () => {
  await play('stop')
  rmSync(folder, { recursive: true, force: true, maxRetries: 3 })
})

interface Played {
  readonly code: number | null
  readonly printed: string
  /** Of the step, by their names. */
  readonly outputs: Readonly<Record<string, string>>
}

/** Runs the shell step of an action, as a runner of GitHub does. */
async function play(
  name: keyof typeof actions,
  inputs: Record<string, string> = {},
): Promise<Played> {
  const { inputs: known, runs } = actions[name]
  const [step] = runs.steps
  const values = Object.fromEntries(
    Object.entries(known).map(([input, { default: value }]) => [input, inputs[input] ?? value]),
  )
  const filled: Readonly<Record<string, string>> = { ...values, port: String(port) }
  const env = Object.entries(step?.env ?? {}).map(([variable, text]) => [
    variable,
    text.replace(/\$\{\{ inputs\.([\w-]+) \}\}/g, (_, input) => filled[input] ?? 'unknown'),
  ])
  const output = join(folder, 'output')
  const script = join(folder, 'step.sh')
  writeFileSync(output, '')
  writeFileSync(script, step?.run ?? '')
  const child = spawn('bash', ['--noprofile', '--norc', '-eo', 'pipefail', script], {
    cwd: join(folder, 'project'),
    env: {
      ...process.env,
      ...Object.fromEntries(env),
      RUNNER_TEMP: folder,
      GITHUB_OUTPUT: output,
    },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  let printed = ''
  for (const stream of [child.stdout, child.stderr]) {
    stream.on('data', (data) => {
      printed += String(data)
    })
  }
  // Ends only when nothing that the step leaves behind holds its output any more.
  await once(child, 'close')
  const outputs = readFileSync(output, 'utf8')
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => line.split('='))
  return { code: child.exitCode, printed, outputs: Object.fromEntries(outputs) }
}

const answers = (url: string) =>
  fetch(`${url}/health`).then(
    ({ ok }) => ok,
    () => false,
  )

test('a job has a node with its options from the first step until it is stopped', async () => {
  const options = '--instant\n--chain-id 77 --quiet\n'
  const { code, printed, outputs } = await play('start', { options })
  expect(code, printed).toBe(0)
  expect(outputs).toEqual({
    url: `http://127.0.0.1:${port}`,
    log: `${folder}/pending-node-${port}.log`,
  })
  const url = outputs.url ?? ''
  expect(await askNode(url, 'eth_chainId')).toBe('0x4d')

  const stopped = await play('stop')
  expect(stopped.code, stopped.printed).toBe(0)
  expect(stopped.printed).toContain(`JSON-RPC server at ${url}`)
  expect(stopped.printed).not.toContain('::warning::')
  expect(stopped.outputs).toEqual({ log: outputs.log })
  expect(await answers(url)).toBe(false)
})

test('a job that started no node, or whose node has ended, is stopped without an error', async () => {
  const nothing = await play('stop')
  expect(nothing).toEqual({
    code: 0,
    printed: `::notice::No node was started on port ${port}.\n`,
    outputs: {},
  })
  const { outputs } = await play('start')
  process.kill(Number(readFileSync(join(folder, `pending-node-${port}.pid`), 'utf8')), 'SIGTERM')
  await expect.poll(() => answers(outputs.url ?? '')).toBe(false)
  expect((await play('stop')).code).toBe(0)
})

test('a node that cannot start says why', async () => {
  const { code, printed, outputs } = await play('start', { options: '--chain-id none' })
  expect(code).toBe(1)
  expect(printed).toContain('--chain-id')
  expect(printed).toContain(`::error::The node did not answer on port ${port}`)
  expect(Object.keys(outputs)).toEqual(['log'])
})

test('another program on the port is not taken for the node', async () => {
  const server = createServer((_, response) => response.end('{"status":"ok"}'))
  server.listen(port, '127.0.0.1')
  await once(server, 'listening')
  try {
    const { code, printed } = await play('start')
    expect(code).toBe(1)
    expect(printed).toContain(String(port))
  } finally {
    server.closeAllConnections()
    server.close()
  }
})

test('a project without the package is told what to do', async () => {
  rmSync(join(folder, 'project/node_modules'), { recursive: true })
  const { code, printed } = await play('start')
  expect(code).toBe(1)
  expect(printed).toMatch(
    /^::error::.*pending-node is missing\. Install .* or set the input "package"\.\n$/,
  )
})

test('a project of another language names the package', async () => {
  rmSync(join(folder, 'project/node_modules'), { recursive: true })
  using packed = pack()
  const { code, printed, outputs } = await play('start', { package: packed.file })
  expect(code, printed).toBe(0)
  expect(await answers(outputs.url ?? '')).toBe(true)
})

test('the actions pass on what their steps say, and keep the log of a job that failed', () => {
  expect(Object.keys(actions.start.outputs ?? {})).toEqual(['url', 'log'])
  for (const [name, { value }] of Object.entries(actions.start.outputs ?? {})) {
    expect(value).toBe(`\${{ steps.start.outputs.${name} }}`)
  }
  const [, upload] = actions.stop.runs.steps
  expect(upload?.uses).toMatch(/^actions\/upload-artifact@v\d+$/)
  expect(upload?.if).toContain("job.status == 'failure'")
})
