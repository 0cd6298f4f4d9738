import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { encodeFunctionData, type Hex } from 'viem'
import { expect, onTestFinished, test } from 'vitest'
import type { DashboardApi } from '../../../devnet/dashboard/queryTable.ts'
import { post } from '../../devnet/dashboard/support.ts'
import { placeOf, SOURCES } from '../../integration/dashboard/project.ts'
import { buildProject } from '../../support/builtProject.ts'

const PROGRAM = fileURLToPath(new URL('../../../dist/plugin/bin/pending-node.js', import.meta.url))

/** Without Hardhat, in the folder of a project; `--json` prints an event a line. */
async function startProgram(cwd: string) {
  const args = [PROGRAM, '--port', '0', '--json', '--frozen-ticks']
  const child: ChildProcess = spawn(process.execPath, args, { cwd })
  onTestFinished(async () => {
    child.kill()
    await once(child, 'exit')
  })
  if (child.stdout === null) throw new Error('The program has no output')
  const lines = createInterface(child.stdout)
  const [line] = await once(lines, 'line')
  // The form is asserted by other tests.
  return JSON.parse(String(line)) as { url: string; dashboard: { pageUrl: string } }
}

test('the stand-alone program tells the lines of a failure from the artifacts in its folder', async () => {
  const project = buildProject(SOURCES)
  const { url, dashboard } = await startProgram(project.root)
  const token = new URL(dashboard.pageUrl).hash.replace('#token=', '')
  const rpc = async (method: string, ...params: unknown[]) => {
    const response = await post(url, { method, params: params as never }, undefined)
    return ((await response.json()) as { result: unknown }).result
  }
  const [from] = (await rpc('eth_accounts')) as Hex[]
  const data = project.creation('Vault', 5n).replace(/__\$.{34}\$__/g, '11'.repeat(20))
  const created = await rpc('eth_sendTransaction', { from, data, gas: '0x500000' })
  await rpc('preconf_advance', { ticks: 1 })
  const receipt = (await rpc('eth_getTransactionReceipt', created)) as { contractAddress: Hex }
  const { abi } = project.contract('Vault')
  const hash = await rpc('eth_sendTransaction', {
    from,
    to: receipt.contractAddress,
    data: encodeFunctionData({ abi, functionName: 'withdraw', args: [3n] }),
    gas: '0x500000',
  })
  await rpc('preconf_advance', { ticks: 1 })
  const asked = await post(`${url}/dashboard/api`, { method: 'trace', params: { hash } }, token)
  const { result } = (await asked.json()) as { result: DashboardApi['trace']['answer'] }
  expect(result.failure?.error).toMatch(/^NotEnoughShares\(/)
  expect(result.stack.map(({ function: name, file, line }) => ({ name, file, line }))).toEqual([
    { name: '_take', ...placeOf('custom') },
    { name: 'withdraw', ...placeOf('takes') },
  ])
})
