import { getContractAddress } from 'viem'
import { expect, onTestFinished, test, vi } from 'vitest'
import type { OptionsInput } from '../../../../devnet/options/options.ts'
import { type Hex, quantity, toHex } from '../../../../devnet/primitives/hex.ts'
import { BEACON_ROOTS, WITHDRAWAL_REQUESTS } from '../../../../devnet/protocol/systemContracts.ts'
import { addressKeyFromHex } from '../../../../devnet/state/keys.ts'
import { START } from '../../../support/chain.ts'
import { genesisOf, temporaryFile } from '../../../support/genesisFile.ts'
import { seeds } from '../../../support/longRuns.ts'
import { RandomTraffic } from '../../chain/randomTraffic.ts'
import { dumpOf } from '../../persistence/dump/support.ts'
import { createRpcChain, hex, type RpcChain } from '../../rpc/methods/rpcChain.ts'
import { createFollower, expectEqual, type Message, shown } from './follower.ts'

const CONTRACT: Hex = `0x${'c0'.repeat(20)}`
const STRANGER: Hex = `0x${'5a'.repeat(20)}`

/** Sets slot 0 to the call's value, and logs it. */
const CODE: Hex = '0x3460005534600052602060006000a100'.replace('6000a1', '600034a1') as Hex

/** Random commands of every kind that changes what is pending. */
class Program {
  /** How many transactions ticks have taken, and blocks were sealed, while nobody commanded it. */
  takenByClock = 0
  sealedByClock = 0
  readonly #node: RpcChain
  readonly #traffic: RandomTraffic
  /** Whether both clocks follow wall time, which is faked. */
  readonly #isRunning: boolean
  readonly #targets: { readonly token: Hex; readonly playground: Hex }
  #snapshots: unknown[] = []

