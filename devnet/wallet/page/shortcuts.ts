import type { Queue } from './requestList.ts'

/** Keys of the page: A and R decide, the arrows look at the next request. */
export function listenToKeys(queue: Queue): void {
  document.addEventListener('keydown', (event) => {
    // A key that is held down must not decide one request after the other.
    if (event.repeat || event.ctrlKey || event.metaKey || event.altKey) return
    if (event.target instanceof Element && event.target.closest('select, input, textarea')) return
    switch (event.key) {
      case 'a':
      case 'A':
        queue.press('approve')
        break
      case 'r':
      case 'R':
        queue.press('reject')
        break
      case 'ArrowDown':
      case 'ArrowRight':
        queue.move(1)
        break
      case 'ArrowUp':
      case 'ArrowLeft':
        queue.move(-1)
        break
      default:
        return
    }
    event.preventDefault()
  })
}
