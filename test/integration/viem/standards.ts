import { hashMessage } from 'viem'
import { createSiweMessage } from 'viem/siwe'
import { expect } from 'vitest'
import { type Cases, COIN_SUPPLY, coin, ENS_NAME, type Stage } from './stage.ts'

export const TYPED_DATA = {
  domain: { name: 'Mail', chainId: 31337 },
  types: {
    Letter: [
      { name: 'to', type: 'address' },
      { name: 'text', type: 'string' },
    ],
  },
  primaryType: 'Letter',
  message: { to: `0x${'11'.repeat(20)}`, text: 'hello' },
} as const

const resolver = ({ contracts }: Stage) => ({ universalResolverAddress: contracts.names })

/** Names of ENS, of a contract that stands in for its Universal Resolver. */
const ens: Cases = {
  async getEnsAddress(stage) {
    const find = (name: string) => stage.client.getEnsAddress({ name, ...resolver(stage) })
    expect(await find(ENS_NAME)).toBe(stage.account.address)
    expect(await find('nobody.eth')).toBeNull()
  },

  async getEnsName(stage) {
    const find = (address: Stage['other']) =>
      stage.client.getEnsName({ address, ...resolver(stage) })
    expect(await find(stage.account.address)).toBe(ENS_NAME)
    expect(await find(stage.other)).toBeNull()
  },

  async getEnsResolver(stage) {
    const found = await stage.client.getEnsResolver({ name: ENS_NAME, ...resolver(stage) })
    expect(found.toLowerCase()).toBe(stage.contracts.names)
  },

  async getEnsText(stage) {
    const find = (key: string) =>
      stage.client.getEnsText({ name: ENS_NAME, key, ...resolver(stage) })
    expect(await find('com.example')).toBe('hello')
    expect(await find('com.other')).toBeNull()
  },

  async getEnsAvatar(stage) {
    expect(await stage.client.getEnsAvatar({ name: ENS_NAME, ...resolver(stage) })).toBe(
      'data:image/gif;base64,R0lGODlhAQABAAAAACw=',
    )
  },
}

/** Signatures, of accounts with and without code. */
const signatures: Cases = {
  async verifyHash({ client, account, contracts, other }) {
    const hash = hashMessage('hello')
    const signature = await account.sign({ hash })
    const verify = (address: Stage['other']) => client.verifyHash({ address, hash, signature })
    expect(await verify(account.address)).toBe(true)
    // Its contract is asked (ERC-1271).
    expect(await verify(contracts.owned)).toBe(true)
    expect(await verify(other)).toBe(false)
  },

  async verifyMessage({ client, account, contracts, other }) {
    const signature = await account.signMessage({ message: 'hello' })
    const verify = (address: Stage['other'], message = 'hello') =>
      client.verifyMessage({ address, message, signature })
    expect(await verify(account.address)).toBe(true)
    expect(await verify(contracts.owned)).toBe(true)
    expect(await verify(other)).toBe(false)
    expect(await verify(contracts.owned, 'bye')).toBe(false)
  },

  async verifyTypedData({ client, account, contracts, other }) {
    const signature = await account.signTypedData(TYPED_DATA)
    const verify = (address: Stage['other']) =>
      client.verifyTypedData({ ...TYPED_DATA, address, signature })
    expect(await verify(account.address)).toBe(true)
    expect(await verify(contracts.owned)).toBe(true)
    expect(await verify(other)).toBe(false)
  },

  async verifySiweMessage({ client, account, contracts }) {
    const sign = async (address: Stage['other']) => {
      const message = createSiweMessage({
        address,
        chainId: 31337,
        domain: 'example.com',
        nonce: 'abcdefgh1234',
        uri: 'https://example.com/login',
        version: '1',
      })
      return { message, signature: await account.signMessage({ message }) }
    }
    expect(await client.verifySiweMessage(await sign(account.address))).toBe(true)
    const owned = await sign(contracts.owned)
    expect(await client.verifySiweMessage(owned)).toBe(true)
    expect(await client.verifySiweMessage({ ...owned, domain: 'example.org' })).toBe(false)
  },
}

/** Tokens by ERC-20. */
const tokens: Cases = {
  async 'token.getMetadata'({ client, contracts }) {
    expect(await client.token.getMetadata({ token: contracts.coin })).toEqual({
      name: 'Token',
      symbol: 'COIN',
      decimals: 18,
    })
  },

  async 'token.getTotalSupply'({ client, contracts }) {
    expect(await client.token.getTotalSupply({ token: contracts.coin })).toMatchObject({
      amount: COIN_SUPPLY,
    })
  },

  async 'token.getBalance'({ client, contracts, account, other }) {
    const balance = (address: Stage['other']) =>
      client.token.getBalance({ token: contracts.coin, account: address })
    expect(await balance(account.address)).toMatchObject({ amount: COIN_SUPPLY })
    expect(await balance(other)).toMatchObject({ amount: 0n })
  },

  async 'token.getAllowance'({ client, contracts, account, other }) {
    expect(
      await client.token.getAllowance({
        token: contracts.coin,
        account: account.address,
        spender: other,
      }),
    ).toMatchObject({ amount: 0n })
  },

  async 'token.transfer'({ client, contracts, other }) {
    const hash = await client.token.transfer({ token: contracts.coin, to: other, amount: 30n })
    const { status } = await client.waitForTransactionReceipt({ hash })
    expect(status).toBe('success')
    const balance = { token: contracts.coin, account: other }
    expect(await client.token.getBalance({ ...balance, blockTag: 'pending' })).toMatchObject({
      amount: 30n,
    })
    expect(await client.token.getBalance(balance)).toMatchObject({ amount: 0n })
  },

  async 'token.transferSync'({ client, contracts, account, other }) {
    const { receipt, ...event } = await client.token.transferSync({
      token: contracts.coin,
      to: other,
      amount: 30n,
    })
    expect(event).toMatchObject({ from: account.address, value: 30n })
    expect(receipt).toMatchObject({ status: 'success', blockNumber: 3n })
    await expect(
      client.token.transferSync({ token: contracts.coin, to: other, amount: COIN_SUPPLY }),
    ).rejects.toThrow('insufficient balance')
  },

  async 'token.approve'({ client, contracts, account, other }) {
    const { coin: token } = contracts
    const hash = await client.token.approve({ token, spender: other, amount: 40n })
    await client.waitForTransactionReceipt({ hash })
    expect(
      await client.readContract({
        address: token,
        abi: coin.abi,
        functionName: 'allowance',
        args: [account.address, other],
        blockTag: 'pending',
      }),
    ).toBe(40n)
  },

  async 'token.approveSync'({ client, contracts, account, other }) {
    const { receipt, ...event } = await client.token.approveSync({
      token: contracts.coin,
      spender: other,
      amount: 40n,
    })
    expect(event).toMatchObject({ owner: account.address, value: 40n })
    expect(receipt).toMatchObject({ status: 'success', blockNumber: 3n })
  },
}

/** What viem does with contracts of the standards that it knows. */
export const standards: Cases = { ...ens, ...signatures, ...tokens }
