import { privateKeyToAccount } from 'viem/accounts'
import { expect, test } from 'vitest'
import type { OptionsInput } from '../../../../devnet/options/options.ts'
import type { Hex } from '../../../../devnet/primitives/hex.ts'
import { START } from '../../../support/chain.ts'
import { BLOCK_FORKS, genesisOf, temporaryFile } from '../../../support/genesisFile.ts'
import { createRpcChain, hex } from './rpcChain.ts'

type Block = Readonly<Record<string, Hex>> & { readonly transactions: readonly Hex[] }

interface Envelope {
  readonly executionPayload: Block
  readonly blockValue: Hex
  readonly executionRequests: readonly Hex[]
}

const TIP = 1_000_000_000n

async function createBuilder(options: OptionsInput = {}) {
  const node = await createRpcChain(options)
  const { chain, call, failure } = node
  const pending = await call<Block>('eth_getBlockByNumber', 'pending', false)
  // The fields that the pending block has anyhow.
  const attributes = {
    timestamp: hex(chain.pending.environment.timestamp),
    prevRandao: pending.mixHash,
    suggestedFeeRecipient: pending.miner,
    withdrawals: [] as object[],
    parentBeaconBlockRoot: pending.parentBeaconBlockRoot ?? `0x${'00'.repeat(32)}`,
  }
  const sign = (nonce: number, gas = 21_000n) =>
    privateKeyToAccount(node.account(0).privateKey).signTransaction({
      to: node.account(1).address,
      value: 1n,
      gas,
      maxFeePerGas: 5_000_000_000n,
      maxPriorityFeePerGas: TIP,
      nonce,
      chainId: 31337,
    })
  const build = (transactions: readonly Hex[] | null, given: object = {}) =>
    call<Envelope>(
      'testing_buildBlockV1',
      chain.head.hash,
      { ...attributes, ...given },
      transactions,
      pending.extraData,
    )
  const refuse = (transactions: readonly Hex[] | null, given: object = {}, parent?: Hex) =>
    failure(
      'testing_buildBlockV1',
      parent ?? chain.head.hash,
      { ...attributes, ...given },
      transactions,
    )
  return { ...node, sign, build, refuse }
}

test.each(['bpo2', 'amsterdam'] as const)(
  'default: given transactions make the very block that would be sealed of them, %s',
  async (hardfork) => {
    const { build, sign, call, chain, clocks } = await createBuilder({ hardfork })
    const given = [await sign(0), await sign(1)]
    const before = chain.pending
    const { executionPayload, blockValue, executionRequests } = await build(given)
    expect(chain.pending).toBe(before)
    expect(chain.mempool.size).toBe(0)
    expect(BigInt(blockValue)).toBe(2n * 21_000n * TIP)
    expect(executionRequests).toEqual([])
    expect(executionPayload.transactions).toEqual(given)

    for (const raw of given) await call('eth_sendRawTransaction', raw)
    await clocks.advanceTicks(1)
    await call('preconf_seal')
    expect(executionPayload.blockHash).toBe(chain.head.hash)
    if (hardfork !== 'amsterdam') return
    expect(executionPayload).toMatchObject({
      blockAccessList: await call('debug_getRawBlockAccessList', 'latest'),
      slotNumber: '0x1',
    })
  },
)

test('attributes of Amsterdam decide on the slot and the gas limit', async () => {
  const { build, refuse, chain } = await createBuilder({ hardfork: 'amsterdam' })
  const given = { slotNumber: '0x4d', targetGasLimit: hex(2n * 10n ** 9n) }
  const { executionPayload } = await build([], given)
  const { gasLimit } = chain.head.header
  expect(executionPayload).toMatchObject({
    slotNumber: '0x4d',
    gasLimit: hex(gasLimit + gasLimit / 1024n - 1n),
  })
  expect(await refuse([], { slotNumber: 'x' })).toMatchObject({ code: -32602 })
  const older = await createBuilder()
  expect(await older.refuse([], { slotNumber: '0x4d' })).toEqual({
    code: -32602,
    message:
      'slotNumber and targetGasLimit belong to payloads of Amsterdam, and at this time the chain is under bpo2: leave them out',
  })
})

