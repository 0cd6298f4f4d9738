import { params } from '../../json/params.ts'
import { flag } from '../../primitives/reader.ts'
import { defineMethod } from '../method.ts'

/** Turns the request log on or off, but not the output of `console.log`, as on hardhat node. */
export default defineMethod({
  params: params(flag()),
  browser: false,
  handle({ observer }, [enabled]) {
    observer.setLogging(enabled)
    return true
  },
})
