import type { Hex } from 'viem'
import { type PrivateKeyAccount, privateKeyToAccount } from 'viem/accounts'
import { executeListed } from '../../../devnet/chain/building/executeListed.ts'
import { openBlock } from '../../../devnet/chain/building/openPendingBlock.ts'
import type { PendingView } from '../../../devnet/chain/building/pendingView.ts'
import { sealBlock } from '../../../devnet/chain/building/sealing.ts'
import { type LoadedChain, loadChain } from '../../../devnet/node/loadChain.ts'
import { type OptionsInput, resolveOptions } from '../../../devnet/options/options.ts'
import { EMPTY_BYTES, ZERO_HASH } from '../../../devnet/primitives/bytes.ts'
import { fromHex, quantity, toHex } from '../../../devnet/primitives/hex.ts'
import { InvalidBlockError, type SealedBlock } from '../../../devnet/protocol/block.ts'
import { openEnvironment } from '../../../devnet/protocol/environment.ts'
import { EMPTY_NONCE } from '../../../devnet/protocol/header.ts'
import {
  BUILDER_DEPOSITS,
  BUILDER_EXITS,
  CONSOLIDATION_REQUESTS,
  WITHDRAWAL_REQUESTS,
} from '../../../devnet/protocol/systemContracts.ts'
import type { Withdrawal } from '../../../devnet/protocol/withdrawals.ts'
import { addressKey } from '../../../devnet/state/keys.ts'
import type { StateReader } from '../../../devnet/state/types.ts'
import { BLOCK_FORKS, genesisOf, temporaryFile } from '../../support/genesisFile.ts'
import { Random } from '../../support/random.ts'
import { CodeMaker, PROGRAMS, shortAddress } from '../engine/fast/randomTransactions.ts'

const FORKS = {
  ...BLOCK_FORKS,
  shanghaiTime: 0,
  cancunTime: 0,
  pragueTime: 0,
  osakaTime: 0,
  amsterdamTime: 0,
}

/** A chain of Amsterdam that blocks are added to without clocks, so that they can have withdrawals. */
export class AccessListChain {
  readonly genesis: Readonly<Record<string, unknown>>
  readonly loaded: LoadedChain
  readonly random: Random
  readonly #maker: CodeMaker
  readonly #signers: readonly PrivateKeyAccount[]

  private constructor(
    genesis: Readonly<Record<string, unknown>>,
    loaded: LoadedChain,
    random: Random,
    maker: CodeMaker,
  ) {
    this.genesis = genesis
    this.loaded = loaded
    this.random = random
    this.#maker = maker
    const keys = loaded.accounts.slice(0, 3).map(({ privateKey }) => privateKey)
    this.#signers = keys.map((key) => privateKeyToAccount(key))
  }

  /** @param gasLimit - default: enough for any block that the random commands make */
  static async create(seed: number, gasLimit = 10n ** 10n): Promise<AccessListChain> {
    const random = new Random(seed)
    const plain = genesisOf(FORKS, { gasLimit: quantity(gasLimit) })
    const { engine } = await load(plain)
    const maker = new CodeMaker(random, engine.crypto)
    const alloc: Record<string, object> = { ...Object(plain.alloc) }
    for (const program of PROGRAMS) {
      alloc[toHex(shortAddress(program))] = {
        code: toHex(Uint8Array.from(maker.code())),
        nonce: '0x1',
        balance: quantity(BigInt(random.below(40))),
        storage: { [word(1)]: word(3), [word(2)]: word(1) },
      }
    }
    const genesis = { ...plain, alloc }
    return new AccessListChain(genesis, await load(genesis), random, maker)
  }

  get head(): SealedBlock {
    return this.loaded.base.history.head
  }

