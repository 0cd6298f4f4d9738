import { BrowserProvider, Contract, NonceManager } from 'ethers'
import { createWalletClient, custom, type Hex, parseAbi, publicActions } from 'viem'
import { privateKeyToAccount } from 'viem/accounts'
import { hardhat } from 'viem/chains'
import { createNonceManager, jsonRpc } from 'viem/nonce'
import type { ExploreContext } from '../../../plugin/explore.ts'
import { sleep } from './apps.ts'

/** What a waiter says in the end. */
export type Answer =
  /** A receipt, by the number of its block. */
  | { readonly block: number }
  /** Answers the number of logs so far, without those that it took back. */
  | { readonly logs: () => number }
  /** Number of payments that it sent. */
  | { readonly sent: number }

/** One way in which a client waits, for what it has sent itself. */
export type Waiter = (run: ExploreContext) => Promise<Answer>

/** Logs `Paid()` whenever it is called. */
export const TILL: Hex = `0x${'e'.repeat(40)}`
const PAID = '34ec5380860d4fd12cd95d4d2f001afc87d48bfc50847bec134b0c315c8e2d77'
export const TILL_CODE = `0x7f${PAID}5f5fa100`
const ABI = ['event Paid()'] as const

/** ms between two polls of a client. */
const POLL = 500

/** Number of payments of those that count nonces. */
const PAYMENTS = 3

/** ms after each, and before one whose log is awaited. */
const PAUSE = 3000

function viemOf({ devnet, provider }: ExploreContext, hasNonces = false) {
  const nonceManager = hasNonces ? createNonceManager({ source: jsonRpc() }) : undefined
  const account = privateKeyToAccount(devnet.accounts[0]?.privateKey ?? '0x', { nonceManager })
  return createWalletClient({
    account,
    chain: { ...hardhat, id: devnet.chainId },
    transport: custom(provider),
    pollingInterval: POLL,
  }).extend(publicActions)
}

async function ethersOf({ provider }: ExploreContext) {
  const ethers = new BrowserProvider(provider, undefined, { pollingInterval: POLL })
  return { ethers, signer: await ethers.getSigner() }
}

const PAYMENT = { to: TILL, gas: 50_000n }
const ETHERS_PAYMENT = { to: TILL, gasLimit: 50_000n }

function viemReceipt(confirmations: number): Waiter {
  return async (run) => {
    const client = viemOf(run)
    const hash = await client.sendTransaction(PAYMENT)
    const { blockNumber } = await client.waitForTransactionReceipt({ hash, confirmations })
    return { block: Number(blockNumber) }
  }
}

function ethersReceipt(confirmations: number): Waiter {
  return async (run) => {
    const { signer } = await ethersOf(run)
    const sent = await signer.sendTransaction(ETHERS_PAYMENT)
    const receipt = await sent.wait(confirmations)
    return { block: Number(receipt?.blockNumber) }
  }
}

function viemLogs(name: 'watchEvent' | 'watchContractEvent'): Waiter {
  return async (run) => {
    const client = viemOf(run)
    let logs = 0
    const onLogs = (all: readonly { readonly removed: boolean }[]) => {
      for (const { removed } of all) logs += removed ? -1 : 1
    }
    if (name === 'watchEvent') client.watchEvent({ address: TILL, onLogs })
    else client.watchContractEvent({ address: TILL, abi: parseAbi(ABI), onLogs })
    await sleep(PAUSE)
    await client.sendTransaction(PAYMENT)
    return { logs: () => logs }
  }
}

/** By their names in the documents. */
export const WAITERS: Readonly<Record<string, Waiter>> = {
  'viem `waitForTransactionReceipt`': viemReceipt(1),
  'viem `waitForTransactionReceipt({ confirmations: 2 })`': viemReceipt(2),
  'viem `sendRawTransactionSync`': async (run) => {
    const client = viemOf(run)
    const request = await client.prepareTransactionRequest(PAYMENT)
    const serializedTransaction = await client.signTransaction(request)
    const { blockNumber } = await client.sendRawTransactionSync({ serializedTransaction })
    return { block: Number(blockNumber) }
  },
  'viem `watchEvent`': viemLogs('watchEvent'),
  'viem `watchContractEvent`': viemLogs('watchContractEvent'),
  'viem `nonceManager`': async (run) => {
    const client = viemOf(run, true)
    for (let left = PAYMENTS; left > 0; left--) {
      await client.sendTransaction(PAYMENT)
      await sleep(PAUSE)
    }
    return { sent: PAYMENTS }
  },
  'ethers `tx.wait()`': ethersReceipt(1),
  'ethers `tx.wait(2)`': ethersReceipt(2),
  'ethers `provider.waitForTransaction`': async (run) => {
    const { ethers, signer } = await ethersOf(run)
    const { hash } = await signer.sendTransaction(ETHERS_PAYMENT)
    const receipt = await ethers.waitForTransaction(hash)
    return { block: Number(receipt?.blockNumber) }
  },
  'ethers `contract.on`': async (run) => {
    const { ethers, signer } = await ethersOf(run)
    const contract = new Contract(TILL, ABI, ethers)
    let logs = 0
    await contract.on('Paid', () => {
      logs++
    })
    await sleep(PAUSE)
    await signer.sendTransaction(ETHERS_PAYMENT)
    return { logs: () => logs }
  },
  'ethers `NonceManager`': async (run) => {
    const { signer } = await ethersOf(run)
    const manager = new NonceManager(signer)
    for (let left = PAYMENTS; left > 0; left--) {
      await manager.sendTransaction(ETHERS_PAYMENT)
      await sleep(PAUSE)
    }
    return { sent: PAYMENTS }
  },
}
