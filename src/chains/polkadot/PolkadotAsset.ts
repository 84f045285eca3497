import * as Option from "effect/Option"

/**
 * The id of an asset of the Assets pallet in its canonical form. CoinGecko also lists contracts of other chains and
 * empty texts; assets of other pallets have no such number.
 */
export const parse = (text: string): Option.Option<string> =>
  /^(0|[1-9]\d{0,9})$/.test(text) && Number(text) < 2 ** 32 ? Option.some(text) : Option.none()
