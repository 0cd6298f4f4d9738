import { type Options, optionTable } from '../../devnet/options.ts'
import type { Devnet } from '../../devnet/types.ts'
import { printableJson } from './escape.ts'

/** One event as one line of JSON, safe for a terminal; an amount in wei, which JSON cannot hold, is a decimal string. */
export function jsonLine(event: string, fields: object): string {
  const json = JSON.stringify({ event, ...fields }, (_, value: unknown) =>
    typeof value === 'bigint' ? value.toString() : value,
  )
  return printableJson(json)
}

/** What takes the place of lines that nobody read in time. */
export function omittedJson(lines: number): string {
  return jsonLine('omitted', { lines })
}

/** What the `ready` event tells; keys only when everybody knows them, and not the wallet's token when it is to be quiet. */
export function readyFields(devnet: Devnet): object {
  const { url, chainId, accounts, options } = devnet
  const { tickInterval, sealInterval, frozen, frozenTicks } = options
  return {
    url,
    chainId,
    accounts: accounts.map(({ address, privateKey }) =>
      hasPublicKeys(options) ? { address, privateKey } : { address },
    ),
    clocks: { tickInterval, sealInterval, frozen, frozenTicks },
    wallet: options.wallet === false ? null : walletFields(devnet),
  }
}

function walletFields({ options, wallet: { url, pageUrl } }: Devnet): object {
  return options.quiet ? { url } : { url, pageUrl }
}

/** Whether the accounts come from the default mnemonic, so that their keys are no secret. */
export function hasPublicKeys({ mnemonic }: Options): boolean {
  return mnemonic === optionTable.mnemonic.default
}
