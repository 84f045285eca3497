import { tryOrElse } from "../kernel/tryOrElse.ts"

/** A shorter text may be an ordinary word, or a part of a public address. */
const shortest = { key: 8, segment: 16, pair: 3 }

const longer = (least: number, texts: ReadonlyArray<string>) => texts.filter(({ length }) => length >= least)

const decoded = (text: string) => tryOrElse(decodeURIComponent, text, () => text)

/** The parts of an address that may be keys: user and password, long segments of the path, and the query. */
const inAddress = ({ password, pathname, search, searchParams, username }: URL): ReadonlyArray<string> => [
  ...longer(shortest.pair, [decoded(`${username}:${password}`), search]),
  ...longer(shortest.key, [decoded(username), decoded(password), ...searchParams.values()]),
  ...longer(shortest.segment, pathname.split("/"))
]

/** The texts that no log may contain, of a secret, of addresses or of pairs such as header fields. */
export const secretsOf = (value: string): ReadonlyArray<string> =>
  value.split(",").flatMap((part) => {
    const item = part.trim()
    const url = URL.parse(item)
    return url === null || url.host === ""
      ? longer(shortest.key, [item, decoded(item.slice(item.indexOf("=") + 1))])
      : inAddress(url)
  })