test('withdrawals stand in the access list', async () => {
  const { build, account } = await createBuilder({ hardfork: 'amsterdam' })
  const { address } = account(3)
  const withdrawal = { index: '0x0', validatorIndex: '0x0', address, amount: '0x0' }
  const { executionPayload } = await build([], { withdrawals: [withdrawal] })
  const { blockAccessList } = executionPayload
  expect(blockAccessList).toContain(address.slice(2).toLowerCase())
})

test('an empty list makes an empty block', async () => {
  const { build, sign, call, clocks } = await createBuilder()
  await call('eth_sendRawTransaction', await sign(0))
  await clocks.advanceTicks(1)
  const { executionPayload, blockValue } = await build([])
  expect(executionPayload).toMatchObject({ transactions: [], gasUsed: '0x0', blockNumber: '0x1' })
  expect(blockValue).toBe('0x0')
})

test('null takes what is pre-confirmed and what waits, without what cannot run yet', async () => {
  const { build, sign, call, clocks, chain } = await createBuilder()
  const [first, second, gapped] = [await sign(0), await sign(1), await sign(3)]
  await call('eth_sendRawTransaction', first)
  await clocks.advanceTicks(1)
  await call('eth_sendRawTransaction', second)
  await call('eth_sendRawTransaction', gapped)
  expect((await build(null)).executionPayload.transactions).toEqual([first, second])
  expect(chain.mempool.size).toBe(2)
  expect(chain.pending.executed).toHaveLength(1)
})

test('null leaves out what the rules of the time refuse', async () => {
  const osakaTime = START + 1000
  const config = {
    ...BLOCK_FORKS,
    chainId: 31337,
    shanghaiTime: 0,
    cancunTime: 0,
    pragueTime: 0,
    osakaTime,
  }
  const genesis = genesisOf(config, { timestamp: hex(START - 10) })
  const { build, sign, call } = await createBuilder({
    genesis: temporaryFile('genesis.json', genesis),
  })
  // Over the most gas that a transaction may have since Osaka (EIP-7825).
  await call('eth_sendRawTransaction', await sign(1, 2n ** 24n + 1n))
  const first = await sign(0)
  await call('eth_sendRawTransaction', first)
  const { executionPayload: later } = await build(null, { timestamp: hex(osakaTime) })
  expect(later.transactions).toEqual([first])
  const { executionPayload: now } = await build(null, { timestamp: hex(START) })
  expect(now.transactions).toHaveLength(2)
})

test('withdrawals are paid, and are in the root of the state', async () => {
  const { build, account } = await createBuilder()
  const { address } = account(3)
  const withdrawal = { index: '0x0', validatorIndex: '0x0', address, amount: '0x1' }
  const { executionPayload: with_ } = await build([], { withdrawals: [withdrawal] })
  const { executionPayload: without } = await build([])
  expect(with_.withdrawals).toEqual([withdrawal])
  expect(with_.stateRoot).not.toBe(without.stateRoot)
})

test('error: a transaction that cannot run there', async () => {
  const { refuse, sign, chain } = await createBuilder()
  const before = chain.pending
  expect(await refuse([await sign(1)])).toEqual({
    code: -32000,
    message: expect.stringMatching(/^the block has transaction 0 \(0x[0-9a-f]{64}\), .*nonce/),
  })
  expect(await refuse(['0x00'])).toMatchObject({ code: -32000 })
  expect(chain.pending).toBe(before)
})

test('error: another parent, and a time that is not later', async () => {
  const { refuse, chain } = await createBuilder()
  expect(await refuse([], {}, `0x${'11'.repeat(32)}`)).toEqual({
    code: -32602,
    message: `parentHash is not current head: that is ${chain.head.hash}`,
  })
  const { timestamp } = chain.head.header
  expect(await refuse([], { timestamp: hex(timestamp) })).toMatchObject({
    code: -32602,
    message: expect.stringContaining('is not later than'),
  })
})

test.each<OptionsInput>([{ hardfork: 'shanghai' }, { profile: 'base' }])(
  'error: payloads of %o',
  async (options) => {
    const { refuse } = await createBuilder(options)
    expect(await refuse([])).toEqual({
      code: -32000,
      message:
        'payloads are built since Cancun, on chains of their own that are not of the OP Stack',
    })
  },
)
