import type { Chain } from '../chain/chain.ts'
import type { Clocks } from '../clock/clocks.ts'
import type { FaultEvent, FaultRule, FaultScript } from '../faults/types.ts'
import { InvalidParamsError, OptionError } from '../primitives/errors.ts'
import { parseForeign } from '../primitives/json.ts'
import type { FaultControl } from '../rpc/context.ts'

interface NodeFaultsParameters {
  readonly chain: Chain
  readonly clocks: Clocks
  readonly onFault: (event: FaultEvent) => void
  readonly cutSockets: () => void
}

/** The faults of a node. Their code is loaded with the first rules. */
export class NodeFaults implements FaultControl {
  readonly #parameters: NodeFaultsParameters

  constructor(parameters: NodeFaultsParameters) {
    this.#parameters = parameters
  }

  async apply(script: FaultScript): Promise<void> {
    const { chain, clocks, onFault: report, cutSockets } = this.#parameters
    await checkRules(script.rules, chain.followed)
    const { Faults } = await import('../faults/faults.ts')
    const isNone = script.rules.length === 0
    await clocks.setFaults(isNone ? undefined : new Faults(script, { chain, report, cutSockets }))
  }
}

/**
 * @param followed - URL of the node that decides on this one's blocks, if there is one
 * @throws {InvalidParamsError} if a rule is about these blocks, or names methods that its other
 *   fields cannot be about
 */
async function checkRules(rules: readonly FaultRule[], followed?: string): Promise<void> {
  for (const [index, rule] of rules.entries()) {
    if (!('method' in rule)) continue
    const { checkAnswerRule } = await import('../rpc/answerRule.ts')
    await checkAnswerRule(rule, `rules[${index}]`)
  }
  if (followed === undefined) return
  const { PLACES } = await import('../faults/faultPlaces.ts')
  const index = rules.findIndex(({ kind }) => PLACES[kind] === 'blocks')
  if (index === -1) return
  throw new InvalidParamsError(
    `rules[${index}].kind: this node follows ${followed}, which decides on ticks and seals: set this rule there`,
  )
}

/** Checks a script as a program gives it. @throws {InvalidParamsError} with the place in it */
export async function checkedScript(script: unknown): Promise<FaultScript> {
  const { readValue } = await import('../json/params.ts')
  const { faultScript } = await import('../json/schemas/faultScript.ts')
  return readValue(faultScript(), script)
}

/**
 * Reads a script from a file.
 *
 * @param followed - URL of the node that decides on this one's blocks, if there is one
 * @throws {ChainFileError | OptionError}
 */
export async function readScript(file: string, followed?: string): Promise<FaultScript> {
  const { readForeignFile } = await import('../primitives/foreign.ts')
  const text = (await readForeignFile(file)).toString()
  try {
    const script = await checkedScript(parseForeign(text))
    // Before anything listens.
    await checkRules(script.rules, followed)
    return script
  } catch (error) {
    if (!(error instanceof SyntaxError || error instanceof InvalidParamsError)) throw error
    throw new OptionError(
      `faults: the rules in ${JSON.stringify(file)} cannot be used: ${error.message}.`,
    )
  }
}
