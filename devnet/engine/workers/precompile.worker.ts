import { parentPort } from 'node:worker_threads'
import { createEVM, type EVM, type EVMError } from '@ethereumjs/evm'
import { getOrCreate } from '../../primitives/memo.ts'
import { loadInterruptibleCrypto } from '../crypto.ts'
import { createFixedCommon } from '../library/fixedCommon.ts'
import { quickenPrecompiles } from '../precompiles/quickPrecompiles.ts'
import type { ThreadMessage } from './threadPool.ts'

export interface PrecompileJob {
  readonly chainId: number
  /** As the library spells it, e.g. `bpo2`. */
  readonly hardfork: string
  /** 40 hexadecimal digits without 0x. */
  readonly address: string
  readonly data: Uint8Array
  readonly gasLimit: bigint
}

export interface PrecompileResult {
  readonly returnValue: Uint8Array
  readonly executionGasUsed: bigint
  /** Reason why it failed, in the library's words; `undefined` on success. */
  readonly error: EVMError['error'] | undefined
}

if (parentPort === null) throw new Error('This file is the entry of a worker thread')
const port = parentPort

// Interruptible, because this thread is terminated when its result is no longer needed.
const crypto = await loadInterruptibleCrypto()

const evms = new Map<string, Promise<EVM>>()

/** Precompiles do not change the EVM, so all jobs of one hardfork share it. */
function evmOf({ chainId, hardfork }: PrecompileJob): Promise<EVM> {
  return getOrCreate(evms, hardfork, async () => {
    const evm = await createEVM({ common: createFixedCommon({ chainId, hardfork, crypto }) })
    quickenPrecompiles(evm.precompiles)
    return evm
  })
}

async function run(job: PrecompileJob): Promise<PrecompileResult> {
  const evm = await evmOf(job)
  const precompile = evm.precompiles.get(job.address)
  if (precompile === undefined) throw new Error(`No precompile at ${job.address}`)
  const { data, gasLimit } = job
  const result = await precompile({ data, gasLimit, common: evm.common, _EVM: evm })
  const { returnValue, executionGasUsed, exceptionError } = result
  return { returnValue, executionGasUsed, error: exceptionError?.error }
}

function post(message: ThreadMessage<PrecompileResult>): void {
  port.postMessage(message)
}

port.on('message', async (job: PrecompileJob) => post({ kind: 'done', result: await run(job) }))
post({ kind: 'ready' })
