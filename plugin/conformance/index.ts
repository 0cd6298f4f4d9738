import { optionTable } from '../../devnet/options/optionTable.ts'
import { loadProfiles, nearestName, OptionError, plainText } from '../../devnet/pluginApi.ts'
import { isHttpUrl } from '../rpc-client.ts'
import { type Check, phases } from './check.ts'
import { earlyChecks } from './early-checks.ts'
import { isSpending, run } from './run.ts'
import { sealedChecks } from './sealed-checks.ts'
import { Sender } from './sender.ts'
import { kindNames, subscriptionChecks } from './subscription-checks.ts'
import type { ConformanceCheck, ConformanceOptions, ConformanceReport } from './types.ts'
import { printableValue } from './values.ts'
import { type Answer, Endpoint, Socket } from './wire.ts'

export type * from './types.ts'

/** ms after which a run asks nothing any more. */
const MOST_TIME = 45_000

const order = Object.keys(phases)
const allChecks = [...earlyChecks, ...sealedChecks, ...subscriptionChecks].sort(
  (one, other) => order.indexOf(one.phase) - order.indexOf(other.phase),
)

/**
 * Checks an endpoint against a network, as the table of profiles describes it: over HTTP and
 * WebSocket, in less than a minute, with few transactions and no methods of this node.
 *
 * @param url - HTTP address of the endpoint
 * @throws {OptionError} if an option is wrong, there is no WebSocket, or the account lacks funds
 * @throws {DevnetError} if nothing answers at the address, or no JSON-RPC node
 * @example
 * ```ts
 * const { failed } = await conformance('http://127.0.0.1:8545', { profile: 'unichain' })
 * assert.deepEqual(failed, [])
 * ```
 */
export async function conformance(
  url: string,
  options: ConformanceOptions,
): Promise<ConformanceReport> {
  if (!isHttpUrl(url)) throw new OptionError(`${JSON.stringify(url)} is not an http:// address.`)
  const { profile, chosen } = await choose(options)
  const checks = chosen.flatMap(({ check, applies }) => (applies ? [check] : []))
  const { headers = {}, ws = url.replace(/^http/i, 'ws') } = options
  const endpoint = new Endpoint(url, headers, MOST_TIME)
  const sender = await Sender.create(endpoint, options, isSpending(checks))
  const socket = ws === 'none' ? undefined : await Socket.open(ws, headers)
  const stage = { endpoint, socket, sender, profile, kinds: kindNames, checks }
  const { seen, answers } = await run(stage).finally(() => socket?.close())
  const report = { passed: [], failed: [], notApplicable: [] } as {
    -readonly [List in keyof ConformanceReport]: ConformanceReport[List][number][]
  }
  const judged = (check: Check, answer: Answer) => {
    if (check.phase === 'early' && !seen.isEarly) return TOO_LATE
    return !Number.isNaN(answer.error?.code) && check.judge(answer, seen, profile)
  }
  for (const { check, described } of chosen) {
    const { asked, answer } = answers.get(check) ?? { answer: {} }
    const verdict = answers.has(check) ? judged(check, answer) : NO_SOURCE
    const isAsked = asked === undefined ? {} : { asked: printableValue(asked) }
    const came = printableValue(answer.error ?? answer.result)
    if (verdict === true) report.passed.push(described)
    else if (verdict === false) report.failed.push({ ...described, ...isAsked, came })
    else report.notApplicable.push({ ...described, why: verdict })
  }
  return report
}

const NO_SOURCE = 'it says nothing about this network'
const TOO_LATE = 'each transaction was sealed before anyone could look at it; see preconfirms'

/**
 * The checks that say something about a profile.
 *
 * @throws {OptionError} if there is no such profile, or `only` names no check
 */
export async function conformanceChecks(
  options: Pick<ConformanceOptions, 'profile' | 'only'>,
): Promise<readonly ConformanceCheck[]> {
  const { chosen } = await choose(options)
  return chosen.flatMap(({ described, applies }) => (applies ? [described] : []))
}

/** The chosen checks, each with the cell of the profile: nothing else knows the table. */
async function choose({ profile: name, only }: Pick<ConformanceOptions, 'profile' | 'only'>) {
  const { choices } = optionTable.profile
  if (!choices.includes(name)) {
    throw new OptionError(`Name the network with --profile: ${choices.join(', ')}.`)
  }
  const { cellOf, profileOf, profileSources, profileTitles } = await loadProfiles()
  const profile = profileOf(name)
  for (const text of only ?? []) {
    const names = allChecks.map((check) => check.name)
    if (names.some((one) => one.startsWith(text))) continue
    const nearest = nearestName(text, names)
    const hint = nearest === undefined ? '--list shows all.' : `did you mean ${nearest}?`
    throw new OptionError(`No check has a name that begins with ${JSON.stringify(text)}; ${hint}`)
  }
  const describe = ({ name: own, row, part, phase }: Check): ConformanceCheck => {
    const { value, source, owner } = cellOf(name, row)
    const expected = `${profileTitles[row]}: ${valueText(value, part)}`
    const origin = owner === name ? '' : `Like ${owner}: `
    const subject = phases[phase]
    return { name: own, subject, expected, source: `${origin}${profileSources[source]}` }
  }
  const chosen = allChecks
    .filter((check) => only?.some((text) => check.name.startsWith(text)) ?? true)
    .map((check) => {
      const { source, owner } = cellOf(name, check.row)
      // Behaviour without a public source is this node's choice, not a fact about the network.
      const isFact = source !== 'own' || owner === 'plain'
      return { check, described: describe(check), applies: isFact && check.applies(profile) }
    })
  return { profile, chosen }
}

/** A value of the table; of a list, whether it has the part. */
function valueText(value: unknown, part: string): string {
  const isIn = Array.isArray(value) ? value.includes(part) : value
  if (isIn === 'all') return 'yes'
  return typeof isIn === 'boolean' ? (isIn ? 'yes' : 'no') : plainText(isIn)
}
