import type { PushConnection } from '../../../devnet/stream/subscriptions.ts'

/** A connection that keeps what is sent to it. */
export interface FakeConnection extends PushConnection {
  /** Method and parameters of each notification, as JSON has them. */
  readonly sent: { readonly method: string; readonly params: unknown }[]
  /** The parameters as they came. */
  readonly texts: string[]
  close(): void
}

export function fakeConnection(): FakeConnection {
  const sent: FakeConnection['sent'] = []
  const texts: string[] = []
  const listeners: (() => void)[] = []
  return {
    sent,
    texts,
    notify(method, params) {
      sent.push({ method, params: JSON.parse(params.text) })
      texts.push(params.text)
    },
    onClose: (listener) => listeners.push(listener),
    close() {
      for (const listener of listeners) listener()
    },
  }
}
