import { createBlockFromRLP } from '@ethereumjs/block'
import { createCommonFromGethGenesis } from '@ethereumjs/common'
import { MerkleStateManager } from '@ethereumjs/statemanager'
import { bytesToHex, createAccount, createAddressFromString } from '@ethereumjs/util'
import { createVM, runBlock } from '@ethereumjs/vm'
import { getContractAddress, type Hex } from 'viem'
import { privateKeyToAccount } from 'viem/accounts'
import { beforeAll, expect, test } from 'vitest'
import { loadChain } from '../../../../devnet/node/loadChain.ts'
import { resolveOptions } from '../../../../devnet/options/options.ts'
import { fromHex, toHex } from '../../../../devnet/primitives/hex.ts'
import { encodeBlock, type SealedBlock } from '../../../../devnet/protocol/block.ts'
import { hardforks } from '../../../../devnet/protocol/forks.ts'
import { createTestChain, START, type TestChain } from '../../../support/chain.ts'
import { exportBlocks, FUNDED, genesisOf, temporaryFile } from '../../../support/genesisFile.ts'
import { RandomTraffic } from '../../chain/randomTraffic.ts'

/** Timestamp of a block: a seal interval of 2 s, and a tick of 200 ms before it. */
const timeOf = (number: number) => START + Math.floor(2.2 * number)

/** Two blocks under each hardfork: by block up to the merge, then by time. */
const GENESIS = genesisOf(
  {
    homesteadBlock: 2,
    eip150Block: 4,
    eip155Block: 6,
    eip158Block: 6,
    byzantiumBlock: 8,
    constantinopleBlock: 10,
    petersburgBlock: 12,
    istanbulBlock: 14,
    muirGlacierBlock: 16,
    berlinBlock: 18,
    londonBlock: 20,
    arrowGlacierBlock: 22,
    grayGlacierBlock: 24,
    mergeNetsplitBlock: 26,
    shanghaiTime: timeOf(28),
    cancunTime: timeOf(30),
    pragueTime: timeOf(32),
    osakaTime: timeOf(34),
    bpo1Time: timeOf(36),
    bpo2Time: timeOf(38),
    amsterdamTime: timeOf(40),
  },
  { timestamp: START },
)

const LAST = 42

/** Calldata: stores its first word at slot 0 and logs; reverts where there is none. */
const STORE = '0x600f600c600039600f6000f3600035806000556000a000' as const

let node: TestChain

/** Every block has transactions of its time, sent to a node that ticks and seals through all hardforks. */
beforeAll(async () => {
  node = await createTestChain({ genesis: temporaryFile('genesis.json', GENESIS) })
  const signers = node.accounts.slice(0, 3).map(({ privateKey }) => privateKeyToAccount(privateKey))
  const [legacy, traffic] = [
    signers[0],
    new RandomTraffic(7, node.accounts.slice(1, 3), 4242, 'london'),
  ]
  if (legacy === undefined) throw new Error('No account')
  let nonce = 0
  const send = async (draft: { to?: Hex; data?: Hex; value?: bigint; gas?: bigint }) =>
    node.send(
      // Without a chain id: also before EIP-155.
      await legacy.signTransaction({
        type: 'legacy',
        nonce: nonce++,
        gas: 200_000n,
        gasPrice: 30n * 10n ** 9n,
        ...draft,
      }),
    )
  const store = getContractAddress({ from: legacy.address, nonce: 0n })
  const contract = (nonce: bigint) => getContractAddress({ from: FUNDED[1], nonce })
  const targets = { token: contract(0n), playground: contract(1n) }
  await send({ data: STORE })
  for (let number = 1; number <= LAST; number++) {
    await send({ to: store, data: `0x${number.toString(16).padStart(64, '0')}` })
    // Nothing for an account that is not there: until EIP-158 it comes into being.
    await send({ to: `0x${number.toString(16).padStart(40, 'e')}`, value: 0n })
    await node.clocks.advanceTicks(1)
    await send({ to: store, data: '0xfe', gas: 21_100n })
    await send({ to: '0xbb9bc244d798123fde783fcc1c72d3bb8c189413', value: 5n })
    if (number === 20) for (const raw of await traffic.deployments()) await node.send(raw)
    if (number > 20)
      for (let count = 0; count < 4; count++) await node.send(await traffic.next(targets))
    await node.clocks.advanceBlocks(1)
  }
}, 60_000)

function blockOf(number: number): SealedBlock {
  const block = node.chain.history.byNumber(number)
  if (block === undefined) throw new Error(`No block ${number}`)
  return block
}

