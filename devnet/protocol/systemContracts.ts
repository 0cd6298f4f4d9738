import { bigIntToBytes, sameBytes, withoutLeadingZeros } from '../primitives/bytes.ts'
import { fromHex, type Hex } from '../primitives/hex.ts'
import { EMPTY_CODE_HASH } from '../state/codes.ts'
import { addressKeyFromHex, slotKeyFromBigInt } from '../state/keys.ts'
import type { AddressKey, SlotKey, StateDiff, StateReader, StorageDiff } from '../state/types.ts'
import type { ForkRules } from './forks.ts'

/** A contract that exists from genesis. */
export interface Predeploy {
  readonly address: Hex
  readonly code: Hex
}

/** A contract of the genesis block, with its slots by number, of 32 bytes each. */
export interface GenesisAccount extends Predeploy {
  readonly storage: readonly (readonly [slot: bigint, value: Uint8Array])[]
}

/** EIP-4788: parent beacon block roots. */
export const BEACON_ROOTS: Predeploy = {
  address: '0x000f3df6d732807ef1319fb7b8bb8522d0beac02',
  code: '0x3373fffffffffffffffffffffffffffffffffffffffe14604d57602036146024575f5ffd5b5f35801560495762001fff810690815414603c575f5ffd5b62001fff01545f5260205ff35b5f5ffd5b62001fff42064281555f359062001fff015500',
}

/** EIP-2935: hashes of the last 8,191 blocks. */
export const BLOCK_HASHES: Predeploy = {
  address: '0x0000f90827f1c53a10cb7a02335b175320002935',
  code: '0x3373fffffffffffffffffffffffffffffffffffffffe14604657602036036042575f35600143038111604257611fff81430311604257611fff9006545f5260205ff35b5f5ffd5b5f35611fff60014303065500',
}

/** EIP-7002: withdrawal requests. */
export const WITHDRAWAL_REQUESTS: Predeploy = {
  address: '0x00000961ef480eb55e80d19ad83579a64c007002',
  code: '0x3373fffffffffffffffffffffffffffffffffffffffe1460cb5760115f54807fffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff146101f457600182026001905f5b5f82111560685781019083028483029004916001019190604d565b909390049250505036603814608857366101f457346101f4575f5260205ff35b34106101f457600154600101600155600354806003026004013381556001015f35815560010160203590553360601b5f5260385f601437604c5fa0600101600355005b6003546002548082038060101160df575060105b5f5b8181146101835782810160030260040181604c02815460601b8152601401816001015481526020019060020154807fffffffffffffffffffffffffffffffff00000000000000000000000000000000168252906010019060401c908160381c81600701538160301c81600601538160281c81600501538160201c81600401538160181c81600301538160101c81600201538160081c81600101535360010160e1565b910180921461019557906002556101a0565b90505f6002555f6003555b5f54807fffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff14156101cd57505f5b6001546002828201116101e25750505f6101e8565b01600290035b5f555f600155604c025ff35b5f5ffd',
}

/** EIP-7251: consolidation requests. */
export const CONSOLIDATION_REQUESTS: Predeploy = {
  address: '0x0000bbddc7ce488642fb579f8b00f3a590007251',
  code: '0x3373fffffffffffffffffffffffffffffffffffffffe1460d35760115f54807fffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff1461019a57600182026001905f5b5f82111560685781019083028483029004916001019190604d565b9093900492505050366060146088573661019a573461019a575f5260205ff35b341061019a57600154600101600155600354806004026004013381556001015f358155600101602035815560010160403590553360601b5f5260605f60143760745fa0600101600355005b6003546002548082038060021160e7575060025b5f5b8181146101295782810160040260040181607402815460601b815260140181600101548152602001816002015481526020019060030154905260010160e9565b910180921461013b5790600255610146565b90505f6002555f6003555b5f54807fffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff141561017357505f5b6001546001828201116101885750505f61018e565b01600190035b5f555f6001556074025ff35b5f5ffd',
}

/** EIP-8282: deposits of builders. */
export const BUILDER_DEPOSITS: Predeploy = {
  address: '0x0000bff46984e3725691fa540a8c7589300d8282',
  code: '0x3373fffffffffffffffffffffffffffffffffffffffe1461011c575f54807fffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff146102705760015460088111605257506058565b60089003015b601190600182026001905f5b5f821115607f57810190830284830290049160010191906064565b90939004925050503660b814609f57366102705734610270575f5260205ff35b8034106102705760383567ffffffffffffffff1680633b9aca001161027057633b9aca00029034031061027057600154600101600155600354806006026004015f358155600101602035815560010160403581556001016060358155600101608035815560010160a035905560b85f5f3760b85fa0600101600355005b60035460025480820380604011610131575060405b5f5b8181146101d7578281016006026004018160b8028154815260200181600101548152602001816002015480825260401c67ffffffffffffffff16816010018160381c81600701538160301c81600601538160281c81600501538160201c81600401538160181c81600301538160101c81600201538160081c816001015353602001816003015481526020018160040154815260200190600501549052600101610133565b91018092146101e957906002556101f4565b90505f6002555f6003555b36610242575f54600154817fffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff1461023057600882820111610238575b50505f610264565b0160089003610264565b7fffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff5b5f555f60015560b8025ff35b5f5ffd',
}

