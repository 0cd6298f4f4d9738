import { describe, expect, test } from 'vitest'
import type { Cheat } from '../../../devnet/chain/cheats.ts'
import { pendingStepText, readCheat } from '../../../devnet/persistence/dump/diffsText.ts'
import { accountsText } from '../../../devnet/persistence/dump/statesText.ts'
import { JsonFields } from '../../../devnet/persistence/jsonFields.ts'
import { type Hex, toHex } from '../../../devnet/primitives/hex.ts'
import { MAX_BALANCE } from '../../../devnet/state/accounts.ts'
import { START } from '../../support/chain.ts'
import { genesisOf, temporaryFile } from '../../support/genesisFile.ts'
import { seeds } from '../../support/longRuns.ts'
import { Random } from '../../support/random.ts'
import { dumpOf, restored } from '../persistence/dump/support.ts'
import { createRpcChain, hex } from '../rpc/methods/rpcChain.ts'
import {
  createStepChain,
  NOBODY,
  OTHER,
  outcomes,
  playSteps,
  type StepChain,
  sealedAs,
  stepChain,
  traced,
  WITNESS,
  word,
} from './stepChain.ts'

describe('a drop lays the commands again, not what they changed', () => {
  test('addBalance behind a dropped transaction that changed that balance', async () => {
    const node = await createStepChain()
    const dropped = await node.send(0, { to: NOBODY, value: '0x5' })
    const kept = await node.send(1)
    await node.tick()
    await node.cheat({ kind: 'addBalance', address: NOBODY, amount: 10n })
    expect(await node.balance(NOBODY)).toBe(15n)
    await node.drop(dropped)
    expect(await node.balance(NOBODY)).toBe(10n)
    expect(node.executed()).toEqual([kept])
    expect(node.places()).toEqual([[1, 'addBalance']])
    expect(node.chain.reexecuted).toEqual([kept])
    await node.clocks.seal()
    expect(await node.balance(NOBODY, 'latest')).toBe(10n)
  })

  test('addBalance has room again, up to the highest balance', async () => {
    const node = await createStepChain()
    const rich = node.account(0).address
    await node.cheat({ kind: 'setBalance', address: rich, balance: MAX_BALANCE - 10n })
    const spent = await node.send(0, { value: '0x14' })
    await node.send(1)
    await node.tick()
    await node.cheat({ kind: 'addBalance', address: rich, amount: 15n })
    expect(await node.balance(rich)).toBeLessThan(MAX_BALANCE - 15n)
    await node.drop(spent)
    expect(await node.balance(rich)).toBe(MAX_BALANCE)
  })

  test('setBalance and setNonce of the sender of a dropped transaction', async () => {
    const node = await createStepChain()
    const [first, second] = [node.account(0).address, node.account(1).address]
    const before = await node.balance(second)
    const dropped = [await node.send(0), await node.send(1)]
    await node.send(2)
    await node.tick()
    await node.cheat({ kind: 'setBalance', address: first, balance: 100n })
    await node.cheat({ kind: 'setNonce', address: second, nonce: 7n })
    expect([await node.nonce(first), await node.nonce(second)]).toEqual([1, 7])
    await node.drop(...dropped)
    // The one has its nonce back, the other its balance.
    expect([await node.nonce(first), await node.balance(first)]).toEqual([0, 100n])
    expect([await node.nonce(second), await node.balance(second)]).toEqual([7, before])
    expect(node.places()).toEqual([
      [1, 'setBalance'],
      [1, 'setNonce'],
    ])
  })

  test('storage and code that a dropped transaction had changed', async () => {
    const node = await createStepChain()
    const dropped = await node.send(0)
    await node.send(1)
    await node.tick()
    await node.cheat({ kind: 'setStorage', address: WITNESS, slot: word(0), value: word(9) })
    await node.cheat({ kind: 'setCode', address: NOBODY, code: '0x6001' })
    await node.send(2)
    await node.tick()
    await node.drop(dropped)
    expect(await node.call('eth_getStorageAt', WITNESS, '0x0', 'pending')).toBe(word(10))
    expect(await node.call('eth_getCode', NOBODY, 'pending')).toBe('0x6001')
    expect(await traced(node, 'pending')).toEqual(outcomes(node))
  })

  test('a step before which all is dropped moves to the newest sealed state', async () => {
    const node = await createStepChain()
    const { chain } = node
    const first = await node.send(0)
    await node.tick()
    await node.cheat({ kind: 'addBalance', address: NOBODY, amount: 3n })
    const second = await node.send(1)
    await node.tick()
    await node.cheat({ kind: 'addBalance', address: NOBODY, amount: 4n })
    expect(await node.balance(NOBODY, 'latest')).toBe(0n)
    await node.drop(first)
    expect(node.places()).toEqual([[1, 'addBalance']])
    expect([await node.balance(NOBODY, 'latest'), await node.balance(NOBODY)]).toEqual([3n, 7n])
    await node.drop(second)
    expect(node.places()).toEqual([])
    expect([await node.balance(NOBODY, 'latest'), await node.balance(NOBODY)]).toEqual([7n, 7n])
    // The block that is sealed is what it was; the next one's root has the change.
    const [sealed, genesis] = [await node.clocks.seal(), chain.history.byNumber(0)]
    expect(sealed.steps).toEqual([])
    expect(sealed.header.parentHash).toEqual(genesis?.hashBytes)
    const proof = await node.call<{ balance: Hex }>('eth_getProof', NOBODY, [], 'latest')
    expect(proof.balance).toBe('0x7')
  })

  test.each(seeds(100))(
    'the chain is as if the dropped ones had never been sent, seed %i',
    async (seed) => {
      const dropping = await play(seed, 'drops')
      const without = await play(seed, 'never sends')
      expect(dropping.executed()).toEqual(without.executed())
      expect(dropping.chain.pending.steps).toEqual(without.chain.pending.steps)
      expect(await dropping.call('txpool_content')).toEqual(await without.call('txpool_content'))
      expect(await traced(dropping, 'pending')).toEqual(outcomes(without))
      for (let block = 0; block < 2; block++) {
        const sealed = await dropping.clocks.seal()
        expect(sealedAs(sealed)).toEqual(sealedAs(await without.clocks.seal()))
      }
      expect(await traced(dropping, '0x1')).toEqual(await traced(without, '0x1'))
    },
  )
})

