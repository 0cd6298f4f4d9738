import type { NewTaskActionFunction } from 'hardhat/types/tasks'
import { type ControlArguments, control } from '../control.ts'

const action: NewTaskActionFunction<ControlArguments> = (args) => control(args, 'preconf_resume')

export default action
