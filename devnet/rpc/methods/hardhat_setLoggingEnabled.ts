import { params } from '../../json/params.ts'
import { flag } from '../../primitives/reader.ts'
import { defineCommand } from '../method.ts'

/** Turns the request log on or off, but not the output of `console.log`, as on hardhat node. */
export default defineCommand({
  params: params(flag()),
  run: ({ observer }, [enabled]) => observer.setLogging(enabled),
})
