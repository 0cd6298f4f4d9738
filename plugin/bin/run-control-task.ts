import type { Result } from 'hardhat/types/utils'
import type { Status } from '../../devnet/types.ts'
import type { ControlCommand } from '../control-commands.ts'

/** What was read from the command line, by the options' names. */
type Values = Readonly<Record<string, string | true>>

/**
 * Runs the action of the task of this name.
 *
 * @param values - what {@link controlDefinitions} allows for the command
 * @returns the exit code
 */
export async function drive(
  name: ControlCommand,
  values: Values,
  program: string,
): Promise<number> {
  const { success } = await act(name, values, {
    url: text(values.url),
    json: values.json === true,
    program,
  })
  return success ? 0 : 1
}

async function act(
  name: ControlCommand,
  values: Values,
  args: { readonly url: string | undefined; readonly json: boolean; readonly program: string },
): Promise<Result<Status, string>> {
  switch (name) {
    case 'freeze': {
      const { default: freeze } = await import('../tasks/freeze.ts')
      return await freeze({ ...args, ticks: values.ticks === true })
    }
    case 'advance': {
      const { default: advance } = await import('../tasks/advance.ts')
      return await advance({ ...args, ticks: text(values.ticks), blocks: text(values.blocks) })
    }
    case 'resume':
      return await (await import('../tasks/resume.ts')).default(args)
    case 'seal':
      return await (await import('../tasks/seal.ts')).default(args)
    case 'status':
      return await (await import('../tasks/status.ts')).default(args)
  }
}

function text(value: string | true | undefined): string | undefined {
  return typeof value === 'string' ? value : undefined
}
