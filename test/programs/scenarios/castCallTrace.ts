// Traces a call of a contract that was just deployed.
import { createCounter, foundry } from './support.ts'

const counter = createCounter()
const call = ['call', '--trace', '--block', 'pending', counter, 'count()(uint256)']
if (!foundry('cast', call).includes('[Return]')) throw new Error('an empty trace')
