// Responses with which a compromised service would attack the page.

/** The lookup of any text, with a script instead of an explorer link. */
export const fitting = (url: string) => {
  const input = decodeURIComponent(url.slice(url.lastIndexOf("/") + 1))
  const match = { network: "ethereum", canonical: input, kind: "address", explorer: "javascript:alert(1)" }
  return { input, matches: [{ ...match, note: "<script>alert(1)</script>" }] }
}

/** Balance rows, `length` per address, in which every text is an attack on the page. */
export const hostile = (
  { networks }: { readonly networks: Readonly<Record<string, ReadonlyArray<string>>> },
  length: number
) => {
  const attack = "<img src=x onerror=alert(1)>\u202e</td></tr></table><script>alert(1)</script>"
  const row = {
    blockchain: "ethereum",
    coinId: attack,
    tokenName: attack,
    tokenSymbol: attack,
    tokenDecimals: 18,
    tokenType: "NATIVE",
    thumbnail: "javascript:alert(1)",
    balance: attack,
    balanceUsd: null,
    tokenPrice: attack,
    error: attack,
    errorCode: "bad_answer"
  }
  const lines = (networks.ethereum ?? []).flatMap((holderAddress) =>
    Array.from({ length }, (_, index) =>
      JSON.stringify({ ...row, holderAddress, coinId: `${index}${attack}`, contractAddress: `${index}${attack}` })
    )
  )
  return { contentType: "application/x-ndjson", body: [...lines, '{"done":true,"failures":0}', ""].join("\n") }
}

/** A history page in which every text is an attack on the page. */
export const hostileHistory = (() => {
  const attack = "<img src=x onerror=alert(1)>\u202e<script>alert(1)</script>"
  const party = { address: attack, amount: attack, currency: { symbol: attack, address: attack, decimals: 1e9 } }
  const entry = {
    hash: attack,
    explorer: "javascript:alert(1)",
    type: attack,
    fee: attack,
    status: "Success",
    timestamp: 1,
    block: 25_900_000,
    confirmations: 2,
    nonce: 7,
    from: [party],
    to: [{ address: attack, amount: "1", currency: attack }],
    flags: ["lookalike"]
  }
  const meta = { complete: false, oldest: 1, next: null, sources: [attack], missing: [attack] }
  const line = {
    data: { ethereum: { "0x57a46e5757a46e5757a46e5757a46e5757a46e57": [entry] } },
    meta: { ethereum: { "0x57a46e5757a46e5757a46e5757a46e5757a46e57": meta } }
  }
  return { contentType: "application/x-ndjson", body: `${JSON.stringify(line)}\n{"done":true,"failures":0}\n` }
})()
