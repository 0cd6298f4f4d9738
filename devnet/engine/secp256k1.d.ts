/** The native entry of the package has no types of its own. */
declare module 'secp256k1/bindings.js' {
  const secp256k1: {
    ecdsaRecover(sig: Uint8Array, recid: number, hash: Uint8Array, compressed: boolean): Uint8Array
    ecdsaSign(hash: Uint8Array, privateKey: Uint8Array): { signature: Uint8Array; recid: number }
    publicKeyCreate(privateKey: Uint8Array, compressed: boolean): Uint8Array
  }
  export default secp256k1
}
