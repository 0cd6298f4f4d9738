// A script whose transactions the node signs.
import { increaseScript, sender } from './support.ts'

increaseScript('--unlocked', '--sender', sender)
