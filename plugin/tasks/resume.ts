import { type ControlArguments, control } from '../control.ts'

const action = (args: ControlArguments) => control(args, 'preconf_resume')

export default action
