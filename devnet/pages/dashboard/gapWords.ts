type Gaps = readonly { readonly from: number; readonly to: number }[]

/** Gaps that are said one by one. */
const MOST = 3

/** Missing nonces, e.g. `nonces 0 to 4 and 7 are missing`; at least one gap. */
export function gapWords(gaps: Gaps): string {
  const all = gaps
    .slice(0, MOST)
    .map(({ from, to }) => (from === to ? `${from}` : `${from} to ${to}`))
  if (gaps.length > MOST) all.push(`${gaps.length - MOST} more`)
  const list = all.join(', ').replace(/, (?=[^,]*$)/, ' and ')
  return isOne(gaps) ? `nonce ${list} is missing` : `nonces ${list} are missing`
}

/** As {@link gapWords}, with those that wait for them. */
export function waitingWords(gaps: Gaps, waiting: number): string {
  const who = waiting === 1 ? '1 transaction waits' : `${waiting} transactions wait`
  return `${gapWords(gaps).replace('n', 'N')}: ${who} for ${isOne(gaps) ? 'it' : 'them'}.`
}

function isOne([first, second]: Gaps): boolean {
  return second === undefined && first?.from === first?.to
}
