import { spawn } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { homedir, tmpdir, userInfo } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { createWalletClient, defineChain, type Hex, http } from 'viem'
import { privateKeyToAccount } from 'viem/accounts'
import { afterEach, beforeEach, describe, expect, onTestFinished, test, vi } from 'vitest'
import { FastMachine } from '../../../devnet/engine/fast/fastMachine.ts'
import { createDevnet } from '../../../devnet/index.ts'
import type { OptionsInput } from '../../../devnet/options/options.ts'
import { replayReport } from '../../support/replayReport.ts'
import { runHardhat, watched } from '../hardhatProcess.ts'

const PROGRAM = fileURLToPath(new URL('../../../plugin/bin/pending-node.ts', import.meta.url))
const NOBODY = `0x${'77'.repeat(20)}` as const

/** Stores the hash of the block before, and logs nothing: one BLOCKHASH, SSTORE and LOG0. */
const STORES = '0x600143034060005560006000a0' as const
/** Deploys a contract that adds 1 to its slot 0, and answers it. */
const COUNTER = '0x600d600c600039600d6000f36000546001018060005560005260206000f3' as const

let folder: string
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'pending-node-report-'))
})
afterEach(() => {
  vi.restoreAllMocks()
  rmSync(folder, { recursive: true })
})

async function startNode(options: OptionsInput = {}) {
  const devnet = createDevnet({ port: 0, frozenTicks: true, noDashboard: true, ...options })
  onTestFinished(() => devnet.stop())
  await devnet.start()
  const rpc = async <Result>(method: string, ...params: readonly unknown[]) =>
    // Each caller knows what its method answers.
    (await devnet.provider.request({ method, params })) as Result
  const [from] = await rpc<Hex[]>('eth_accounts')
  return {
    devnet,
    rpc,
    from,
    /** Sends a transaction, and has it pre-confirmed. */
    async send(fields: object) {
      const hash = await rpc<Hex>('eth_sendTransaction', { from, gas: '0x80000', ...fields })
      await rpc('preconf_advance', { ticks: 1 })
      return hash
    },
  }
}

async function run(...args: string[]) {
  await using program = watched(spawn(process.execPath, [PROGRAM, ...args], { cwd: folder }))
  return await program.ended
}

/** Reports a transaction on which all agree, and replays the file. */
async function expectAgreement(url: string, hash: Hex, shown: string) {
  const file = `report-${hash.slice(2, 10)}.json`
  expect(await run('report', hash, '--url', url)).toEqual({
    code: 0,
    stdout: `No difference: status and gasUsed are ${shown}; ${file} has the rest.\n`,
    stderr: '',
  })
  const text = readFileSync(join(folder, file), 'utf8')
  expect((await replayReport(text)).part).toBeUndefined()
  return { report: JSON.parse(text), text, file }
}
