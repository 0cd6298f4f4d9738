import { useRef, useState } from 'preact/hooks'
import { undos } from './store.ts'

/**
 * Keeps a value as it is while its element is held, so that a click meets what was aimed at. An
 * undo ends that: what is shown may be gone.
 *
 * @param value - `undefined` while it is not known, which is not kept
 * @returns `on`: handlers for the element that shows it
 */
export function useHeld<Value>(value: Value) {
  const [isOn, on] = useHold()
  const held = useRef(value)
  const since = useRef(undos.value)
  if (!isOn) since.current = undos.value
  const isHeld = isOn && since.current === undos.value
  if (!isHeld || held.current === undefined) held.current = value
  return { shown: held.current, isHeld, on }
}

/** Handlers of an element whose rows stay as they are while a person is about to use one. */
export interface Holding {
  readonly onPointerEnter: (event: PointerEvent) => void
  readonly onPointerLeave: () => void
  readonly onFocusIn: (event: FocusEvent) => void
  readonly onFocusOut: () => void
}

/** True while a mouse is over an element, or a row in it has the focus. */
export function useHold(): readonly [isHeld: boolean, handlers: Holding] {
  const [isOver, setOver] = useState(false)
  const [hasFocus, setFocus] = useState(false)
  return [
    isOver || hasFocus,
    {
      // A finger leaves no pointer behind.
      onPointerEnter: ({ pointerType }) => setOver(pointerType !== 'touch'),
      onPointerLeave: () => setOver(false),
      // The button for what is new goes when it is pressed, without a word that its focus is gone.
      onFocusIn: ({ target }) =>
        setFocus(target instanceof Element && target.closest('.news') === null),
      onFocusOut: () => setFocus(false),
    },
  ]
}
