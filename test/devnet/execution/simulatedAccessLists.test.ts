import { getContractAddress, type Hex, numberToHex } from 'viem'
import { expect, test } from 'vitest'
import { fromHex, toHex } from '../../../devnet/primitives/hex.ts'
import { BEACON_ROOTS, WITHDRAWAL_REQUESTS } from '../../../devnet/protocol/systemContracts.ts'
import { runs, seeds } from '../../support/longRuns.ts'
import { RandomTraffic } from '../chain/randomTraffic.ts'
import { createRpcChain, hex } from '../rpc/methods/rpcChain.ts'

const AMSTERDAM = { hardfork: 'amsterdam' } as const
const EMPTY_HASH = '0x1dcc4de8dec75d7aab85b567b6ccd41ad312451b948a7413f0a142fd40d49347'

interface Simulated {
  readonly blockAccessListHash: Hex
  readonly slotNumber: Hex
  readonly calls: readonly { readonly status: Hex; readonly gasUsed: Hex }[]
}

async function createChain() {
  const node = await createRpcChain(AMSTERDAM)
  const { call, chain } = node
  /** On top of the newest block, with the fields of the pending one. */
  const simulate = async (calls: readonly object[], more: object = {}) => {
    const { timestamp, coinbase, prevRandao, gasLimit } = chain.pending.environment
    const blockOverrides = {
      time: numberToHex(timestamp),
      feeRecipient: toHex(coinbase),
      prevRandao: toHex(prevRandao),
      gasLimit: numberToHex(gasLimit),
    }
    const blockStateCalls = [{ blockOverrides, calls, ...more }]
    const request = { validation: true, blockStateCalls }
    const [block] = await call<Simulated[]>('eth_simulateV1', request, 'latest')
    if (block === undefined) throw new Error('One block was asked for')
    return block
  }
  return { ...node, simulate }
}

test.each(seeds(20))(
  'simulated on the newest block, then sealed: the same list, seed %i',
  async (seed) => {
    const { chain, clocks, send, simulate, accounts, engine } = await createChain()
    const traffic = new RandomTraffic(seed, accounts.slice(0, 4), 31337, 'amsterdam', false)
    for (const raw of await traffic.deployments()) await send(raw)
    await clocks.advanceBlocks(1)
    const contract = (nonce: bigint) =>
      getContractAddress({ from: traffic.addresses[0] ?? '0x', nonce })
    const targets = { token: contract(0n), playground: contract(1n) }
    for (let round = 0; round < runs(20, 4); round++) {
      const raws = await Promise.all([1, 2, 3, 4].map(() => traffic.next(targets)))
      const executor = await engine.executor()
      const calls = raws.map((raw) => {
        const { fields } = executor.identify(executor.decode(fromHex(raw)))
        const { from, to, value, data, gasLimit, nonce, maxFeePerGas, maxPriorityFeePerGas } =
          fields
        return {
          from: toHex(from),
          to: to && toHex(to),
          value: hex(value),
          input: toHex(data),
          gas: hex(gasLimit),
          ...(fields.type > 0 && {
            accessList: fields.accessList.map(([address, slots]) => ({
              address: toHex(address),
              storageKeys: slots.map(toHex),
            })),
          }),
          nonce: hex(nonce),
          ...(fields.type < 2
            ? { gasPrice: hex(maxFeePerGas) }
            : { maxFeePerGas: hex(maxFeePerGas), maxPriorityFeePerGas: hex(maxPriorityFeePerGas) }),
        }
      })
      const simulated = await simulate(calls)
      for (const raw of raws) await send(raw)
      await clocks.advanceTicks(1)
      expect(chain.pending.executed).toHaveLength(4)
      await clocks.advanceBlocks(1)
      const { header, executed } = chain.head
      expect(simulated.calls.map(({ gasUsed }) => BigInt(gasUsed))).toEqual(
        executed.map(({ gasUsed }) => gasUsed),
      )
      expect(simulated).toMatchObject({
        blockAccessListHash: toHex(header.blockAccessListHash ?? new Uint8Array(0)),
        slotNumber: hex(header.slotNumber ?? 0n),
      })
    }
  },
)

test('state overrides stand in no list, but what other code at a system contract accesses does', async () => {
  const { simulate } = await createChain()
  const plain = await simulate([])
  expect(plain.blockAccessListHash).not.toBe(EMPTY_HASH)
  const stranger = `0x${'ab'.repeat(20)}`
  const funded = await simulate([], { stateOverrides: { [stranger]: { balance: '0x5' } } })
  expect(funded.blockAccessListHash).toBe(plain.blockAccessListHash)
  for (const { address } of [BEACON_ROOTS, WITHDRAWAL_REQUESTS]) {
    // SLOAD(9), STOP
    const other = await simulate([], { stateOverrides: { [address]: { code: '0x60095400' } } })
    expect(other.blockAccessListHash).not.toBe(plain.blockAccessListHash)
  }
})

test('each block has a list of its own, and the slot after the one before', async () => {
  const { call } = await createChain()
  const request = { blockStateCalls: [{}, {}, { calls: [{ to: `0x${'ab'.repeat(20)}` }] }] }
  const blocks = await call<Simulated[]>('eth_simulateV1', request, 'latest')
  expect(blocks.map(({ slotNumber }) => slotNumber)).toEqual(['0x1', '0x2', '0x3'])
  expect(new Set(blocks.map(({ blockAccessListHash }) => blockAccessListHash)).size).toBe(3)
})

test('before Amsterdam there is neither field', async () => {
  const { call } = await createRpcChain()
  const [block] = await call<object[]>('eth_simulateV1', { blockStateCalls: [{}] }, 'latest')
  expect(block).not.toHaveProperty('blockAccessListHash')
  expect(block).not.toHaveProperty('slotNumber')
})
