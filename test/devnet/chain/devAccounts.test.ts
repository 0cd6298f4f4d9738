import { HDKey } from '@scure/bip32'
import { generateMnemonic, mnemonicToSeedSync } from '@scure/bip39'
import { wordlist } from '@scure/bip39/wordlists/english.js'
import { privateKeyToAddress } from 'viem/accounts'
import { expect, test } from 'vitest'
import { deriveAccounts } from '../../../devnet/chain/devAccounts.ts'
import { loadCrypto } from '../../../devnet/engine/crypto.ts'
import { OptionError } from '../../../devnet/primitives/errors.ts'

const JUNK = 'test test test test test test test test test test test junk'

test('default: the accounts of hardhat node', async () => {
  const accounts = await deriveAccounts(JUNK, 20, await loadCrypto())
  expect(accounts.length).toBe(20)
  expect(accounts[0]).toEqual({
    address: '0xf39fd6e51aad88f6f4ce6ab8827279cfffb92266',
    privateKey: '0xac0974bec39a17e36ba4a6b4d238ff944bacb478cbed5efcae784d7bf4f2ff80',
  })
  expect(accounts[19]?.address).toBe('0x8626f6940e2eb28930efb4cef49b2d1f2c9c1199')
})

test('agrees with another implementation on any mnemonic', async () => {
  const crypto = await loadCrypto()
  for (const strength of [128, 160, 192, 224, 256]) {
    const mnemonic = generateMnemonic(wordlist, strength)
    const parent = HDKey.fromMasterSeed(mnemonicToSeedSync(mnemonic)).derive("m/44'/60'/0'/0")
    const expected = Array.from({ length: 5 }, (_, index) => {
      const { privateKey } = parent.deriveChild(index)
      const hex = `0x${Buffer.from(privateKey ?? []).toString('hex')}` as const
      return { address: privateKeyToAddress(hex).toLowerCase(), privateKey: hex }
    })
    expect(await deriveAccounts(mnemonic, 5, crypto)).toEqual(expected)
  }
})

test('fewer, more, and those of another mnemonic in turn', async () => {
  const crypto = await loadCrypto()
  const other = generateMnemonic(wordlist)
  const addresses = async (mnemonic: string, count: number) =>
    (await deriveAccounts(mnemonic, count, crypto)).map(({ address }) => address)
  const all = await addresses(JUNK, 9)
  const others = await addresses(other, 9)
  expect(await addresses(other, 3)).toEqual(others.slice(0, 3))
  expect(await addresses(JUNK, 3)).toEqual(all.slice(0, 3))
  expect(await addresses(JUNK, 9)).toEqual(all)
  expect(others).not.toEqual(all)
})

test('no mnemonic', async () => {
  await expect(deriveAccounts('test test', 1, await loadCrypto())).rejects.toThrow(OptionError)
})
