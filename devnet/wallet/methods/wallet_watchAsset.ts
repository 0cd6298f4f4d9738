import * as z from 'zod'
import type { Hex } from '../../primitives/hex.ts'
import type { WalletMethod } from '../core/types.ts'
import type { Wallet } from '../core/wallet.ts'
import { WalletParamsError } from '../core/walletErrors.ts'
import { ACCOUNT, must, nested, readParams, refuse } from '../core/walletParams.ts'

/** An address in the letter case that it came in, which is its checksum. */
const CONTRACT = z
  .string(must('an address'))
  .transform((text, context) => nested(ACCOUNT, text, context) && text)

const ERC20 = z.object(
  {
    address: CONTRACT,
    symbol: z
      .string(must('a string'))
      .min(1, must('1 to 11 characters long'))
      .max(11, must('1 to 11 characters long'))
      .nullish(),
    decimals: z
      .int(must('an integer'))
      .min(0, must('at least 0'))
      .max(36, must('at most 36'))
      .nullish(),
    image: z.string(must('a string')).nullish(),
  },
  must('an object that describes a token'),
)
const NFT = z.object({ address: CONTRACT, tokenId: z.string(must('a string')) }, must('an object'))

const ASSET = z.discriminatedUnion(
  'type',
  [
    z.object({ type: z.literal('ERC20'), options: ERC20 }),
    z.object({ type: z.enum(['ERC721', 'ERC1155']), options: NFT }),
  ],
  { error: () => 'ERC20, ERC721 or ERC1155' },
)

/** An object as in EIP-747, or a list with that object, as some libraries send it. */
const PARAMS = z.unknown().transform((params, context): z.output<typeof ASSET> => {
  const given: unknown = Array.isArray(params) ? params[0] : params
  if (typeof given !== 'object' || given === null) {
    return refuse(context, 'type', 'an object { type, options }')
  }
  return readParams(ASSET, given)
})

/**
 * Shows a token (EIP-747). A valid request is answered with `true` at once, so that the page does
 * not learn what the user decides; with profile `metamask` the user is asked first.
 */
export default {
  async handle(context, params) {
    const { type, options } = readParams(PARAMS, params)
    const { wallet } = context.session
    const address = requireChecksum(wallet, options.address)
    if (context.session.wallet.settings.profile !== 'metamask') return true
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

/**
 * Returns the address in lower case.
 *
 * @throws {WalletParamsError} if its checksum is wrong (EIP-55)
 */
function requireChecksum(wallet: Wallet, text: string): Hex {
  const address: Hex = `0x${text.slice(2).toLowerCase()}`
  const expected = wallet.checksum(address)
  // An address all in one case has no checksum.
  const isPlain = text === address || text.slice(2) === address.slice(2).toUpperCase()
  if (isPlain || text.slice(2) === expected.slice(2)) return address
  throw new WalletParamsError(
    'params.options.address',
    'checksum',
    `an address with the right checksum (${expected})`,
    text,
  )
}
