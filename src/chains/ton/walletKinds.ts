/** Parses an indexer's name of a wallet kind: `wallet v4 r2` and `wallet_v4r2` are v4r2. Null if it is not a wallet. */
export const walletKind = (name: string | null | undefined): string | null => {
  const [, kind] = /^wallet[ _]?(v\d.*|highload.*)$/i.exec(name ?? "") ?? []
  return kind === undefined ? null : kind.toLowerCase().replace(/[ _]/g, "")
}
