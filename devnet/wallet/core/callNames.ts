import { setImmediate } from 'node:timers/promises'
import type { KnownContract } from '../../options/walletOptions.ts'
import { type AbiEntry, readAbi } from '../../primitives/abi.ts'
import { shorten } from '../../primitives/errors.ts'
import type { Hex } from '../../primitives/hex.ts'
import { isObject } from '../../primitives/json.ts'
import { memoize } from '../../primitives/memo.ts'
import { forward, isHex, isLocal, ownClient } from './chainRpc.ts'
import type { ShownTransaction } from './describeTransaction.ts'
import type { Session } from './session.ts'
import { STANDARD_ABI } from './standardAbi.ts'
import type { Wallet } from './wallet.ts'

/** What a transaction calls or creates, as far as it is known. */
export interface CallNames {
  /** `null` if the contract is unknown; `A or B` if several have the same code. */
  readonly contract: string | null
  readonly isProxied: boolean
  /** The function, or the constructor of a contract that is created. */
  readonly entry: AbiEntry | undefined
  /** Whether `entry` is known by its selector alone, not from the contract's ABI. */
  readonly isStandard: boolean
  /** The encoded arguments. */
  readonly data: Hex
  /** The contract's ABI; empty if the contract is unknown. */
  readonly abi: readonly AbiEntry[]
}

/** Longest name of a contract that is shown, in characters. */
const MAX_NAME = 80

/** What the selector of a transaction tells without a look at the contract. */
export function standardNames(wallet: Wallet, transaction: ShownTransaction): CallNames {
  return namesOf(wallet, calldata(transaction), NOTHING)
}

/** Finds what transactions call by the code of the contracts, behind proxies too. */
export async function findNames(
  session: Session,
  transactions: readonly ShownTransaction[],
  signal: AbortSignal,
): Promise<readonly CallNames[]> {
  const finder = new Finder(session, signal)
  return Promise.all(transactions.map((transaction) => finder.namesOf(transaction)))
}

/**
 * Finds the error that `data` begins with, in the ABI of the contract called or of any other: a
 * contract passes on errors of those that it calls.
 */
export async function findError(
  { wallet }: Session,
  data: Hex,
  abi: readonly AbiEntry[],
): Promise<AbiEntry | undefined> {
  const known =
    findEntry(wallet, abi, 'error', data) ?? findEntry(wallet, STANDARD_ABI, 'error', data)
  if (known !== undefined) return known
  for (const contract of await ask(wallet, (source) => source.all())) {
    const found = findEntry(wallet, entriesOf(contract.abi), 'error', data)
    if (found !== undefined) return found
    // A project may have thousands of contracts: let others run meanwhile.
    await setImmediate()
  }
  return undefined
}

/** The data of a transaction; both names of the field are in use. */
export function calldata({ input, data }: ShownTransaction): Hex {
  return input ?? data ?? '0x'
}

interface Contracts {
  readonly found: readonly KnownContract[]
  readonly isProxied: boolean
}

const NOTHING: Contracts = { found: [], isProxied: false }

/** Where proxies keep the address of their implementation (EIP-1967), and of their beacon. */
const IMPLEMENTATION_SLOT = '0x360894a13ba1a3210667c828492db98dca3e2076cc3735a920a3ca505d382bbc'
const BEACON_SLOT = '0xa3f0ad74e5423aebfd80d3ef4346578335a9a72aeaee59ff6cb3582b35133d50'
/** Call of `implementation()`. */
const ASK_BEACON = '0x5c60da1b'

/** Code that only names other code: of a delegating account (EIP-7702), of a clone (EIP-1167). */
const POINTERS = [
  /^0xef0100([0-9a-f]{40})$/,
  /^0x363d3d373d3d3d363d73([0-9a-f]{40})5af43d82803e903d91602b57fd5bf3$/,
]

/** Finds contracts on the active chain. */
class Finder {
  readonly #session: Session
  readonly #signal: AbortSignal

  constructor(session: Session, signal: AbortSignal) {
    this.#session = session
    this.#signal = signal
  }

