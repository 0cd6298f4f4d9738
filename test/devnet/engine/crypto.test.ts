import { randomBytes } from 'node:crypto'
import { expect, test } from 'vitest'
import { loadCrypto, loadInterruptibleCrypto } from '../../../devnet/engine/crypto.ts'

/** Platforms that the package has a binary for; Alpine's differs from that of other Linuxes. */
const NATIVE = ['darwin-arm64', 'linux-x64', 'win32-x64']

test('default: the native binary, if there is one for this platform', async () => {
  const { source } = await loadCrypto()
  const isNative = NATIVE.includes(`${process.platform}-${process.arch}`)
  expect(source).toBe(isNative ? 'native' : 'wasm')
})

test('native code and WebAssembly sign and recover alike', async () => {
  const [first, second] = [await loadCrypto(), await loadInterruptibleCrypto()]
  expect(second.source).toBe('wasm')
  for (let count = 0; count < 200; count++) {
    const [hash, key] = [randomBytes(32), randomBytes(32)]
    const signed = first.sign(hash, key)
    expect(second.sign(hash, key)).toEqual(signed)
    expect(second.publicKey(key)).toEqual(first.publicKey(key))
    for (const curve of [first, second]) {
      expect(curve.recover(hash, signed.signature, signed.recoveryId)).toEqual(first.publicKey(key))
    }
  }
})

test('error: signatures that no key can have made', async () => {
  const valid = new Uint8Array(64).fill(1)
  const zeroR = new Uint8Array(64).fill(1, 32)
  const largeS = new Uint8Array(64).fill(1).fill(0xff, 32)
  const hash = new Uint8Array(32).fill(7)
  for (const curve of [await loadCrypto(), await loadInterruptibleCrypto()]) {
    expect(() => curve.recover(hash, zeroR, 0)).toThrow()
    expect(() => curve.recover(hash, largeS, 0)).toThrow()
    expect(() => curve.recover(hash, valid, 4)).toThrow()
    expect(() => curve.sign(hash, new Uint8Array(32))).toThrow()
    expect(() => curve.publicKey(new Uint8Array(32))).toThrow()
  }
})