/** Random sends, ticks and cheats, of which some sends are dropped in the end, or left out. */
async function play(seed: number, mode: 'drops' | 'never sends'): Promise<StepChain> {
  const node = await createStepChain()
  const random = new Random(seed)
  const nonces = [0, 0, 0, 0]
  const dropped: Hex[] = []
  for (let index = 0; index < 30; index++) {
    const kind = random.below(10)
    const amount = BigInt(random.below(1000))
    const address = random.pick([WITNESS, NOBODY, OTHER])
    if (kind < 5) {
      const from = random.below(nonces.length)
      const nonce = nonces[from] ?? 0
      nonces[from] = nonce + 1
      const to = random.pick([WITNESS, WITNESS, NOBODY])
      const isDropped = random.once(5)
      if (isDropped && mode === 'never sends') continue
      const hash = await node.send(from, { nonce: hex(nonce), to, value: hex(amount) })
      if (isDropped) dropped.push(hash)
    } else if (kind < 7) await node.tick()
    else await node.cheat(randomCheat(random, address, amount))
  }
  if (dropped.length > 0) await node.drop(...dropped)
  return node
}

/** A random command of each kind. */
const CHEATS: {
  readonly [Kind in Cheat['kind']]: (
    random: Random,
    address: Hex,
    amount: bigint,
  ) => Extract<Cheat, { kind: Kind }>
} = {
  setBalance: (_, address, amount) => ({ kind: 'setBalance', address, balance: amount }),
  addBalance: (_, address, amount) => ({ kind: 'addBalance', address, amount }),
  setNonce: (_, address, amount) => ({ kind: 'setNonce', address, nonce: amount }),
  setCode: (random, _, amount) => ({
    kind: 'setCode',
    address: OTHER,
    code: random.once(2) ? '0x' : hexByte(amount),
  }),
  setStorage(random, address, amount) {
    const [slot, value] = [word(random.below(2)), word(amount)]
    return { kind: 'setStorage', address, slot, value }
  },
}

function randomCheat(random: Random, address: Hex, amount: bigint): Cheat {
  return random.pick(Object.values(CHEATS))(random, address, amount)
}

test.each(Object.entries(CHEATS))('a state file holds %s as it was given', (kind, make) => {
  const cheat = make(new Random(1), NOBODY, 7n)
  const step = JSON.parse(pendingStepText({ after: 1, cheat }))
  const cure = `devnet/persistence/dump/diffsText.ts: the case '${kind}' of readCheat`
  expect(() => readCheat(new JsonFields('state', '', step)), cure).not.toThrow()
  expect(readCheat(new JsonFields('state', '', step))).toEqual(cheat)
})

const hexByte = (value: bigint): Hex => `0x${(value % 256n).toString(16).padStart(2, '0')}`

