import { type OptionsInput, resolveOptions } from '../../devnet/options/options.ts'
import type { Devnet, DevnetEvents } from '../../devnet/types.ts'
import type { WalletControl } from '../../devnet/wallet/types.ts'
import { repeated, sampleStatus } from './sampleStatus.ts'

/** A devnet without a chain: it says what was done to it, and emits the events that a test makes. */
export interface FakeDevnet extends Devnet {
  /** `start` and `stop`, as they were called. */
  readonly calls: string[]
  emit<Name extends keyof DevnetEvents>(name: Name, event: DevnetEvents[Name]): void
}

/** A wallet that says where it is, and does nothing. */
const fakeWallet: WalletControl = {
  url: 'http://127.0.0.1:8545/wallet',
  token: 'token',
  pageUrl: 'http://127.0.0.1:8545/wallet/#token',
  session: () => fakeWallet,
  state: noWallet,
  pending: noWallet,
  approve: noWallet,
  reject: noWallet,
  policy: noWallet,
  history: noWallet,
  waitFor: noWallet,
  accounts: noWallet,
  switchAccount: noWallet,
  switchChain: noWallet,
  disconnect: noWallet,
  reset: noWallet,
  providerScript: noWallet,
}

function noWallet(): Promise<never> {
  return Promise.reject(new Error('The fake devnet has no wallet'))
}

export function fakeDevnet(
  input: OptionsInput = {},
  behavior: { start?: () => Promise<void>; stop?: () => Promise<void> } = {},
): FakeDevnet {
  const listeners: { [Name in keyof DevnetEvents]: Set<(event: DevnetEvents[Name]) => void> } = {
    fork: new Set(),
    import: new Set(),
    load: new Set(),
    save: new Set(),
    tick: new Set(),
    seal: new Set(),
    drop: new Set(),
    undo: new Set(),
    fault: new Set(),
    hint: new Set(),
    walletRequest: new Set(),
    consoleLog: new Set(),
    coverage: new Set(),
    request: new Set(),
    logging: new Set(),
  }
  const options = resolveOptions(input)
  const calls: string[] = []
  const answer = async () => sampleStatus
  return {
    calls,
    url: 'http://127.0.0.1:8545',
    flashblocksUrl: 'ws://127.0.0.1:8545/flashblocks',
    chainId: options.chainId,
    options,
    provider: {
      request: async ({ method }) => (method === 'eth_getCode' ? '0x' : sampleStatus),
      on() {
        return this
      },
      removeListener() {
        return this
      },
    },
    branch: async () => {
      throw new Error('A fake devnet has no branches')
    },
    wallet: fakeWallet,
    dashboard: { pageUrl: 'http://127.0.0.1:8545/dashboard/#token=seen' },
    faults: answer,
    clock: { freeze: answer, resume: answer, advance: answer, seal: answer, status: answer },
    accounts: [
      { address: repeated('1', 40), privateKey: repeated('e', 64) },
      { address: repeated('2', 40), privateKey: repeated('f', 64) },
    ],
    async start() {
      calls.push('start')
      await behavior.start?.()
    },
    async stop() {
      calls.push('stop')
      await behavior.stop?.()
    },
    async [Symbol.asyncDispose]() {
      await this.stop()
    },
    on(name, listener) {
      listeners[name].add(listener)
      return () => listeners[name].delete(listener)
    },
    emit(name, event) {
      for (const listener of listeners[name]) listener(event)
    },
  }
}