/** EIP-8282: exits of builders. */
export const BUILDER_EXITS: Predeploy = {
  address: '0x000064d678505ad48f8ccb093bc65613800e8282',
  code: '0x3373fffffffffffffffffffffffffffffffffffffffe1460e1575f54807fffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff146101c65760015460028111605157506057565b60029003015b601190600182026001905f5b5f821115607e57810190830284830290049160010191906063565b909390049250505036603014609e57366101c657346101c6575f5260205ff35b34106101c657600154600101600155600354806003026004013381556001015f35815560010160203590553360601b5f5260305f60143760445fa0600101600355005b6003546002548082038060101160f5575060105b5f5b81811461012d5782810160030260040181604402815460601b8152601401816001015481526020019060020154905260010160f7565b910180921461013f579060025561014a565b90505f6002555f6003555b36610198575f54600154817fffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff146101865760028282011161018e575b50505f6101ba565b01600290036101ba565b7fffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff5b5f555f6001556044025ff35b5f5ffd',
}

/** Caller of system contracts (EIP-4788, EIP-7002, EIP-7251, EIP-8282). */
export const SYSTEM_ADDRESS = fromHex('0xfffffffffffffffffffffffffffffffffffffffe')

/** The deterministic deployment proxy that ethers, viem and forge scripts expect. */
const CREATE2_DEPLOYER: Predeploy = {
  address: '0x4e59b44847b379578588920ca78fbf26c0b4956c',
  code: '0x7fffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffe03601600081602082378035828234f58015156039578182fd5b8082525050506014600cf3',
}

/** The contracts that blocks of a hardfork call. */
export function systemContracts(rules: ForkRules): Predeploy[] {
  return [
    ...(rules.blobs ? [BEACON_ROOTS] : []),
    ...(rules.requests ? [BLOCK_HASHES, WITHDRAWAL_REQUESTS, CONSOLIDATION_REQUESTS] : []),
    ...(rules.builderRequests ? [BUILDER_DEPOSITS, BUILDER_EXITS] : []),
  ]
}

export function predeploys(rules: ForkRules): Predeploy[] {
  return [CREATE2_DEPLOYER, ...systemContracts(rules)]
}

export const BEACON_ROOTS_KEY = addressKeyFromHex(BEACON_ROOTS.address)
const BLOCK_HASHES_KEY = addressKeyFromHex(BLOCK_HASHES.address)

/** Length of the ring buffers (EIP-4788, EIP-2935). */
const RING_LENGTH = 8191n

/** The accounts that the system calls at the start of a block access. */
export const OPENING_KEYS: readonly AddressKey[] = [BEACON_ROOTS_KEY, BLOCK_HASHES_KEY]

/**
 * Writes of the system calls at the start of a block. Computed without running the contracts: the
 * EIPs fix the outcome, and 20,000 empty blocks would need 40,000 calls.
 *
 * @returns `undefined` if nothing is written
 */
export function openingWrites(
  block: {
    readonly number: bigint
    readonly timestamp: bigint
    readonly parentHash: Uint8Array
    readonly parentBeaconBlockRoot: Uint8Array
  },
  state: StateReader,
  rules: ForkRules,
): StateDiff | undefined {
  const storage: StateDiff['storage'] = new Map()
  if (rules.blobs && hasCode(BEACON_ROOTS_KEY, state)) {
    const index = block.timestamp % RING_LENGTH
    storage.set(
      BEACON_ROOTS_KEY,
      slots([
        [index, bigIntToBytes(block.timestamp)],
        [index + RING_LENGTH, withoutLeadingZeros(block.parentBeaconBlockRoot)],
      ]),
    )
  }
  if (rules.requests && hasCode(BLOCK_HASHES_KEY, state)) {
    storage.set(
      BLOCK_HASHES_KEY,
      slots([[(block.number - 1n) % RING_LENGTH, withoutLeadingZeros(block.parentHash)]]),
    )
  }
  return storage.size === 0 ? undefined : { accounts: new Map(), storage }
}

export function hasCode(key: AddressKey, state: StateReader): boolean {
  const account = state.account(key)
  return account !== null && account.codeHash !== EMPTY_CODE_HASH
}

/** Hashes of the codes above, as in the EIPs: the effect of these codes is known without a run. */
const STANDARD_CODE_HASHES = new Map<AddressKey, Uint8Array>(
  (
    [
      [BEACON_ROOTS, '0xf57acd40259872606d76197ef052f3d35588dadf919ee1f0e3cb9b62d3f4b02c'],
      [BLOCK_HASHES, '0x6e49e66782037c0555897870e29fa5e552daf4719552131a0abce779daec0a5d'],
      [WITHDRAWAL_REQUESTS, '0x0345a365d2f4c5975b9f1599abe0a2ee76b7a3a731bc68781bd04c84e4858f50'],
      [
        CONSOLIDATION_REQUESTS,
        '0x78c6cb5202685228bbcbfb992b1c4e116c7ec5ef11e25b8e92716cfc628ddd60',
      ],
      [BUILDER_DEPOSITS, '0x1dd29c1e0dbc3ab670d229dbd3438003ec9015c1df9058beeb64ff301b60b98d'],
      [BUILDER_EXITS, '0x90a0b24eb190d6c50f00f6f751dc4c2778658abf3631aceb80586c43f8bd9f2f'],
    ] as const
  ).map(([{ address }, hash]) => [addressKeyFromHex(address), fromHex(hash)]),
)

/** True if the account is a system contract with the code of its EIP. */
export function isStandard(key: AddressKey, state: StateReader): boolean {
  const account = state.account(key)
  const standard = STANDARD_CODE_HASHES.get(key)
  return account !== null && standard !== undefined && sameBytes(account.codeHash, standard)
}

/** Slots as a difference has them. */
export function slots(entries: readonly (readonly [bigint, Uint8Array])[]): StorageDiff {
  const map = new Map<SlotKey, Uint8Array>()
  for (const [index, value] of entries) map.set(slotKeyFromBigInt(index), value)
  return { cleared: false, slots: map }
}
