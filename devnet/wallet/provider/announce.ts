import type { Provider } from './provider.ts'
import type { ResolvedSettings } from './settings.ts'

/** Announces the provider at once and whenever a dApp asks (EIP-6963). */
export function announce(provider: Provider, { name, rdns }: ResolvedSettings): void {
  // Four fields exactly: web3-onboard drops a wallet with any other.
  const info = Object.freeze({ uuid: randomUuid(), name, icon: iconOf(rdns), rdns })
  const detail = Object.freeze({ info, provider })

  function say(): void {
    window.dispatchEvent(new CustomEvent('eip6963:announceProvider', { detail }))
  }

  window.addEventListener('eip6963:requestProvider', say)
  say()
}

/** Puts the provider at `window.ethereum`, unless another wallet is there and stays. */
export function takeWindow(provider: Provider, overwrite: boolean): void {
  const other: unknown = Reflect.get(window, 'ethereum')
  if (other !== undefined && other !== null && !overwrite) return
  const isSet = Reflect.defineProperty(window, 'ethereum', {
    value: provider,
    configurable: true,
    enumerable: true,
    writable: true,
  })
  if (!isSet) {
    console.warn('Devnet wallet: another wallet keeps window.ethereum; use EIP-6963 to find ours.')
    return
  }
  window.dispatchEvent(new Event('ethereum#initialized'))
}

/** Version 4; `crypto.randomUUID` is missing on pages over http that are not on this machine. */
function randomUuid(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(16))
  bytes[6] = ((bytes[6] ?? 0) & 0x0f) | 0x40
  bytes[8] = ((bytes[8] ?? 0) & 0x3f) | 0x80
  const digits = Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('')
  return digits.replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-')
}

/** A tick on the pending block; the colour tells the wallets of several sessions apart. */
function iconOf(rdns: string): string {
  let hue = 160
  for (const letter of rdns.slice('localhost.pending-node'.length)) {
    hue = (hue * 31 + letter.charCodeAt(0)) % 360
  }
  const svg = `<svg xmlns="http://www.w3.org/2000/svg" width="96" height="96" viewBox="0 0 96 96"><rect width="96" height="96" rx="22" fill="hsl(${hue},60%,32%)"/><rect x="22" y="22" width="52" height="52" rx="10" fill="none" stroke="#fff" stroke-width="6" stroke-dasharray="11 7"/><path d="M35 49l10 10 18-22" fill="none" stroke="#fff" stroke-width="8" stroke-linecap="round" stroke-linejoin="round"/></svg>`
  return `data:image/svg+xml;base64,${btoa(svg)}`
}
