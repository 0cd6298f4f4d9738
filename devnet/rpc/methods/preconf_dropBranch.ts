import { params } from '../../json/params.ts'
import { text } from '../../primitives/reader.ts'
import { defineCommand } from '../method.ts'

/** Ends a branch of this chain; answers true. */
export default defineCommand({
  params: params(text()),
  run: ({ branches }, [id]) => branches.drop(id),
  answer: () => true,
})
