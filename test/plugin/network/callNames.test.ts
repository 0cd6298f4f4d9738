import { encodeDeployData, encodeFunctionData } from 'viem'
import { expect, test } from 'vitest'
import type { Hex, WalletControl } from '../../../devnet/index.ts'
import { pendingNode } from '../../../plugin/index.ts'
import { artifact } from '../../support/solidity.ts'
import { createProject } from '../temporaryProject.ts'
import { createHre, opened } from './stage.ts'

const { abi, bytecode } = artifact('Bazaar')

async function ask(wallet: WalletControl, method: string, params: unknown = []): Promise<void> {
  const headers = { 'Content-Type': 'application/json' }
  const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method, params })
  await fetch(wallet.url, { method: 'POST', headers, body })
}

test.each([
  ['default: the wallet of a connection names calls by the artifacts of the project', {}, 'Bazaar'],
  [
    'args: contracts of the configuration take their place',
    {
      contracts: {
        deployedAs: async () => [{ name: 'Mine', abi, initCodeLength: 0 }],
        createdBy: async () => [],
        all: async () => [],
      },
    },
    'Mine',
  ],
])('%s', async (_name, given, contract) => {
  using project = createProject('Bazaar')
  const networks = { own: pendingNode({ wallet: { policy: 'approve' }, ...given }) }
  const hre = await createHre(networks, undefined, { artifacts: `${project.path}/artifacts` })
  await using connection = opened(await hre.network.create('own'))
  const data = encodeDeployData({ abi, bytecode, args: ['Grand Bazaar'] })
  const hash = await connection.send({ to: undefined, data })
  const receipt = await connection.rpc<{ contractAddress: Hex }>('eth_getTransactionReceipt', hash)

  const control = connection.pendingNode.wallet
  await ask(control, 'eth_requestAccounts')
  await control.policy({ default: 'hold' })
  const call = encodeFunctionData({ abi, functionName: 'buy', args: [7n, 101n] })
  const asked = ask(control, 'eth_sendTransaction', [{ to: receipt.contractAddress, data: call }])
  const { id } = await control.waitFor({ method: 'eth_sendTransaction' })
  const seen = async () => {
    const [request] = await control.pending()
    return [request?.summary.title, ...(request?.summary.warnings ?? [])]
  }
  await expect
    .poll(seen, { timeout: 15_000 })
    .toEqual([
      `Call ${contract}.buy`,
      expect.stringMatching(/^The transaction will revert: TooMuch\(wanted: 101, by: 0xf39F/),
    ])
  await control.reject(id)
  await asked
})

test('a network without a wallet has none', async () => {
  const hre = await createHre({ own: pendingNode({ wallet: false }) })
  await using connection = await hre.network.create('own')
  expect(() => connection.pendingNode.wallet).toThrow(/without its mock wallet/)
  expect(connection.pendingNode.dashboardUrl).toContain(`${connection.pendingNode.url}/dashboard/`)
})
