import { BrowserProvider, Contract, ContractFactory, JsonRpcProvider, Network } from 'ethers'
import {
  createPublicClient,
  createWalletClient,
  custom,
  getContract,
  http,
  type PublicClient,
} from 'viem'
import { privateKeyToAccount } from 'viem/accounts'
import { hardhat } from 'viem/chains'
import { describe, expect, onTestFinished, test } from 'vitest'
import { createDevnet, type Devnet } from '../../../devnet/index.ts'
import type { OptionsInput } from '../../../devnet/options/options.ts'
import { artifact } from '../../support/solidity.ts'

const token = artifact('Token')
/** As ethers reads it. */
const ABI = JSON.stringify(token.abi)
const [OWNER, FRIEND] = [
  '0xf39fd6e51aad88f6f4ce6ab8827279cfffb92266',
  '0x70997970c51812dc3a010c7d01b50e0d17dc79c8',
] as const

async function start(options: OptionsInput): Promise<Devnet> {
  const devnet = createDevnet({ port: 0, noWallet: true, ...options })
  onTestFinished(() => devnet.stop())
  await devnet.start()
  return devnet
}

/** The clock of the ticks does not move while a test lasts. */
const OWN_WRITES = { readOwnWrites: true, tickInterval: 3_600_000, frozen: true }

describe.each(['in process', 'http'])('%s', (transport) => {
  const viemOf = (devnet: Devnet) => {
    const way = transport === 'http' ? http(devnet.url) : custom(devnet.provider)
    const shared = { chain: hardhat, transport: way, pollingInterval: 10 }
    const key = devnet.accounts.find(({ address }) => address === FRIEND)?.privateKey
    if (key === undefined) throw new Error('The second account has no key')
    const publicClient: PublicClient = createPublicClient({
      ...shared,
      experimental_blockTag: 'pending',
    })
    return {
      publicClient,
      owner: createWalletClient({ ...shared, account: OWNER }),
      friend: createWalletClient({ ...shared, account: privateKeyToAccount(key) }),
    }
  }

  test('viem: each line finds what the line before it did', async () => {
    const { publicClient, owner, friend } = viemOf(await start(OWN_WRITES))
    const hash = await owner.deployContract({ ...token, args: [1000n] })
    const { contractAddress } = await publicClient.waitForTransactionReceipt({ hash })
    if (contractAddress == null) throw new Error('No contract')
    const contract = { address: contractAddress, abi: token.abi }
    const ofOwner = getContract({ ...contract, client: { public: publicClient, wallet: owner } })
    const ofFriend = getContract({ ...contract, client: { public: publicClient, wallet: friend } })
    await ofOwner.write.transfer?.([FRIEND, 700n])
    expect(await ofOwner.read.balanceOf?.([FRIEND])).toBe(700n)
    // viem signs it here, with a gas estimate and a nonce that count the transfer before.
    await ofFriend.write.transfer?.([OWNER, 600n])
    await ofFriend.write.transfer?.([OWNER, 100n])
    await expect(ofFriend.write.transfer?.([OWNER, 1n])).rejects.toThrow(/revert/)
    expect(await ofFriend.read.balanceOf?.([FRIEND])).toBe(0n)
    expect(await publicClient.getTransactionCount({ address: FRIEND, blockTag: 'pending' })).toBe(2)
    const events = await publicClient.getContractEvents({ ...contract, eventName: 'Transfer' })
    // With the one that creates the supply.
    expect(events.length).toBe(4)
  })

  test('ethers: each line finds what the line before it did', async () => {
    const devnet = await start(OWN_WRITES)
    const chain = Network.from(31337)
    const provider =
      transport === 'http'
        ? new JsonRpcProvider(devnet.url, chain, { staticNetwork: chain, cacheTimeout: -1 })
        : new BrowserProvider(
            { request: ({ method, params }) => devnet.provider.request({ method, params }) },
            chain,
            { staticNetwork: chain, cacheTimeout: -1 },
          )
    onTestFinished(() => provider.destroy())
    const [owner, friend] = [await provider.getSigner(0), await provider.getSigner(1)]
    const factory = new ContractFactory(ABI, token.bytecode, owner)
    const deployed = await factory.deploy(1000n)
    const address = await deployed.getAddress()
    const ofOwner = new Contract(address, ABI, owner)
    const ofFriend = new Contract(address, ABI, friend)
    await ofOwner.getFunction('transfer')(FRIEND, 700n)
    expect(await ofOwner.getFunction('balanceOf')(FRIEND, { blockTag: 'pending' })).toBe(700n)
    const sent = await ofFriend.getFunction('transfer')(OWNER, 700n)
    expect((await sent.wait()).status).toBe(1)
    await expect(ofFriend.getFunction('transfer')(OWNER, 1n)).rejects.toThrow(/revert/)
    expect(await provider.getTransactionCount(FRIEND, 'pending')).toBe(1)
  })

  test('viem, without the option: an estimate waits for the tick of its sender', async () => {
    const { publicClient, owner } = viemOf(await start({ tickInterval: 25, frozen: true }))
    const hash = await owner.deployContract({ ...token, args: [1000n] })
    const { contractAddress } = await publicClient.waitForTransactionReceipt({ hash })
    if (contractAddress == null) throw new Error('No contract')
    const transfer = (value: bigint) => ({
      address: contractAddress,
      abi: token.abi,
      functionName: 'transfer',
      args: [FRIEND, value],
      account: OWNER,
    })
    await owner.writeContract(transfer(1000n))
    await expect(publicClient.estimateContractGas(transfer(1n))).rejects.toThrow(/revert/)
  })
})
