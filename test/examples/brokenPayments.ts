import type { PublicClient } from 'viem'
import type { Devnet, Hex } from '../../devnet/index.ts'
import {
  type Followed,
  Payments,
  type Place,
  type SignedPayment,
  signPayment,
} from '../../examples/reorg-safe-app/payments.ts'

/** A contract that logs whenever it is called. */
export const TILL: Hex = `0x${'e'.repeat(40)}`
export const TILL_CODE = '0x60015f5fa100'

/** The example with one mistake, as those below: it shows success at pre-confirmation for good. */
export class Hasty extends Payments {
  protected override async find(hash: Hex, payment: Followed, latest: bigint): Promise<Place> {
    const place = await super.find(hash, payment, latest)
    return place.is === 'pre-confirmed' ? { is: 'final', block: place.block } : place
  }
}

/** Pays again if a pre-confirmation is taken back, while it still offers the first payment. */
export class Twice extends Payments {
  readonly #devnet: Pick<Devnet, 'accounts'>

  constructor(client: PublicClient, devnet: Pick<Devnet, 'accounts'>) {
    super(client)
    this.#devnet = devnet
  }

  protected override async find(hash: Hex, payment: Followed, latest: bigint): Promise<Place> {
    const place = await super.find(hash, payment, latest)
    if (place.is === 'waiting' && payment.place.is !== 'waiting') {
      const again = { nonce: payment.nonce + 1, value: 1n, to: TILL }
      await this.offer((await signPayment(this.#devnet, again)).signed)
    }
    return place
  }
}

/** Finds payments by their logs, each once: it skips those that come again after a reorganisation. */
export class LosesLogs extends Payments {
  readonly #filter = this.client.createEventFilter({ address: TILL })
  readonly #blocks = new Map<Hex, bigint | undefined>()

  override async look(): Promise<void> {
    for (const log of await this.client.getFilterChanges({ filter: await this.#filter })) {
      if (log.removed) this.#blocks.set(log.transactionHash, undefined)
      else if (!this.#blocks.has(log.transactionHash)) {
        this.#blocks.set(log.transactionHash, log.blockNumber)
      }
    }
    await super.look()
  }

  protected override async blockOf(hash: Hex): Promise<bigint | undefined> {
    return this.#blocks.get(hash)
  }
}

/** Believes that a payment was made once a sealed nonce of its sender is past its own. */
export class TrustsNonce extends Payments {
  protected override async find(hash: Hex, payment: Followed, latest: bigint): Promise<Place> {
    const address = payment.sender
    const used = await this.client.getTransactionCount({ address, blockTag: 'latest' })
    if (used > payment.nonce) return { is: 'final', block: latest }
    return await super.find(hash, payment, latest)
  }
}

/** Follows a payment from its pre-confirmation on: that always comes first. */
export class WantsPreconfirmation extends Payments {
  readonly #preconfirmed = new Set<SignedPayment>()

  protected override async find(hash: Hex, payment: Followed, latest: bigint): Promise<Place> {
    const place = await super.find(hash, payment, latest)
    if (place.is === 'pre-confirmed') this.#preconfirmed.add(payment)
    return this.#preconfirmed.has(payment) ? place : { is: 'waiting' }
  }
}
