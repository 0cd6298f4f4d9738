import { type ControlArguments, control } from '../control.ts'

interface FreezeArguments extends ControlArguments {
  readonly ticks: boolean
}

const action = (args: FreezeArguments) =>
  control(args, 'preconf_freeze', () => (args.ticks ? [{ ticks: true }] : []))

export default action
