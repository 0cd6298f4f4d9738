import { placeOf } from '../rpc/format/place.ts'
import { chainFeed } from './feed.ts'
import { LogBatch } from './logBatch.ts'
import { logsKind } from './logsKind.ts'

const preconfirmedLogs = chainFeed<LogBatch>((chain, emit) =>
  chain.onTick(({ view, executed }) => emit(new LogBatch(executed, view.bloom, placeOf(view)))),
)

/** Sends each log when it is pre-confirmed, with 32 zero bytes as block hash (Base). */
export const pendingLogs = logsKind(preconfirmedLogs)
