/** Elements that keys are typed into. A checkbox is not one: only the space bar is its own. */
const FIELD = 'input:not([type="checkbox"]), select, textarea'

/**
 * True for a key that was pressed alone, outside of fields and dialogs, and for the first time: one
 * that is held down must not command, or decide, several times.
 */
export function isSingleKey(event: KeyboardEvent): boolean {
  const { target } = event
  if (event.defaultPrevented || event.repeat) return false
  if (event.ctrlKey || event.metaKey || event.altKey) return false
  if (document.querySelector('dialog[open]') !== null) return false
  return !(target instanceof Element && target.closest(FIELD) !== null)
}
