import { bytesToBigInt, concatBytes, ZERO_HASH } from '../../primitives/bytes.ts'
import { fromHex, type Hex } from '../../primitives/hex.ts'
import { isObject } from '../../primitives/json.ts'
import { memoize } from '../../primitives/memo.ts'
import { short } from '../../primitives/visible.ts'
import { askCompiler } from '../../rpc/naming/contractNames.ts'
import type { Keccak256 } from '../../state/types.ts'
import type { AccountChange, SlotChange } from '../changes.ts'
import type { Dashboard } from '../dashboard.ts'
import type { Naming } from '../naming.ts'
import { bytesText, lengthIn, type PathPart, valueText } from './slotValues.ts'
import { readStorageLayout, type StorageLayout } from './storageLayout.ts'
import { type Place, pathText, StorageMap } from './storageMap.ts'

/** Slots that proxies agree on, with the address in them. */
const KNOWN_SLOTS: ReadonlyMap<string, string> = new Map([
  [
    '0x360894a13ba1a3210667c828492db98dca3e2076cc3735a920a3ca505d382bbc',
    'implementation (EIP-1967)',
  ],
  ['0xb53127684a568b3173ae13b9f8a6016e243e63b6e8ee1178d6a717850b5d6103', 'admin (EIP-1967)'],
  ['0xa3f0ad74e5423aebfd80d3ef4346578335a9a72aeaee59ff6cb3582b35133d50', 'beacon (EIP-1967)'],
  [
    '0xc5f16f0fcc639fa48a6947836d9850f504798523bf8c9a3a87d5876cf622bcf7',
    'implementation (EIP-1822)',
  ],
])

/** Words of a string that are put together; of a longer one each word is shown. */
const MOST_WORDS = 64n

/** Contracts with the same code whose variables are looked for. */
const MOST_LAYOUTS = 8

const layoutOf = memoize(readStorageLayout)

/** Changes of an account, of which those of storage are named. */
export interface NamedChange extends Omit<AccountChange, 'storage'> {
  /** Slots that no layout names. */
  readonly storage: readonly SlotChange[]
  /** Variables that changed, by the layout of the contract. */
  readonly variables: readonly Variable[]
  /** True if the contract is known, but not its layout. */
  readonly lacksLayout: boolean
}

/** A variable, or a part of one, e.g. `positions[Account #7].shares`. */
interface Variable extends Omit<Found, 'path'> {
  readonly name: string
  /** The same with all digits of addresses. */
  readonly exact: string
}

/** Names the changed slots of accounts by their variables, as far as their layouts are known. */
export async function nameVariables(
  dashboard: Dashboard,
  changes: readonly AccountChange[],
  preimages: Readonly<Record<Hex, readonly Hex[]>>,
  naming: Naming,
): Promise<readonly NamedChange[]> {
  const named: NamedChange[] = []
  for (const change of changes) {
    const hashed = (preimages[change.address] ?? []).map(fromHex)
    const isPlain = change.storage.length === 0
    const plain = { ...change, variables: [], lacksLayout: false }
    named.push(isPlain ? plain : await slotsNamed(change, hashed))
    await naming.pause()
  }
  return named

  async function slotsNamed(change: AccountChange, hashed: readonly Uint8Array[]) {
    const { keccak256 } = dashboard.node.context.chain.engine.crypto
    const contracts = (await dashboard.contracts.at(change.address)).flatMap(({ found }) => found)
    const layouts: StorageLayout[] = []
    for (const contract of contracts) {
      const layout = await askCompiler(dashboard.naming, [contract], ({ storageLayout }) =>
        isObject(storageLayout) ? layoutOf(storageLayout) : undefined,
      )
      if (layout !== undefined) layouts.push(layout)
    }
    const maps = layouts.slice(0, MOST_LAYOUTS).map((layout) => new StorageMap(layout, keccak256))
    for (const map of maps) for (const _ of map.learn(hashed)) await naming.pause()
    const { variables, rest } = new ChangedSlots(change.storage, maps, keccak256).split()
    const shown: Variable[] = []
    for (const { path, ...variable } of variables) {
      for (const part of path) if (typeof part !== 'string') await naming.name(part.address)
      if (/^(?:address|contract )/.test(variable.type)) {
        for (const value of [variable.before, variable.after]) await naming.name(value as Hex)
      }
      const nameOf = (address: Hex) => naming.names[address] ?? short(address)
      const [name, exact] = [pathText(path, nameOf), pathText(path, (address) => address)]
      shown.push({ ...variable, name, exact })
    }
    const lacksLayout = contracts.length > 0 && layouts.length === 0 && rest.length > 0
    return { ...change, storage: rest, variables: shown, lacksLayout }
  }
}

