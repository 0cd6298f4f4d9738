import type { Hex } from '../../primitives/hex.ts'
import { isObject } from '../../primitives/json.ts'
import {
  at,
  integer,
  mapped,
  nullish,
  type Output,
  objectOf,
  type Reader,
  refuse,
  text,
} from '../../primitives/reader.ts'
import type { WalletMethod } from '../core/types.ts'
import type { Wallet } from '../core/wallet.ts'
import { WalletParamsError } from '../core/walletErrors.ts'
import { ACCOUNT, readParams } from '../core/walletParams.ts'

/** An address in the letter case that it came in, which is its checksum. */
const CONTRACT = mapped(text('an address'), (given, context) => {
  ACCOUNT(given, context)
  return given
})

const ERC20 = objectOf({
  fields: {
    address: CONTRACT,
    symbol: nullish(text('a string', { min: 1, max: 11, length: '1 to 11 characters long' })),
    decimals: nullish(integer({ min: 0, max: 36 })),
    image: nullish(text()),
  },
  what: 'an object that describes a token',
})
const NFT = objectOf({ fields: { address: CONTRACT, tokenId: text() } })

interface Asset {
  readonly type: string
  readonly options: Output<typeof ERC20> | Output<typeof NFT>
}

/** An object as in EIP-747, or a list with that object, as some libraries send it. */
const PARAMS: Reader<Asset> = (params, context) => {
  const given: unknown = Array.isArray(params) ? params[0] : params
  if (!isObject(given)) return refuse(context, params, 'an object { type, options }')
  const { type, options } = given
  if (type === 'ERC20') return { type, options: at(context, 'options', ERC20, options) }
  if (type !== 'ERC721' && type !== 'ERC1155') {
    return refuse(context, type, 'ERC20, ERC721 or ERC1155', 'type', 'type')
  }
  return { type, options: at(context, 'options', NFT, options) }
}

/**
 * Shows a token (EIP-747). A valid request is answered with `true` at once, so that the page does
 * not learn what the user decides; with profile `metamask`, and if the policy holds the request,
 * the user is asked first.
 */
export default {
  async handle(context, params) {
    const { type, options } = readParams(PARAMS, params)
    const { wallet } = context.session
    const address = requireChecksum(wallet, options.address)
    if (wallet.settings.profile !== 'metamask' && !context.isHeld) return true
    await context.ask({
      summary: {
        title: 'Show a token',
        fields: [
          { label: 'Type', value: type },
          { label: 'Contract', value: wallet.checksum(address) },
          ...('symbol' in options && options.symbol
            ? [{ label: 'Symbol', value: options.symbol }]
            : []),
          ...('tokenId' in options ? [{ label: 'Token', value: options.tokenId }] : []),
        ],
        warnings: [],
      },
    })
    return true
  },
} satisfies WalletMethod

/** The address in lower case. @throws {WalletParamsError} if its checksum is wrong (EIP-55) */
function requireChecksum(wallet: Wallet, text: string): Hex {
  const address: Hex = `0x${text.slice(2).toLowerCase()}`
  const expected = wallet.checksum(address)
  // An address all in one case has no checksum.
  const isPlain = text === address || text.slice(2) === address.slice(2).toUpperCase()
  if (isPlain || text.slice(2) === expected.slice(2)) return address
  const wanted = `an address with the right checksum (${expected})`
  throw new WalletParamsError('params.options.address', 'checksum', wanted, text)
}
