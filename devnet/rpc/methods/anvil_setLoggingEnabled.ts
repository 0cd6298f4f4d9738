import { params } from '../../json/params.ts'
import { flag } from '../../primitives/reader.ts'
import { defineMethod } from '../method.ts'

/** `hardhat_setLoggingEnabled` with anvil's answer: null. */
export default defineMethod({
  params: params(flag()),
  browser: false,
  handle({ observer }, [enabled]) {
    observer.setLogging(enabled)
    return null
  },
})
