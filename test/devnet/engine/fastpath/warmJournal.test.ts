import { createEVM } from '@ethereumjs/evm'
import { Account, Address } from '@ethereumjs/util'
import { beforeAll, expect, test } from 'vitest'
import { type Crypto, loadCrypto } from '../../../../devnet/engine/crypto.ts'
import { WarmJournal } from '../../../../devnet/engine/fastpath/warmJournal.ts'
import { createFixedCommon } from '../../../../devnet/engine/fixedCommon.ts'
import { Codes } from '../../../../devnet/state/codes.ts'
import { Overlay } from '../../../../devnet/state/overlay/overlay.ts'
import { VersionedStore } from '../../../../devnet/state/store/versionedStore.ts'
import { Random } from '../../../support/random.ts'

let crypto: Crypto

beforeAll(async () => {
  crypto = await loadCrypto()
})

/** Four addresses, with the precompile that stays touched among them. */
const addresses = [1, 2, 3, 0xaa].map((last) => {
  const bytes = new Uint8Array(20)
  bytes[19] = last
  return bytes
})
const slots = [0, 1, 2].map((last) => {
  const bytes = new Uint8Array(32)
  bytes[31] = last
  return bytes
})

const text = (bytes: Uint8Array) => Buffer.from(bytes).toString('hex')

async function both() {
  const common = createFixedCommon({ chainId: 1, hardfork: 'bpo2', crypto })
  const codes = new Codes(crypto.keccak256)
  const overlayOf = () => new Overlay(new VersionedStore(codes).view(), codes, common)
  const overlays = [overlayOf(), overlayOf()] as const
  const evm = await createEVM({ common, stateManager: overlays[1] })
  // The library's class is not exported; its object has all that ours has.
  const journals = [new WarmJournal(overlays[0]), evm.journal as unknown as WarmJournal] as const
  return { overlays, journals }
}

test('behavior: warms and takes back as the journal of the library does', async () => {
  const random = new Random(7)
  let warmSeen = 0
  for (let run = 0; run < 200; run++) {
    const { overlays, journals } = await both()
    const report = random.once(2)
    if (report) for (const journal of journals) journal.startReportingAccessList()
    let depth = 0
    for (let step = 0; step < 40; step++) {
      const address = random.pick(addresses)
      const slot = random.pick(slots)
      const kind = random.below(8)
      const balance = BigInt(random.below(2))
      for (const journal of journals) {
        if (kind === 0) journal.addWarmedAddress(address)
        else if (kind === 1) journal.addWarmedStorage(address, slot)
        else if (kind === 2 && run % 4 === 0)
          journal.addAlwaysWarmAddress(`0x${text(address)}`, report)
        else if (kind === 3 && run % 4 === 0) {
          journal.addAlwaysWarmSlot(text(address), text(slot), report)
        } else if (kind === 4) await journal.checkpoint()
        else if (kind === 5 && depth > 0) await journal.commit()
        else if (kind === 6 && depth > 0) await journal.revert()
        else if (kind === 7) {
          await journal.putAccount(new Address(address), new Account(0n, balance))
        }
      }
      if (kind === 4) depth++
      else if ((kind === 5 || kind === 6) && depth > 0) depth--
      const [ours, theirs] = journals.map((journal) =>
        addresses.map((one) => [
          journal.isWarmedAddress(one),
          ...slots.map((other) => journal.isWarmedStorage(one, other)),
        ]),
      )
      expect(ours).toEqual(theirs)
      warmSeen += ours?.flat().filter((warm) => warm).length ?? 0
    }
    expect(journals[0].accessList).toEqual(journals[1].accessList)
    for (; depth > 0; depth--) for (const journal of journals) await journal.commit()
    for (const journal of journals) await journal.cleanup()
    const accounts = overlays.map((overlay) =>
      addresses.map((bytes) => overlay.account(overlay.keyOf(new Address(bytes)))),
    )
    expect(accounts[0]).toEqual(accounts[1])
    expect(journals[0].isWarmedAddress(addresses[0] ?? new Uint8Array(20))).toBe(false)
  }
  expect(warmSeen).toBeGreaterThan(1000)
})
