import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { expect, test } from 'vitest'
import {
  BASE_TIME_CODE,
  MESSAGE_PASSER_CODE,
  WETH_CODE,
} from '../../devnet/protocol/rollup/rollupCodes.ts'

test('WETH9, L2ToL1MessagePasser and BaseTime are compiled from the sources beside them', () => {
  const solc: { compile(input: string): string } = createRequire(import.meta.url)('solc')
  const names = ['WETH9', 'L2ToL1MessagePasser', 'BaseTime']
  const sourceOf = (name: string) =>
    readFileSync(new URL(`../../devnet/protocol/rollup/${name}.sol`, import.meta.url), 'utf8')
  const output = JSON.parse(
    solc.compile(
      JSON.stringify({
        language: 'Solidity',
        sources: Object.fromEntries(
          names.map((name) => [`${name}.sol`, { content: sourceOf(name) }]),
        ),
        settings: {
          evmVersion: 'london',
          optimizer: { enabled: true, runs: 200 },
          metadata: { appendCBOR: false },
          outputSelection: { '*': { '*': ['evm.deployedBytecode.object'] } },
        },
      }),
    ),
  )
  const compiled = names.map(
    (name) => `0x${output.contracts[`${name}.sol`][name].evm.deployedBytecode.object}`,
  )
  expect([WETH_CODE, MESSAGE_PASSER_CODE, BASE_TIME_CODE]).toEqual(compiled)
})
