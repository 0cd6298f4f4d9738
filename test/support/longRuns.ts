/**
 * What takes long is played in part by `npm test`, and as a whole by `npm run test:long`. The part is
 * always the same: random tests have fixed seeds, which their titles or their sources name.
 */
const isLong = process.env.LONG_TESTS === '1'

const SHARE = 20

/**
 * `count` runs in `npm run test:long`, a twentieth of them in `npm test`.
 *
 * @param share - one in so many, in place of a twentieth
 */
export function runs(count: number, share = SHARE): number {
  return isLong ? count : Math.ceil(count / share)
}

/** Seeds 1 to `count` in `npm run test:long`, the first of them in `npm test`: {@link runs}. */
export function seeds(count: number, share?: number): number[] {
  return Array.from({ length: runs(count, share) }, (_, index) => index + 1)
}

/** All items in `npm run test:long`, every twentieth in `npm test`. */
export function sample<Item>(items: readonly Item[]): Item[] {
  return items.filter((_, index) => isLong || index % SHARE === 0)
}
