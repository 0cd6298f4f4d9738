import { ErrorCode } from '../../../devnet/primitives/errors.ts'
import { type AcceptedGroup, type Codes, pair } from './errorPair.ts'

const { server, invalidParams, resourceNotFound, methodNotFound } = ErrorCode

/** One of both takes it for a bad parameter. */
const BAD_TO_EDR: Codes = { ours: server, theirs: invalidParams }
const BAD_TO_US: Codes = { ours: invalidParams, theirs: server }

/** What both nodes say of requests and transactions that they refuse. */
export const ACCEPTED_REFUSALS: readonly AcceptedGroup[] = [
  {
    why: "geth's words for what a pool refuses, where clients match on them; the code is the same",
    pairs: [
      pair(
        'Transaction nonce too low\\. Expected nonce to be at least (?<next>\\d+) but got (?<nonce>\\d+)\\.',
        'nonce too low: next nonce (?<next>\\d+), tx nonce (?<nonce>\\d+)',
      ),
      pair(
        'Nonce too low\\. Expected nonce to be (?<next>\\d+) but got (?<nonce>\\d+)\\. Note .* automining\\.',
        'nonce too low: next nonce (?<next>\\d+), tx nonce (?<nonce>\\d+)',
      ),
      pair(
        'Transaction (?:maxFeePerGas|gasPrice) \\((?<cap>\\d+)\\) is too low for the next block, which has a baseFeePerGas of (?<fee>\\d+)',
        'max fee per gas less than block base fee: (?:address 0x[0-9a-f]{40}, )?maxFeePerGas: (?<cap>\\d+), baseFee: (?<fee>\\d+)',
      ),
      pair(
        "Sender doesn't have enough funds to send tx\\. The max upfront cost is: (?<want>\\d+) and the sender's balance is: (?<have>\\d+)\\.",
        'insufficient funds for gas \\* price \\+ value: have (?<have>\\d+) want (?<want>\\d+)',
      ),
      // Of an estimate.
      pair(
        "Sender doesn't have enough funds to send tx\\. .* the sender's balance is: (?<have>\\d+)\\.",
        'insufficient funds for transfer: address 0x[0-9a-f]{40} have (?<have>\\d+) want \\d+',
      ),
      pair(
        'Transaction requires at least (?<want>\\d+) gas but got (?<have>\\d+)',
        'intrinsic gas too low: gas (?<have>\\d+), minimum needed (?<want>\\d+)',
      ),
      pair(
        'Transaction requires at least (?<want>\\d+) gas but got (?<have>\\d+)',
        'intrinsic gas too low: have (?<have>\\d+), want (?<want>\\d+)',
      ),
      pair(
        'Transaction requires gas floor of (?<want>\\d+) but got limit of (?<have>\\d+)',
        'insufficient gas for floor data gas cost: gas (?<have>\\d+), minimum needed (?<want>\\d+)',
      ),
      pair(
        'Transaction gas limit is (?<gas>\\d+) and exceeds transaction gas cap of (?<cap>\\d+)',
        'transaction gas limit too high \\(cap: (?<cap>\\d+), tx: (?<gas>\\d+)\\)',
      ),
      pair(
        'Transaction gas limit is (?<gas>\\d+) and exceeds block gas limit of (?<limit>\\d+)',
        'exceeds block gas limit: tx gas (?<gas>\\d+), block gas limit (?<limit>\\d+)',
      ),
      pair(
        'maxPriorityFeePerGas \\((?<tip>\\d+)\\) is bigger than maxFeePerGas \\((?<cap>\\d+)\\)',
        'max priority fee per gas higher than max fee per gas:.* maxPriorityFeePerGas: (?<tip>\\d+), maxFeePerGas: (?<cap>\\d+)',
      ),
      pair('Cannot send both gasPrice and max.*', 'both gasPrice and \\(max.*\\) specified'),
      pair('Known transaction: 0x[0-9a-f]{64}', 'already known'),
      pair('Replacement transaction underpriced\\. .*', 'replacement transaction underpriced'),
      pair(
        'Contract creation without any data provided',
        'contract creation without any data provided',
      ),
      pair('create initcode size limit', 'max initcode size exceeded: .*'),
    ],
  },
  {
    why: "geth's pool refuses these with code -32000; to EDR they are bad parameters, or the other way round",
    pairs: [
      pair(
        'Trying to send a raw transaction with an invalid chainId\\. .*',
        'invalid chain id for signer: .*',
        BAD_TO_EDR,
      ),
      pair(
        'Invalid chainId 1 provided, expected \\d+ instead\\.',
        "chainId does not match node's .*",
        BAD_TO_EDR,
      ),
      pair(
        '.*init code length is (?<size>\\d+)\\..*',
        'max initcode size exceeded: code size (?<size>\\d+), .*',
        BAD_TO_EDR,
      ),
      pair(
        'Invalid transaction type 0\\.',
        'transaction type not supported: type 0 .*',
        BAD_TO_EDR,
      ),
      pair(
        'Invalid EIP-7702 transaction: authorization list is empty\\.',
        'invalid transaction: EIP-7702 transaction with empty auth list',
        BAD_TO_US,
      ),
    ],
  },
  {
    why: 'an unknown block is code -32001 (EIP-1898)',
    pairs: [
      pair('Received invalid block tag .*\\. Latest block number is \\d+', 'block not found: .*', {
        ours: resourceNotFound,
        theirs: server,
      }),
      pair('blockHash cannot be found', 'block not found: .*', {
        ours: resourceNotFound,
        theirs: invalidParams,
      }),
    ],
  },
  {
    why: 'what a parameter must be is a bad parameter (JSON-RPC 2.0: -32602); EDR says -32000',
    pairs: [
      pair('blockCount should be at (least|most) .*', 'block count must be .*', BAD_TO_US),
      pair('Storage key must not be .*', 'invalid argument 1: .* storage slot', BAD_TO_US),
      pair('The reward percentile.*', 'invalid reward percentile: .*', BAD_TO_US),
    ],
  },
  {
    why: 'the code of JSON-RPC 2.0 for an unknown method',
    pairs: [
      pair(
        'Method (?<name>.*) is not supported',
        'the method (?<name>.*) does not exist/is not available',
        {
          ours: methodNotFound,
          theirs: -32004,
        },
      ),
    ],
  },
  {
    why: 'EDR writes the address with the mixed case of a checksum, as only here',
    pairs: [
      pair(
        'Unknown account (?<address>0x[0-9a-fA-F]{40})',
        'Unknown account (?<address>0x[0-9a-f]{40})',
      ),
    ],
  },
  {
    why: 'each names its own option',
    pairs: [
      pair(
        "Timestamp (?<time>\\d+) is equal to the previous block's timestamp\\. .*",
        "Timestamp (?<time>\\d+) is equal to the previous block's timestamp; .*",
      ),
    ],
  },
]
