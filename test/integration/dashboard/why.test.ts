import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { encodeFunctionData, type Hex } from 'viem'
import { describe, expect, test } from 'vitest'
import { ArtifactFolder } from '../../../plugin/artifacts/artifact-folder.ts'
import { ALICE, startDashboard } from '../../devnet/dashboard/support.ts'
import { type BuildSettings, buildProject } from '../../support/builtProject.ts'
import { placeOf, SOURCES } from './project.ts'

const LIBRARY = `0x${'11'.repeat(20)}` as const

async function start(settings: BuildSettings = {}, options: object = {}) {
  const project = buildProject(SOURCES, settings)
  const contracts = new ArtifactFolder(project.artifacts)
  const started = await startDashboard({ contracts, frozen: true, ...options })
  const { rpc, ask } = started
  const send = async (to: Hex | undefined, data: Hex) => {
    // Little for calls, one of which uses up all of it.
    const request = { from: ALICE, to, data, gas: to === undefined ? '0x500000' : '0x40000' }
    const hash = (await rpc('eth_sendTransaction', request)) as Hex
    await rpc('preconf_advance', { ticks: 1 })
    return hash
  }
  const deploy = async (name: string, ...args: readonly unknown[]) => {
    // The only library that is linked is not deployed: its calls fail in the caller.
    const data = project.creation(name, ...args).replace(/__\$.{34}\$__/g, LIBRARY.slice(2)) as Hex
    const hash = await send(undefined, data)
    const receipt = (await rpc('eth_getTransactionReceipt', hash)) as { contractAddress: Hex }
    return receipt.contractAddress
  }
  const failing = async (name: string, to: Hex, functionName: string, ...args: unknown[]) => {
    const { abi } = project.contract(name)
    const hash = await send(to, encodeFunctionData({ abi, functionName, args }))
    return ask('trace', { hash })
  }
  return { ...started, project, send, deploy, failing }
}

/** A stack as the terminal writes it. */
function written(
  stack: readonly {
    contract: string | null
    function: string | null
    file: string
    line: number
  }[],
) {
  return stack.map(
    ({ contract, function: name, file, line }) =>
      `${[contract, name].filter((each) => each !== null).join('.')} ${file}:${line}`,
  )
}

/** The place of a case, written so. */
function at(name: string, place: string): string {
  const { file, line } = placeOf(place)
  return `${name} ${file}:${line}`
}

/** Calls that fail, and the lines that led there, innermost first. */
const CASES: readonly [
  contract: string,
  name: string,
  args: readonly unknown[],
  lines: string[],
][] = [
  ['Vault', 'withdraw', [1n], [at('Vault._take', 'custom'), at('Vault.withdraw', 'takes')]],
  ['Vault', 'silent', [9n], [at('Vault.silent', 'silent')]],
  ['Vault', 'overflow', [9], [at('Vault.overflow', 'overflow')]],
  ['Vault', 'element', [9n], [at('Vault.element', 'index')]],
  ['Vault', 'modified', [], [at('Owned.modifier onlyOwner', 'modifier')]],
  ['Vault', 'inherited', [], [at('Owned.check', 'inherited'), at('Vault.inherited', 'checks')]],
  ['Vault', 'viaLibrary', [0n], [at('Checks.positive', 'library'), at('Vault.viaLibrary', 'uses')]],
  ['Vault', 'viaLibrary', [1n], [at('half', 'free'), at('Vault.viaLibrary', 'uses')]],
  ['Vault', 'viaExternal', [1n], [at('Vault.viaExternal', 'to the library')]],
  ['Vault', 'loop', [7n], [at('Vault.loop', 'loop')]],
  [
    'Vault',
    'recurse',
    [2n],
    [
      at('Vault.recurse', 'bottom'),
      at('Vault.recurse', 'recursion'),
      at('Vault.recurse', 'recursion'),
    ],
  ],
  ['Vault', 'burn', [], [at('Vault.burn', 'gas')]],
  [
    'Router',
    'mustWithdraw',
    ['vault', 1n],
    [
      at('Vault._take', 'custom'),
      at('Vault.withdraw', 'takes'),
      at('Router.mustWithdraw', 'to the vault'),
    ],
  ],
  [
    'Router',
    'swap',
    ['vault', 1n],
    [at('Vault._take', 'custom'), at('Vault.withdraw', 'takes'), at('Router.swap', 'wrapped')],
  ],
  ['Router', 'careful', ['vault', 1n], [at('Router.careful', 'unrelated')]],
  ['Router', 'make', [], [at('Vault.constructor', 'constructor'), at('Router.make', 'creation')]],
]

