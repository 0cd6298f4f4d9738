/** ms of each turn of the event loop in which the members of a rota work. */
const SLICE = 5

/** Members that have work, and take turns with it, so that none waits for another's backlog. */
export class Rota<Member> {
  readonly #work: (member: Member) => boolean
  readonly #waiting = new Set<Member>()
  /** Time at which the work of this turn of the event loop ends. */
  #end = 0
  #isSoon = false
  #nextTurn: NodeJS.Immediate | undefined

  /** @param work - does a piece of a member's work; returns whether more can be done at once */
  constructor(work: (member: Member) => boolean) {
    this.#work = work
  }

  /** Lets a member work: at once, if no other waits and there is time left in this turn. */
  begin(member: Member): void {
    this.#openTurn()
    const waits = this.#waiting.size > 0 || !this.#hasTime()
    if (waits || this.#work(member)) this.#waiting.add(member)
  }

  /** Lets a member work: after what runs now, if there is time left in this turn. */
  add(member: Member): void {
    this.#waiting.add(member)
    this.#openTurn()
    if (this.#isSoon || !this.#hasTime()) return
    this.#isSoon = true
    process.nextTick(() => {
      this.#isSoon = false
      this.#workAll()
    })
  }

  #hasTime(): boolean {
    return performance.now() < this.#end
  }

  #openTurn(): void {
    if (this.#nextTurn !== undefined) return
    this.#end = performance.now() + SLICE
    this.#nextTurn = setImmediate(() => {
      this.#nextTurn = undefined
      if (this.#waiting.size === 0) return
      this.#openTurn()
      this.#workAll()
    })
  }

  #workAll(): void {
    for (const member of this.#waiting) {
      this.#waiting.delete(member)
      // Behind all others.
      if (this.#work(member)) this.#waiting.add(member)
      if (!this.#hasTime()) break
    }
  }
}
