import { AxeBuilder } from '@axe-core/playwright'
import type { Page } from 'playwright-core'

/** The rules of axe that look at colours: in all else the themes are one document. */
export const COLOR_RULES: readonly string[] = ['color-contrast', 'link-in-text-block']

/**
 * What axe finds in a page without frames.
 *
 * @param rules - default: all
 */
export async function violationsOf(
  page: Page,
  rules?: readonly string[],
): Promise<readonly string[]> {
  // The way for pages with frames, and the list of all that passed, take twice as long.
  const axe = new AxeBuilder({ page }).setLegacyMode().options({ resultTypes: ['violations'] })
  const { violations } = await (rules === undefined ? axe : axe.withRules([...rules])).analyze()
  return violations.flatMap(({ id, nodes }) =>
    nodes.map(({ target, failureSummary }) => `${id} ${target}: ${failureSummary}`),
  )
}
