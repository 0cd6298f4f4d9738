import type { Random } from '../../support/random.ts'

/** Opcodes with a bias to those that leave something behind. */
export function randomProgram(random: Random): Uint8Array {
  const bytes: number[] = []
  const push = (value: number) => bytes.push(0x60, value)
  for (let length = 5 + random.below(40); length > 0; length--) {
    switch (random.below(16)) {
      case 0:
      case 1:
      case 2:
        push(random.below(8))
        break
      case 3:
        // Longer pushes, the last one perhaps cut off.
        bytes.push(
          0x60 + random.below(32),
          ...Array.from({ length: random.below(33) }, () => random.below(256)),
        )
        break
      case 4:
        bytes.push(
          random.pick([
            0x01, 0x02, 0x03, 0x04, 0x05, 0x06, 0x0a, 0x10, 0x14, 0x15, 0x16, 0x19, 0x1b, 0x1c,
            0x20,
          ]),
        )
        break
      case 5:
        push(random.below(64))
        bytes.push(random.pick([0x51, 0x35, 0x54, 0x5c, 0x40, 0x31, 0x3b]))
        break
      case 6:
        push(random.below(3))
        push(random.below(4))
        bytes.push(random.pick([0x52, 0x53, 0x55, 0x55, 0x5d]))
        break
      case 7: {
        // Hashes, logs and results of pieces of memory, now and then far away.
        const opcode = random.pick([0x20, 0xa0, 0xa1, 0xa2, 0xa3, 0xa4, 0xf3])
        if (opcode > 0xa0 && opcode < 0xf0) for (let index = 0xa0; index < opcode; index++) push(7)
        push(random.below(70))
        if (random.once(8)) bytes.push(0x62, random.below(3), random.below(256), random.below(256))
        else push(random.below(70))
        bytes.push(opcode)
        break
      }
      case 13:
        // Pieces of the call data or the code, also behind their end, and now and then far away.
        push(random.below(70))
        if (random.once(4)) bytes.push(0x67, ...Array.from({ length: 8 }, () => random.below(256)))
        else push(random.below(80))
        if (random.once(8)) bytes.push(0x62, random.below(3), random.below(256), random.below(256))
        else push(random.below(70))
        bytes.push(random.pick([0x37, 0x39]))
        break
      case 8:
        push(random.below(200))
        bytes.push(0x61, random.below(40), random.below(256), random.pick([0x51, 0x52]))
        break
      case 9:
        bytes.push(0x80 + random.below(16))
        break
      case 10:
        bytes.push(0x90 + random.below(16))
        break
      case 11:
        bytes.push(0x5b)
        push(random.below(60))
        bytes.push(random.pick([0x56, 0x57]))
        break
      case 12:
        // CALL the helper with little gas, so that it fails now and then.
        bytes.push(
          0x5f,
          0x5f,
          0x5f,
          0x5f,
          0x5f,
          0x60,
          0xe0,
          0x61,
          random.below(40),
          0,
          random.pick([0xf1, 0xf4, 0xfa]),
        )
        break
      case 15: {
        // What reads or creates code: of the helper, the program, nobody or a precompile; in memory.
        const opcode = random.pick([0x3b, 0x3c, 0x3f, 0xf0, 0xf5])
        if (opcode >= 0xf0) push(random.below(4))
        if (opcode === 0x3c || opcode >= 0xf0)
          for (let index = 0; index < 2; index++) push(random.below(70))
        if (opcode === 0x3c) push(random.below(70))
        push(opcode >= 0xf0 ? random.below(2) : random.pick([0xe0, 0xf0, 0xff, 0x01]))
        bytes.push(opcode)
        break
      }
      default:
        bytes.push(
          random.pick([
            0x00, 0x30, 0x33, 0x34, 0x36, 0x50, 0x58, 0x59, 0x5a, 0x5b, 0xa0, 0xf3, 0xfd, 0xfd,
            0xfe, 0x0c, 0x3d, 0x47,
          ]),
        )
    }
  }
  return Uint8Array.from(bytes)
}
