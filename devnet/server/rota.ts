import { TurnTime } from '../primitives/turnTime.ts'

/** Members that have work, and take turns with it, so that none waits for another's backlog. */
export class Rota<Member> {
  readonly #work: (member: Member) => boolean
  readonly #waiting = new Set<Member>()
  readonly #time = new TurnTime()
  #isSoon = false
  #isNext = false

  /** @param work - does a piece of a member's work; returns whether more can be done at once */
  constructor(work: (member: Member) => boolean) {
    this.#work = work
  }

  /** Lets a member work: at once, if no other waits and there is time left in this turn. */
  begin(member: Member): void {
    const waits = this.#waiting.size > 0 || !this.#time.isLeft()
    if (waits || this.#work(member)) this.#wait(member)
  }

  /** Lets a member work: after what runs now, if there is time left in this turn. */
  add(member: Member): void {
    this.#wait(member)
    if (this.#isSoon || !this.#time.isLeft()) return
    this.#isSoon = true
    process.nextTick(() => {
      this.#isSoon = false
      this.#workAll()
    })
  }

  #wait(member: Member): void {
    this.#waiting.add(member)
    if (this.#isNext) return
    this.#isNext = true
    this.#time.next().then(() => {
      this.#isNext = false
      this.#workAll()
    })
  }

  #workAll(): void {
    for (const member of this.#waiting) {
      this.#waiting.delete(member)
      // Behind all others.
      if (this.#work(member)) this.#wait(member)
      if (!this.#time.isLeft()) break
    }
    const [next] = this.#waiting
    if (next !== undefined) this.#wait(next)
  }
}
