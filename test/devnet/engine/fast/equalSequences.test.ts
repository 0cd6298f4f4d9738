import { expect, test } from 'vitest'
import { loadCrypto } from '../../../../devnet/engine/crypto.ts'
import { Executor } from '../../../../devnet/engine/executor.ts'
import type { Execution } from '../../../../devnet/engine/types.ts'
import { toHex } from '../../../../devnet/primitives/hex.ts'
import { bloomHex } from '../../../../devnet/protocol/bloom.ts'
import { forkRules, type HardforkName } from '../../../../devnet/protocol/forks.ts'
import type { Halt } from '../../../../devnet/protocol/halt.ts'
import type { TransactionFields } from '../../../../devnet/protocol/transaction.ts'
import { Codes } from '../../../../devnet/state/codes.ts'
import { addressKey } from '../../../../devnet/state/keys.ts'
import { Overlay } from '../../../../devnet/state/overlay/overlay.ts'
import { VersionedStore } from '../../../../devnet/state/store/versionedStore.ts'
import { accessesText } from '../../../support/executionOutcome.ts'
import { runs } from '../../../support/longRuns.ts'
import { Random } from '../../../support/random.ts'
import { stateChanges } from '../../../support/stateChanges.ts'

// Several transactions on one overlay, as in a block, over programs that return much data, grow
// memory over it, create the same contracts again and destroy them, and call each other deeply.

const SENDER = address(0xaa)
const BLOCK = {
  number: 300n,
  timestamp: 99n,
  gasLimit: 30_000_000n,
  baseFeePerGas: 7n,
  coinbase: address(0xcc),
  prevRandao: new Uint8Array(32).fill(5),
  difficulty: 12345n,
  blobBaseFee: 2n,
  slotNumber: 77n,
}

/** Programs call each other and the helpers by the last bytes of their addresses. */
const PROGRAMS = [0xe0, 0xe1, 0xe2, 0xe3]
const ECHO = 0xe8
const REVERTER = 0xe9
const SELF_DESTROYER = 0xea
const IDENTITY = 0x04
const SHA256 = 0x02

function address(low: number): Uint8Array {
  const bytes = new Uint8Array(20)
  bytes[19] = low
  return bytes
}

function byte(value: number): string {
  return value.toString(16).padStart(2, '0')
}

function push1(value: number): string {
  return `60${byte(value)}`
}

function push3(value: number): string {
  return `62${value.toString(16).padStart(6, '0')}`
}

/**
 * RETURN or REVERT with as many bytes of memory as the calldata says, up to 65,535. The length is
 * written at the start, and a number that depends on the caller in the middle.
 */
function echo(end: 'f3' | 'fd'): string {
  return `5f3561ffff168060011c3363012345670281525080600052805f${end}`
}

const HELPERS: readonly (readonly [low: number, code: string])[] = [
  [ECHO, echo('f3')],
  [REVERTER, echo('fd')],
  [SELF_DESTROYER, '33ff'],
]

class ProgramMaker {
  readonly #random: Random

  constructor(random: Random) {
    this.#random = random
  }

  program(): string {
    const length = 2 + this.#random.below(7)
    return Array.from({ length }, () => this.#piece()).join('') + this.#end()
  }

  #size(): string {
    const sizes = [0, 1, 31, 32, 33, 100, 1_000, 5_000, 20_000, 65_535]
    return push3(this.#random.pick(sizes) + this.#random.below(3))
  }

  #slot(): string {
    return push1(this.#random.below(6))
  }

  #piece(): string {
    const random = this.#random
    const slot = this.#slot()
    switch (random.below(12)) {
      case 0:
      case 1:
      case 2:
      case 3:
        return this.#call()
      case 4:
        // Memory grows, perhaps over return data.
        return `${push3(random.below(2 ** 20))}${random.pick([this.#size(), '59', '59'])}52`
      case 5:
        // RETURNDATACOPY of all, or of more or less than there is.
        return random.pick(['3d5f5f3e', '3d5f593e', `3d5f${this.#size()}3e`, `${push1(9)}5f5f3e`])
      case 6:
        // The hash of all memory.
        return `595f20${slot}55`
      case 7:
        return `${slot}54600101${slot}55`
      case 8:
        return random.pick([`3d${slot}55`, `59${slot}55`, `47${slot}55`, `${slot}5c${slot}55`])
      case 9:
        return this.#create()
      case 10:
        return `${this.#size()}${this.#size()}a0`
      default: {
        const copy = random.pick(['37', '39', '5e'])
        return this.#size() + push3(random.below(4_000)) + this.#size() + copy
      }
    }
  }

