import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Chain } from '../../devnet/chain/chain.ts'
import { concatBytes } from '../../devnet/primitives/bytes.ts'
import { encodeBlock } from '../../devnet/protocol/block.ts'
import { forkRules } from '../../devnet/protocol/forks.ts'
import { predeploys } from '../../devnet/protocol/systemContracts.ts'

/** The first dev accounts, which tests have the keys of. */
export const FUNDED = [
  '0xf39fd6e51aad88f6f4ce6ab8827279cfffb92266',
  '0x70997970c51812dc3a010c7d01b50e0d17dc79c8',
  '0x3c44cdddb6a900fa2b585dd299e03d12fa4293bc',
] as const

/** Hardforks by block, all from the genesis on. */
export const BLOCK_FORKS = {
  homesteadBlock: 0,
  eip150Block: 0,
  eip155Block: 0,
  eip158Block: 0,
  byzantiumBlock: 0,
  constantinopleBlock: 0,
  petersburgBlock: 0,
  istanbulBlock: 0,
  berlinBlock: 0,
  londonBlock: 0,
}

/** A geth genesis with funds for {@link FUNDED} and the system contracts of all hardforks. */
export function genesisOf(
  config: Readonly<Record<string, unknown>>,
  fields: Readonly<Record<string, unknown>> = {},
): Readonly<Record<string, unknown>> {
  const alloc: Record<string, object> = {}
  for (const address of FUNDED) alloc[address] = { balance: `0x${(10n ** 24n).toString(16)}` }
  const newest = 'amsterdamTime' in config ? 'amsterdam' : 'bpo2'
  for (const { address, code } of predeploys(forkRules(newest))) alloc[address] = { code }
  return {
    config: { chainId: 4242, ...config },
    difficulty: '0x20000',
    gasLimit: '0x1c9c380',
    nonce: '0x0',
    timestamp: '0x0',
    alloc,
    ...fields,
  }
}

let folder: string | undefined
let written = 0

/** Writes a file that is gone after the tests of a file; answers its path. */
export function temporaryFile(name: string, content: string | Uint8Array | object): string {
  if (folder === undefined) {
    const made = mkdtempSync(join(tmpdir(), 'pending-node-'))
    process.on('exit', () => rmSync(made, { recursive: true }))
    folder = made
  }
  const path = join(folder, `${written++}-${name}`)
  const isBytes = typeof content === 'string' || content instanceof Uint8Array
  writeFileSync(path, isBytes ? content : JSON.stringify(content))
  return path
}

/** The blocks of a chain after its genesis, one after the other, as geth exports them. */
export function exportBlocks({ head, history }: Chain): Uint8Array {
  const blocks: Uint8Array[] = []
  for (let number = 1; number <= head.number; number++) {
    const block = history.byNumber(number)
    if (block === undefined) throw new Error(`Block ${number} is not kept`)
    blocks.push(encodeBlock(block))
  }
  return concatBytes(...blocks)
}
