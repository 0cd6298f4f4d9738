import { createHardhatRuntimeEnvironment } from 'hardhat/hre'
import { describe, expect, test } from 'vitest'
import { fromHex, type Hex, quantity, toHex } from '../../devnet/primitives/hex.ts'
import { addressKeyFromHex, slotKeyFromBigInt } from '../../devnet/state/keys.ts'
import { openUpstream } from '../../devnet/upstream/openUpstream.ts'
import { anvilProgram, startAnvil } from '../support/anvil.ts'
import { askNode, type PeerNode, startHardhat, startOurs } from '../support/peerNode.ts'
import { failing, UpstreamProxy } from '../support/upstreamProxy.ts'

const hardhatNode = async () =>
  startHardhat(await createHardhatRuntimeEnvironment({ networks: {} }))

const program = anvilProgram()

const anvil = () => startAnvil(program ?? '')

/** Stores 0x2a in slot 1 and has the code 0x00. */
const CONTRACT = '0x602a60015560016000f3'

/** Deploys a contract and seals some blocks. */
async function prepare(url: string) {
  const [from] = await askNode<Hex[]>(url, 'eth_accounts')
  const hash = await askNode<Hex>(url, 'eth_sendTransaction', {
    from,
    data: CONTRACT,
    gas: '0x30000',
  })
  for (let block = 0; block < 5; block++) await askNode(url, 'evm_mine')
  const receipt = await askNode<{ contractAddress: Hex; transactionHash: Hex }>(
    url,
    'eth_getTransactionReceipt',
    hash,
  )
  if (from === undefined) throw new Error('the node has accounts')
  return { from, contract: receipt.contractAddress, receipt }
}

describe.each<[string, () => Promise<PeerNode>]>([
  ['this node', startOurs],
  ['hardhat node', hardhatNode],
  ...(program === undefined ? [] : [['anvil', anvil] as [string, () => Promise<PeerNode>]]),
])('%s as upstream', (_, start) => {
  test.each([
    ['with batches', 100],
    ['without batches', 1],
  ])('values, hashes and answers are its own, %s', async (_, batch) => {
    await using node = await start()
    const { from, contract, receipt } = await prepare(node.url)
    const proxy = await UpstreamProxy.start(node.url)
    const upstream = await openUpstream({ url: proxy.url, block: 'latest', cache: false, batch })
    try {
      if (batch > 1) {
        expect(proxy.requests).toHaveLength(2)
        expect(proxy.items()).toBeLessThanOrEqual(27)
      }
      const block = await askNode<Record<string, Hex>>(
        node.url,
        'eth_getBlockByNumber',
        'latest',
        false,
      )
      expect(upstream.block.json).toEqual(block)
      expect(upstream.chainId).toBe(31337n)
      expect(upstream.hardfork).toMatch(/^(?:prague|osaka|bpo[12])$/)
      // What happens upstream from now on is not seen.
      const before = BigInt(await askNode<Hex>(node.url, 'eth_getBalance', from, 'latest'))
      await askNode(node.url, 'eth_sendTransaction', {
        from,
        to: contract,
        value: '0x1',
        gas: '0x30000',
      })
      await askNode(node.url, 'evm_mine')
      const keys = [from, contract].map(addressKeyFromHex)
      const slots = [1n, 2n].map(
        (slot) => [addressKeyFromHex(contract), slotKeyFromBigInt(slot)] as const,
      )
      expect(await upstream.source.load({ accounts: keys, slots })).toEqual({
        accounts: [
          { balance: before, nonce: 1n, code: new Uint8Array() },
          { balance: 0n, nonce: 1n, code: fromHex('0x00') },
        ],
        slots: [fromHex('0x2a'), new Uint8Array()],
      })
      for (const number of [0n, 1n, upstream.block.number - 1n]) {
        const { hash } = await askNode<{ hash: Hex }>(
          node.url,
          'eth_getBlockByNumber',
          `0x${number.toString(16)}`,
          false,
        )
        expect(toHex(await upstream.source.blockHash(number))).toBe(hash)
      }
      const passed = await upstream.request('eth_getTransactionReceipt', [receipt.transactionHash])
      expect(passed).toEqual(receipt)
    } finally {
      await upstream.close()
      await proxy.stop()
    }
  })

  test('one call reads the balances and slots of many accounts', async () => {
    await using node = await start()
    const { contract } = await prepare(node.url)
    const addresses = Array.from(
      { length: 12 },
      (_, index): Hex => `0x${'ba'.repeat(19)}${(index + 16).toString(16)}`,
    )
    for (const [index, address] of addresses.entries()) {
      await askNode(node.url, 'hardhat_setBalance', address, quantity(index))
    }
    await askNode(node.url, 'hardhat_setBalance', contract, '0x1234567890abcdef')
    await askNode(node.url, 'evm_mine')
    const proxy = await UpstreamProxy.start(node.url)
    const unknown = { code: -32601, message: 'the method does not exist' }
    proxy.play(failing(unknown, 'eth_getAccountInfo'))
    const upstream = await openUpstream({ url: proxy.url, block: 'latest', cache: false })
    try {
      proxy.reset()
      const key = addressKeyFromHex(contract)
      const slots = [1n, 2n].map((slot) => [key, slotKeyFromBigInt(slot)] as const)
      const accounts = [...addresses.map(addressKeyFromHex), key]
      const values = await upstream.source.load({ accounts, slots })
      const balances = values.accounts.map((account) =>
        account !== null && 'balance' in account ? account.balance : account,
      )
      const given = addresses.map((_, index) => BigInt(index))
      expect(balances).toEqual([null, ...given.slice(1), 0x1234567890abcdefn])
      expect(values.slots).toEqual([fromHex('0x2a'), new Uint8Array()])
      expect(proxy.items('eth_call')).toBe(1)
      // The sample that proves the call.
      expect(proxy.items('eth_getBalance')).toBe(4)
    } finally {
      await upstream.close()
      await proxy.stop()
    }
  })
})