  constructor(node: RpcChain, seed: number, isRunning: boolean) {
    this.#node = node
    this.#isRunning = isRunning
    const { hardfork } = node.chain.pending.environment.rules
    this.#traffic = new RandomTraffic(
      seed,
      node.accounts.slice(0, 3),
      node.chain.engine.chainId,
      hardfork === 'bpo2' || hardfork === 'amsterdam' ? hardfork : 'london',
    )
    const [from = '0x'] = this.#traffic.addresses
    const at = (nonce: bigint) => getContractAddress({ from, nonce })
    this.#targets = { token: at(0n), playground: at(1n) }
  }

  async deploy(): Promise<void> {
    for (const raw of await this.#traffic.deployments()) await this.#submit(raw)
  }

  /** Reverts, cheats and rollbacks may have taken what a transaction needs, even its hardfork. */
  async #submit(raw: Hex): Promise<void> {
    const reasons = /insufficient funds|nonce|fee|gas limit|not supported|already known/
    await this.#node.send(raw).catch((error: Error) => expect(error.message).toMatch(reasons))
  }

  async step(): Promise<void> {
    const { random } = this.#traffic
    if (!this.#isRunning) return this.#command()
    const { chain } = this.#node
    const { number } = chain.head
    const waiting = chain.mempool.runnableCount
    await this.#pass(random.below(3000))
    this.takenByClock += waiting - chain.mempool.runnableCount
    this.sealedByClock += chain.head.number - number
    // The clocks fire amid what a command does, too.
    await Promise.all([this.#command(), this.#pass(random.below(600))])
  }

  /** Lets wall time pass, and what is due then happen. */
  async #pass(ms: number): Promise<void> {
    await vi.advanceTimersByTimeAsync(ms)
    await this.#node.chain.write(() => undefined)
  }

  async #command(): Promise<void> {
    const { random } = this.#traffic
    const { call } = this.#node
    const roll = random.below(32)
    if (roll < 9) await this.#send(1 + random.below(3))
    else if (roll < 14) await call('preconf_advance', { ticks: 1 + random.below(2) })
    else if (roll < 17) await call('preconf_advance', { blocks: 1 })
    else if (roll === 17) await call('preconf_seal')
    else if (roll < 21) await this.#cheat()
    else if (roll < 24) await (random.once(3) ? this.#deposit() : this.#impersonate())
    else if (roll < 26) await this.#travel()
    else if (roll < 28) await this.#choose()
    else if (roll === 28) await this.#drop()
    else if (roll === 29) await this.#reserve()
    else if (roll === 30) await this.#clock()
    else await this.#changeChainId()
  }

  async #send(count: number): Promise<void> {
    const { chain } = this.#node
    const { addresses, nonces } = this.#traffic
    if (chain.engine.chainId !== this.#traffic.chainId) return
    for (let sent = 0; sent < count; sent++) {
      for (const [index, address] of addresses.entries()) {
        nonces[index] = Number(chain.mempool.nextNonce(addressKeyFromHex(address)))
      }
      await this.#submit(await this.#traffic.next(this.#targets))
    }
  }

  async #cheat(): Promise<void> {
    const { random, addresses } = this.#traffic
    const { call } = this.#node
    const address = random.pick([...addresses, CONTRACT, STRANGER, this.#targets.playground])
    const rich = hex(10n ** 21n + BigInt(random.below(1000)))
    switch (random.below(7)) {
      case 0:
        return call('hardhat_setBalance', address, address === STRANGER ? '0x0' : rich)
      case 1:
        return call('anvil_addBalance', address, hex(1 + random.below(9)))
      case 2:
        return call('hardhat_setCode', CONTRACT, random.once(3) ? '0x' : CODE)
      case 3:
        return call(
          'hardhat_setNonce',
          CONTRACT,
          hex((await this.#nonce(CONTRACT)) + random.below(9)),
        )
      case 4:
        return call(
          'hardhat_setCode',
          random.pick([BEACON_ROOTS, WITHDRAWAL_REQUESTS]).address,
          CODE,
        )
      case 5:
        return call('hardhat_setBalance', STRANGER, '0x0')
      default:
        return call(
          'hardhat_setStorageAt',
          random.pick([CONTRACT, this.#targets.playground]),
          hex(random.below(4)),
          toHex(new Uint8Array(32).fill(random.below(2))),
        )
    }
  }

  async #nonce(address: Hex): Promise<number> {
    await this.#node.call('preconf_advance', { ticks: 1 })
    return Number(await this.#node.call('eth_getTransactionCount', address, 'pending'))
  }

  /** From L1, if the chain has an L1; it may fail, and is included. */
  async #deposit(): Promise<void> {
    const { chain, call } = this.#node
    if (!chain.pending.environment.rules.opStack) return
    const { random } = this.#traffic
    const [from, to] = [random.pick([CONTRACT, STRANGER]), random.pick([CONTRACT, STRANGER])]
    await call('preconf_deposit', { from, to, mint: hex(random.below(9)), value: hex(3) })
  }

  /** Sends unsigned, from an account with code too. */
  async #impersonate(): Promise<void> {
    const { random } = this.#traffic
    const { call } = this.#node
    const from = random.pick([CONTRACT, STRANGER])
    await call('hardhat_setBalance', from, hex(10n ** 20n))
    await call('hardhat_impersonateAccount', from)
    const value = hex(random.below(100))
    await call('eth_sendTransaction', { from, to: CONTRACT, value, gas: '0x61a80' })
    if (random.once(2)) await call('hardhat_stopImpersonatingAccount', from)
  }

  async #travel(): Promise<void> {
    const { random } = this.#traffic
    const { call, chain } = this.#node
    if (random.once(8)) {
      await call('hardhat_reset')
      this.#snapshots = []
      await this.deploy()
    } else if (random.once(4)) {
      const depth = random.below(Math.min(3, chain.head.number + 1))
      await call('anvil_rollback', depth)
    } else if (random.once(3)) {
      const depth = random.below(Math.min(5, chain.head.number + 1))
      const { dropped } = await this.#node.clocks.reorg({ depth, requeues: random.once(2) })
      for (const hash of dropped) expect(chain.findTransaction(hash)).toBe(undefined)
    } else if (this.#snapshots.length === 0 || random.once(2)) {
      this.#snapshots.push(await call('evm_snapshot'))
    } else {
      const at = random.below(this.#snapshots.length)
      await call('evm_revert', this.#snapshots[at])
      this.#snapshots = this.#snapshots.slice(0, at)
    }
  }

  /** Time and environment of the next block. */
  async #choose(): Promise<void> {
    const { random } = this.#traffic
    const { call, chain } = this.#node
    const { rules } = chain.pending.environment
    switch (random.below(5)) {
      case 0:
        return call('evm_increaseTime', random.below(1000))
      case 1:
        if (!rules.baseFee) return
        return call('hardhat_setNextBlockBaseFeePerGas', hex(random.below(2 * 10 ** 9)))
      case 2:
        return call('hardhat_setCoinbase', random.pick([CONTRACT, STRANGER]))
      case 3:
        if (!rules.withdrawals) return
        return call('hardhat_setPrevRandao', toHex(new Uint8Array(32).fill(random.below(256))))
      default:
        return call('evm_setBlockGasLimit', hex(10_000_000 + random.below(50_000_000)))
    }
  }

  async #drop(): Promise<void> {
    const { chain, call } = this.#node
    const { executed } = chain.pending
    if (executed.length === 0) return
    const { hash } = this.#traffic.random.pick(executed).transaction
    await call('hardhat_dropTransaction', hash).catch((error: Error) => {
      // The sealing clock was faster.
      expect(error.message).toMatch(/already mined/)
    })
  }

  /** So many blocks that all but the first and the last are reserved. */
  async #reserve(): Promise<void> {
    const { random } = this.#traffic
    const { call } = this.#node
    const blocks = 260 + random.below(1000)
    if (random.once(2)) await call('hardhat_mine', hex(blocks), hex(1 + random.below(20)))
    else await call('preconf_advance', { blocks })
    // Into the range.
    if (random.once(2)) await call('anvil_rollback', 1 + random.below(200))
    const most = Math.min(300, this.#node.chain.head.number)
    if (random.once(2)) await call('anvil_reorg', random.below(most))
  }

  async #clock(): Promise<void> {
    const { random } = this.#traffic
    const { call } = this.#node
    if (this.#isRunning && random.once(2)) {
      await call('evm_setIntervalMining', 1 + random.below(3000))
      await call('preconf_resume')
      return
    }
    switch (random.below(4)) {
      case 0:
        return call('evm_setAutomine', true)
      case 1:
        return call('evm_setAutomine', false)
      case 2:
        return call('preconf_freeze', { ticks: true })
      default:
        return call('preconf_freeze')
    }
  }

  /** What is signed for the old chain id is sealed; what is unsigned goes on. */
  async #changeChainId(): Promise<void> {
    const { call, chain } = this.#node
    const own = this.#traffic.chainId
    await call('anvil_setChainId', chain.engine.chainId === own ? 5 : own)
  }
}

/** Adds up the messages of a block, and compares the sum with the block once it is sealed. */
class Sums {
  readonly #node: RpcChain
  readonly #ids = new Set<Hex>()
  #opening: Message | undefined
  #last: Message | undefined
  #transactions: Hex[] = []
  #receipts: Record<Hex, object> = {}
  sealed = 0

  constructor(node: RpcChain) {
    this.#node = node
  }

  add(message: Message): void {
    const { base, index, payload_id: id } = message
    if (base === undefined) {
      expect([id, index]).toEqual([this.#last?.payload_id, (this.#last?.index ?? 0) + 1])
    } else {
      expect(index).toBe(0)
      expect(this.#ids.has(id)).toBe(false)
      this.#ids.add(id)
      this.#compare(base.parent_hash)
      this.#opening = message
      this.#transactions = []
      this.#receipts = {}
    }
    this.#last = message
    this.#transactions.push(...message.diff.transactions)
    Object.assign(this.#receipts, message.metadata.receipts)
  }

  #compare(parent: Hex): void {
    const block = this.#node.chain.history.byHash(parent)
    const [opening, last] = [this.#opening, this.#last]
    // Not if a command has taken the block back since.
    if (block === undefined || block.isReserved === true) return
    if (opening === undefined || last === undefined) return
    if (block.number !== last.metadata.block_number) return
    const { header, executed } = block
    expect(this.#transactions).toEqual(executed.map(({ transaction }) => toHex(transaction.raw)))
    expect(last.diff).toMatchObject({
      gas_used: quantity(header.gasUsed),
      receipts_root: toHex(header.receiptsRoot),
      logs_bloom: toHex(header.logsBloom),
      ...(header.withdrawalsRoot && { withdrawals_root: toHex(header.withdrawalsRoot) }),
      ...(header.blobGasUsed !== undefined && { blob_gas_used: quantity(header.blobGasUsed) }),
    })
    expect(opening.base).toEqual({
      parent_beacon_block_root: toHex(header.parentBeaconBlockRoot ?? new Uint8Array(32)),
      parent_hash: toHex(header.parentHash),
      fee_recipient: toHex(header.coinbase),
      prev_randao: toHex(header.mixHash),
      block_number: quantity(header.number),
      gas_limit: quantity(header.gasLimit),
      timestamp: quantity(header.timestamp),
      extra_data: toHex(header.extraData),
      base_fee_per_gas: quantity(header.baseFeePerGas ?? 0n),
    })
    expect(this.#receipts).toEqual(
      Object.fromEntries(
        executed.map(({ transaction, success, cumulativeGasUsed, logs, stateRoot }) => [
          transaction.hash,
          {
            type: hex(transaction.type),
            ...(stateRoot === undefined
              ? { status: success ? '0x1' : '0x0' }
              : { root: toHex(stateRoot) }),
            cumulativeGasUsed: hex(cumulativeGasUsed),
            ...(transaction.deposit === undefined
              ? {}
              : { depositNonce: quantity(transaction.nonce) }),
            logs: logs.map(([address, topics, data]) => ({
              address: toHex(address),
              topics: topics.map(toHex),
              data: toHex(data),
            })),
          },
        ]),
      ),
    )
    this.sealed++
  }
}

async function play(
  seed: number,
  options: OptionsInput,
  steps: number,
  isRunning = false,
): Promise<Program> {
  const node = await createRpcChain(options)
  const follower = await createFollower(node, options)
  const sums = new Sums(node)
  const program = new Program(node, seed, isRunning)
  // Opens the first block again, with a message that the follower sees.
  await node.call('hardhat_reset')
  await program.deploy()
  for (let step = 0; step < steps; step++) {
    await program.step()
    await node.clocks.arrivals
    await node.chain.write(() => undefined)
    const effects = await follower.read()
    for (const message of follower.taken.splice(0)) sums.add(message)
    expect(effects.filter((effect) => effect !== 'applied')).toEqual([])
    expect(shown(follower.copy), `step ${step}`).toEqual(shown(node))
  }
  expectEqual(node, follower.copy)
  expect(sums.sealed).toBeGreaterThan(steps / 40)
  return program
}

test.each(seeds(60))(
  'the stream alone gives every block, receipt and state, seed %i',
  async (seed) => {
    await play(seed, {}, 120)
  },
)

test.each(seeds(20))('the same while both clocks fire, seed %i', async (seed) => {
  vi.useFakeTimers({ toFake: ['Date', 'setTimeout', 'clearTimeout'], now: START * 1000 })
  onTestFinished(() => {
    vi.useRealTimers()
  })
  const clocks = { frozenTicks: false, tickInterval: 200, sealInterval: 2000 }
  const { takenByClock, sealedByClock } = await play(seed, clocks, 80, true)
  expect(takenByClock).toBeGreaterThan(0)
  expect(sealedByClock).toBeGreaterThan(0)
})

test.each(seeds(20))('the same in instant mode, seed %i', async (seed) => {
  await play(seed, { frozenTicks: false, instant: true }, 80)
})

test.each(seeds(20))(
  'the same on a chain of the OP Stack, which profile plain can load, seed %i',
  async (seed) => {
    const rollup = await createRpcChain({ profile: 'base-flashblocks' })
    await rollup.call('preconf_advance', { blocks: 2 })
    const loadState = temporaryFile('rollup.json', await dumpOf(rollup))
    await play(seed, { loadState, timestamp: undefined }, 80)
  },
)

test.each(seeds(20))('the same with block access lists, seed %i', async (seed) => {
  await play(seed, { hardfork: 'amsterdam' }, 60)
})

/** From before Byzantium, whose receipts have state roots, through the merge. */
const FORKS = {
  homesteadBlock: 0,
  eip150Block: 0,
  eip155Block: 0,
  eip158Block: 0,
  byzantiumBlock: 12,
  constantinopleBlock: 14,
  petersburgBlock: 14,
  istanbulBlock: 16,
  berlinBlock: 18,
  londonBlock: 20,
  mergeNetsplitBlock: 30,
  shanghaiTime: START + 200,
  cancunTime: START + 400,
}

test.each(seeds(10))('the same over hardforks, seed %i', async (seed) => {
  const genesis = genesisOf(FORKS, { timestamp: `0x${START.toString(16)}` })
  await play(seed, { genesis: temporaryFile('genesis.json', genesis), accounts: 3 }, 80)
})
