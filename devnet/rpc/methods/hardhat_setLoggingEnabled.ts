import { flag, params } from '../../json/params.ts'
import { defineMethod } from '../method.ts'

/** Turns the log of the task off or on, but not `console.log`, as with `hardhat node`. */
export default defineMethod({
  params: params(flag()),
  browser: false,
  handle({ observer }, [enabled]) {
    observer.setLogging(enabled)
    return true
  },
})
