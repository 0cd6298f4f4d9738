import { defineQuery, fields } from '../query.ts'

/** Gas by function, over all of the chain that is kept. */
export default defineQuery(fields({}), (dashboard, _params, { signal }) =>
  dashboard.gas.read(dashboard, signal),
)
