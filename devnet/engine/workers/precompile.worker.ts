import { parentPort } from 'node:worker_threads'
import { createEVM, type EVM } from '@ethereumjs/evm'
import { loadInterruptibleCrypto } from '../crypto.ts'
import { createFixedCommon } from '../fixedCommon.ts'
import type { PrecompileJob, PrecompileResult } from './precompileThread.ts'

if (parentPort === null) throw new Error('This file is the entry of a worker thread')
const port = parentPort

// Interruptible, because this thread is terminated when its result is no longer needed.
const crypto = await loadInterruptibleCrypto()

const evms = new Map<string, Promise<EVM>>()

/** Precompiles do not change the EVM, so all jobs of one hardfork share it. */
function evmOf({ chainId, hardfork }: PrecompileJob): Promise<EVM> {
  let evm = evms.get(hardfork)
  if (evm === undefined) {
    evm = createEVM({ common: createFixedCommon({ chainId, hardfork, crypto }) })
    evms.set(hardfork, evm)
  }
  return evm
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

port.on('message', async (job: PrecompileJob) => port.postMessage(await run(job)))
