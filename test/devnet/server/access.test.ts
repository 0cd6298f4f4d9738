import { describe, expect, test } from 'vitest'
import { type AccessOptions, createAccess } from '../../../devnet/server/access.ts'

const LOCAL = 'localhost:8545'
const plain: AccessOptions = { hostname: '127.0.0.1' }

function isHostAllowed(options: Partial<AccessOptions>, host: string | undefined): boolean {
  return createAccess({ ...plain, ...options }).refusal(host, undefined) === undefined
}

function isOriginAllowed(allowOrigin: readonly string[], origin: string): boolean {
  return createAccess({ ...plain, allowOrigin }).refusal(LOCAL, origin) === undefined
}

describe('Host', () => {
  test.each([
    'localhost',
    'localhost:8545',
    'LocalHost:1',
    'localhost.',
    'a.b.localhost:80',
    '127.0.0.1:8545',
    '127.200.3.4',
    '[::1]:8545',
    '[0:0:0:0:0:0:0:1]',
  ])('%s is this machine', (host) => {
    expect(isHostAllowed({}, host)).toBe(true)
  })

  test.each([
    undefined,
    '',
    'evil.example',
    'localhost.evil.example',
    'evillocalhost',
    '127.0.0.1.evil.example',
    '127.evil.example',
    '192.168.1.5:8545',
    '0.0.0.0',
    '[::2]',
    'localhost:8545:1',
    'localhost:123456',
    'localhost/x',
    'user@localhost',
    'localhost, evil.example',
    'ⅼocalhost',
    '[::1',
  ])('%s is refused', (host) => {
    expect(isHostAllowed({}, host)).toBe(false)
  })

  test('the address that is bound, in any spelling', () => {
    expect(isHostAllowed({ hostname: '192.168.1.5' }, '192.168.1.5:8545')).toBe(true)
    expect(isHostAllowed({ hostname: '192.168.1.5' }, '192.168.1.6:8545')).toBe(false)
    expect(isHostAllowed({ hostname: 'FE80::0:1%eth0' }, '[fe80::1]:8545')).toBe(true)
    expect(isHostAllowed({ hostname: 'mybox' }, 'mybox:8545')).toBe(true)
  })

  test.each(['0.0.0.0', '::', '0:0::0'])('any address, no name, when %s is bound', (hostname) => {
    expect(isHostAllowed({ hostname }, '192.168.1.5:8545')).toBe(true)
    expect(isHostAllowed({ hostname }, '[2001:db8::1]:8545')).toBe(true)
    expect(isHostAllowed({ hostname }, 'evil.example')).toBe(false)
    expect(isHostAllowed({ hostname }, '1.2.3.4.evil.example')).toBe(false)
  })

  test('args: allowHost', () => {
    const options = { allowHost: ['devnet', '[fd00::1]'] }
    expect(isHostAllowed(options, 'DevNet:8545')).toBe(true)
    expect(isHostAllowed(options, '[fd00:0::1]')).toBe(true)
    expect(isHostAllowed(options, 'sub.devnet')).toBe(false)
  })

  test('the refusal names the option', () => {
    const access = createAccess(plain)
    expect(access.refusal('Evil.Example:8545', undefined)).toBe(
      'Host "Evil.Example:8545" is not allowed; start the node with --allow-host evil.example to admit it.',
    )
    expect(access.refusal('"><script>', undefined)).toBe(
      'Host "\\"><script>" is not allowed; start the node with --allow-host <name> to admit it.',
    )
    expect(access.refusal(undefined, undefined)).toBe(
      'Host (none) is not allowed; start the node with --allow-host <name> to admit it.',
    )
  })
})

describe('Origin', () => {
  test.each([
    'http://localhost',
    'http://localhost:3000',
    'https://localhost:3000',
    'http://app.localhost:5173',
    'http://127.0.0.1:8080',
    'http://127.1.2.3',
    'http://[::1]:3000',
    'chrome-extension://nkbihfbeogaeaoehlefnkodbefgpgknn',
    'moz-extension://2a5f8d5e-0000-4000-8000-000000000000',
    'safari-web-extension://ABCDEF',
  ])('%s is allowed', (origin) => {
    expect(isOriginAllowed([], origin)).toBe(true)
  })

  test.each([
    'null',
    '',
    'https://evil.example',
    'http://localhost.evil.example',
    'http://evil.example:80#localhost',
    'http://localhost@evil.example',
    'http://localhost:3000/path',
    'http://LOCALHOST:3000',
    'ftp://localhost',
    'file://',
    'http://192.168.1.5:3000',
    'chrome-extension://',
    'https://evil.example/chrome-extension://x',
    'http://localhost:3000, https://evil.example',
    'http://',
  ])('%s is refused', (origin) => {
    expect(isOriginAllowed([], origin)).toBe(false)
  })

  test('args: allowOrigin', () => {
    const allowed = ['https://App.Example/', 'null']
    expect(isOriginAllowed(allowed, 'https://app.example')).toBe(true)
    expect(isOriginAllowed(allowed, 'https://app.example:444')).toBe(false)
    expect(isOriginAllowed(allowed, 'http://app.example')).toBe(false)
    expect(isOriginAllowed(allowed, 'null')).toBe(true)
    expect(isOriginAllowed(['*'], 'https://evil.example')).toBe(true)
    expect(isOriginAllowed(['*'], 'null')).toBe(true)
  })

  test('the refusal names the option', () => {
    expect(createAccess(plain).refusal(LOCAL, 'https://evil.example')).toBe(
      'Origin "https://evil.example" is not allowed; start the node with --allow-origin <origin> to admit it.',
    )
  })

  test('a name that is rebound to this machine is refused as Host', () => {
    expect(createAccess(plain).refusal('evil.example:8545', 'http://evil.example:8545')).toMatch(
      /^Host "evil/,
    )
  })

  test('one pair of headers that is let in lets in no other', () => {
    const access = createAccess(plain)
    expect(access.refusal(LOCAL, undefined)).toBeUndefined()
    expect(access.refusal(LOCAL, 'https://evil.example')).toBeDefined()
    expect(access.refusal(LOCAL, 'http://localhost:3000')).toBeUndefined()
    expect(access.refusal('evil.example', 'http://localhost:3000')).toBeDefined()
    expect(access.refusal(undefined, undefined)).toBeDefined()
  })
})
