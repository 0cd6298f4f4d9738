import { FetchRequest, JsonRpcProvider, type Network, toBeHex } from 'ethers'
import { getContractAddress, type Hex } from 'viem'
import { expect, onTestFinished, test } from 'vitest'
import { createDevnet } from '../../../devnet/index.ts'
import { RandomTraffic } from '../../devnet/chain/randomTraffic.ts'

/** Otterscan's page, as its docker image serves it. */
const ORIGIN = 'http://localhost:5100'
const PAGE = 25

interface Details {
  readonly block: object & { readonly transactionCount: number; readonly size: Hex }
  readonly issuance: { readonly blockReward: Hex; readonly uncleReward: Hex }
  readonly totalFees: Hex
}

interface BlockPage {
  readonly fullblock: object & { readonly transactions: readonly { readonly hash: Hex }[] }
  readonly receipts: readonly object[]
}

interface SearchPage {
  readonly txs: readonly { readonly hash: Hex; readonly blockNumber: Hex }[]
  readonly receipts: readonly { readonly timestamp: number }[]
  readonly firstPage: boolean
  readonly lastPage: boolean
}

/** A node with blocks of random traffic, and the provider that Otterscan makes for it. */
async function createExplorer() {
  const devnet = createDevnet({ port: 0, frozenTicks: true, timestamp: 1_800_000_000 })
  await devnet.start()
  const traffic = new RandomTraffic(42, devnet.accounts.slice(0, 5), 31337)
  const [deployer = '0x'] = traffic.addresses
  const targets = {
    token: getContractAddress({ from: deployer, nonce: 0n }),
    playground: getContractAddress({ from: deployer, nonce: 1n }),
  }
  const ask = (method: string, ...params: unknown[]) => devnet.provider.request({ method, params })
  for (const raw of await traffic.deployments()) await ask('eth_sendRawTransaction', raw)
  for (let block = 0; block < 6; block++) {
    await devnet.clock.advance({ blocks: 1 })
    for (let count = 0; count < 12; count++) {
      await ask('eth_sendRawTransaction', await traffic.next(targets))
    }
  }
  // Nobody has signed this one.
  const impersonated: Hex = `0x${'0a'.repeat(20)}`
  await ask('hardhat_setBalance', impersonated, toBeHex(10n ** 18n))
  await ask('hardhat_impersonateAccount', impersonated)
  await ask('eth_sendTransaction', { from: impersonated, to: deployer, value: '0x1' })
  await devnet.clock.advance({ blocks: 1 })
  const request = new FetchRequest(devnet.url)
  request.setHeader('Origin', ORIGIN)
  const provider = new JsonRpcProvider(request, undefined, { staticNetwork: true })
  onTestFinished(async () => {
    provider.destroy()
    await devnet.stop()
  })
  return { provider, sender: deployer.toLowerCase() as Hex, impersonated, ...targets }
}

/** Reads what Otterscan's formatter reads, which is made of ethers' own. */
function formats(provider: JsonRpcProvider, network: Network) {
  return {
    block: (raw: object) => provider._wrapBlock({ transactions: [], ...raw } as never, network),
    transaction: (raw: object) => provider._wrapTransactionResponse(raw as never, network),
    /** Otterscan puts an empty list in the place of the logs that a block page lacks. */
    receipt: (raw: object) =>
      provider._wrapTransactionReceipt({ ...raw, logsBloom: '0x' } as never, network),
  }
}

test('its start', async () => {
  const { provider } = await createExplorer()
  const [number, header, level, network] = await Promise.all([
    provider.getBlockNumber(),
    provider.send('erigon_getHeaderByNumber', ['latest']),
    provider.send('ots_getApiLevel', []),
    provider.getNetwork(),
  ])
  expect([number, Number(header.number), level, network.chainId]).toEqual([7, 7, 8, 31337n])
})