describe('before Byzantium, receipts have state roots', () => {
  const options = () => ({
    genesis: temporaryFile(
      'genesis.json',
      genesisOf({ homesteadBlock: 0 }, { timestamp: hex(START - 10) }),
    ),
  })

  /** Calls of nothing, as the witness needs a later hardfork. */
  const transfer = (node: StepChain, from: number) =>
    node.send(from, { to: OTHER, value: '0x1', gas: '0x5208' })

  /** The root of the state, from all of its accounts. */
  async function rootOf({ chain }: StepChain): Promise<Hex> {
    const text = [...accountsText(chain.store, chain.pending.state, new Set())].join('')
    const alloc: object = JSON.parse(text)
    const genesis = genesisOf({ homesteadBlock: 0 }, { alloc })
    const fresh = await createRpcChain({ genesis: temporaryFile('genesis.json', genesis) })
    return toHex(fresh.chain.head.header.stateRoot)
  }

  async function roots({ chain, call }: StepChain) {
    const hashes = chain.pending.executed.map(({ transaction }) => transaction.hash)
    const receipts = hashes.map((hash) => call<{ root: Hex }>('eth_getTransactionReceipt', hash))
    return (await Promise.all(receipts)).map(({ root }) => root)
  }

  test('each has the steps before it', async () => {
    const node = await createStepChain(options())
    const expected: Hex[] = []
    for (const [from, balance] of [10n, 20n, 30n].entries()) {
      await transfer(node, from)
      await node.tick()
      expected.push(await rootOf(node))
      await node.cheat({ kind: 'setBalance', address: NOBODY, balance })
      await node.cheat({ kind: 'setStorage', address: OTHER, slot: word(1), value: word(balance) })
    }
    expect(new Set(expected).size).toBe(3)
    expect(await roots(node)).toEqual(expected)
    // A replay of the pending block finds the same.
    const again = await stepChain(await restored(await dumpOf(node)))
    expect(await roots(again)).toEqual(expected)
    const { header } = await node.clocks.seal()
    expect(toHex((await again.clocks.seal()).header.receiptsRoot)).toBe(toHex(header.receiptsRoot))
  })

  test('also after a drop', async () => {
    const [node, without] = [await createStepChain(options()), await createStepChain(options())]
    for (const chain of [node, without]) {
      const dropped = chain === node ? await transfer(chain, 0) : undefined
      await transfer(chain, 1)
      await chain.tick()
      await chain.cheat({ kind: 'addBalance', address: OTHER, amount: 5n })
      await transfer(chain, 2)
      await chain.tick()
      if (dropped !== undefined) await chain.drop(dropped)
    }
    expect(await roots(node)).toEqual(await roots(without))
    expect((await roots(node)).at(-1)).toBe(await rootOf(node))
    expect((await node.clocks.seal()).hash).toBe((await without.clocks.seal()).hash)
  })
})

describe('snapshots', () => {
  test('the steps of a pending block come back', async () => {
    const [node, straight] = [await createStepChain(), await createStepChain()]
    for (const chain of [node, straight]) await playSteps(chain)
    const { pending } = node.chain
    const [traces, receipts] = [await node.traces('pending'), await receiptsOf(node)]
    for (const detour of [
      () => node.drop(...node.executed().slice(0, 1)),
      () => node.drop(...node.executed()),
      () => playSteps(node),
      () => node.clocks.seal(),
      () => node.cheat({ kind: 'setBalance', address: WITNESS, balance: 1n }),
    ]) {
      const id = await node.call('evm_snapshot')
      await detour()
      await node.cheat({ kind: 'addBalance', address: NOBODY, amount: 1n })
      expect(await node.call('evm_revert', id)).toBe(true)
      expect(node.chain.pending.steps).toEqual(pending.steps)
      expect(await receiptsOf(node)).toEqual(receipts)
      expect(await node.traces('pending')).toEqual(traces)
    }
    await playSteps(straight)
    await playSteps(node)
    expect(sealedAs(await node.clocks.seal())).toEqual(sealedAs(await straight.clocks.seal()))
    expect(sealedAs(await node.clocks.seal())).toEqual(sealedAs(await straight.clocks.seal()))
  })
})

const receiptsOf = ({ call }: StepChain) => call('eth_getBlockReceipts', 'pending')

describe('hardhat_addBalance above the highest balance', () => {
  const refusal = (has: bigint, amount: bigint) => ({
    code: -32602,
    message: `${NOBODY} has ${has} wei, and cannot have ${amount} more: a balance is less than 2^256`,
  })

  test('changes nothing while nothing is pre-confirmed', async () => {
    const node = await createStepChain()
    await node.cheat({ kind: 'setBalance', address: NOBODY, balance: 1n })
    const { pending, head } = node.chain
    const { version } = head
    const add = (amount: bigint) => node.failure('hardhat_addBalance', NOBODY, hex(amount))
    expect(await add(MAX_BALANCE)).toEqual(refusal(1n, MAX_BALANCE))
    expect(await add(MAX_BALANCE + 1n)).toMatchObject({ code: -32602 })
    expect(node.chain.pending).toBe(pending)
    expect(head.version).toBe(version)
    await node.call('hardhat_addBalance', NOBODY, hex(MAX_BALANCE - 1n))
    expect(await node.balance(NOBODY, 'latest')).toBe(MAX_BALANCE)
  })

  test('adds no step behind what is pre-confirmed', async () => {
    const node = await createStepChain()
    await node.send(0, { to: NOBODY, value: '0x5' })
    await node.tick()
    const { pending } = node.chain
    // What waits is frozen, and stays so.
    await node.send(1, { to: NOBODY, value: '0x5' })
    expect(await node.failure('hardhat_addBalance', NOBODY, hex(MAX_BALANCE - 4n))).toEqual(
      refusal(5n, MAX_BALANCE - 4n),
    )
    expect(node.chain.pending).toBe(pending)
    await node.call('hardhat_addBalance', NOBODY, hex(MAX_BALANCE - 5n))
    expect(node.places()).toEqual([[1, 'addBalance']])
    expect([await node.balance(NOBODY, 'latest'), await node.balance(NOBODY)]).toEqual([
      0n,
      MAX_BALANCE,
    ])
  })
})
