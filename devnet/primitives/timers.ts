/** Longest delay of `setTimeout` and `setInterval`, in ms: Node.js fires longer ones at once. */
export const MAX_TIMER_DELAY = 2_147_483_647