  /** Stores a size in memory and gives it to another program. */
  #call(): string {
    const random = this.#random
    const opcode = random.pick(['f1', 'f1', 'f2', 'f4', 'fa'])
    const helper = random.pick([ECHO, ECHO, REVERTER, SELF_DESTROYER, IDENTITY, SHA256])
    const target = push1(random.once(2) ? random.pick(PROGRAMS) : helper)
    const value = opcode < 'f4' ? push1(random.pick([0, 0, 1, 5])) : ''
    const gas = random.pick(['5a', '5a', '5a', push3(40_000), push3(random.below(5_000))])
    const output = random.pick(['5f', '6020', this.#size()]) + random.pick(['5f', this.#size()])
    const result = random.once(2) ? '50' : `${this.#slot()}55`
    return `${this.#size()}5f52${output}60205f${value}${target}${gas}${opcode}${result}`
  }

  /**
   * CREATE, or CREATE2 with always the same salt, of a contract that stops, writes a slot, or
   * destroys itself; then perhaps calls it, once or twice.
   */
  #create(): string {
    const random = this.#random
    const body = random.pick(['33ff', '30ff', '600160005500', '00'])
    const size = body.length / 2
    // PUSH body, MSTORE(0), RETURN(32 - size, size).
    const init = `${byte(0x5f + size)}${body}5f52${push1(size)}${push1(32 - size)}f3`
    const length = init.length / 2
    const salt = random.once(3) ? '' : '6001'
    const value = random.pick(['5f', '6001'])
    const range = push1(length) + push1(32 - length)
    const create = `${salt}${range}${value}${salt === '' ? 'f0' : 'f5'}`
    // CALL(GAS, DUP6, 0, …); the second one with ether.
    const once = '5f5f5f5f5f855af150'
    const then = random.pick(['', once, `5f5f5f5f6002855af150${once}`])
    return `${byte(0x5f + length)}${init}5f52${create}${then}${random.pick(['50', `${this.#slot()}55`])}`
  }

  #end(): string {
    const ends = ['', '00', '595ff3', '60205ff3', '595ffd', '33ff', 'fe']
    return this.#random.pick([...ends, `${this.#size()}${this.#size()}f3`])
  }
}

/**
 * Programs that enter themselves until they cannot, and answer how often they did: in a slot, or,
 * where nothing may be written, in what they return.
 */
const COUNT_IN_SLOT = '505f54600101805f555f5260205ff3'
const DEEP: Readonly<Record<string, string>> = {
  CALL: `5f5f5f5f5f305af1${COUNT_IN_SLOT}`,
  CALLCODE: `5f5f5f5f5f305af2${COUNT_IN_SLOT}`,
  DELEGATECALL: `5f5f5f5f305af4${COUNT_IN_SLOT}`,
  STATICCALL: '60205f5f5f305afa505f516001015f5260205ff3',
}

function outcome({ failure, invalidOpcode: _, bloomBits, accesses, ...rest }: Execution) {
  const bloom = bloomHex(bloomBits)
  // From Amsterdam on, the library opens no frame for a creation at an address that is taken.
  const innerFrames = accesses === undefined ? rest.innerFrames : undefined
  return { ...rest, innerFrames, failure, bloom, accesses: accesses && accessesText(accesses) }
}

/** Both engines, over the same state. */
async function createEngines(hardfork: HardforkName) {
  const crypto = await loadCrypto()
  const codes = new Codes(crypto.keccak256)
  const rules = forkRules(hardfork)
  const blockHashes = () => new Uint8Array(32)
  let view = new VersionedStore(codes).view()
  const create = async (engine: 'fast' | 'library') => {
    const executor = new Executor({ rules, crypto, codes, engine })
    return { executor, machine: await executor.acquire(view, blockHashes) }
  }
  const engines = [await create('fast'), await create('library')] as const
  return {
    /** Begins with a sender and with programs, by the last bytes of their addresses. */
    fill(programs: ReadonlyMap<number, string>): void {
      const store = new VersionedStore(codes)
      const state = new Overlay(store.view(), codes)
      for (const [low, hex] of programs) {
        const key = addressKey(address(low))
        state.setCode(key, Uint8Array.from(Buffer.from(hex, 'hex')))
        state.setNonce(key, 1n)
        state.setBalance(key, 10n)
      }
      state.setBalance(addressKey(SENDER), 10n ** 40n)
      store.commit(state.takeDiff())
      view = store.view()
      for (const { machine } of engines) machine.reset(view, blockHashes)
    },
    async play(tx: TransactionFields) {
      const [fast, library] = engines
      return [
        outcome(await fast.executor.run(fast.machine, tx, BLOCK)),
        outcome(await library.executor.run(library.machine, tx, BLOCK)),
      ] as const
    },
    /** What all transactions since {@link fill} have changed. */
    differences() {
      return engines.map(({ machine }) => stateChanges(machine.overlay, view))
    },
  }
}

