import { type ControlArguments, control, type Project } from '../control-task.ts'

const action = (args: ControlArguments, project?: Project) => control(args, project, 'preconf_seal')

export default action
