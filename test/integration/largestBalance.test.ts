import { createHardhatRuntimeEnvironment } from 'hardhat/hre'
import { getContractAddress, type Hex } from 'viem'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { anvilProgram, startAnvil } from '../support/anvil.ts'
import { askNode, type PeerNode, startHardhat, startOurs } from '../support/peerNode.ts'

const RICH: Hex = `0x${'5a'.repeat(20)}`
const LARGEST: Hex = `0x${'f'.repeat(64)}`
const ACTOR: Hex = `0x${'ac'.repeat(20)}`

/** Stores what the call or the creation before it has left on the stack, and then the gas that is left. */
const STORE = '5f555a60015500'

/** Code of an account that gives 9 wei away, in each of the ways that there are. */
const ways: Readonly<Record<string, Hex>> = {
  call: `0x5f5f5f5f600973${RICH.slice(2)}61c350f1${STORE}`,
  create: `0x5f5f6009f0${STORE}`,
  create2: `0x5f5f5f6009f5${STORE}`,
}

const program = anvilProgram()

describe.skipIf(program === undefined)('a transfer above the largest balance', () => {
  const nodes: [name: string, node: PeerNode][] = []

  beforeAll(async () => {
    const hre = await createHardhatRuntimeEnvironment({ networks: {} })
    nodes.push(['hardhat', await startHardhat(hre)])
    nodes.push(['anvil', await startAnvil(program ?? '')])
    for (const engine of ['fast', 'library'] as const) {
      nodes.push([engine, await startOurs({ engine })])
    }
  })

  afterAll(async () => {
    for (const [, node] of nodes) await node[Symbol.asyncDispose]()
  })

  /** What each node says to the same requests. */
  async function onEach(play: (ask: Ask, from: Hex) => Promise<unknown>) {
    const answers: Record<string, unknown> = {}
    for (const [name, { url }] of nodes) {
      const ask: Ask = (method, ...params) => askNode(url, method, ...params)
      const [from] = await ask<[Hex]>('eth_accounts')
      await ask('hardhat_setBalance', RICH, LARGEST)
      answers[name] = await play(ask, from)
    }
    return answers
  }

  /** The same for all. */
  const all = (answer: unknown) => Object.fromEntries(nodes.map(([name]) => [name, answer]))

  test.each(Object.keys(ways))('%s inside of a transaction', async (way) => {
    const answers = await onEach(async (ask, from) => {
      await ask('hardhat_setCode', ACTOR, ways[way])
      await ask('hardhat_setBalance', ACTOR, '0x100')
      const nonce = BigInt(await ask<Hex>('eth_getTransactionCount', ACTOR, 'latest'))
      await ask('hardhat_setBalance', getContractAddress({ from: ACTOR, nonce }), LARGEST)
      await ask('hardhat_setBalance', getContractAddress(SALTED), LARGEST)
      const outcome = await sent(ask, { from, to: ACTOR })
      const slot = (index: Hex) => ask('eth_getStorageAt', ACTOR, index, 'latest')
      return { ...outcome, result: await slot('0x0'), gasLeft: await slot('0x1') }
    })
    expect(answers).toEqual(all(answers.anvil))
    expect(answers.anvil).toMatchObject({ status: '0x1', result: `0x${'0'.repeat(64)}` })
  })

  test('a transfer and a creation cost all their gas', async () => {
    const answers = await onEach(async (ask, from) => {
      const transfer = await sent(ask, { from, to: RICH, value: '0x1' })
      const nonce = BigInt(await ask<Hex>('eth_getTransactionCount', from, 'latest'))
      await ask('hardhat_setBalance', getContractAddress({ from, nonce }), LARGEST)
      return [transfer, await sent(ask, { from, data: '0x00', value: '0x1' })]
    })
    const burnt = { status: '0x0', gasUsed: GAS }
    expect(answers).toEqual(all([burnt, burnt]))
  })
})

type Ask = <Result>(method: string, ...params: readonly unknown[]) => Promise<Result>

/** So much that what an inner creation leaves is enough for the rest. */
const GAS: Hex = '0x989680'

const SALTED = {
  opcode: 'CREATE2',
  from: ACTOR,
  bytecode: '0x',
  salt: `0x${'0'.repeat(64)}`,
} as const

/** Sends what is sealed at once, and reads its receipt. */
async function sent(ask: Ask, request: object) {
  const before = await ask('eth_blockNumber')
  // Hardhat refuses to send what fails, but it is in a block.
  await ask('eth_sendTransaction', { gas: GAS, ...request }).catch(() => undefined)
  // anvil mines after its answer.
  await expect.poll(() => ask('eth_blockNumber')).not.toBe(before)
  const block = await ask<{ transactions: [Hex] }>('eth_getBlockByNumber', 'latest', false)
  const [hash] = block.transactions
  const { status, gasUsed } = await ask<{ status: Hex; gasUsed: Hex }>(
    'eth_getTransactionReceipt',
    hash,
  )
  return { status, gasUsed }
}
