import type { NewTaskActionFunction } from 'hardhat/types/tasks'
import { type ControlArguments, control } from '../control.ts'

interface FreezeArguments extends ControlArguments {
  readonly ticks: boolean
}

const action: NewTaskActionFunction<FreezeArguments> = (args) =>
  control(args, 'preconf_freeze', () => (args.ticks ? [{ ticks: true }] : []))

export default action
