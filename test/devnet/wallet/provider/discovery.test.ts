import { Script } from 'node:vm'
import { expect, test } from 'vitest'
import { providerScript } from '../../../../devnet/wallet/http/browserFiles.ts'
import { FakePage, openPage } from './fakePage.ts'

/** Nobody listens there; nothing here asks. */
const URL_OF_NOBODY = 'http://127.0.0.1:1/wallet'

test('default: announces itself at load and whenever a dApp asks (EIP-6963)', () => {
  using page = openPage(URL_OF_NOBODY)
  page.dispatchEvent(new Event('eip6963:requestProvider'))
  const [first, second] = page.announced
  expect(page.announced).toHaveLength(2)
  expect(second?.info).toBe(first?.info)
  expect(second?.provider).toBe(first?.provider)
  expect(Object.isFrozen(first)).toBe(true)
  expect(Object.isFrozen(first?.info)).toBe(true)
  expect(Object.keys(first?.info ?? {}).sort()).toEqual(['icon', 'name', 'rdns', 'uuid'])
  expect(first?.info).toMatchObject({ name: 'Devnet Wallet', rdns: 'localhost.pending-node' })
  expect(first?.info.uuid).toMatch(
    /^[\da-f]{8}-[\da-f]{4}-4[\da-f]{3}-[89ab][\da-f]{3}-[\da-f]{12}$/,
  )
  const [type, data] = first?.info.icon.split(',') ?? []
  expect(type).toBe('data:image/svg+xml;base64')
  const svg = Buffer.from(data ?? '', 'base64').toString()
  expect(svg).toMatch(/^<svg [^>]*width="96" height="96"/)
  expect(svg).not.toMatch(/script|\bon\w+=/i)
  expect(page.ethereum).toBe(first?.provider)
  expect(page.initialized).toEqual([first?.provider])
})

test('loaded twice, it is one wallet; another session is another', () => {
  using page = openPage(URL_OF_NOBODY)
  const { ethereum } = page
  page.load({ url: URL_OF_NOBODY })
  expect(page.announced).toHaveLength(1)
  page.load({ url: `${URL_OF_NOBODY}/s/al_ice` })
  expect(page.ethereum).toBe(ethereum)
  expect(page.announced[1]?.info).toMatchObject({
    name: 'Devnet Wallet (al_ice)',
    rdns: 'localhost.pending-node.al-ice',
  })
  expect(page.announced[1]?.info.icon).not.toBe(page.announced[0]?.info.icon)
})

test('window.ethereum of another wallet stays, unless told otherwise', () => {
  using page = new FakePage()
  const other: object = {}
  Reflect.set(page, 'ethereum', other)
  page.load({ url: URL_OF_NOBODY })
  expect(page.ethereum).toBe(other)
  expect(page.initialized).toEqual([])
  page.load({ url: `${URL_OF_NOBODY}/s/b`, overwrite: true })
  expect(page.ethereum).toBe(page.provider)
  expect(page.provider).not.toHaveProperty('isMetaMask')
})

test('args: the address of the script says where the wallet is and how it appears', () => {
  using page = new FakePage()
  const src = `${URL_OF_NOBODY}/s/bob/provider.js?metamask=1&name=Bob%27s&rdns=com.example.bob`
  page.load({}, src)
  expect(page.announced[0]?.info).toMatchObject({ name: "Bob's", rdns: 'com.example.bob' })
  expect(page.provider).toHaveProperty('isMetaMask', true)
  page.load({}, `${URL_OF_NOBODY}/provider.js?overwrite&rdns=no`)
  expect(page.announced[1]?.info).toMatchObject({ rdns: 'localhost.pending-node' })
  expect(page.ethereum).toBe(page.announced[1]?.provider)
})

test('without an address it says how to load it', () => {
  using page = new FakePage()
  expect(() => page.load({})).toThrow(/classic <script src/)
})

test('the script is a classic script', () => {
  const text = providerScript()
  expect(new Script(text)).toBeInstanceOf(Script)
  expect(text).not.toMatch(/^\s*(?:import|export)\b/m)
  const hostile = providerScript({ url: URL_OF_NOBODY, name: '</script><script>alert(1)' })
  expect(hostile).not.toContain('</script>')
})