  async namesOf(transaction: ShownTransaction): Promise<CallNames> {
    const { wallet } = this.#session
    const data = calldata(transaction)
    const { to } = transaction
    if (!to) return creationNames(data, await ask(wallet, (source) => source.createdBy(data)))
    if (wallet.settings.contracts === undefined || !isLocal(this.#session)) {
      return namesOf(wallet, data, NOTHING)
    }
    const code = await this.#read('eth_getCode', to)
    if (code === '0x') return namesOf(wallet, data, NOTHING)
    const direct = await this.#contractsWith(code)
    if (findEntry(wallet, abiOf(direct.found), 'function', data) !== undefined) {
      return namesOf(wallet, data, direct)
    }
    const behind = await this.#implementationOf(to)
    const isBetter =
      direct.found.length === 0 ||
      findEntry(wallet, abiOf(behind.found), 'function', data) !== undefined
    return namesOf(wallet, data, isBetter && behind.found.length > 0 ? behind : direct)
  }

  async #contractsWith(code: Hex): Promise<Contracts> {
    for (const pointer of POINTERS) {
      const target = pointer.exec(code)?.[1]
      if (target !== undefined) return this.#behind(`0x${target}`)
    }
    return { found: await this.#deployedAs(code), isProxied: false }
  }

  async #implementationOf(proxy: Hex): Promise<Contracts> {
    const read = async (...request: [string, ...unknown[]]) =>
      addressIn(await this.#read(...request))
    const implementation = await read('eth_getStorageAt', proxy, IMPLEMENTATION_SLOT)
    if (implementation !== undefined) return this.#behind(implementation)
    const beacon = await read('eth_getStorageAt', proxy, BEACON_SLOT)
    if (beacon === undefined) return NOTHING
    const behind = await read('eth_call', { to: beacon, data: ASK_BEACON })
    return behind === undefined ? NOTHING : this.#behind(behind)
  }

  async #behind(address: Hex): Promise<Contracts> {
    const code = await this.#read('eth_getCode', address)
    return { found: await this.#deployedAs(code), isProxied: true }
  }

  async #deployedAs(code: Hex): Promise<readonly KnownContract[]> {
    if (code === '0x') return []
    return ask(this.#session.wallet, (source) => source.deployedAs(code))
  }

  async #read(method: string, ...params: readonly unknown[]): Promise<Hex> {
    const client = ownClient(this.#signal)
    const answer = await forward(this.#session, method, [...params, 'pending'], client)
    // The RPC of an added chain may answer anything.
    return isHex(answer) ? `0x${answer.slice(2).toLowerCase()}` : '0x'
  }
}

function namesOf(wallet: Wallet, data: Hex, { found, isProxied }: Contracts): CallNames {
  const abi = abiOf(found)
  const own = findEntry(wallet, abi, 'function', data)
  return {
    contract: nameOf(found),
    isProxied,
    entry: own ?? findEntry(wallet, STANDARD_ABI, 'function', data),
    isStandard: own === undefined,
    data: `0x${data.slice(SELECTOR_LENGTH)}`,
    abi,
  }
}

/** For contracts without a constructor of their own. */
const NO_CONSTRUCTOR: AbiEntry = { kind: 'constructor', name: '', inputs: [], signature: '()' }

function creationNames(code: Hex, found: readonly KnownContract[]): CallNames {
  const abi = abiOf(found)
  const own = abi.find(({ kind }) => kind === 'constructor')
  const entry = found.length === 0 ? undefined : (own ?? NO_CONSTRUCTOR)
  const data: Hex = `0x${code.slice(2 + 2 * (found[0]?.initCodeLength ?? 0))}`
  return { contract: nameOf(found), isProxied: false, entry, isStandard: false, data, abi }
}

/** Length of a selector in hexadecimal, with `0x`. */
const SELECTOR_LENGTH = 10

function findEntry(
  wallet: Wallet,
  abi: readonly AbiEntry[],
  wanted: 'function' | 'error',
  data: Hex,
): AbiEntry | undefined {
  if (data.length < SELECTOR_LENGTH) return undefined
  const selector = data.slice(0, SELECTOR_LENGTH).toLowerCase()
  return abi.find((entry) => entry.kind === wanted && wallet.selectorOf(entry) === selector)
}

/** The ABIs of contracts with the same code, as one. */
function abiOf(found: readonly KnownContract[]): readonly AbiEntry[] {
  return found.flatMap(({ abi }) => entriesOf(abi))
}

const entriesOf = memoize(readAbi)

function nameOf(found: readonly KnownContract[]): string | null {
  if (found.length === 0) return null
  const name = [...new Set(found.map((one) => one.name))].join(' or ')
  return shorten(name, MAX_NAME)
}

/** Asks the option `contracts`. A program's own functions may fail: then no contract is known. */
async function ask(
  { settings: { contracts }, onInternalError }: Wallet,
  question: (contracts: NonNullable<Wallet['settings']['contracts']>) => Promise<unknown>,
): Promise<readonly KnownContract[]> {
  if (contracts === undefined) return []
  try {
    const answer = await question(contracts)
    return Array.isArray(answer) ? answer.filter(isContract) : []
  } catch (error) {
    onInternalError(new Error('The option wallet.contracts failed', { cause: error }))
    return []
  }
}

function isContract(value: unknown): value is KnownContract {
  return (
    isObject(value) &&
    typeof value.name === 'string' &&
    Array.isArray(value.abi) &&
    typeof value.initCodeLength === 'number'
  )
}

/** The address in a word; `undefined` if it is zero, or the data is no word. */
function addressIn(data: Hex): Hex | undefined {
  const address = /^0x0{24}([0-9a-f]{40})$/.exec(data)?.[1]
  return address === undefined || /^0*$/.test(address) ? undefined : `0x${address}`
}
