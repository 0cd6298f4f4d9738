import { integerFromText } from '../../devnet/options/optionText.ts'
import { OptionError } from '../../devnet/primitives/errors.ts'
import { type ControlArguments, control, type Project } from '../control-task.ts'

interface AdvanceArguments extends ControlArguments {
  readonly ticks: string | undefined
  readonly blocks: string | undefined
}

const action = (args: AdvanceArguments, project?: Project) =>
  control(args, project, 'preconf_advance', () => [distance(args)])

/** How far to go: exactly one of the two options. */
function distance({ ticks, blocks }: AdvanceArguments): { ticks: number } | { blocks: number } {
  if (ticks !== undefined && blocks === undefined) return { ticks: count('--ticks', ticks) }
  if (blocks !== undefined && ticks === undefined) return { blocks: count('--blocks', blocks) }
  throw new OptionError('Say how far to advance: either --ticks or --blocks, with a number.')
}

function count(label: string, text: string): number {
  const number = Number(integerFromText(text) ?? 0)
  if (Number.isSafeInteger(number) && number >= 1) return number
  throw new OptionError(`${label} must be an integer from 1 on, not ${JSON.stringify(text)}.`)
}

export default action
