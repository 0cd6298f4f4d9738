import { writeFileSync } from 'node:fs'
import type { EngineChoice } from '../../devnet/engine/fast/route.ts'
import { buildPayload } from '../../devnet/execution/buildPayload.ts'
import { decodeBlock } from '../../devnet/persistence/import/decodeBlock.ts'
import { fromHex, type Hex, toHex } from '../../devnet/primitives/hex.ts'
import {
  type AccessChange,
  type AccessedAccount,
  decodeBlockAccessList,
} from '../../devnet/protocol/blockAccessList.ts'
import { BUILDER_DEPOSITS, BUILDER_EXITS } from '../../devnet/protocol/systemContracts.ts'
import { createTestChain } from '../support/chain.ts'

/** The first block of a blockchain test of Amsterdam, with what its filler says about it. */
export interface FirstBlock {
  readonly name: string
  readonly config: {
    readonly chainid: Hex
    readonly blobSchedule: Readonly<Record<string, unknown>>
  }
  readonly genesisBlockHeader: Readonly<Record<string, Hex>>
  readonly pre: Readonly<Record<string, object>>
  readonly rlp: Hex
  readonly receipts: readonly { readonly status: boolean; readonly logs: readonly Log[] }[]
  readonly blockAccessList: readonly Account[]
  /** Of the transactions. */
  readonly senders: readonly Hex[]
}

interface Log {
  readonly address: Hex
  readonly topics: readonly Hex[]
  readonly data: Hex
}

/** An account in the access list of a filler. Numbers have leading zeros to whole bytes. */
interface Account {
  readonly address: Hex
  readonly nonceChanges: readonly { readonly blockAccessIndex: Hex; readonly postNonce: Hex }[]
  readonly balanceChanges: readonly { readonly blockAccessIndex: Hex; readonly postBalance: Hex }[]
  readonly codeChanges: readonly { readonly blockAccessIndex: Hex; readonly newCode: Hex }[]
  readonly storageChanges: readonly {
    readonly slot: Hex
    readonly slotChanges: readonly { readonly blockAccessIndex: Hex; readonly postValue: Hex }[]
  }[]
  readonly storageReads: readonly Hex[]
}

/** All hardforks at once, as a genesis file names them. */
const FORKS = Object.fromEntries([
  ...['homestead', 'eip150', 'eip155', 'eip158', 'byzantium', 'constantinople', 'petersburg'].map(
    (name) => [`${name}Block`, 0],
  ),
  ...['istanbul', 'berlin', 'london', 'mergeNetsplit'].map((name) => [`${name}Block`, 0]),
  ...['shanghai', 'cancun', 'prague', 'osaka', 'bpo1', 'bpo2', 'amsterdam'].map((name) => [
    `${name}Time`,
    0,
  ]),
])

/** Contracts that Amsterdam did not have when the tests were filled, and without which no block is valid today. */
const LATER = [BUILDER_DEPOSITS, BUILDER_EXITS]

/** Slot 0 of this contract (EIP-2935) has the hash of the genesis block, which is another with more contracts. */
const HISTORY = '0x0000f90827f1c53a10cb7a02335b175320002935'

/**
 * Builds the block of a test again, from its transactions.
 *
 * @param genesisFile - is written anew
 * @returns what was expected, and what this node does, in the same form: each without what hangs on gas, the balances
 * of those who pay fees and who get them
 */