test('default: the node seals under every hardfork', () => {
  const seen = Array.from({ length: LAST + 1 }, (_, number) => blockOf(number).rules.hardfork)
  expect([...new Set(seen)]).toEqual(hardforks.filter((hardfork) => hardfork !== 'dao'))
  expect(node.chain.dropped).toEqual([])
})

test('its blocks verify, headers and states', async () => {
  const options = resolveOptions({
    genesis: temporaryFile('genesis.json', GENESIS),
    import: temporaryFile('chain.rlp', exportBlocks(node.chain)),
  })
  const { base } = await loadChain(options, new AbortController().signal)
  expect(base.history.head.hash).toBe(node.chain.head.hash)
})

test('the library executes them alike', async () => {
  // Its type asks for what geth's files need not have.
  const file = GENESIS as unknown as Parameters<typeof createCommonFromGethGenesis>[0]
  const common = createCommonFromGethGenesis(file, {})
  const stateManager = new MerkleStateManager({ common })
  for (const [address, { balance = '0x0', code }] of Object.entries(file.alloc ?? {}) as [
    Hex,
    { balance?: Hex; code?: Hex },
  ][]) {
    const key = createAddressFromString(address)
    await stateManager.putAccount(key, createAccount({ balance: BigInt(balance) }))
    if (code !== undefined) await stateManager.putCode(key, fromHex(code))
  }
  expect(bytesToHex(await stateManager.getStateRoot())).toBe(toHex(blockOf(0).header.stateRoot))
  const blockchain = {
    getBlock: async (number: number) => ({ hash: () => blockOf(number).hashBytes }),
    putBlock: async () => {},
    shallowCopy: () => blockchain,
  }
  const vm = await createVM({ common, stateManager, blockchain, setHardfork: true })
  for (let number = 1; number <= LAST; number++) {
    const ours = blockOf(number)
    // The library does not read this one from geth's files.
    if (ours.rules.hardfork === 'amsterdam') break
    common.setHardforkBy({ blockNumber: number, timestamp: ours.header.timestamp })
    const block = createBlockFromRLP(encodeBlock(ours), { common, setHardfork: true })
    expect(bytesToHex(block.hash())).toBe(ours.hash)
    const result = await runBlock(vm, {
      block,
      root: blockOf(number - 1).header.stateRoot,
      skipBlockValidation: true,
      skipHeaderValidation: true,
      setHardfork: true,
    })
    expect([number, bytesToHex(result.stateRoot)]).toEqual([number, toHex(ours.header.stateRoot)])
    expect(bytesToHex(result.receiptsRoot)).toBe(toHex(ours.header.receiptsRoot))
  }
})

test('London doubles the gas limit, and begins with a base fee of 1 gwei', () => {
  const [before, first, next] = [19, 20, 21].map((number) => blockOf(number).header)
  expect(first?.gasLimit).toBe(2n * (before?.gasLimit ?? 0n))
  expect(next?.gasLimit).toBe(first?.gasLimit)
  expect(first?.baseFeePerGas).toBe(10n ** 9n)
})

test('receipts have state roots until Byzantium, one after each transaction', () => {
  for (const number of [1, 7]) {
    const roots = blockOf(number).executed.map(({ stateRoot }) => stateRoot && toHex(stateRoot))
    expect(roots.length).toBeGreaterThan(3)
    expect(new Set(roots).size).toBe(roots.length)
    expect(roots).not.toContain(undefined)
  }
  expect(blockOf(8).executed.every(({ stateRoot }) => stateRoot === undefined)).toBe(true)
})

test('reorganised through all hardforks, its blocks verify', async () => {
  const before = Array.from({ length: LAST + 1 }, (_, number) => blockOf(number))
  const contents = new Map(
    before.map(({ number, executed }) => [number, executed.map(({ transaction }) => transaction)]),
  )
  const depth = node.chain.head.number
  await node.clocks.reorg({ depth, requeues: false, fill: () => contents })
  expect(node.chain.dropped).toEqual([])
  for (const [number, old] of before.entries()) {
    if (number === 0) continue
    const { hash, header, executed, rules } = blockOf(number)
    expect(hash).not.toBe(old.hash)
    expect({ rules, executed: executed.length }).toEqual({
      rules: old.rules,
      executed: old.executed.length,
    })
    const { timestamp, gasLimit } = old.header
    expect(header).toMatchObject({ timestamp, gasLimit })
  }
  const options = resolveOptions({
    genesis: temporaryFile('genesis.json', GENESIS),
    import: temporaryFile('chain.rlp', exportBlocks(node.chain)),
  })
  const { base } = await loadChain(options, new AbortController().signal)
  expect(base.history.head.hash).toBe(node.chain.head.hash)
})
