import type { Hex } from '../../devnet/index.ts'
import type { Ask } from '../rpc-client.ts'
import type { ArtifactFolder } from './artifact-folder.ts'
import { createContractNames, type NamedCall } from './contract-names.ts'

/** A call that failed, in the node's words. */
interface FailedCall {
  readonly message: string
  readonly data: Hex
  readonly call: NamedCall
}

/** The node's message, with a custom error and its arguments if the artifacts have it. */
export async function decodedMessage(
  ask: Ask,
  artifacts: ArtifactFolder,
  { message, data, call }: FailedCall,
): Promise<string> {
  if (data === '0x') return message
  const provider = {
    request: ({ method, params = [] }: { method: string; params?: readonly unknown[] }) =>
      ask(method, ...params),
  }
  const names = await createContractNames(provider, artifacts)(call, data)
  return names?.errorText === undefined ? message : `${message}: ${names.errorText}`
}
