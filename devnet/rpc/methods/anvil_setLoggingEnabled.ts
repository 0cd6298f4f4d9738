import { defineMethod } from '../method.ts'
import { params } from '../params.ts'
import { flag } from '../schemas/plain.ts'

/** `hardhat_setLoggingEnabled` with anvil's answer: null. */
export default defineMethod({
  params: params(flag()),
  browser: false,
  handle({ observer }, [enabled]) {
    observer.setLogging(enabled)
    return null
  },
})
