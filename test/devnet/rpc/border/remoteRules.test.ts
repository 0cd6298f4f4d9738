import { expect, test } from 'vitest'
import type { ParamsSchema } from '../../../../devnet/json/params.ts'
import { accepts } from '../../../../devnet/primitives/reader.ts'
import type { RemoteRule, RpcMethod } from '../../../../devnet/rpc/method.ts'
import { methodFiles } from '../../../../devnet/rpc/methodFiles.ts'
import { readSources } from '../../../structure/sources.ts'

/** Rules that do not follow from what a method reads and names; none: no upstream has a part in it. */
const OTHER_RULES: Readonly<Record<string, RemoteRule | 'by parameters' | 'none'>> = {
  debug_codeByHash: 'in part',
  debug_traceBlock: 'encoded block',
  debug_traceCall: 'by parameters',
  eth_feeHistory: 'in part',
  eth_getAccount: 'proof',
  eth_getFilterChanges: 'in part',
  eth_getFilterLogs: 'in part',
  eth_getLogs: 'in part',
  eth_getProof: 'proof',
  eth_getTransactionBySenderAndNonce: 'in part',
  eth_newFilter: 'in part',
  ots_getTransactionBySenderAndNonce: 'in part',
}

const HASH = `0x${'12'.repeat(32)}`

/** The rule that a method has by what it reads and names. */
function ruleOf({ params, readsState, browser }: RpcMethod<never>): RemoteRule | 'none' {
  if (readsState !== undefined) return 'state'
  if (params === undefined) return 'none'
  if (params.blockAt !== -1) return 'block'
  // What only this node's own commands take is a hash of its own.
  return takesHash(params) && browser !== false ? 'transaction' : 'none'
}

/** Whether the first parameter can be a hash, and nothing shorter. */
function takesHash({ readers: [first] }: ParamsSchema<never>): boolean {
  return first !== undefined && accepts(first, HASH) && !accepts(first, HASH.slice(0, -2))
}

test('default: every method has the rule of what it reads and names, or a row of its own', async () => {
  const wrong: string[] = []
  for (const [name, load] of Object.entries(methodFiles)) {
    const method = (await load()).default
    const { remote = 'none' } = method
    const rule = OTHER_RULES[name] ?? ruleOf(method)
    if ((typeof remote === 'function' ? 'by parameters' : remote) === rule) continue
    wrong.push(
      `devnet/rpc/methods/${name}.ts: ${rule === 'none' ? 'no `remote`' : `write remote: '${rule}'`}, or its rule into OTHER_RULES of test/devnet/rpc/border/remoteRules.test.ts`,
    )
  }
  expect(wrong).toEqual([])
  expect(Object.keys(OTHER_RULES).filter((name) => methodFiles[name] === undefined)).toEqual([])
})

test('the rules that need a block name it', async () => {
  for (const [name, load] of Object.entries(methodFiles)) {
    const { params, remote } = (await load()).default
    const isOfBlock = typeof remote === 'function' || /^(?:state|block|proof)$/.test(remote ?? '')
    if (isOfBlock) expect(params?.blockAt, name).toBeGreaterThanOrEqual(0)
  }
})

test('a method that takes a number names the one that takes a hash', async () => {
  for (const [name, load] of Object.entries(methodFiles)) {
    const { byHash } = (await load()).default
    const other = name.replace(/By(Block)?Number/, 'By$1Hash')
    const cure = `devnet/rpc/methods/${name}.ts: write byHash: '${other}'`
    expect(byHash, cure).toBe(other === name ? undefined : other)
  }
})

test('plain chains do not load the border', () => {
  const isIn = (path: string) => path.startsWith('devnet/rpc/border/')
  const loads = readSources()
    .filter(({ path }) => !isIn(path))
    .flatMap(({ imports, lines }) => {
      const isOnDemand = lines.some((line) => /\bimport\('[^']*border\/border\.ts'\)/.test(line))
      return isOnDemand ? [] : imports.filter(({ to, isType }) => isIn(to) && !isType)
    })
  expect(loads).toEqual([])
})
