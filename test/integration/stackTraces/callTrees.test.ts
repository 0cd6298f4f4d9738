import { stripVTControlCharacters } from 'node:util'
import type { NetworkConnection } from 'hardhat/types/network'
import { encodeFunctionData, numberToHex } from 'viem'
import { afterAll, afterEach, beforeAll, describe, expect, test, vi } from 'vitest'
import { startOurs } from '../../support/peerNode.ts'
import { createProject, type Project } from './project.ts'

const projects = new Map<number, Project>()

beforeAll(async () => {
  for (const verbosity of [2, 3, 4]) projects.set(verbosity, await createProject({ verbosity }))
})
afterAll(() => {
  for (const project of projects.values()) project[Symbol.dispose]()
})
afterEach(() => vi.restoreAllMocks())

/** What the functions of `Failures` are called with, on a network at a verbosity. */
interface Stage {
  readonly rpc: (method: string, ...params: unknown[]) => Promise<unknown>
  readonly call: (functionName: string, ...args: unknown[]) => object
  readonly connection: NetworkConnection
}

/**
 * What is printed while `work` runs: each header without the connection, then the calls below it as
 * Hardhat prints them, without gas.
 */
async function printed(
  verbosity: number,
  network: string,
  work: (stage: Stage) => Promise<unknown>,
): Promise<string[]> {
  const project = projects.get(verbosity)
  if (project === undefined) throw new Error(`No project of verbosity ${verbosity}`)
  const log = vi.spyOn(console, 'log').mockImplementation(() => undefined)
  const connection: NetworkConnection = await project.hre.network.create(network)
  const { address: to, abi } = await connection.viem.deployContract('Failures')
  const [from] = (await connection.provider.request({ method: 'eth_accounts' })) as string[]
  const rpc = (method: string, ...params: unknown[]) =>
    connection.provider.request({ method, params })
  const call = (functionName: string, ...args: unknown[]) => ({
    from,
    to,
    // The functions and arguments of the contract are not known to the types here.
    data: encodeFunctionData({ abi, functionName, args } as never),
  })
  try {
    await work({ rpc, call, connection })
    await connection.close()
    const lines = log.mock.calls
      .flatMap(([text]) => stripVTControlCharacters(String(text)).split('\n'))
      .map((line) =>
        line.replace(/connection #\d+ \(.*\)/, 'connection').replace(/\[\d+\]/, '[gas]'),
      )
    // The tree of the deployment comes first.
    const deployed = lines.findLastIndex((line) => /^ {4}└─ ← \d+ bytes of code$/.test(line))
    expect(deployed >= 0).toBe(verbosity > 3)
    return lines.slice(deployed + 1)
  } finally {
    log.mockRestore()
  }
}

const fails = (work: Promise<unknown>) =>
  work.then(
    () => Promise.reject(new Error('No failure')),
    () => undefined,
  )

const works: Readonly<Record<string, (stage: Stage) => Promise<unknown>>> = {
  'a call that fails': ({ rpc, call }) => fails(rpc('eth_call', call('external_', 13n), 'pending')),
  'a call that succeeds': ({ rpc, call }) => rpc('eth_call', call('stored'), 'pending'),
  'a call that prints': ({ rpc, call }) => rpc('eth_call', call('says', 0n), 'pending'),
  'a call that uses more than 3 million gas, and fails': ({ rpc, call }) =>
    fails(rpc('eth_call', call('burnsThenReverts', 1500n), 'pending')),
  'a call that prints and fails': ({ rpc, call }) =>
    fails(rpc('eth_call', call('says', 5n), 'pending')),
}

describe.each([2, 3, 4])('verbosity %s', (verbosity) => {
  describe.each(['pending', 'instant'])('%s', (network) => {
    test.each(Object.entries(works))("as Hardhat's own network: %s", async (_, work) => {
      const wanted = await printed(verbosity, 'default', work)
      expect(await printed(verbosity, network, work)).toEqual(wanted)
    })

    test('a transaction', async () => {
      const gas = numberToHex(100_000)
      const send = ({ rpc, call, connection }: Stage) =>
        rpc('eth_sendTransaction', { gas, ...call('store', 5n) }).then((hash) =>
          network === 'pending'
            ? connection.pendingNode.preconfirmed(hash as `0x${string}`)
            : undefined,
        )
      const lines = await printed(verbosity, network, send)
      if (verbosity < 4) expect(lines).toEqual([])
      else {
        expect(lines[0]).toBe('Trace from connection: eth_call')
        expect(lines.slice(1)).toEqual(['  [gas] Failures::store(5)', '    └─ ← '])
      }
    })

    test('a transaction that prints and fails', async () => {
      const gas = numberToHex(100_000)
      const send = ({ rpc, call, connection }: Stage) =>
        rpc('eth_sendTransaction', { gas, ...call('says', 5n) })
          .then((hash) => connection.pendingNode.preconfirmed(hash as `0x${string}`))
          .catch(() => undefined)
      const lines = await printed(verbosity, network, send)
      expect(lines.filter((line) => line === 'value 5')).toHaveLength(1)
      expect(lines.filter((line) => line.startsWith('Trace from'))).toHaveLength(
        verbosity < 3 ? 0 : 1,
      )
    })
  })
})

test('a call that fails on a node elsewhere', async () => {
  const project = projects.get(3)
  if (project === undefined) throw new Error('No project')
  await using node = await startOurs()
  const connection = await project.hre.network.create({
    network: 'localhost',
    override: { url: node.url },
  })
  const { address: to, abi } = await connection.viem.deployContract('Failures')
  const log = vi.spyOn(console, 'log').mockImplementation(() => undefined)
  for (const [functionName, args] of [
    ['external_', [13n]],
    ['burnsThenReverts', [1500n]],
  ]) {
    // The functions and arguments of the contract are not known to the types here.
    const data = encodeFunctionData({ abi, functionName, args } as never)
    await fails(
      connection.provider.request({ method: 'eth_call', params: [{ to, data }, 'latest'] }),
    )
  }
  await connection.close()
  const lines = log.mock.calls.map(([text]) => stripVTControlCharacters(String(text))).join('\n')
  expect(lines).toMatch(/Failures::external_\(13\)[\s\S]*Failures::burnsThenReverts\(1500\)/)
})

test('the tree of a failed call follows those of the transactions before it', async () => {
  const gas = numberToHex(100_000)
  const values = [1n, 2n, 3n, 4n, 5n]
  const lines = await printed(4, 'pending', async ({ rpc, call, connection }) => {
    const sends = values.map((value) =>
      rpc('eth_sendTransaction', { gas, ...call('store', value) }),
    )
    const hashes = (await Promise.all(sends)) as `0x${string}`[]
    await Promise.all(hashes.map((hash) => connection.pendingNode.preconfirmed(hash)))
    await fails(rpc('eth_call', call('external_', 13n), 'pending'))
  })
  const calls = lines.flatMap((line) => /Failures::(.*)/.exec(line)?.[1] ?? [])
  expect(calls).toEqual([...values.map((value) => `store(${value})`), 'external_(13)'])
})
