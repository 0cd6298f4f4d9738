import { params } from '../../json/params.ts'
import { logFilter } from '../../json/schemas/logFilter.ts'
import { filtersOf } from '../../stream/filters.ts'
import { LogsFilter } from '../../stream/logsFilter.ts'
import { defineMethod } from '../method.ts'
import { touchesPending, withDefaultEnd } from '../queries/logQuery.ts'

/** Creates a filter of logs; returns its id. Without `fromBlock` it finds only new logs. */
export default defineMethod({
  params: params(logFilter()),
  remote: 'in part',
  reads: (context, [filter]) => (touchesPending(filter, context) ? 'outcome of ticks' : undefined),
  handle: (context, [filter]) =>
    filtersOf(context).add(() => new LogsFilter(context, withDefaultEnd(filter, context)), filter),
})
