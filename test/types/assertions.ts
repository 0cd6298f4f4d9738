// Never run: the compiler checks what the assertions take, and refuses what is marked.
import type { JsonRpcProvider } from 'ethers'
import type { NetworkConnection } from 'hardhat/types/network'
import type { Abi, PublicClient, TestClient, WalletClient } from 'viem'
import { expect, inject } from 'vitest'
import type { Devnet } from '../../devnet/index.ts'
import { assertEmittedBeforeSeal, assertPreconfirmed } from '../../plugin/assertions/index.ts'
import { createGlobalSetup } from '../../plugin/vitest/index.ts'

declare const devnet: Devnet
declare const connection: NetworkConnection
declare const provider: JsonRpcProvider
declare const publicClient: PublicClient
declare const testClient: TestClient
declare const walletClient: WalletClient
declare const wideAbi: Abi
declare const hash: string

const abi = [
  { type: 'event', name: 'Stored', inputs: [{ name: 'slot', type: 'uint256', indexed: true }] },
  { type: 'function', name: 'store', inputs: [], outputs: [], stateMutability: 'view' },
] as const

/** Each form of a node. */
export async function nodes(): Promise<void> {
  await expect(hash).toBePreconfirmed('http://127.0.0.1:8545')
  await expect(hash).toBePreconfirmed(devnet)
  await expect(hash).toBePreconfirmed(devnet.provider)
  await expect(hash).toBePreconfirmed(connection)
  await expect(hash).toBePreconfirmed(connection.provider)
  await expect(hash).toBePreconfirmed(provider)
  await expect(hash).toBePreconfirmed(publicClient)
  await expect(hash).toBePreconfirmed(testClient)
  await expect(hash).toBePreconfirmed(walletClient)
  await expect(hash).toBePreconfirmed(inject('pendingNodeUrl'))
  // @ts-expect-error an address is text
  await expect(hash).toBePreconfirmed(new URL('http://127.0.0.1:8545'))
  // @ts-expect-error which node?
  await expect(hash).toBePreconfirmed()
  // @ts-expect-error not a node
  await expect(hash).not.toBeSealed({ timeout: 5 })
  // @ts-expect-error in the global set-up it is a node's options, not its address
  inject('pendingNode').startsWith('http')
}

/** What each assertion takes. */
export async function matchers(): Promise<void> {
  const done: Promise<void> = expect(hash).not.toBeSealed(devnet, { timeout: 5 })
  await done
  await expect(hash).toHavePendingCode(devnet)
  await expect(hash).toHavePendingCode(devnet, '0x60', { timeout: 5 })
  await expect(hash).toHavePendingNonce(devnet, 3n)
  await expect(Promise.resolve(hash)).resolves.toHavePendingNonce(devnet, 3)
  // @ts-expect-error ms are a number
  await expect(hash).toBeSealed(devnet, { timeout: '5' })
  // @ts-expect-error which nonce?
  await expect(hash).toHavePendingNonce(devnet)
  // @ts-expect-error a nonce is a number
  await expect(hash).toHavePendingNonce(devnet, '3')
  // @ts-expect-error no such assertion
  await expect(hash).toBePreConfirmed(devnet)
}

/** The events of an ABI. */
export async function events(): Promise<void> {
  await expect(hash).toEmitBeforeSeal(devnet, { abi, eventName: 'Stored', args: { slot: 1n } })
  await expect(hash).toEmitBeforeSeal(devnet, { abi, eventName: 'Stored(uint256)', args: [1] })
  await expect(hash).toEmitBeforeSeal(devnet, { abi: wideAbi, eventName: 'Whatever' })
  await expect(hash).toEmitBeforeSeal(devnet, { abi: ['event A()'], eventName: 'A' })
  await expect(hash).toEmitBeforeSeal(devnet, { topics: ['0x12', null, ['0x34']], address: '0x' })
  await expect(hash).not.toEmitBeforeSeal(devnet, {})
  await assertEmittedBeforeSeal(hash, devnet, { abi, eventName: 'Stored' })
  // @ts-expect-error the ABI has no such event
  await expect(hash).toEmitBeforeSeal(devnet, { abi, eventName: 'Other' })
  // @ts-expect-error a function is no event
  await expect(hash).toEmitBeforeSeal(devnet, { abi, eventName: 'store' })
  // @ts-expect-error the ABI has no such event
  await assertEmittedBeforeSeal(hash, devnet, { abi, eventName: 'Other' })
  // @ts-expect-error which event of the ABI?
  await expect(hash).toEmitBeforeSeal(devnet, { abi })
  // @ts-expect-error either an ABI or topics
  await expect(hash).toEmitBeforeSeal(devnet, { abi, eventName: 'Stored', topics: [] })
  // @ts-expect-error which event?
  await expect(hash).toEmitBeforeSeal(devnet)
  // @ts-expect-error which node?
  await assertPreconfirmed(hash)
}

createGlobalSetup({ node: { frozen: true, tickInterval: 50 } })
createGlobalSetup({ compile: false, node: true })
// @ts-expect-error no such option
createGlobalSetup({ node: { tick: 50 } })
