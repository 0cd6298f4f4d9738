import { params } from '../../json/params.ts'
import { text } from '../../primitives/reader.ts'
import { defineMethod } from '../method.ts'

/** Ends a branch of this chain; answers true. */
export default defineMethod({
  params: params(text()),
  browser: false,
  async handle({ branches }, [id]) {
    await branches.drop(id)
    return true
  },
})