test('blocks and their pages', async () => {
  const { provider } = await createExplorer()
  const format = formats(provider, await provider.getNetwork())
  for (let number = 0; number <= 7; number++) {
    const { block, issuance, totalFees } = (await provider.send('ots_getBlockDetails', [
      number,
    ])) as Details
    const { hash } = format.block(block)
    expect(await provider.send('ots_getBlockDetailsByHash', [hash])).toMatchObject({ totalFees })
    expect([issuance.blockReward, issuance.uncleReward].map(BigInt)).toEqual([0n, 0n])
    expect(Number(block.size)).toBeGreaterThan(500)
    const pages: string[] = []
    for (let page = 0; page * 5 < block.transactionCount; page++) {
      const { fullblock, receipts } = (await provider.send('ots_getBlockTransactions', [
        number,
        page,
        5,
      ])) as BlockPage
      const found = fullblock.transactions.map((raw) => format.transaction(raw).hash)
      const placed = receipts.map((raw) => format.receipt({ ...raw, logs: [] }))
      expect(placed.map((receipt) => receipt.hash)).toEqual(found)
      // Otterscan turns each page round.
      pages.push(...found.toReversed())
    }
    const { transactions } = await provider.send('eth_getBlockByNumber', [toBeHex(number), false])
    expect(pages).toEqual(transactions.toReversed())
  }
  expect(await provider.send('ots_getBlockDetails', [99_999])).toBeNull()
})

test('the transactions of an address, from both ends', async () => {
  const { provider, sender, playground, impersonated } = await createExplorer()
  const format = formats(provider, await provider.getNetwork())
  for (const address of [sender, playground, impersonated]) {
    const walk = async (method: string) => {
      const pages: string[][] = []
      for (let block = 0; ; ) {
        const page = (await provider.send(method, [address, block, PAGE])) as SearchPage
        const { txs, receipts, firstPage, lastPage } = page
        for (const [index, receipt] of receipts.entries()) {
          const { hash, blockNumber } = format.receipt(receipt)
          expect(hash).toBe(format.transaction(txs[index] ?? {}).hash)
          expect(receipt.timestamp).toBe((await provider.getBlock(blockNumber))?.timestamp)
        }
        const found = txs.map(({ hash }) => hash)
        const isBefore = method.endsWith('Before')
        if (isBefore) pages.push(found)
        else pages.unshift(found)
        if (isBefore ? lastPage : firstPage) return pages.flat()
        block = Number((isBefore ? txs.at(-1) : txs[0])?.blockNumber)
      }
    }
    const backward = await walk('ots_searchTransactionsBefore')
    expect(await walk('ots_searchTransactionsAfter')).toEqual(backward)
    expect(backward.length).toBeGreaterThan(address === impersonated ? 0 : PAGE / 2)
    const hash = await provider.send('ots_getTransactionBySenderAndNonce', [address, 0])
    if (address !== playground) expect(backward).toContain(hash)
    else expect(hash).toBeNull()
  }
})

test('a transaction, its frames and its error; a contract and its creator', async () => {
  const { provider, sender, playground } = await createExplorer()
  const page = (await provider.send('ots_searchTransactionsBefore', [
    playground,
    0,
    100,
  ])) as SearchPage
  const kinds = new Set<number>()
  let errors = 0
  for (const { hash } of page.txs) {
    const [transaction, receipt, operations, frames, error] = await Promise.all([
      provider.getTransaction(hash),
      provider.getTransactionReceipt(hash),
      provider.send('ots_getInternalOperations', [hash]),
      provider.send('ots_traceTransaction', [hash]),
      provider.send('ots_getTransactionError', [hash]),
    ])
    expect(receipt?.hash).toBe(transaction?.hash)
    for (const { type, from, to, value } of operations) {
      kinds.add(type)
      for (const address of [from, to]) expect(address).toMatch(/^0x[0-9a-f]{40}$/)
      expect(BigInt(value)).toBeGreaterThanOrEqual(0n)
    }
    // The tree is built of nothing but the depths.
    let last = -1
    for (const { depth } of frames) {
      expect(depth).toBeLessThanOrEqual(last + 1)
      last = depth
    }
    expect(frames[0]).toMatchObject({ depth: 0, from: transaction?.from.toLowerCase() })
    if (receipt?.status === 1) expect(error).toBe('0x')
    else if (error !== '0x') errors++
  }
  expect([...kinds].sort()).toEqual([1, 3])
  expect(errors).toBeGreaterThan(0)
  expect(await provider.send('ots_hasCode', [playground, 'latest'])).toBe(true)
  expect(await provider.send('ots_getContractCreator', [playground])).toEqual({
    hash: await provider.send('ots_getTransactionBySenderAndNonce', [sender, 1]),
    creator: sender,
  })
})
