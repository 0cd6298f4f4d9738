import { privateKeyToAccount } from 'viem/accounts'
import { expect, test } from 'vitest'
import { EMPTY_REQUESTS_HASH } from '../../../devnet/protocol/header.ts'
import {
  BEACON_ROOTS,
  BLOCK_HASHES,
  CONSOLIDATION_REQUESTS,
  isStandard,
  WITHDRAWAL_REQUESTS,
} from '../../../devnet/protocol/systemContracts.ts'
import { addressKeyFromHex } from '../../../devnet/state/keys.ts'
import { createTestChain } from '../../support/chain.ts'
import { createRpcChain } from '../rpc/methods/rpcChain.ts'

const SYSTEM = addressKeyFromHex(`0x${'ff'.repeat(19)}fe`)

test('the caller of the system contracts does not become an account (EIP-7002)', async () => {
  const { chain, clocks, accounts, send, options } = await createTestChain({ hardfork: 'prague' })
  const account = privateKeyToAccount(accounts[0]?.privateKey ?? '0x')
  await send(
    await account.signTransaction({
      chainId: options.chainId,
      nonce: 0,
      to: WITHDRAWAL_REQUESTS.address,
      // Public key of a validator, and an amount.
      data: `0x${'ab'.repeat(48)}${'00'.repeat(8)}`,
      value: 1n,
      gas: 300_000n,
      maxFeePerGas: 10n ** 10n,
    }),
  )
  await clocks.advanceBlocks(1)
  expect(chain.head.executed[0]?.success).toBe(true)
  expect(chain.head.header.requestsHash).not.toEqual(EMPTY_REQUESTS_HASH)
  expect(chain.store.view(chain.head.version).account(SYSTEM)).toBeNull()
})

test('a cheat that replaces a request contract does not stop the node', async () => {
  const { chain, call } = await createRpcChain()
  const { address, code } = WITHDRAWAL_REQUESTS
  for (const other of ['0x5f5ffd', '0x', '0x5b5f56']) {
    await call('hardhat_setCode', address, other)
    await call('evm_mine')
    expect(chain.head.header.requestsHash).toEqual(EMPTY_REQUESTS_HASH)
  }
  await call('hardhat_setCode', address, code)
  await call('evm_mine')
  expect(chain.head.number).toBe(4)
})

test.each([BEACON_ROOTS, BLOCK_HASHES, WITHDRAWAL_REQUESTS, CONSOLIDATION_REQUESTS])(
  'the system contract at $address is known by its code',
  async ({ address, code }) => {
    const { chain, call } = await createRpcChain()
    const isKnown = () => isStandard(addressKeyFromHex(address), chain.pending.state)
    expect(isKnown()).toBe(true)
    await call('hardhat_setCode', address, `${code}00`)
    expect(isKnown()).toBe(false)
    await call('hardhat_setCode', address, code)
    expect(isKnown()).toBe(true)
  },
)