  /** Adds a block with about so many random transactions, and with random withdrawals. */
  async addRandomBlock(transactions: number): Promise<SealedBlock> {
    const { random } = this
    let view = this.open()
    for (let count = 0; count < transactions; count++) {
      const raw = fromHex(await this.#transaction(view.state))
      try {
        view = await this.#execute(view, raw)
      } catch (error) {
        // Too little gas, or no funds.
        if (!(error instanceof InvalidBlockError)) throw error
      }
    }
    const withdrawals = Array.from(
      { length: random.once(2) ? 0 : 1 + random.below(4) },
      (_, index): Withdrawal => ({
        index: BigInt(index),
        validatorIndex: 7n,
        address: this.#address(),
        amount: BigInt(random.below(3)),
      }),
    )
    return this.seal(view, withdrawals)
  }

  open(): PendingView {
    const { random, head } = this
    const { engine, base } = this.loaded
    const timestamp = head.header.timestamp + 1n + BigInt(random.below(20))
    const rules = engine.schedule.at(head.header.number + 1n, timestamp)
    const { gasLimit } = head.header
    const coinbase = random.once(2) ? fromHex(this.#address()) : new Uint8Array(20).fill(0xcb)
    const given = { timestamp, prevRandao: ZERO_HASH, coinbase, gasLimit }
    const parentBeaconBlockRoot = random.once(3) ? ZERO_HASH : new Uint8Array(32).fill(7)
    const environment = { ...openEnvironment(head, given, rules), parentBeaconBlockRoot }
    return openBlock(environment, { engine, store: base.store })
  }

  async seal(view: PendingView, withdrawals: readonly Withdrawal[] = []): Promise<SealedBlock> {
    const { engine, base } = this.loaded
    const { store, history } = base
    const contents = { uncles: [], withdrawals, extraData: EMPTY_BYTES, nonce: EMPTY_NONCE }
    const blockHashes = this.blockHashes
    const sealed = await sealBlock(view, { engine, store, blockHashes, contents })
    history.push(sealed)
    return sealed
  }

  readonly blockHashes = (number: bigint): Uint8Array =>
    this.loaded.base.history.hashOf(Number(number)) ?? ZERO_HASH

  async #execute(view: PendingView, raw: Uint8Array): Promise<PendingView> {
    const { engine, base } = this.loaded
    const { store } = base
    const context = { engine, store, blockHashes: this.blockHashes }
    return (await executeListed({ transactions: [raw] }, view, context, undefined)).view
  }

  #address(): Hex {
    const { random } = this
    return random.pick([
      ...this.#signers.map(({ address }) => address.toLowerCase()),
      ...PROGRAMS.map((program) => toHex(shortAddress(program))),
      toHex(shortAddress(random.below(40))),
      `0x${random
        .below(2 ** 31)
        .toString(16)
        .padStart(40, 'e')}`,
    ]) as Hex // all of them are
  }

  async #transaction(state: StateReader): Promise<Hex> {
    const { random } = this
    const signer = random.pick(this.#signers)
    const nonceOf = ({ address }: PrivateKeyAccount) =>
      Number(state.account(addressKey(fromHex(address)))?.nonce ?? 0n)
    const gas = BigInt(
      random.pick([60_000, 400_000, 400_000, 2_000_000, 2_000_000, 2 ** 24 + 2_000_000]),
    )
    const common = { chainId: 4242, nonce: nonceOf(signer), gas }
    const gasPrice = 30n * 10n ** 9n
    const fees = {
      maxFeePerGas: gasPrice,
      maxPriorityFeePerGas: BigInt(random.pick([0, 0, 1, 10 ** 9])),
    }
    const data = toHex(Uint8Array.from({ length: random.below(70) }, () => random.below(256)))
    const value = BigInt(random.pick([0, 0, 1, 30]))
    switch (random.below(10)) {
      case 0:
        return signer.signTransaction({
          type: 'legacy',
          ...common,
          gasPrice,
          value,
          data: toHex(Uint8Array.from(this.#maker.code())),
        })
      case 1:
      case 2: {
        const authority = random.pick(this.#signers)
        const isOwn = authority === signer
        const authorization = await authority.signAuthorization({
          contractAddress: random.pick([
            toHex(shortAddress(random.pick(PROGRAMS))),
            toHex(shortAddress(0)),
          ]),
          chainId: random.pick([0, 4242, 4242, 1]),
          nonce: nonceOf(authority) + Number(isOwn) + (random.once(5) ? 1 : 0),
        })
        const to = random.once(2) ? authority.address : this.#address()
        const type = 'eip7702'
        return signer.signTransaction({
          type,
          ...common,
          ...fees,
          to,
          value,
          data,
          authorizationList: [authorization],
        })
      }
      case 3: {
        const [to, length] = random.pick([
          [WITHDRAWAL_REQUESTS, 56],
          [CONSOLIDATION_REQUESTS, 96],
          [BUILDER_DEPOSITS, 184],
          [BUILDER_EXITS, 48],
        ] as const)
        // A builder deposits at least 1 ETH, in gwei behind its key and credentials.
        const bytes = new Uint8Array(length).fill(0x11)
        bytes.set([0, 0, 0, 0, 0x3b, 0x9a, 0xca, 0x00], Math.min(80, length - 8))
        const asks = { to: to.address, data: toHex(bytes), value: 2n * 10n ** 18n }
        return signer.signTransaction({
          type: 'eip1559',
          ...common,
          ...fees,
          ...asks,
          gas: 2_000_000n,
        })
      }
      case 4:
        return signer.signTransaction({
          type: 'eip1559',
          ...common,
          ...fees,
          to: this.#address(),
          value,
        })
      default: {
        const to = toHex(shortAddress(random.pick(PROGRAMS)))
        return random.once(2)
          ? signer.signTransaction({ type: 'legacy', ...common, gasPrice, to, value, data })
          : signer.signTransaction({ type: 'eip1559', ...common, ...fees, to, value, data })
      }
    }
  }
}

function word(value: number): Hex {
  return `0x${value.toString(16).padStart(64, '0')}`
}

/** The chain of a genesis file. */
export function load(genesis: object, more: OptionsInput = {}): Promise<LoadedChain> {
  const options = resolveOptions({ genesis: temporaryFile('genesis.json', genesis), ...more })
  return loadChain(options, new AbortController().signal)
}
