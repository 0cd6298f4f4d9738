// Records an upstream into two files, deletes the folder of the first, and exits at once.
import { rmSync } from 'node:fs'
import { dirname } from 'node:path'
import { argv } from 'node:process'
import { slotKeyFromBigInt } from '../../../devnet/state/keys.ts'
import { openUpstream } from '../../../devnet/upstream/openUpstream.ts'
import { CONTRACT, slotsOf } from './fakeNode.ts'

const [, , url = '', gone = '', other = ''] = argv
for (const recording of [gone, other]) {
  const onWarning = (message: string) => console.error(message)
  const upstream = await openUpstream({ url, block: 'latest', recording, onWarning })
  const slots = slotsOf(0).map((slot) => [CONTRACT, slotKeyFromBigInt(slot)] as const)
  await upstream.source.load({ accounts: [CONTRACT], slots })
}
rmSync(dirname(gone), { recursive: true, force: true })
process.exit()
