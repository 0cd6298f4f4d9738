import { type ControlArguments, control, type Project } from '../control-task.ts'

interface FreezeArguments extends ControlArguments {
  readonly ticks: boolean
}

const action = (args: FreezeArguments, project?: Project) =>
  control(args, project, 'preconf_freeze', () => (args.ticks ? [{ ticks: true }] : []))

export default action
