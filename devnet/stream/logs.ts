import { placeOf } from '../rpc/format/place.ts'
import { chainFeed } from './feed.ts'
import { LogBatch } from './logBatch.ts'
import { logsKind } from './logsKind.ts'

const sealedLogs = chainFeed<LogBatch>((chain, emit) =>
  chain.onSeal((block) => {
    if (block.executed.length === 0) return
    emit(new LogBatch(block.executed, block.header.logsBloom, placeOf(block)))
  }),
)

/** Sends the logs of each block when it is sealed. */
export const logs = logsKind(sealedLogs)
