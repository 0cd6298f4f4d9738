import { announce, takeWindow } from './announce.ts'
import { createProvider, type Provider } from './provider.ts'
import { type ProviderSettings, resolveSettings } from './settings.ts'

/** Providers of this page by endpoint and identity, where a second copy of the script finds them. */
const INSTALLED = Symbol.for('hardhat-pending-node.wallet')

/** Puts the wallet into the page; a second time it does nothing. */
export function install(given: ProviderSettings): void {
  const script = document.currentScript
  const source = script instanceof HTMLScriptElement && script.src !== '' ? script.src : undefined
  const settings = resolveSettings(given, source)
  // Set by this function alone.
  const installed = (Reflect.get(window, INSTALLED) ?? new Map()) as Map<string, Provider>
  const key = `${settings.endpoint} ${settings.rdns}`
  if (installed.has(key)) return
  Reflect.set(window, INSTALLED, installed)
  const provider = createProvider(settings)
  installed.set(key, provider)
  takeWindow(provider, settings.overwrite)
  announce(provider, settings)
}
