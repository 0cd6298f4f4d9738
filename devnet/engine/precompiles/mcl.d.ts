/** The file has no types of its own. Numbers are pointers into the memory, lengths and booleans. */
declare module 'mcl-wasm/dist/mcl_c.js' {
  /** An instance of mcl, for one curve: the functions of its C interface, mcl/bn.h. */
  export type Mcl = Readonly<Record<`_${string}`, (...numbers: number[]) => number>> & {
    readonly wasmMemory: { readonly buffer: ArrayBuffer }
  }
  export default function createModule(environment: {
    cryptoGetRandomValues(bytes: Uint8Array<ArrayBuffer>): void
  }): Promise<Mcl>
}
