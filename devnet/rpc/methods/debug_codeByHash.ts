import { hash32, params } from '../../json/params.ts'
import { fromHex, toHex } from '../../primitives/hex.ts'
import { defineMethod } from '../method.ts'

/**
 * The code with this keccak-256 hash, of any present or past account; `null` if unknown. On a
 * forked chain the upstream is asked for codes that were not read yet.
 */
export default defineMethod({
  params: params(hash32()),
  remote: 'in part',
  handle({ chain, fork: { border } }, [hash], { signal }) {
    const code = chain.engine.codes.get(fromHex(hash))
    if (code.length > 0) return toHex(code)
    return border === undefined ? null : border.upstream.ask('debug_codeByHash', [hash], signal)
  },
})
