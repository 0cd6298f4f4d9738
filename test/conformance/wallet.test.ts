import { existsSync, readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { createDevnet, type KnownChain, type PolicyDecision } from '../../devnet/index.ts'
import { conformanceData, describeConformance } from './conformance.ts'

/** One request to a fresh wallet, and how it must be answered. */
interface WalletCase {
  readonly name: string
  readonly setup: { readonly policy: PolicyDecision; readonly knownChains: readonly KnownChain[] }
  readonly request: { readonly method: string; readonly params: unknown }
  readonly expect: { readonly result: unknown } | { readonly error: { readonly code: number } }
}

const { wallet: file } = conformanceData
const cases: readonly WalletCase[] = existsSync(file) ? JSON.parse(readFileSync(file, 'utf8')) : []

/** The convention of the cases: the host says which chain it is, and no other host answers. */
async function probe(url: string): Promise<string> {
  const digits = /^chain-([0-9a-f]+)\.rpc\.test$/.exec(new URL(url).hostname)?.[1]
  if (digits === undefined) throw new Error('no answer')
  return `0x${digits}`
}

describeConformance(
  'wallet',
  () => {
    test('default: all cases are there', () => {
      expect(cases.length).toBeGreaterThanOrEqual(80)
    })

    test.each(cases)('$name', async ({ setup, request, expect: expected }) => {
      const devnet = createDevnet({ port: 0, frozenTicks: true, wallet: { ...setup, probe } })
      await devnet.start()
      try {
        const response = await fetch(devnet.wallet.url, {
          method: 'POST',
          headers: { 'Content-Type': 'application/json' },
          body: JSON.stringify({ jsonrpc: '2.0', id: 1, ...request }),
        })
        expect(response.status).toBe(200)
        const answer: unknown = await response.json()
        if ('result' in expected) {
          expect(answer).toEqual({ jsonrpc: '2.0', id: 1, result: expected.result })
        } else {
          expect(answer).toEqual({
            jsonrpc: '2.0',
            id: 1,
            error: expect.objectContaining({ code: expected.error.code }),
          })
        }
      } finally {
        await devnet.stop()
      }
    })
  },
  'wallet',
)
