import { AddressField } from "../addresses/AddressField.tsx"
import { CoinList } from "../coin/CoinList.tsx"
import { headlineCoins } from "../coin/candleCoins.ts"
import { inCurrency, rateOf } from "../network/rates.ts"
import { NoNetworks, Stale } from "../parts/Failed.tsx"
import { AddressMark, Icon } from "../parts/Icon.tsx"
import { Pending } from "../parts/lazy.tsx"
import { NetworkMark } from "../parts/NetworkMark.tsx"
import { blockTitle, hasBlocks, type KnownNetwork } from "../state/knownNetworks.ts"
import { currencies, preferences } from "../state/preferences.ts"
import { forget, forgetAll, recent } from "../state/recent.ts"
import { fragmentOf, type Route } from "../state/route.ts"
import { service } from "../state/service.ts"
import { type ServiceReading, useReading } from "../state/useReading.ts"
import { useStore } from "../state/useStore.ts"
import { failingNetworks } from "../status/abilities.ts"
import { age, count, shortened, smallMoney } from "../text/format.ts"
import { t } from "../text/language.ts"

const unknownOf = ({ state }: ServiceReading<unknown>) => (state === "waiting" ? <Pending /> : t("unknown"))

/** The age of a value that could not be read again. */
const ageOf = (reading: ServiceReading<unknown>) =>
  reading.state === "read" && reading.isStale ? age(reading.at, Date.now()) : undefined

/** A network with its newest block and the cost of a transfer. Unknown values are said to be unknown. */
const NetworkCard = ({ network }: { readonly network: KnownNetwork }) => {
  const { id, name } = network
  const { currency } = useStore(preferences)
  const { perUsd } = rateOf(currency, useStore(currencies))
  const block = useReading(id, (client, signal) => client.blocks.newest(id, { signal }), true).reading
  const fees = useReading(id, (client, signal) => client.fees(id, { signal }), true).reading
  const fee = fees.state === "read" ? fees.data.levels.standard.transferFeeUsd : null
  return (
    <li class="row">
      <a class="coin-row" href={fragmentOf({ view: "network", items: [id] })}>
        <NetworkMark network={id} />
        <span class="wide">
          <span class="symbol">{name}</span>
          <span class="detail">
            {t(blockTitle(network))} {block.state === "read" ? count(block.data.height) : unknownOf(block)}
          </span>
        </span>
        <span class="number">
          {fee === null || perUsd === null ? unknownOf(fees) : smallMoney(inCurrency(fee, perUsd), currency)}
          <span class="detail">{ageOf(block) ?? ageOf(fees) ?? t("perTransfer")}</span>
        </span>
      </a>
    </li>
  )
}

/** Public wallets that show what the page can do, with the keys of their titles. */
const examples = [
  ["exampleFoundation", ["0xde0B295669a9FD93d5F28D9Ec85E40f4cb697BAe"]],
  ["exampleGenesis", ["1A1zP1eP5QGefi2DMPTfTL5SLmv7DivfNa"]],
  [
    "exampleMixed",
    [
      "bc1qrfr44n2j4czd5c9txwlnw0yj2h82x9566fglqj",
      "9WzDXwBbmkg8ZTbNMqUxvQRAyrZzDsGYdLVL9zYtAWWM",
      "0xd8dA6BF26964aF9D7eEd9e03E53415D37aA96045"
    ]
  ]
] as const

const Examples = ({ view }: Pick<Route, "view">) => (
  <section aria-label={t("examples")}>
    <ul class="examples">
      {examples.map(([title, items]) => (
        <li key={title}>
          <a class="panel" href={fragmentOf({ view, items })}>
            <strong>{t(title)}</strong>
            <span class="detail">{t(`${title}Help`)}</span>
          </a>
        </li>
      ))}
    </ul>
  </section>
)

/** The wallets that were shown before, each with a button that removes it from the list. */
const Recent = ({ view }: Pick<Route, "view">) => {
  const wallets = useStore(recent)
  if (wallets.length === 0) return null
  return (
    <section class="recent" aria-label={t("recent")}>
      <div class="line">
        <h2>{t("recent")}</h2>
        <button type="button" class="quiet last" onClick={forgetAll}>
          {t("forgetAll")}
        </button>
      </div>
      <ul class="rows">
        {wallets.map((items) => {
          const [first = ""] = items
          const name = shortened(first)
          return (
            <li key={items.join()} class="row">
              <a class="coin-row" href={fragmentOf({ view, items })}>
                <AddressMark address={first} />
                <span>
                  <bdi class="code">{name}</bdi>
                  {items.length > 1 && <span class="detail">{t("andMore", { count: items.length - 1 })}</span>}
                </span>
              </a>
              <button type="button" class="plain" aria-label={t("forget", { name })} onClick={() => forget(items)}>
                <Icon name="close" />
              </button>
            </li>
          )
        })}
      </ul>
      <p class="help">{t("recentHelp")}</p>
    </section>
  )
}

/** The number of networks that work, and the newest block and fee of three of them, of different families. */
const Networks = () => {
  const { at, networks, problem } = useStore(service)
  const active = networks.filter(({ sunset }) => sunset === undefined)
  const failing = failingNetworks(active).length
  return (
    <section aria-label={t("networks")}>
      <div class="line">
        <h2>{t("networks")}</h2>
        {active.length > 0 && (
          <a class="last" href="#/status">
            <span class={`dot ${failing === 0 ? "works" : "fails"}`} />
            {failing === 0 ? t("noneFails", { count: active.length }) : t("someFail", { failing, all: active.length })}
          </a>
        )}
      </div>
      {problem !== undefined && at > 0 && <Stale at={at} />}
      {networks.length === 0 ? (
        <NoNetworks rows={3} />
      ) : (
        <ul class="rows">
          {networks
            .filter(hasBlocks)
            .filter(({ family }, index, all) => all.findIndex((other) => other.family === family) === index)
            .slice(0, 3)
            .map((network) => (
              <NetworkCard key={network.id} network={network} />
            ))}
        </ul>
      )}
    </section>
  )
}

/** What to show: a field for any address, examples, and recent wallets. */
export const Start = ({ title, view }: Pick<Route, "view"> & { readonly title: string }) => (
  <>
    <section class="hero">
      <h1>{title}</h1>
      <AddressField items={[]} view={view} />
      <p>
        <a href="#/tx">{t("openTransaction")}</a>
      </p>
      <Examples view={view} />
    </section>
    <Recent view={view} />
  </>
)

/** The first view: the start of a portfolio, and live facts. */
export const Home = () => (
  <div class="home">
    <Start title={t("headline")} view="portfolio" />
    <div class="live">
      <section aria-label={t("prices")}>
        <div class="line">
          <h2>{t("prices")}</h2>
          <a class="last" href="#/coin">
            {t("allCoins")}
          </a>
        </div>
        <CoinList ids={headlineCoins} />
      </section>
      <Networks />
    </div>
  </div>
)
