import { defineMethod } from '../method.ts'
import { params } from '../params.ts'
import { flag } from '../schemas/plain.ts'

/** Turns the log of the task off or on; `console.log` goes on, as with `hardhat node`. */
export default defineMethod({
  params: params(flag()),
  browser: false,
  handle({ observer }, [enabled]) {
    observer.setLogging(enabled)
    return true
  },
})
