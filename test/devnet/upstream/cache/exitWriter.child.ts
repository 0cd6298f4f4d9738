// Records an upstream into two files, deletes the folder of the first, and exits at once.
import { rmSync } from 'node:fs'
import { dirname } from 'node:path'
import { argv } from 'node:process'
import { slotKeyFromBigInt } from '../../../../devnet/state/keys.ts'
import { WALL_TIME } from '../../../../devnet/upstream/client/upstreamTime.ts'
import { openUpstream } from '../../../../devnet/upstream/openUpstream.ts'
import { CONTRACT, slotsOf } from '../fakeNode.ts'

/** Nothing is written before the exit: the interval of the files is 250 ms. */
const time = {
  ...WALL_TIME,
  after: (ms: number, run: () => void) => (ms === 250 ? () => undefined : WALL_TIME.after(ms, run)),
}

const [, , url = '', gone = '', other = ''] = argv
for (const recording of [gone, other]) {
  const onWarning = (message: string) => console.error(message)
  const upstream = await openUpstream({ url, block: 'latest', recording, onWarning }, time)
  const slots = slotsOf(0).map((slot) => [CONTRACT, slotKeyFromBigInt(slot)] as const)
  await upstream.source.load({ accounts: [CONTRACT], slots })
}
rmSync(dirname(gone), { recursive: true, force: true })
process.exit()
