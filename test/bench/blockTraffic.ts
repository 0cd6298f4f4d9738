import type { OptionsInput } from '../../devnet/index.ts'
import type { HttpConnection } from './httpConnection.ts'
import { call } from './rpc.ts'
import { TickWatch } from './tickWatch.ts'
import { type Signed, Traffic } from './traffic.ts'
import { batches, sendUntilVisible } from './visibility.ts'

const CONNECTIONS = 8
const BATCH = 50

/** Transactions of a block: less than half of its gas, or the base fee would rise. */
export const BLOCK = 500

/** A devnet of its own that gets transactions block by block; it ends with the scope that it is used in. */
export class BlockTraffic implements AsyncDisposable {
  readonly devnet: TickWatch
  /** Signs what {@link seal} is given. */
  readonly traffic = new Traffic()
  /** For other requests between two blocks. */
  readonly connection: HttpConnection
  readonly #connections: readonly HttpConnection[]

  private constructor(devnet: TickWatch) {
    this.devnet = devnet
    this.#connections = devnet.connect(CONNECTIONS)
    const [connection] = this.#connections
    if (connection === undefined) throw new Error('No connection')
    this.connection = connection
  }

  static async start(options?: OptionsInput): Promise<BlockTraffic> {
    return new BlockTraffic(await TickWatch.start(options))
  }

  /** Sends transactions, waits until all are pre-confirmed, and seals them. */
  async seal(transactions: readonly Signed[]): Promise<void> {
    await sendUntilVisible(this.#connections, batches(transactions, BATCH), this.traffic.nonces)
    await call(this.connection, { method: 'preconf_seal' })
  }

  /** Seals `count` transactions in blocks of {@link BLOCK}. */
  async sealAll(count: number, next: (traffic: Traffic) => readonly Signed[]): Promise<void> {
    for (let sealed = 0; sealed < count; sealed += BLOCK) await this.seal(next(this.traffic))
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.devnet[Symbol.asyncDispose]()
  }
}
