import { bigIntTo32Bytes, padTo32 } from '../../primitives/bytes.ts'
import { fromHex, type Hex, toHex } from '../../primitives/hex.ts'
import type { ForkRules } from '../forks.ts'
import type { GenesisAccount } from '../systemContracts.ts'
import { BASE_TIME, BASE_TIME_IMPLEMENTATION } from './baseTime.ts'
import {
  BASE_TIME_CODE,
  GAS_PRICE_ORACLE_CODE,
  L1_BLOCK_CODE,
  MESSAGE_PASSER_CODE,
  WETH_CODE,
} from './rollupCodes.ts'

/** Predeploys that only say that they are not there: without code, calls of them would succeed. */
const ABSENT: readonly (readonly [digits: string, name: string])[] = [
  ['07', 'L2CrossDomainMessenger'],
  ['10', 'L2StandardBridge'],
  ['11', 'SequencerFeeVault'],
  ['12', 'OptimismMintableERC20Factory'],
  ['13', 'L1BlockNumber'],
  ['14', 'L2ERC721Bridge'],
  ['17', 'OptimismMintableERC721Factory'],
  ['18', 'ProxyAdmin'],
  ['19', 'BaseFeeVault'],
  ['1a', 'L1FeeVault'],
  ['1b', 'OperatorFeeVault'],
  ['20', 'SchemaRegistry'],
  ['21', 'EAS'],
  ['42', 'GovernanceToken'],
]

/** GasPriceOracle: that Ecotone, Fjord and Isthmus have begun. */
const ACTIVE_UPGRADES = 0x01_01_01n

/** Prices of L1 until a deposit or a cheat says otherwise: those of EDR's genesis, in wei. */
const L1_BASE_FEE = 10_000_000_000n
const L1_BLOB_BASE_FEE = 10_000_000_000n
/** Those of OP Mainnet, in millionths. */
const BASE_FEE_SCALAR = 5227n
const BLOB_BASE_FEE_SCALAR = 1_014_213n

/**
 * The predeploys of the OP Stack.
 *
 * @param timestamp - of the genesis block, in s; the first block that is known of L1 has the same
 */
export function rollupPredeploys(timestamp: bigint, { baseTime }: ForkRules): GenesisAccount[] {
  return [
    {
      address: '0x4200000000000000000000000000000000000006',
      code: WETH_CODE,
      storage: [
        [0n, shortString('Wrapped Ether')],
        [1n, shortString('WETH')],
        [2n, bigIntTo32Bytes(18n)],
      ],
    },
    {
      address: '0x420000000000000000000000000000000000000f',
      code: GAS_PRICE_ORACLE_CODE,
      storage: [[0n, bigIntTo32Bytes(ACTIVE_UPGRADES)]],
    },
    {
      address: '0x4200000000000000000000000000000000000015',
      code: L1_BLOCK_CODE,
      storage: [
        [0n, bigIntTo32Bytes((timestamp << 64n) | 1n)],
        [1n, bigIntTo32Bytes(L1_BASE_FEE)],
        [3n, bigIntTo32Bytes((BASE_FEE_SCALAR << 96n) | (BLOB_BASE_FEE_SCALAR << 64n))],
        [7n, bigIntTo32Bytes(L1_BLOB_BASE_FEE)],
      ],
    },
    {
      address: '0x4200000000000000000000000000000000000016',
      code: MESSAGE_PASSER_CODE,
      storage: [],
    },
    ...(baseTime ? baseTimeContracts : []),
    ...ABSENT.map(
      ([digits, name]): GenesisAccount => ({
        address: `0x42000000000000000000000000000000000000${digits}`,
        code: refusal(`${name} is not on this devnet`),
        storage: [],
      }),
    ),
  ]
}

/** EIP-1967: keccak256('eip1967.proxy.implementation') - 1. */
const IMPLEMENTATION_SLOT = 0x360894a13ba1a3210667c828492db98dca3e2076cc3735a920a3ca505d382bbcn

/** BaseTime, and the proxy that stands for it: a minimal one (EIP-1167), which nobody upgrades. */
const baseTimeContracts: readonly GenesisAccount[] = [
  {
    address: BASE_TIME,
    code: `0x363d3d373d3d3d363d73${BASE_TIME_IMPLEMENTATION.slice(2)}5af43d82803e903d91602b57fd5bf3`,
    storage: [[IMPLEMENTATION_SLOT, padTo32(fromHex(BASE_TIME_IMPLEMENTATION))]],
  },
  { address: BASE_TIME_IMPLEMENTATION, code: BASE_TIME_CODE, storage: [] },
]

/** A string of less than 32 bytes as Solidity stores it: text, then twice its length. */
function shortString(text: string): Uint8Array {
  const word = new Uint8Array(32)
  word.set(Buffer.from(text))
  word[31] = 2 * text.length
  return word
}

/** Code that reverts with a reason, whatever it is called with. */
function refusal(reason: string): Hex {
  const text = Buffer.from(reason)
  const padded = new Uint8Array(Math.ceil(text.length / 32) * 32)
  padded.set(text)
  const error = Buffer.concat([
    Buffer.from('08c379a0', 'hex'),
    bigIntTo32Bytes(32n),
    padTo32(Uint8Array.of(text.length)),
    padded,
  ])
  // PUSH1 length, DUP1, PUSH1 10, PUSH0, CODECOPY, PUSH0, REVERT, STOP, then the error.
  const code = [0x60, error.length, 0x80, 0x60, 10, 0x5f, 0x39, 0x5f, 0xfd, 0x00]
  return toHex(Uint8Array.from([...code, ...error]))
}
