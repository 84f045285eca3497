/** The kind in what an indexer calls a wallet: `wallet v4 r2` and `wallet_v4r2` are v4r2; null where it is no wallet. */
export const walletKind = (name: string | null | undefined): string | null => {
  const [, kind] = /^wallet[ _]?(v\d.*|highload.*)$/i.exec(name ?? "") ?? []
  return kind === undefined ? null : kind.toLowerCase().replace(/[ _]/g, "")
}
