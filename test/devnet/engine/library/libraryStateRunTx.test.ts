import { createBlock } from '@ethereumjs/block'
import { Common, Hardfork, Mainnet } from '@ethereumjs/common'
import { createLegacyTx } from '@ethereumjs/tx'
import { Address, type PrefixedHexString } from '@ethereumjs/util'
import { createVM, runTx } from '@ethereumjs/vm'
import { expect, test } from 'vitest'
import { LibraryState } from '../../../../devnet/engine/library/libraryState.ts'
import { textToBytes } from '../../../../devnet/primitives/bytes.ts'
import { addressHex, addressKey } from '../../../../devnet/state/keys.ts'
import { Overlay } from '../../../../devnet/state/overlay/overlay.ts'
import { account, keccak256, newStore, slot } from '../../state/support.ts'

const SENDER = account(1)
const CONTRACT = account(2)
const common = new Common({
  chain: Mainnet,
  hardfork: Hardfork.Prague,
  customCrypto: { keccak256 },
})
const block = createBlock({ header: { number: 1, gasLimit: 30_000_000n } }, { common })

async function machine(store = newStore()) {
  const overlay = new Overlay(store.view(), store.codes)
  overlay.setBalance(SENDER, 10n ** 18n)
  const vm = await createVM({ common, stateManager: new LibraryState(overlay, common) })
  const run = (to: PrefixedHexString | undefined, data: PrefixedHexString = '0x') => {
    const fields = { gasLimit: 200_000n, gasPrice: 7n, data, ...(to === undefined ? {} : { to }) }
    const tx = createLegacyTx(fields, { common, freeze: false })
    tx.getSenderAddress = () => new Address(textToBytes(SENDER))
    return runTx(vm, { tx, block, skipNonce: true })
  }
  return { overlay, run }
}

const bytes = (hex: string) => Uint8Array.from(Buffer.from(hex, 'hex'))

test('a sender with code can run when presented without it, and keeps it', async () => {
  const { overlay, run } = await machine()
  overlay.setCode(SENDER, bytes('00'))
  // Returns EXTCODEHASH of the caller.
  overlay.setCode(CONTRACT, bytes('333f5f5260205ff3'))
  await expect(run(addressHex(CONTRACT))).rejects.toThrow('EIP-3607')
  overlay.presentAsEoaOnce(SENDER)
  const { execResult } = await run(addressHex(CONTRACT))
  expect(execResult.returnValue).toEqual(keccak256(bytes('00')))
  expect(overlay.account(SENDER)).toMatchObject({ nonce: 1n, codeHash: keccak256(bytes('00')) })
})

test('gas of SSTORE follows the value at the start of the transaction', async () => {
  const { overlay, run } = await machine()
  // SSTORE(0, calldata word 0), SSTORE(0, calldata word 1)
  overlay.setCode(CONTRACT, bytes('5f355f556020355f5500'))
  const word = (value: number) => value.toString(16).padStart(64, '0')
  const gas = async (first: number, second: number) =>
    (await run(addressHex(CONTRACT), `0x${word(first)}${word(second)}`)).execResult.executionGasUsed
  const fresh = await gas(1, 2)
  const restored = await gas(3, 2)
  const changed = await gas(4, 5)
  expect(overlay.slot(CONTRACT, slot(0))).toEqual(Uint8Array.of(5))
  // EIP-2200 and EIP-2929: 22,100 for a new slot, 5,000 for a changed one, 100 for the second write
  // in a transaction.
  expect(fresh - changed).toBe(17_100n)
  expect(restored).toBe(changed)
})

test('no contract is created at an address with storage of the genesis block (EIP-7610)', async () => {
  const { run } = await machine()
  const { createdAddress, execResult: free } = await run(undefined, '0x00')
  if (createdAddress === undefined) throw new Error('nothing was created')
  expect(free.exceptionError).toBeUndefined()
  const key = addressKey(bytes(createdAddress.toString().slice(2)))
  const store = newStore()
  const laid = new Overlay(store.view(), store.codes)
  laid.setSlot(key, slot(0), Uint8Array.of(1))
  store.commit(laid.takeDiff())
  const { execResult } = await (await machine(store)).run(undefined, '0x00')
  expect(execResult.exceptionError).toBeUndefined()
  store.noteGenesis(store.head)
  const { execResult: refused } = await (await machine(store)).run(undefined, '0x00')
  expect(refused.exceptionError?.error).toMatch(/collision/)
})
