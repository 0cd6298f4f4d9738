import { type Hex, numberToHex } from 'viem'
import { Random } from '../../../support/random.ts'
import type { Site } from '../../json/schemas/sites.ts'

/** Texts that are wrong almost everywhere. */
export const STRANGE = [
  '',
  'x',
  'latest',
  '0x',
  '0X1',
  '0xg',
  '0x0',
  '0x01',
  '0x123',
  '-0x1',
  ' 0x1',
  '1',
  '0x1n',
  `0x${'f'.repeat(16)}`,
  `0x${'f'.repeat(17)}`,
  `0x${'f'.repeat(40)}`,
  `0x${'f'.repeat(64)}`,
  `0x${'f'.repeat(65)}`,
  `0x${'0'.repeat(63)}1`,
  `0x${'00'.repeat(500)}`,
  `0x${'5b'.repeat(50_000)}`,
  'z'.repeat(100_000),
  '\u0000',
  '💥',
]

/** Texts of every kind that some field takes, which are put together at random. */
const textsOf = (account: Hex, contract: Hex): string[] => [
  ...['0x0', '0x1', '0x2', '0x5', '0xff', '0x5208', '0x30d40', '0x3b9aca00'],
  ...[numberToHex(1_800_000_100), numberToHex(2n ** 64n - 1n), numberToHex(2n ** 256n - 1n)],
  account,
  contract,
  `0x${'00'.repeat(20)}`,
  ...['02', '05', '09', '0a'].map((last) => `0x${'00'.repeat(19)}${last}`),
  '0x000f3df6d732807ef1319fb7b8bb8522d0beac02',
  '0x00000961ef480eb55e80d19ad83579a64c007002',
  `0x01${'ab'.repeat(31)}`,
  `0x${'00'.repeat(31)}01`,
  ...['0x', '0xfe', '0x5b5f56', '0x5f5ffd', '0x60ff5f5360015ff3', '0x335f5260205ff3'],
  ...['0x5f5f5f5f5f305af1', '0x6001600155', '0x30ff', '0xef0100'],
  `0xef0100${contract.slice(2)}`,
]

/** Makes payloads of `eth_simulateV1` at random: mostly right ones, of fields that the schema names. */
export class Composer {
  readonly #random: Random
  readonly #contract: Hex
  readonly #account: Hex
  readonly #texts: readonly string[]
  readonly #byName = new Map<string, readonly string[]>()
  readonly #sites: readonly Site[]

  /** @param account - one that can pay; `contract` is one that can be called */
  constructor(seed: number, sites: readonly Site[], account: Hex, contract: Hex) {
    this.#random = new Random(seed)
    this.#sites = sites
    this.#account = account
    this.#contract = contract
    this.#texts = textsOf(account, contract)
    for (const site of sites) {
      if (site.kind !== 'text') continue
      const right = this.#texts.filter((text) => site.takes(text))
      this.#byName.set(site.name, right)
    }
  }

  /** Mostly right, now and then wrong. */
  value(name: string): unknown {
    const right = this.#byName.get(name) ?? []
    if (right.length === 0 || this.#random.once(40))
      return this.#random.pick([...STRANGE, 5, null, {}])
    return this.#random.pick(right)
  }

  /** Some of the fields under `name`. */
  fields(name: string, most: number): Record<string, unknown> {
    const under = this.#sites.filter(
      (site) => site.kind === 'text' && site.name.slice(0, site.name.lastIndexOf('.')) === name,
    )
    const result: Record<string, unknown> = {}
    for (let count = this.#random.below(most + 1); count > 0; count--) {
      const site = this.#random.pick(under)
      result[site.name.slice(name.length + 1)] = this.value(site.name)
    }
    return result
  }

  list<Item>(most: number, make: () => Item): Item[] {
    return Array.from({ length: this.#random.below(most + 1) }, make)
  }

  payload(): unknown {
    const once = (times: number) => this.#random.once(times)
    const block = 'blockStateCalls[0]'
    const override = () => ({
      ...this.fields(`${block}.stateOverrides[0xabab]`, 3),
      ...(once(3) ? { stateDiff: { '0x0': this.#random.pick(this.#texts) } } : {}),
    })
    const call = () => ({
      // Mostly somebody who can pay.
      ...(once(3) ? {} : { from: this.#account }),
      ...this.fields(`${block}.calls[0]`, 4),
      ...(once(8)
        ? { accessList: this.list(2, () => this.fields(`${block}.calls[0].accessList[0]`, 2)) }
        : {}),
      ...(once(8)
        ? {
            blobVersionedHashes: this.list(2, () =>
              this.value(`${block}.calls[0].blobVersionedHashes[0]`),
            ),
          }
        : {}),
      ...(once(8)
        ? {
            authorizationList: this.list(2, () => ({
              chainId: '0x0',
              address: this.#contract,
              nonce: '0x0',
              yParity: '0x1',
              r: '0x1',
              s: '0x1',
              ...this.fields(`${block}.calls[0].authorizationList[0]`, 1),
            })),
          }
        : {}),
    })
    return {
      blockStateCalls: [
        ...this.list(3, () => ({
          ...(once(2) ? { blockOverrides: this.fields(`${block}.blockOverrides`, 2) } : {}),
          ...(once(2)
            ? {
                stateOverrides: Object.fromEntries(
                  this.list(3, () => [
                    this.#random.pick(this.#texts.filter((text) => text.length === 42)),
                    override(),
                  ]),
                ),
              }
            : {}),
          calls: this.list(3, call),
        })),
        {},
      ],
      ...(once(4) ? { validation: true } : {}),
      ...(once(2) ? { traceTransfers: true } : {}),
      ...(once(3) ? { returnFullTransactions: true } : {}),
    }
  }
}
