import { createProvider, type Provider } from './provider.ts'
import { type ProviderSettings, type ResolvedSettings, resolveSettings } from './settings.ts'

/** Parameter of the function that `providerScript()` puts around the bundle of this file. */
declare const PROVIDER_SETTINGS: ProviderSettings

/** Property of `window` with the providers, so that a second copy of the script finds them. */
const INSTALLED = Symbol.for('hardhat-pending-node.wallet')

/** Installs the wallet in the page, once per endpoint and rdns. */
function install(given: ProviderSettings): void {
  const script = document.currentScript
  const source = script instanceof HTMLScriptElement && script.src !== '' ? script.src : undefined
  const settings = resolveSettings(given, source)
  // Only this function sets the property.
  const installed = (Reflect.get(window, INSTALLED) ?? new Map()) as Map<string, Provider>
  const key = `${settings.endpoint} ${settings.rdns}`
  if (installed.has(key)) return
  Reflect.set(window, INSTALLED, installed)
  const provider = createProvider(settings)
  installed.set(key, provider)
  takeWindow(provider, settings.overwrite)
  announce(provider, settings)
}

/** Announces the provider at once and whenever a dApp asks (EIP-6963). */
function announce(provider: Provider, { name, rdns }: ResolvedSettings): void {
  // Exactly these fields: web3-onboard drops a wallet that announces any other.
  const info = Object.freeze({ uuid: randomUuid(), name, icon: iconOf(rdns), rdns })
  const detail = Object.freeze({ info, provider })

  function say(): void {
    window.dispatchEvent(new CustomEvent('eip6963:announceProvider', { detail }))
  }

  window.addEventListener('eip6963:requestProvider', say)
  say()
}

/** Sets `window.ethereum`; replaces another wallet there only with `overwrite`. */
function takeWindow(provider: Provider, overwrite: boolean): void {
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

/** A UUID of version 4. Remote pages over http have no `crypto.randomUUID`. */
function randomUuid(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(16))
  bytes[6] = ((bytes[6] ?? 0) & 0x0f) | 0x40
  bytes[8] = ((bytes[8] ?? 0) & 0x3f) | 0x80
  const digits = Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('')
  return digits.replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-')
}

/** A check mark on a pending block; its colour distinguishes the sessions. */
function iconOf(rdns: string): string {
  let hue = 160
  for (const letter of rdns.slice('localhost.pending-node'.length)) {
    hue = (hue * 31 + letter.charCodeAt(0)) % 360
  }
  const svg = `<svg xmlns="http://www.w3.org/2000/svg" width="96" height="96" viewBox="0 0 96 96"><rect width="96" height="96" rx="22" fill="hsl(${hue},60%,32%)"/><rect x="22" y="22" width="52" height="52" rx="10" fill="none" stroke="#fff" stroke-width="6" stroke-dasharray="11 7"/><path d="M35 49l10 10 18-22" fill="none" stroke="#fff" stroke-width="8" stroke-linecap="round" stroke-linejoin="round"/></svg>`
  return `data:image/svg+xml;base64,${btoa(svg)}`
}

install(PROVIDER_SETTINGS)