export async function builtAgain(test: FirstBlock, genesisFile: string, engine: EngineChoice) {
  const { config, genesisBlockHeader, pre } = test
  const blobSchedule = Object.fromEntries(
    Object.entries(config.blobSchedule).map(([name, entry]) => [name.toLowerCase(), entry]),
  )
  const alloc = {
    ...pre,
    ...Object.fromEntries(
      LATER.map(({ address, code }) => [address, { code, balance: '0x0', nonce: '0x1' }]),
    ),
  }
  const chainId = Number(config.chainid)
  const genesis = { ...genesisBlockHeader, config: { chainId, ...FORKS, blobSchedule }, alloc }
  writeFileSync(genesisFile, JSON.stringify(genesis))
  const { chain } = await createTestChain({ genesis: genesisFile, engine })
  const { header, transactions, withdrawals } = decodeBlock(
    fromHex(test.rlp),
    chain.engine.crypto.keccak256,
  )
  const { executed, accessList, hash } = await buildPayload(chain, {
    timestamp: header.timestamp,
    prevRandao: header.mixHash,
    feeRecipient: header.coinbase,
    parentBeaconBlockRoot: header.parentBeaconBlockRoot ?? new Uint8Array(32),
    withdrawals,
    extraData: header.extraData,
    gasLimit: header.gasLimit,
    slotNumber: header.slotNumber,
    transactions,
    signal: new AbortController().signal,
    timeout: 60_000,
  })
  const paying = new Set([...test.senders, toHex(header.coinbase)])
  return {
    /** Of the block that was built, which commits to all of its gas and state. */
    hash: toHex(hash),
    /** Of each transaction: whether it used all of its gas. */
    ranOut: executed.map(({ gasUsed, transaction }) => gasUsed === transaction.gasLimit),
    expected: {
      receipts: test.receipts.map(({ status, logs }) => ({ status, logs: logs.map(logForm) })),
      accounts: test.blockAccessList.filter(isOld).map((one) => accountForm(one, paying)),
    },
    actual: {
      receipts: executed.map(({ success, logs }) => ({
        status: success,
        logs: logs.map(([address, topics, data]) =>
          logForm({ address: toHex(address), topics: topics.map(toHex), data: toHex(data) }),
        ),
      })),
      accounts: decodeBlockAccessList(accessList ?? new Uint8Array(0))
        .map(told)
        .filter(isOld)
        .map((one) => accountForm(one, paying)),
    },
  }
}

const isOld = ({ address }: Account) => !LATER.some((later) => later.address === address)

/** This node's own, in the form of a filler. */
function told(account: AccessedAccount): Account {
  const number = (bytes: Uint8Array): Hex => `0x0${toHex(bytes).slice(2)}`
  const indexed = <Value, Named>(
    changes: readonly AccessChange<Value>[],
    named: (value: Value) => Named,
  ) => changes.map(([index, value]) => ({ blockAccessIndex: hex(index), ...named(value) }))
  return {
    address: toHex(account.address),
    nonceChanges: indexed(account.nonceChanges, (nonce) => ({ postNonce: hex(nonce) })),
    balanceChanges: indexed(account.balanceChanges, (wei) => ({ postBalance: hex(wei) })),
    codeChanges: indexed(account.codeChanges, (code) => ({ newCode: toHex(code) })),
    storageChanges: account.storageChanges.map(([slot, changes]) => ({
      slot: number(slot),
      slotChanges: indexed(changes, (value) => ({ postValue: number(value) })),
    })),
    storageReads: account.storageReads.map(number),
  }
}

const hex = (value: number | bigint): Hex => `0x${value.toString(16)}`

/** Numbers without leading zeros. */
const plain = (value: Hex) => hex(BigInt(value))

function accountForm(account: Account, paying: ReadonlySet<Hex>) {
  const { address } = account
  return {
    address,
    nonces: account.nonceChanges.map((one) => [plain(one.blockAccessIndex), plain(one.postNonce)]),
    balances: account.balanceChanges.map((one) => [
      plain(one.blockAccessIndex),
      paying.has(address) ? 'hangs on gas' : plain(one.postBalance),
    ]),
    codes: account.codeChanges.map((one) => [plain(one.blockAccessIndex), one.newCode]),
    writes: account.storageChanges.map(({ slot, slotChanges }) => [
      plain(slot),
      slotChanges.map((one) => [
        plain(one.blockAccessIndex),
        address === HISTORY && plain(slot) === '0x0' ? 'another genesis' : plain(one.postValue),
      ]),
    ]),
    reads: account.storageReads.map(plain),
  }
}

const logForm = ({ address, topics, data }: Log): Log => ({ address, topics, data })