async function stacksOf(settings: BuildSettings) {
  const { deploy, failing } = await start(settings)
  const vault = await deploy('Vault', 5n)
  const addresses: Readonly<Record<string, Hex>> = { Vault: vault, Router: await deploy('Router') }
  const stacks: string[][] = []
  for (const [contract, name, args] of CASES) {
    const given = args.map((arg) => (arg === 'vault' ? vault : arg))
    const { stack } = await failing(contract, addresses[contract] ?? vault, name, ...given)
    stacks.push(written(stack))
  }
  return stacks
}

describe('the lines that led to a failure', () => {
  test('default: each function that was called, and its line', async () => {
    expect(await stacksOf({})).toEqual(CASES.map(([, , , lines]) => lines))
  })

  // What the optimizer has put in line has no call of its own, and modifiers are functions to the IR.
  const header = at('Vault.modified', 'modified')
  test.each<BuildSettings>([
    { optimizer: { enabled: true, runs: 200 } },
    { viaIR: true },
    { viaIR: true, optimizer: { enabled: true, runs: 200 } },
  ])('no other line, and at least one, compiled with %j', async (settings) => {
    const stacks = await stacksOf(settings)
    for (const [index, [, name, , lines]] of CASES.entries()) {
      const stack = (stacks[index] ?? []).filter((line) => line !== header)
      if (settings.viaIR === true) expect.soft(stack, name).not.toEqual([])
      else expect.soft(stack[0], name).toBe(lines[0])
      expect.soft(lines, name).toEqual(expect.arrayContaining(stack))
    }
  })
})

