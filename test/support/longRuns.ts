/**
 * What takes long is played in part by `npm test`, and as a whole by `npm run test:long`. The part is
 * always the same: random tests have fixed seeds, which their titles or their sources name. The
 * variable `LONG_TESTS` sets another part: 10 is a tenth. `TEST_SHARE`, the time of the commit in
 * `.ci/run`, chooses other seeds.
 */
const part = Number(process.env.LONG_TESTS) || undefined
const chosen = Number(process.env.TEST_SHARE) || 0

const SHARE = 20

/**
 * `count` runs in `npm run test:long`, a twentieth of them in `npm test`.
 *
 * @param share - one in so many in `npm test`, in place of a twentieth; no other part is smaller
 */
export function runs(count: number, share = SHARE): number {
  return Math.ceil(count / Math.min(part ?? share, share))
}

/** Seeds 1 to `count` in `npm run test:long`, the first of them in `npm test`: {@link runs}. */
export function seeds(count: number, share?: number): number[] {
  const length = runs(count, share)
  return Array.from({ length }, (_, index) => 1 + ((chosen * length + index) % count))
}

/** All items in `npm run test:long`, every twentieth in `npm test`. */
export function sample<Item>(items: readonly Item[]): Item[] {
  return items.filter((_, index) => index % (part ?? SHARE) === 0)
}
