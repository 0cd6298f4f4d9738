import { privateKeyToAccount } from 'viem/accounts'
import type { Devnet, Hex, Provider, ProviderMessage } from '../../../devnet/index.ts'

/** Apps under test: each pays, or counts, and says when it believes to be done. */
export interface Setup {
  readonly devnet: Devnet
  readonly provider: Provider
}

type Receipt = { readonly blockHash: Hex; readonly blockNumber: Hex } | null

/** Of a pre-confirmed transaction. */
const NO_HASH = `0x${'0'.repeat(64)}`

const SHOP: Hex = `0x${'5'.repeat(40)}`

/** Emits a log without data, of topic 1, whenever it is called. */
const EMITTER: Hex = `0x${'e'.repeat(40)}`
const EMITTER_CODE = '0x60015f5fa100'

const POLL = 500

/** ms of the run's time. */
export function sleep(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms))
}

/** Repeats a look until it finds something. */
async function until<Found>(look: () => Promise<Found | undefined>): Promise<Found> {
  for (;;) {
    const found = await look()
    if (found !== undefined) return found
    await sleep(POLL)
  }
}

class Payer {
  readonly #account
  readonly #provider: Provider
  readonly #chainId: number

  constructor({ devnet, provider }: Setup, index = 0) {
    this.#account = privateKeyToAccount(devnet.accounts[index]?.privateKey ?? '0x')
    this.#provider = provider
    this.#chainId = devnet.chainId
  }

  sign(nonce: number, { to = SHOP, value = 1n } = {}): Promise<Hex> {
    return this.#account.signTransaction({
      type: 'eip1559',
      chainId: this.#chainId,
      nonce,
      to,
      value,
      gas: 50_000n,
      maxFeePerGas: 10n ** 11n,
      maxPriorityFeePerGas: 10n ** 9n,
    })
  }

  send(raw: Hex): Promise<Hex> {
    return ask(this.#provider, 'eth_sendRawTransaction', raw)
  }

  receipt(hash: Hex): Promise<Receipt> {
    return ask(this.#provider, 'eth_getTransactionReceipt', hash)
  }

  async nonce(at = 'pending'): Promise<number> {
    const { address } = this.#account
    return Number(await ask<Hex>(this.#provider, 'eth_getTransactionCount', address, at))
  }

  async height(): Promise<number> {
    return Number(await ask<Hex>(this.#provider, 'eth_blockNumber'))
  }

  async isKnown(hash: Hex): Promise<boolean> {
    return (await ask(this.#provider, 'eth_getTransactionByHash', hash)) !== null
  }

  async isPending(hash: Hex): Promise<boolean> {
    const block: { transactions: Hex[] } = await ask(
      this.#provider,
      'eth_getBlockByNumber',
      'pending',
      false,
    )
    return block.transactions.includes(hash)
  }
}

async function ask<Result>(provider: Provider, method: string, ...params: unknown[]) {
  // The node's answer to this method.
  return (await provider.request({ method, params })) as Result
}

/** Sends the same transaction again if it is gone, and waits until no reorganisation reaches it. */
export async function payCarefully(setup: Setup, index = 0): Promise<void> {
  const payer = new Payer(setup, index)
  const raw = await payer.sign(await payer.nonce())
  const hash = await payer.send(raw)
  await until(async () => {
    const receipt = await payer.receipt(hash)
    if (receipt === null) {
      if (!(await payer.isKnown(hash))) await payer.send(raw).catch(() => undefined)
    } else if (receipt.blockHash !== NO_HASH) {
      if ((await payer.height()) - Number(receipt.blockNumber) >= 3) return true
    }
    return undefined
  })
}

/** Shows success at pre-confirmation, and does not watch. */
export async function showsEarly(setup: Setup): Promise<void> {
  const payer = new Payer(setup)
  const hash = await payer.send(await payer.sign(await payer.nonce()))
  await until(async () => (await payer.receipt(hash)) ?? undefined)
}

/** Sends its payment again if that is gone, and a second one if the first is back in the mempool. */
export async function paysTwice(setup: Setup): Promise<void> {
  const payer = new Payer(setup)
  let nonce = await payer.nonce()
  let raw = await payer.sign(nonce)
  let hash = await payer.send(raw)
  let wasThere = false
  await until(async () => {
    const receipt = await payer.receipt(hash)
    if (receipt === null) {
      if (await payer.isKnown(hash)) {
        if (wasThere) raw = await payer.sign(++nonce)
      }
      hash = await payer.send(raw).catch(() => hash)
    }
    wasThere = receipt !== null
    if (receipt === null || receipt.blockHash === NO_HASH) return undefined
    return (await payer.height()) - Number(receipt.blockNumber) >= 3 ? true : undefined
  })
}

/** Sends its payment again until a sealed nonce says that it was made. */
export async function trustsNonce(setup: Setup): Promise<void> {
  const payer = new Payer(setup)
  const nonce = await payer.nonce()
  const raw = await payer.sign(nonce)
  await until(async () => {
    await payer.send(raw).catch(() => undefined)
    return (await payer.nonce('latest')) > nonce ? true : undefined
  })
}

/** Sends its payment again if that is gone, and waits until it is in the pending block. */
export async function waitsForPending(setup: Setup): Promise<void> {
  const payer = new Payer(setup)
  const raw = await payer.sign(await payer.nonce())
  const hash = await payer.send(raw)
  await until(async () => {
    if (!(await payer.isKnown(hash))) await payer.send(raw)
    return (await payer.isPending(hash)) ? true : undefined
  })
}

/** Counts logs, takes back those that are removed, and takes those that come again for known. */
export async function losesLog(setup: Setup): Promise<number> {
  const { devnet, provider } = setup
  await devnet.provider.request({ method: 'hardhat_setCode', params: [EMITTER, EMITTER_CODE] })
  const known = new Set<string>()
  let count = 0
  const listener = ({ data }: ProviderMessage) => {
    // Of a subscription to logs.
    const { result } = data as { result: { transactionHash: string; removed: boolean } }
    if (result.removed) count--
    else if (!known.has(result.transactionHash)) count++
    known.add(result.transactionHash)
  }
  provider.on('message', listener)
  await ask(provider, 'eth_subscribe', 'logs', { address: EMITTER })
  const payer = new Payer(setup)
  const raw = await payer.sign(await payer.nonce(), { to: EMITTER, value: 0n })
  const hash = await payer.send(raw)
  for (let left = 12; left > 0; left--) {
    await sleep(1000)
    if (!(await payer.isKnown(hash))) await payer.send(raw)
  }
  return count
}

/** wei that the shop has, as the node tells the test. */
export async function received({ devnet }: Pick<Setup, 'devnet'>): Promise<bigint> {
  return BigInt(await ask<Hex>(devnet.provider, 'eth_getBalance', SHOP, 'latest'))
}

/** Number of logs of the emitter in the chain. */
export async function emitted({ devnet }: Pick<Setup, 'devnet'>): Promise<number> {
  const filter = { address: EMITTER, fromBlock: 'earliest', toBlock: 'latest' }
  return (await ask<unknown[]>(devnet.provider, 'eth_getLogs', filter)).length
}
