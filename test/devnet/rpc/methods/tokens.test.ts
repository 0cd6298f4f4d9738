import { encodeAbiParameters, keccak256 } from 'viem'
import { expect, test } from 'vitest'
import type { Hex } from '../../../../devnet/primitives/hex.ts'
import { createRpcChain, hex } from './rpcChain.ts'

const TOKEN: Hex = `0x${'70'.repeat(20)}`
const PROXY: Hex = `0x${'71'.repeat(20)}`
const NONE: Hex = `0x${'72'.repeat(20)}`

/**
 * Reads slot 0, as a token its pause, then returns the slot that is the hash of the arguments:
 * PUSH0 SLOAD POP, size - 4 bytes from 4 copied to 0, KECCAK256, SLOAD, MSTORE, RETURN.
 */
const TOKEN_CODE = '0x5f54506004360360045f37600436035f20545f5260205ff3'
/** Delegates the whole call to the token, and returns its word. */
const PROXY_CODE: Hex = `0x365f5f375f5f365f73${TOKEN.slice(2)}5af45060205f5f3e60205ff3`

const word = (value: bigint): Hex => `0x${value.toString(16).padStart(64, '0')}`
const slotOf = (...owners: Hex[]) =>
  keccak256(
    encodeAbiParameters(
      owners.map(() => ({ type: 'address' })),
      owners,
    ),
  )

async function createTokens() {
  const node = await createRpcChain()
  await node.call('hardhat_setCode', TOKEN, TOKEN_CODE)
  await node.call('hardhat_setCode', PROXY, PROXY_CODE)
  const [alice, bob] = [node.account(0).address, node.account(1).address]
  const slot = (token: Hex, at: Hex) => node.call('eth_getStorageAt', token, at, 'latest')
  return { ...node, alice, bob, slot }
}

test('default: anvil_dealERC20 sets the slot of the balance', async () => {
  const { call, alice, slot } = await createTokens()
  for (const token of [TOKEN, PROXY]) {
    for (const amount of [1000n, 0n, 2n ** 256n - 1n]) {
      expect(await call('anvil_dealERC20', alice, token, hex(amount))).toBeNull()
      expect(await slot(token, slotOf(alice))).toBe(word(amount))
      const data = `0x70a08231${alice.slice(2).padStart(64, '0')}`
      expect(await call('eth_call', { to: token, data }, 'latest')).toBe(word(amount))
    }
    expect(await slot(token, '0x0')).toBe(word(0n))
  }
})

test('default: anvil_setERC20Allowance sets the slot of the allowance', async () => {
  const { call, alice, bob, slot } = await createTokens()
  expect(await call('anvil_setERC20Allowance', alice, bob, TOKEN, '0x7')).toBeNull()
  expect(await slot(TOKEN, slotOf(alice, bob))).toBe(word(7n))
  expect(await slot(TOKEN, slotOf(bob, alice))).toBe(word(0n))
})

test('an account that is no token', async () => {
  const { call, failure, alice } = await createTokens()
  await call('hardhat_setCode', NONE, '0xfe')
  for (const token of [NONE, alice]) {
    expect(await failure('anvil_dealERC20', alice, token, '0x1')).toEqual({
      code: -32000,
      message: `${token} keeps the value in no slot that a call reads: set it with anvil_setStorageAt`,
    })
  }
})