function fields(
  to: number,
  nonce: bigint,
  gasLimit: bigint,
  data = new Uint8Array(0),
): TransactionFields {
  return {
    type: 0,
    from: SENDER,
    to: address(to),
    nonce,
    gasLimit,
    value: 0n,
    data,
    maxFeePerGas: 20n,
    maxPriorityFeePerGas: 20n,
    accessList: [],
    maxFeePerBlobGas: 0n,
    blobVersionedHashes: [],
    authorizationList: [],
  }
}

/** Failures that use up all gas: the library and geth name different ones if there are several. */
const HALTS: readonly (Halt | undefined)[] = [
  'outOfGas',
  'outOfReturnData',
  'stackUnderflow',
  'stackOverflow',
  'writeProtection',
]

test.for<readonly [HardforkName, number, number]>([
  ['amsterdam', 4, runs(2_000, 60)],
  ['osaka', 1, runs(600)],
  ['shanghai', 2, runs(300)],
  ['berlin', 3, runs(200)],
])(
  'agrees with the library on sequences of transactions, %s, seed %i',
  async ([hardfork, seed, count]) => {
    const random = new Random(seed)
    const maker = new ProgramMaker(random)
    const { play, fill, differences } = await createEngines(hardfork)
    const kinds = new Map<string, number>()
    for (let index = 0; index < count; index++) {
      const own = PROGRAMS.map((low) => [low, maker.program()] as const)
      const programs = new Map(
        [...own, ...HELPERS].map(([low, hex]) => [
          low,
          hardfork === 'berlin' ? withoutPush0(hex) : hex,
        ]),
      )
      fill(programs)
      const shown = [...programs].map(([low, hex]) => `${low.toString(16)} ${hex}`).join(', ')
      for (let nonce = 0n; nonce < 4n; nonce++) {
        const gases = [60_000, 200_000, 1_000_000, 5_000_000]
        // Above 2^24, gas is reserved for state.
        if (hardfork === 'amsterdam') gases.push(2 ** 24 + 200_000, 2 ** 24 + 2_000_000)
        const gas = BigInt(random.pick(gases))
        const data = Uint8Array.from({ length: random.below(70) }, () => random.below(256))
        const to = random.pick(PROGRAMS)
        const [fast, library] = await play(fields(to, nonce, gas, data))
        const kind = library.failure ?? 'success'
        kinds.set(kind, (kinds.get(kind) ?? 0) + 1)
        const bothHalt = [fast, library].every(({ failure }) => HALTS.includes(failure))
        const name = `${index}: ${gas} gas and nonce ${nonce} to ${to.toString(16)}: ${shown}`
        expect({ ...fast, failure: bothHalt ? kind : fast.failure }, name).toEqual(library)
      }
      const [fast, library] = differences()
      expect(fast, shown).toEqual(library)
    }
    // Otherwise the programs would not say much.
    for (const kind of ['success', 'revert', 'outOfGas', 'invalidOpcode']) {
      expect(kinds.get(kind) ?? 0, kind).toBeGreaterThan(2)
    }
  },
)

/** PUSH1 0 in place of PUSH0, which Berlin lacks. These programs have no jumps. */
function withoutPush0(hex: string): string {
  const bytes = Buffer.from(hex, 'hex')
  let text = ''
  for (let at = 0; at < bytes.length; at++) {
    const opcode = bytes[at] ?? 0
    const size = opcode > 0x5f && opcode <= 0x7f ? opcode - 0x5f : 0
    text += opcode === 0x5f ? '6000' : bytes.subarray(at, at + 1 + size).toString('hex')
    at += size
  }
  return text
}

test.for(Object.entries(DEEP))(
  'agrees with the library at the depth limit: %s',
  async ([, program]) => {
    const { play, fill } = await createEngines('osaka')
    // Once all gas is used up before the limit, once there is enough.
    for (const gas of [16_000_000n, 2n ** 40n]) {
      fill(new Map([[0xe0, program]]))
      const [fast, library] = await play(fields(0xe0, 0n, gas))
      expect(fast).toEqual(library)
      const depth = Number(toHex(fast.returnData))
      if (gas === 2n ** 40n) expect(depth).toBe(1_025)
      else expect(depth).toBeLessThan(1_000)
    }
  },
)