describe('a failed transaction', () => {
  test('errors and calls inside of bytes are decoded, if they are nothing else', async () => {
    const { deploy, failing, project } = await start()
    const vault = await deploy('Vault', 5n)
    const router = await deploy('Router')
    const swapped = await failing('Router', router, 'swap', vault, 7n)
    const held = {
      name: 'NotEnoughShares',
      arguments: [{ name: 'owner' }, { value: '7' }, { value: '0' }],
    }
    expect(swapped.failure).toMatchObject({
      error: expect.stringMatching(/^SwapFailed\(reason: NotEnoughShares\(owner: 0x/),
      arguments: [{ name: 'reason', type: 'bytes', holds: held }],
    })
    expect(swapped.origin).toBe(1)
    const encode = (functionName: string, ...args: unknown[]) =>
      encodeFunctionData({ abi: project.contract('Router').abi, functionName, args })
    const one = encode('mustWithdraw', vault, 7n)
    const calls = [encode('multicall', [one]), `${one}00`, '0x12345678']
    const called = await failing('Router', router, 'multicall', calls)
    const withdrawal = { name: 'mustWithdraw', arguments: [{ name: 'vault' }, { value: '7' }] }
    expect(called.frames[0]?.call.decoded?.arguments).toMatchObject([
      {
        value: [
          { holds: { name: 'multicall', arguments: [{ value: [{ holds: withdrawal }] }] } },
          // A byte too many: it only begins like a call.
          { value: `${one}00` },
          { value: '0x12345678' },
        ],
      },
    ])
    expect(called.frames[0]?.call.decoded?.arguments?.[0]?.value[1]).not.toHaveProperty('holds')
    expect(written(called.stack)).toEqual([
      at('Vault._take', 'custom'),
      at('Vault.withdraw', 'takes'),
      at('Router.mustWithdraw', 'to the vault'),
      at('Router.multicall', 'delegated'),
      at('Router.multicall', 'delegated'),
    ])
    expect(called.origin).toBe(3)
  })

  test('calls inside of each other are decoded to a depth of four', async () => {
    const { deploy, failing, project } = await start()
    const router = await deploy('Router')
    const { abi } = project.contract('Router')
    let data: Hex = '0x12345678'
    for (let depth = 0; depth < 7; depth++) {
      data = encodeFunctionData({ abi, functionName: 'multicall', args: [[data]] })
    }
    const { frames } = await failing('Router', router, 'multicall', [data])
    const text = JSON.stringify(frames[0]?.call)
    expect(text.split('"holds"')).toHaveLength(5)
  })

  test('a line has its neighbours, and the file that an editor opens', async () => {
    const { deploy, failing, project } = await start()
    const vault = await deploy('Vault', 5n)
    const { stack } = await failing('Vault', vault, 'withdraw', 1n)
    const { file, line } = placeOf('custom')
    const texts = SOURCES[file as keyof typeof SOURCES].split('\n')
    expect(stack[0]).toMatchObject({
      column: 20,
      lines: [-3, -2, -1, 0, 1, 2].map((by) => ({
        number: line + by,
        text: texts[line + by - 1],
      })),
      editor: `vscode://file${project.root}/${file}:${line}:20`,
    })
  })

  test('without the file there is no link, and without the build info no line', async () => {
    const { deploy, failing, project } = await start()
    const vault = await deploy('Vault', 5n)
    rmSync(join(project.root, 'contracts'), { recursive: true })
    const { stack } = await failing('Vault', vault, 'withdraw', 1n)
    expect(stack.map(({ editor }) => editor)).toEqual([null, null])

    const other = await start()
    rmSync(join(other.project.artifacts, 'build-info'), { recursive: true })
    const address = await other.deploy('Vault', 5n)
    const without = await other.failing('Vault', address, 'withdraw', 1n)
    expect(without.stack).toEqual([])
    expect(without.failure?.error).toMatch(/^NotEnoughShares/)
  })

  test('the same on a fork, of what the upstream deployed', async () => {
    const upstream = await start()
    const vault = await upstream.deploy('Vault', 5n)
    await upstream.rpc('evm_mine')
    const contracts = new ArtifactFolder(upstream.project.artifacts)
    const fork = await startDashboard({
      contracts,
      frozen: true,
      fork: upstream.devnet.url,
      timestamp: 1_900_000_100,
    })
    const { abi } = upstream.project.contract('Vault')
    const hash = (await fork.rpc('eth_sendTransaction', {
      from: ALICE,
      to: vault,
      data: encodeFunctionData({ abi, functionName: 'withdraw', args: [1n] }),
      gas: '0x100000',
    })) as Hex
    await fork.rpc('preconf_advance', { ticks: 1 })
    const lines = [at('Vault._take', 'custom'), at('Vault.withdraw', 'takes')]
    expect(written((await fork.ask('trace', { hash })).stack)).toEqual(lines)
    await fork.rpc('evm_mine')
    expect(written((await fork.ask('trace', { hash })).stack)).toEqual(lines)
  })
})

test('events stand at their places between the calls, with arguments and results in one line', async () => {
  const { deploy, failing } = await start()
  const vault = await deploy('Vault', 5n)
  const router = await deploy('Router')
  const { frames, events, stack } = await failing('Router', router, 'note', vault)
  expect(frames.map(({ call, returned }) => [call.text, returned])).toEqual([
    ['Router.note(vault: Vault)', null],
    ['Vault.limit()', '5'],
  ])
  expect(events.map(({ before, depth, event }) => [before, depth, event.text])).toEqual([
    [1, 1, 'Asked(vault: Vault, amount: 1)'],
    [2, 1, 'Done(amount: 2)'],
  ])
  const [outer, inner] = frames
  expect(outer?.ownGas).toBe((outer?.gasUsed ?? 0) - (inner?.gasUsed ?? 0))
  expect(stack).toEqual([])
})
