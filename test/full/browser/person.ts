import type { Page } from 'playwright-core'

/** A person at the approval page. */
export class Person {
  readonly page: Page

  constructor(page: Page) {
    this.page = page
  }

  /** Reads the request that is shown and answers it; it must be of that method. */
  async answer(method: string, verdict: 'Approve' | 'Reject'): Promise<void> {
    const card = this.card(method)
    await card.getByRole('button', { name: verdict }).click()
    await card.waitFor({ state: 'detached' })
  }

  card(method: string) {
    return this.page
      .getByRole('article')
      .filter({ has: this.page.getByText(method, { exact: true }) })
  }

  /** Waits until the request that is shown takes a decision. */
  async canDecide(): Promise<void> {
    await this.page.locator('.card button.reject:enabled').waitFor()
  }

  /** What one of the lists beside the requests shows. */
  async rows(list: 'sites' | 'chains' | 'accounts'): Promise<string> {
    return this.page.locator(`#${list}`).innerText()
  }

  /** What the history says, the oldest first, without what nobody had to decide. */
  async decisions(): Promise<string[]> {
    const rows = this.page.locator('#history > li')
    const decisions: string[] = []
    for (const row of await rows.all()) {
      const decision = await row.locator('.decision').innerText()
      if (decision === 'automatic') continue
      decisions.unshift(`${decision} ${await row.locator('summary .method').innerText()}`)
    }
    return decisions
  }
}
