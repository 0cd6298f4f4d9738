import { encodeDeployData } from 'viem'
import { describe, expect, test } from 'vitest'
import { artifact } from '../../support/solidity.ts'
import { JSON_HEADERS } from '../server/support.ts'
import { ALICE, openPage, startDashboard } from './support.ts'

const { abi, bytecode } = artifact('Talker')

describe('before a page is first opened', () => {
  test('console.log and failures are lines of the log, requests that succeed are not', async () => {
    const { devnet, ask, rpc } = await startDashboard({ frozen: true })
    const data = encodeDeployData({ abi, bytecode, args: ['Ann'] })
    const hash = await rpc('eth_sendTransaction', { from: ALICE, data })
    await rpc('preconf_advance', { ticks: 1 })
    for (const method of ['eth_chainId', 'eth_nothing']) {
      const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method })
      await fetch(devnet.url, { method: 'POST', headers: JSON_HEADERS, body })
    }
    const { lines, omitted } = await ask('log', {})
    expect(omitted).toBe(0)
    expect(lines).toEqual([
      expect.objectContaining({ kind: 'console', text: 'made Ann', transaction: hash }),
      expect.objectContaining({ kind: 'failed', text: expect.stringContaining('eth_nothing') }),
    ])
    expect(lines[0]).toMatchObject({ elapsed: null })
    expect(lines[1]?.elapsed).toBeGreaterThan(0)
  })

  test('ticks are timed', async () => {
    const { ask, rpc } = await startDashboard({ frozen: true })
    await rpc('eth_sendTransaction', { from: ALICE, to: ALICE })
    await rpc('preconf_advance', { ticks: 1 })
    const block = await ask('block', { id: 'pending' })
    expect(block.found && block.ticks).toMatchObject([{ seen: { elapsed: expect.any(Number) } }])
  })

  test('an undo is a line', async () => {
    const { ask, rpc } = await startDashboard({ frozen: true })
    const snapshot = await rpc('evm_snapshot')
    await rpc('eth_sendTransaction', { from: ALICE, to: ALICE })
    await rpc('preconf_advance', { ticks: 1 })
    await rpc('evm_revert', snapshot)
    const { lines } = await ask('log', {})
    expect(lines).toMatchObject([{ kind: 'undo', text: 'revert: block 0 is the newest now' }])
  })
})

test('while a page is open, requests are lines with the time that they took', async () => {
  const dashboard = await startDashboard({ frozen: true })
  const page = await openPage(dashboard)
  const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'eth_chainId' })
  await fetch(dashboard.devnet.url, { method: 'POST', headers: JSON_HEADERS, body })
  const lines = () => page.pushed.flatMap((one) => one.lines)
  await expect
    .poll(lines)
    .toMatchObject([{ kind: 'request', text: 'eth_chainId', elapsed: expect.any(Number) }])
})