interface Found {
  readonly path: readonly PathPart[]
  /** As in the source, e.g. `uint256`. */
  readonly type: string
  /** Decimal, `true` or `false`, hexadecimal, a string in quotes, or `(45 bytes)`. */
  readonly before: string
  readonly after: string
  readonly slot: Hex
}

/** The slots of one account that a transaction changed. */
class ChangedSlots {
  readonly #slots: readonly SlotChange[]
  readonly #bySlot: ReadonlyMap<bigint, SlotChange>
  readonly #maps: readonly StorageMap[]
  readonly #keccak256: Keccak256
  /** Slots of strings that are shown as a whole. */
  readonly #whole = new Set<bigint>()

  constructor(slots: readonly SlotChange[], maps: readonly StorageMap[], keccak256: Keccak256) {
    this.#slots = slots
    this.#bySlot = new Map(slots.map((change) => [BigInt(change.slot), change]))
    this.#maps = maps
    this.#keccak256 = keccak256
    for (const slot of this.#bySlot.keys()) for (const map of maps) map.addLength(slot)
  }

  /** The variables that changed, and the slots that no layout names. */
  split(): { readonly variables: readonly Found[]; readonly rest: readonly SlotChange[] } {
    const all = this.#slots.map((change) => {
      const slot = BigInt(change.slot)
      const maps = this.#maps.map((map) => map.placesAt(slot))
      return { change, places: maps.find((places) => places.length > 0) ?? [] }
    })
    // Strings first: their words are left out if the string shows them.
    const strings = new Map(
      all.map(({ change, places }) => [
        change,
        places[0]?.type.encoding === 'bytes' && places[0].word === undefined
          ? this.#string(change, places[0])
          : undefined,
      ]),
    )
    const variables: Found[] = []
    const rest: SlotChange[] = []
    for (const { change, places } of all) {
      const own = strings.get(change)
      const found = own === undefined ? this.#found(change, places) : [own]
      variables.push(...found)
      if (found.length === 0 && !this.#whole.has(BigInt(change.slot))) rest.push(change)
    }
    return { variables, rest }
  }

  #found(change: SlotChange, places: readonly Place[]): Found[] {
    const { slot } = change
    const [before, after] = [fromHex(change.before), fromHex(change.after)]
    const known = KNOWN_SLOTS.get(slot)
    if (known !== undefined) {
      const text = (word: Uint8Array) => valueText({ label: 'address', size: 20n }, word)
      return [{ path: [known], type: 'address', slot, before: text(before), after: text(after) }]
    }
    if (this.#whole.has(BigInt(slot))) return []
    return places.flatMap(({ path, type, offset, word }) => {
      if (type.encoding === 'mapping') return []
      const isLength = type.encoding === 'dynamic_array'
      const of = isLength ? LENGTH : type
      const text = (bytes: Uint8Array) =>
        word === undefined ? valueText(of, bytes, offset) : bytesText(type, bytes)
      const [first, second] = [text(before), text(after)]
      if (first === second) return []
      const part = word === undefined ? (isLength ? '.length' : '') : `[${word * 32n}…]`
      return [{ path: [...path, part], type: of.label, slot, before: first, after: second }]
    })
  }

  /** A string or byte array; of one whose words are not all known, the length. */
  #string(change: SlotChange, { path, type }: Place): Found {
    const [before, after] = [fromHex(change.before), fromHex(change.after)]
    const base = bytesToBigInt(this.#keccak256(fromHex(change.slot)))
    const [first, second] = [lengthIn(before), lengthIn(after)]
    const bytesOf = (word: Uint8Array, side: 'before' | 'after', other: boolean) => {
      const { length, isLong } = lengthIn(word)
      if (!isLong) return word.subarray(0, Math.min(31, Number(length)))
      const words = (length + 31n) / 32n
      if (words > MOST_WORDS) return undefined
      const parts: Uint8Array[] = []
      for (let index = 0n; index < words; index++) {
        const part = this.#bySlot.get(base + index)
        if (part === undefined && other) return undefined
        parts.push(part === undefined ? ZERO_HASH : fromHex(part[side]))
      }
      return concatBytes(...parts).subarray(0, Number(length))
    }
    const [old, fresh] = [
      bytesOf(before, 'before', second.isLong),
      bytesOf(after, 'after', first.isLong),
    ]
    if (old !== undefined && fresh !== undefined) {
      for (let index = 0n; index < MOST_WORDS; index++) this.#whole.add(base + index)
    }
    const text = (bytes: Uint8Array | undefined, { length }: { readonly length: bigint }) =>
      bytes === undefined ? `(${length} bytes)` : bytesText(type, bytes)
    const { slot } = change
    return { path, type: type.label, slot, before: text(old, first), after: text(fresh, second) }
  }
}

const LENGTH = { label: 'uint256', size: 32n }
