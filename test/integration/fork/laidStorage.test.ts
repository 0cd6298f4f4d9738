import { getContractAddress, type Hex, pad } from 'viem'
import { describe, expect, onTestFinished, test } from 'vitest'
import { createDevnet, type Devnet, type OptionsInput } from '../../../devnet/index.ts'
import { ALICE } from '../../devnet/wallet/support.ts'

/** Makes a contract whose code is one STOP. */
const INIT: Hex = '0x60015ff3'
const CREATED = getContractAddress({ from: ALICE, nonce: 0n })
const VALUE = pad('0x2a')

async function start(options: OptionsInput = {}): Promise<Devnet> {
  const devnet = createDevnet({ port: 0, instant: true, ...options })
  await devnet.start()
  onTestFinished(() => devnet.stop())
  return devnet
}

const ask = ({ provider }: Pick<Devnet, 'provider'>, method: string, ...params: unknown[]) =>
  provider.request({ method, params })

const lay = (chain: Pick<Devnet, 'provider'>) =>
  ask(chain, 'hardhat_setStorageAt', CREATED, '0x0', VALUE)

/** The status of a deployment at the address, and what is in its slot then. */
async function deploy(chain: Pick<Devnet, 'provider'>) {
  const sent = { from: ALICE, data: INIT, gas: '0xf4240' }
  const hash = await ask(chain, 'eth_sendTransaction', sent).catch(
    ({ transactionHash }: { readonly transactionHash: Hex }) => transactionHash,
  )
  const receipt = await ask(chain, 'eth_getTransactionReceipt', hash)
  return [receipt, await ask(chain, 'eth_getStorageAt', CREATED, '0x0', 'latest')]
}

const MADE = [expect.objectContaining({ status: '0x1' }), pad('0x0')]

describe.each(['fast', 'library'] as const)('with the %s engine', (engine) => {
  test.each([true, false])('laid in on a fork (a branch of it: %j)', async (isBranch) => {
    const upstream = await start()
    const fork = await start({ engine, fork: upstream.url, noForkCache: true })
    await lay(fork)
    expect(await deploy(isBranch ? await fork.branch() : fork)).toEqual(MADE)
  })

  test.each([true, false])('of the upstream, and read (%j)', async (isRead) => {
    const upstream = await start()
    await lay(upstream)
    await ask(upstream, 'evm_mine')
    const fork = await start({ engine, fork: upstream.url, noForkCache: true })
    if (isRead) await ask(fork, 'eth_getStorageAt', CREATED, '0x0', 'latest')
    for (const chain of [await fork.branch(), fork]) expect(await deploy(chain)).toEqual(MADE)
  })

  test('laid in on a branch, which its parent does not see', async () => {
    const parent = await start({ engine })
    const branch = await parent.branch()
    await lay(branch)
    const deeper = await branch.branch()
    for (const chain of [deeper, branch, parent]) expect(await deploy(chain)).toEqual(MADE)
  })
})
