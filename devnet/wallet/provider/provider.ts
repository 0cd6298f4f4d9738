import { createConnection } from './connection.ts'
import { createEmitter, type Listening } from './emitter.ts'
import { ProviderRpcError, toRecord } from './providerRpcError.ts'
import type { ResolvedSettings } from './settings.ts'

/** EIP-1193 provider, with the properties that older dApps read. */
export interface Provider extends Listening {
  /** @throws {ProviderRpcError} */
  request(call: { method: string; params?: unknown }): Promise<unknown>
  isConnected(): boolean
  /** `null` until the first answer of the wallet. */
  readonly chainId: string | null
  readonly networkVersion: string | null
  /** `null` if the origin is not connected. */
  readonly selectedAddress: string | null
  /** For tests that must tell wallets apart. */
  readonly isPendingNodeWallet: true
}

/** Creates the provider. Its functions do not use `this`, since pages pass `request` around. */
export function createProvider(settings: ResolvedSettings): Provider {
  const emitter = createEmitter(() => provider)
  const connection = createConnection(settings, emitter.emit)

  async function request(call: unknown): Promise<unknown> {
    const { method, params } = checkCall(call)
    return connection.request(method, params)
  }

  const provider: Provider = {
    request,
    ...emitter.listening,
    isConnected: () => connection.isConnected,
    get chainId() {
      return connection.state?.chainId ?? null
    },
    get networkVersion() {
      return connection.state?.networkVersion ?? null
    },
    get selectedAddress() {
      return connection.state?.accounts[0] ?? null
    },
    isPendingNodeWallet: true,
    // Omitted rather than false: RainbowKit and others check only whether it is present.
    ...(settings.metamask ? { isMetaMask: true } : {}),
  }
  return provider
}

function checkCall(call: unknown): { method: string; params: unknown } {
  const { method, params } = toRecord(call)
  if (typeof call !== 'object' || call === null || Array.isArray(call)) {
    throw new ProviderRpcError(-32602, 'request() takes one object: { method, params? }.', {
      received: typeof call,
    })
  }
  if (typeof method !== 'string' || method === '') {
    throw new ProviderRpcError(-32602, 'The method of request() must be a non-empty string.')
  }
  if (params !== undefined && (typeof params !== 'object' || params === null)) {
    throw new ProviderRpcError(-32602, 'The params of request() must be an array or an object.')
  }
  return { method, params }
}
