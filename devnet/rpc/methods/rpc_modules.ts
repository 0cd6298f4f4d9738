import { defineMethod } from '../method.ts'
import { methodTable } from '../methodTable.ts'

/** The namespaces of all methods, each with a version, as in geth. */
export default defineMethod({
  handle() {
    const namespaces = Object.keys(methodTable).map((name) => name.slice(0, name.indexOf('_')))
    return Object.fromEntries([...new Set(namespaces)].sort().map((name) => [name, '1.0']))
  },
})
