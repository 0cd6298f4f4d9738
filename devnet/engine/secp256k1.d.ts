/** Checks the arguments of the native addon; it has no types of its own. */
declare module 'secp256k1/lib/index.js' {
  export default function checked(addon: object): {
    ecdsaRecover(sig: Uint8Array, recid: number, hash: Uint8Array, compressed: boolean): Uint8Array
    ecdsaSign(hash: Uint8Array, privateKey: Uint8Array): { signature: Uint8Array; recid: number }
    publicKeyCreate(privateKey: Uint8Array, compressed: boolean): Uint8Array
  }
}
