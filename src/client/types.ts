// Generated from the OpenAPI document by `bun run client-types`; not to be edited.

export interface paths {
    readonly "/balance": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly get?: never;
        readonly put?: never;
        /**
         * Balances of many addresses
         * @description The native coin and the tokens of every address, with USD values. Each address has exactly one NATIVE row, also when it is zero or not available. A number that is not available is null with `error` and `errorCode`, never zero. Of tokens that could not be read and have no earlier balance, the first 20 have a row; the `error` of the NATIVE row counts the others. With `currency` each row also has `price` and `value` in that currency, beside the numbers in USD; where its rate is not available they are null with the reason. A NATIVE row may have a `breakdown` of its balance: what the responses that are read anyway contain, and with `detail` all that the network has. `currency` and `detail` may stand in the query instead of the body. Bitcoin Cash: the native coin only. With `Accept: application/x-ndjson` (or `text/event-stream`) the answer is 200 and the part of each network is sent as soon as it is available. Each line (each event's data): one balance, as an element of the array; after the balances of a network whose tokens could not be listed, {"failures": [{network, message, errorCode}]}. The last line is {"done": true, "failures": n} (the last event is `done`, with the same data), where n is the number of failures; a stream without it is incomplete.
         */
        readonly post: operations["balances.balances"];
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/balance/token": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly get?: never;
        readonly put?: never;
        /**
         * Balance of one token
         * @description The balance of one coin or token of one address. A network that is not supported is refused with 400. With `currency`, `price` and `value` are in that currency, and `priceUsd` is the price in USD; `balanceUsd` stays as it is. Bitcoin Cash: the native coin only.
         */
        readonly post: operations["balances.token"];
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/balance/stream": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        /**
         * Balances of many addresses as events
         * @description The streamed form of `POST /balance` for the EventSource of browsers, always `text/event-stream`. The event `balance` has one balance, as an element of the array; `failures`, after the balances of a network whose tokens could not be listed, {failures: [{network, message, errorCode}]}. The last event is `end` with {"done": true, "failures": n}: close the EventSource then, a stream that ends without it was cut off. Every event has an id, but a stream is not resumed: a reconnection reads everything anew, except after `end`, where the answer is 204. An EventSource cannot send `x-api-key`: where keys are needed, use `POST /balance` with `fetch`.
         */
        readonly get: operations["balances.stream"];
        readonly put?: never;
        readonly post?: never;
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/history": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly get?: never;
        readonly put?: never;
        /**
         * Transactions of many addresses
         * @description The newest transactions of every address, read at most 5 seconds ago: a transaction sent just now may be missing until then. An address whose history is not available has an empty list, or the transactions that were stored earlier; it is named in the header `x-partial-failures`, a JSON array of {network, address, message} in which messages are shortened where there are many, and whose last element may count those that do not fit. When no history is available at all the response is 502, unless all of them are malformed. A network without addresses has an empty record. With `Accept: application/x-ndjson` (or `text/event-stream`) the answer is 200 and the part of each network is sent as soon as it is available. Each line (each event's data): a record as the whole answer, with one network in it; and beside it, where histories are not available, `failures`: [{network, address, message, errorCode}]. The last line is {"done": true, "failures": n} (the last event is `done`, with the same data), where n is the number of failures; a stream without it is incomplete. A request with `meta: true` is described at `/history#meta`.
         */
        readonly post: operations["history.transactions"];
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/history#meta": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly get?: never;
        readonly put?: never;
        /**
         * Transactions of many addresses, and how complete they are
         * @description `POST /history` with `meta: true` in the body: the same transactions as `data`, and beside them how complete each list is, as `meta`. The path is `/history`: a fragment is not sent, and here it tells the two forms apart, each of which has one answer. All that is said of the other form holds.
         */
        readonly post: operations["history.transactionsWithMeta"];
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/history/stream": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        /**
         * Transactions of many addresses as events
         * @description The streamed form of `POST /history` for the EventSource of browsers, always `text/event-stream`. The event `history` has a record as the whole answer, with one network in it; and beside it, where histories are not available, `failures`: [{network, address, message, errorCode}]. The last event is `end` with {"done": true, "failures": n}: close the EventSource then, a stream that ends without it was cut off. Every event has an id, but a stream is not resumed: a reconnection reads everything anew, except after `end`, where the answer is 204. An EventSource cannot send `x-api-key`: where keys are needed, use `POST /history` with `fetch`.
         */
        readonly get: operations["history.stream"];
        readonly put?: never;
        readonly post?: never;
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/history/export": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        /**
         * Whole histories as a file
         * @description All transactions of every address, back to the first where a source has them, sent page by page as they are read: as slowly as the client takes them, one address after the other, for EXPORT_DEADLINE_MS at most. `format=csv` (RFC 4180) has a record for each party of a transaction, with exact amounts; the fee of a transaction, whoever paid it, is on its first record alone. What a spreadsheet would take for a formula begins with an apostrophe. Where something is missing, the last record of the address has the type `INCOMPLETE` and the reason as its note. `format=ndjson`, also where it is left out, has an entry of `POST /history` on each line, with `network` and `address`; what is missing is a line with `failures`, and the last line is {"done": true, "failures": n}: 0 where the export is complete. Flags are those of a transaction among up to 500 around it. A file without its last line, or a response that is cut off, is incomplete.
         */
        readonly get: operations["history.export"];
        readonly put?: never;
        readonly post?: never;
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/portfolio/chart": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly get?: never;
        readonly put?: never;
        /**
         * Value over time
         * @description What the addresses were worth: what they had then times the prices of then, in another currency at the rates of then. What they had follows from their balances of now and their transactions since, taken back one by one, in base units; it is exact where the histories are complete back to that time. Where they are not, or do not add up to the balances, the points are `approximate`, and `reasons` of the address says why. What moves without a transaction, such as rewards of staking, counts as if it had been there all along. An address of which nothing is known before a time is no part of the points before it; where that holds for all of them, the series begins there. Tokens that are not in the registry are left out, as in the balances.
         */
        readonly post: operations["portfolio.chart"];
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/price": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        /**
         * Prices of all tokens of chains
         * @description Every token of these chains that has a price, the native coin included. The answer has an ETag: a request with `If-None-Match` is answered 304 without a body while nothing has changed. The header `x-partial-failures` names the chains whose prices are still being gathered after a start, as a JSON array of {chain, message}. 502 when another currency than USD is requested and no exchange rate is available.
         */
        readonly get: operations["prices.byChain"];
        readonly put?: never;
        readonly post?: never;
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/price/coin": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        /**
         * Prices of coins
         * @description The current price of each known coin. The answer has an ETag: a request with `If-None-Match` is answered 304 without a body while nothing has changed. 502 when another currency than USD is requested and no exchange rate is available.
         */
        readonly get: operations["prices.byCoin"];
        readonly put?: never;
        readonly post?: never;
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/price/market_chart": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        /**
         * Price, capitalisation and volume over time
         * @description Series of each known coin, over 1, 7, 30 or 365 days; at most 100 coins. A coin whose series is not available is left out, and one with prices alone has empty market_caps and total_volumes: both are named in the header x-partial-failures, a JSON array of {coin, message}. With `currency` every point is in that currency, at the rate of its own time: the provider's, or else the reference rate of the European Central Bank of that day; a currency that neither has of then fails, and is never converted at the rate of today.
         */
        readonly get: operations["prices.marketChart"];
        readonly put?: never;
        readonly post?: never;
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/price/currencies": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        /**
         * Currencies and their rates
         * @description Every currency that `currency` of a route may name, with what a US dollar is worth in it now: the rate that balances and prices are converted with. Rates are those of the market data provider, read once an hour; while it is not available, the reference rates of the European Central Bank of the last working day. The rate of a coin is its current price. A rate that is not available is null with its reason.
         */
        readonly get: operations["prices.currencies"];
        readonly put?: never;
        readonly post?: never;
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/price/coin/details/{platform}": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        /**
         * Details of a platform's native coin
         * @description What the market data provider returns for the native coin of a platform, unchanged; 404 where it has no such platform.
         */
        readonly get: operations["prices.nativeDetails"];
        readonly put?: never;
        readonly post?: never;
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/price/coin/details/{platform}/{contract}": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        /**
         * Details of a token
         * @description What the market data provider returns for a token, unchanged; 404 where it does not have it. The case of EVM addresses does not matter.
         */
        readonly get: operations["prices.tokenDetails"];
        readonly put?: never;
        readonly post?: never;
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/utils/rpc/{network}": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly get?: never;
        readonly put?: never;
        /**
         * JSON-RPC proxy
         * @description Passes JSON-RPC to the nodes of a network: a call, or a batch of up to 1,000. Networks: Ethereum, Optimism, Bsc, Polygon, Base, Arbitrum, Avalanche, Linea, Solana, Sui and Ton. Ids, parameters, results and the node's own errors (status 200) are passed on as they are written. Ton speaks TON Center's API v2.
         *
         *     Methods are refused that begin with account_, admin_, anvil_, arbdebug_, clique_, debug_, dev_, eea_, engine_, evm_, ganache_, hardhat_, ibft_, istanbul_, les_, miner_, parity_, perm_, personal_, plugins_, priv_, qbft_, raft_, signer_, tenderly_, txpool_, in any case, and names with other characters than letters, digits and `_`: -32601 with 403. Errors of the service itself are JSON-RPC errors too: -32600 with 400, -32000 with 502 where no node answered, 504 where none did in time and 501 where the operator has switched the nodes off; a body that is not JSON is a problem document (400) which is the error -32700 as well. A batch has the best status of its calls, so one that failed fails no other; a call without an id is sent and has no response (204).
         *
         *     Reads go to a node that works and is fast, and to the next where it fails; a read that takes longer than 90 % of the reads of its method (and than 100 ms) is sent to the next node as well, and the first good response counts. Equal reads in flight share one call. Results of the newest block are cached until the next block is due, final results as long as there is space; raw transactions and unknown methods are sent once, and completed even if the client disconnects. A transaction that the node already has counts as sent. `eth_blockNumber` never decreases, unless all nodes return less for ten minutes. Filters stay at the node that created them.
         *
         *     Sui: the operator's own nodes, or else a translation to GraphQL, which has sui_dryRunTransactionBlock, sui_executeTransactionBlock, sui_getChainIdentifier, sui_getCheckpoint, sui_getLatestCheckpointSequenceNumber, sui_getObject, sui_getTotalTransactionBlocks, sui_getTransactionBlock, sui_multiGetObjects, sui_multiGetTransactionBlocks, suix_getAllBalances, suix_getAllCoins, suix_getBalance, suix_getCoinMetadata, suix_getCoins, suix_getLatestSuiSystemState, suix_getOwnedObjects, suix_getReferenceGasPrice, suix_getTotalSupply, suix_queryTransactionBlocks, suix_resolveNameServiceAddress, suix_resolveNameServiceNames; other methods are -32601.
         */
        readonly post: operations["nodes.rpc"];
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/utils/rpc/{network}/testnet": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly get?: never;
        readonly put?: never;
        /**
         * JSON-RPC proxy to test networks
         * @description As the proxy of the main network, to the nodes of the test network. Networks: Optimism, Bsc, Polygon, Base, Arbitrum, Avalanche, Linea, Solana and Ton.
         */
        readonly post: operations["nodes.testnetRpc"];
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/utils/protocol-parameters": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        /**
         * Cardano protocol parameters
         * @description The parameters in force and the newest block in Blockfrost's formats (`/epochs/latest/parameters`, `/blocks/latest`): Blockfrost's own answers where there is a project id, else derived from those of Koios. Members that Koios does not return are null; a language with more costs than names is in `cost_models_raw` alone.
         */
        readonly get: operations["nodes.protocolParameters"];
        readonly put?: never;
        readonly post?: never;
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/utils/sendrawtransaction": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly get?: never;
        readonly put?: never;
        /**
         * Send a raw transaction
         * @description Chains: bitcoin, bch, litecoin, dogecoin, cardano, tron, ripple, polkadot; `chain` and `tx` in the query or in a JSON body (400,000 characters work in either). The transaction is checked first (400 with the reason): for the Bitcoin family byte by byte, for cardano as CBOR, for tron, ripple, polkadot (additions of ours) in the network's binary format. Then it is sent to one upstream at a time: to the operator's own node where there is one, else to a Blockbook, else to an Esplora; for cardano to Blockfrost where the operator has a project id, else to Koios; for tron, ripple, polkadot to a node. It is sent to the next only where it certainly did not arrive. A transaction that is already known counts as sent; for cardano that is one whose inputs are all spent. Success of the Bitcoin family always has the form of bitcoind, that of the others is the node's: `engine_result` of ripple (tes, tec, which is taken for its fee alone, ter and tefALREADY are 200), `txid` of tron, and the hash as `result` of polkadot; refusals (400) are those of the node, unchanged. After a 502 or 504 with that message the transaction may have arrived: look it up by its hash before it is sent again. It is sent even if the client disconnects.
         */
        readonly post: operations["transactions.sendRawTransaction"];
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/utils/getrawtransaction": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly get?: never;
        readonly put?: never;
        /**
         * Look up a raw transaction
         * @description Chains: bitcoin, bch, litecoin, dogecoin, cardano, ton, tron, ripple, polkadot; `chain` and the hash as `tx`, in the query or in a JSON body. For ton the hash is hex or base64. For the Bitcoin family the result is the transaction in hex, as of `getrawtransaction` of bitcoind; for the others the provider's own answer. tron, ripple, polkadot are additions of ours; polkadot is looked up at an indexer that needs a key of the operator, and is 501 without it. 404 with the response of an upstream where none has the transaction.
         */
        readonly post: operations["transactions.getRawTransaction"];
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/utils/first-tx": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly get?: never;
        readonly put?: never;
        /**
         * When an address was first used
         * @description The time of the oldest transaction that names the address on each network: a transaction that it sent or received, a call of a contract that paid or created it, a transfer of tokens from or to it (of more than zero; of NFTs too where Etherscan or Blockscout lists them), or its coins in the first block. Final results are stored for ever. Networks that are not supported are skipped, those where it was never used are left out. Networks without a result are left out too and named in the header `x-partial-failures`: a JSON array of {network, address, message}; a network with a time that is named there may have an earlier transaction. 502 where no network has a result.
         */
        readonly post: operations["transactions.firstTransaction"];
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/utils/transaction-context": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly get?: never;
        readonly put?: never;
        /**
         * What transactions of addresses are built from
         * @description What a wallet needs to build a transaction and sign it itself, for every address of the request: no key and no transaction is sent here. `family` says which members there are: `evm` nonces and chain id; `utxo` unspent outputs with their scripts, also of an extended public key; `cardano` outputs with assets, the slot and the fee parameters; `ripple` sequence, ledger and reserves; `ton` seqno, state and kind of wallet; `solana` a recent block hash, rent and token accounts; `sui` gas coins, epoch and reference gas price; `tron` the reference block and resources; `polkadot` nonce, era and the versions of the runtime. Amounts are base units as texts of digits. Lists have at most 500 entries, the largest first, with `truncated`. An address whose context could not be read has `context: null` with `error` and `errorCode`, and never fails the others. Nothing is cached: what was read is of this moment, and signed transactions of it are to be sent soon.
         */
        readonly post: operations["transactions.context"];
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/utils/fees/{network}": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        /**
         * What a transaction costs
         * @description Slow, standard and fast, each with the fields that go into a transaction of that network, the seconds after which it is to be in a block, and what a plain transfer costs (base units, decimal, US dollars). `family` decides the members; the names of fields end with their unit. EVM: the 10th, 50th and 90th percentile of the priority fees of the newest 20 blocks, and a maximum with room for one, three and six full blocks; the fee for data of an OP-stack network is told apart in `basis.l1Fee`; a gas price alone where the network is without EIP-1559. Bitcoin family: estimates for 24, 6 and 2 blocks of the operator's node, an Esplora, a Blockbook or BlockCypher. Solana: the base fee of a message, and the 25th, 50th and 90th percentile of recent priority fees. Sui, Cardano, Tron, TON and Polkadot have one price for everybody. A number that could not be read is null, with `error` and `errorCode` beside it; it is never estimated here. Read at most once for each block, and at least once a minute; 404 for a network without fees.
         */
        readonly get: operations["fees.fees"];
        readonly put?: never;
        readonly post?: never;
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/utils/simulate-tx": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly get?: never;
        readonly put?: never;
        /**
         * Simulate a transaction
         * @description Runs the transaction at the simulation provider (Tenderly), saves it there and makes the result public. **It stays public for ever**: a simulation cannot be deleted, and the link shows sender, target, call data and everything that the transaction would do. A transaction that fails is a result like any other. What the provider refuses (a future block, a sender without the coins) is 400 with its message. Sent once: a simulation that may have been made is not made again. If it cannot be shared, the result is returned all the same, with a null simulationUrl and the reason in simulationUrlError.
         */
        readonly post: operations["simulation.simulate"];
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/utils/fund-testnet-account/{address}": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        /**
         * Fund a test network account
         * @description Gives an address coins of the operator's own EVM test network: by a transfer, or, where the operator has set no key, by the node that sets balances (the hash is null then). It answers once the node has accepted it, and does not wait for a block. Each address once in a time that the operator sets, else 429 with Retry-After; an address that is being funded at this moment is 429 too. After a 502 or 504 that says so the coins may have arrived all the same, and the address counts as funded. As this GET has a side effect, HEAD is 405.
         */
        readonly get: operations["faucet.fundTestnetAccount"];
        readonly put?: never;
        readonly post?: never;
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/app/mdata": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        /**
         * Which series are cached
         * @description The length of every series and the time of the last refresh.
         */
        readonly get: operations["charts.metadata"];
        readonly put?: never;
        readonly post?: never;
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/app/mdata/restart": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        /**
         * Does nothing
         * @deprecated
         * @description Kept for compatibility.
         */
        readonly get: operations["charts.restart"];
        readonly put?: never;
        readonly post?: never;
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/app/mdata/errors": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        /**
         * Always an empty array
         * @deprecated
         * @description Kept for compatibility.
         */
        readonly get: operations["charts.errors"];
        readonly put?: never;
        readonly post?: never;
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/app/mdata/data": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        /**
         * All series
         * @description The series of every coin and period. Waits for a series that is not loaded yet, within the time of a request.
         */
        readonly get: operations["charts.data"];
        readonly put?: never;
        readonly post?: never;
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/app/mdata/item/{coin}/{period}": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        /**
         * One series
         * @description The series of one coin over one period.
         */
        readonly get: operations["charts.item"];
        readonly put?: never;
        readonly post?: never;
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/app/mdata/list/{coins}/{period}": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        /**
         * Series of several coins
         * @description The series of several coins over one period; the comma may be percent-encoded.
         */
        readonly get: operations["charts.list"];
        readonly put?: never;
        readonly post?: never;
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/address/{text}": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        /**
         * Networks that an address fits
         * @description Every network whose address form the text fits, checksums checked, with the canonical form. No upstream is asked, so it says nothing about whether the address was ever used. A text that fits none is 200 with an empty list.
         */
        readonly get: operations["addresses.lookUp"];
        readonly put?: never;
        readonly post?: never;
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/health/live": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        /**
         * Is it alive
         * @description 200 while the process runs. Needs no API key.
         */
        readonly get: operations["status.live"];
        readonly put?: never;
        readonly post?: never;
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/health/ready": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        /**
         * Can it serve
         * @description 200 once it can serve, 503 before that and while it shuts down. Needs no API key.
         */
        readonly get: operations["status.ready"];
        readonly put?: never;
        readonly post?: never;
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/metrics": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        /**
         * Metrics
         * @description Counters, gauges and histograms in Prometheus text format; `upstream_circuits` has the number of working addresses of each upstream. An API key may also be sent as `Authorization: Bearer`; the rate limit does not count this route. With METRICS_PORT it is on that port instead, and here is 404.
         */
        readonly get: operations["status.metrics"];
        readonly put?: never;
        readonly post?: never;
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/networks": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        /**
         * Networks and what works on them
         * @description For each network and ability the upstreams in the order of their use, their state and the circuit breaker of each of their addresses, or why it is not available. `rpc` lists the nodes of the test network too.
         */
        readonly get: operations["status.networks"];
        readonly put?: never;
        readonly post?: never;
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
}
export type webhooks = Record<string, never>;
export interface components {
    schemas: {
        /** @description The addresses to look up. */
        readonly BalancesRequest: {
            /** @description Addresses by network id. Ids and aliases are accepted in any case; ids that are not supported are skipped. */
            readonly networks: {
                readonly [key: string]: readonly string[];
            };
            /**
             * @description The currency of the numbers, in any case: usd, aed, ars, aud, bam, bdt, bhd, bmd, brl, cad, chf, clp, cny, cop, crc, czk, dkk, dop, eur, gbp, gel, gtq, hkd, hnl, huf, idr, ils, inr, jpy, kes, krw, kwd, lbp, lkr, mmk, mxn, myr, ngn, nok, nzd, pen, php, pkr, pln, ron, rub, sar, sek, sgd, svc, thb, try, twd, uah, vef, vnd, xdr, zar, zmw, xau, xag, btc, eth. Without it US dollars.
             * @example usd
             */
            readonly currency?: string;
            /**
             * @description Whether native coins have their whole `breakdown`, also where that needs further calls to upstreams.
             * @example true
             */
            readonly detail?: boolean;
        };
        /** @description What one address holds of one coin or token. */
        readonly Balance: {
            /**
             * @description The coin's id at the market data provider.
             * @example ethereum
             */
            readonly coinId: string;
            /**
             * @description Id of the network of the balance.
             * @example ethereum
             */
            readonly blockchain: string;
            /**
             * @description Name of the coin or token.
             * @example Ethereum
             */
            readonly tokenName: string;
            /**
             * @description Symbol of the coin or token.
             * @example ETH
             */
            readonly tokenSymbol: string;
            /**
             * @description How many decimals the coin or token has.
             * @example 18
             */
            readonly tokenDecimals: number;
            /** @description The token's contract; null for native coins. */
            readonly contractAddress: string | null;
            /**
             * @description The address that holds it, as the request gave it.
             * @example 0x00000000219ab540356cBB839Cbe05303d7705Fa
             */
            readonly holderAddress: string;
            /**
             * @description NATIVE for the network's own coin, TOKEN for everything else.
             * @example NATIVE
             * @enum {string}
             */
            readonly tokenType: "NATIVE" | "TOKEN";
            /**
             * @description Address of an icon; empty when there is none.
             * @example https://assets.example/ethereum.png
             */
            readonly thumbnail: string;
            /**
             * @description Exact decimal, formatted with the decimals: half a coin is 0.5. Null when it is not available.
             * @example 0.5
             */
            readonly balance: string | null;
            /**
             * @description USD value, an exact decimal. Null without balance or price.
             * @example 1612.5
             */
            readonly balanceUsd: string | null;
            /**
             * @description USD price of one, a plain decimal. Null when no source has a current one.
             * @example 3225
             */
            readonly tokenPrice: string | null;
            /**
             * @description When the price was last updated, UNIX time in milliseconds
             * @example 1793450000000
             */
            readonly updatedAt?: number;
            /**
             * @description Change of the price over 24 hours, in USD.
             * @example -42.1
             */
            readonly priceChange24h?: number;
            /**
             * @description The same in percent.
             * @example -1.29
             */
            readonly priceChangePercent24h?: number;
            /**
             * @description The currency of `price` and `value`, as a code in lower case.
             * @example eur
             */
            readonly currency?: string;
            /**
             * @description Price of one in that currency: that in USD at the rate of GET /price/currencies, to 12 significant digits. Null without price or rate.
             * @example 2777.0475
             */
            readonly price?: string | null;
            /**
             * @description The exact product of balance and `price`. Null without one of them.
             * @example 1388.52375
             */
            readonly value?: string | null;
            /**
             * @description The subchain of a Polkadot balance: polkadot.
             * @example polkadot
             */
            readonly subchain?: string;
            readonly breakdown?: components["schemas"]["Breakdown"];
            /**
             * @description Why a number is null, for people; in a NATIVE row also how many tokens have no row.
             * @example timed out
             */
            readonly error?: string;
            /**
             * @description Why a number is null, for programs. invalid_address: not an address of that network; timeout: there was no response within the time limit; rate_limited: the upstream accepts no more calls for now; upstream_error: it could not be reached or returned an error; bad_answer: it returned an unusable response; sunset: the network was shut down; not_configured: the operator must set something; no_price: no source has a current price.
             * @example timeout
             * @enum {string}
             */
            readonly errorCode?: "invalid_address" | "timeout" | "rate_limited" | "upstream_error" | "bad_answer" | "sunset" | "not_configured" | "no_price";
            readonly lastKnown?: components["schemas"]["LastKnown"];
        };
        /** @description What of a native balance can be spent, and what cannot. */
        readonly Breakdown: {
            /**
             * @description What can be sent now, fees included. Null when it could not be read.
             * @example 0.4
             */
            readonly spendable?: string | null;
            /**
             * @description What the network keeps in the account for as long as it exists, or until something is released. Null when it could not be read.
             * @example 0.1
             */
            readonly reserved?: string | null;
            /**
             * @description What is staked, and what is being unstaked. Null when it could not be read.
             * @example 12.5
             */
            readonly staked?: string | null;
            /**
             * @description Rewards of staking that have not been withdrawn. Null when it could not be read.
             * @example 0.25
             */
            readonly rewards?: string | null;
            /**
             * @description What waits in the pool to be received. Null when it could not be read.
             * @example 0
             */
            readonly unconfirmed?: string | null;
            /**
             * @description Rewards of mining that are too young to be spent. Null when it could not be read.
             * @example 0
             */
            readonly immature?: string | null;
            /**
             * @description Why a part is null, for people.
             * @example solana-rpc: timed out
             */
            readonly error?: string;
            /**
             * @description Why a number is null, for programs. invalid_address: not an address of that network; timeout: there was no response within the time limit; rate_limited: the upstream accepts no more calls for now; upstream_error: it could not be reached or returned an error; bad_answer: it returned an unusable response; sunset: the network was shut down; not_configured: the operator must set something; no_price: no source has a current price.
             * @example timeout
             * @enum {string}
             */
            readonly errorCode?: "invalid_address" | "timeout" | "rate_limited" | "upstream_error" | "bad_answer" | "sunset" | "not_configured" | "no_price";
        };
        /** @description The newest value that could be had earlier, to be shown as old. */
        readonly LastKnown: {
            /**
             * @description The balance at that time, formatted with the token's decimals.
             * @example 0.5
             */
            readonly balance: string;
            /**
             * @description Its USD value at that time; null when there was no price.
             * @example 1612.5
             */
            readonly balanceUsd: string | null;
            /**
             * @description When that was, UNIX time in milliseconds
             * @example 1793450000000
             */
            readonly at: number;
        };
        /** @description The request is not what this route expects; issues names every value that was refused. */
        readonly InvalidRequestProblem: {
            /**
             * @description What kind of problem it is; stable, to be compared by programs.
             * @example urn:problem-type:invalid-request
             * @enum {string}
             */
            readonly type: "urn:problem-type:invalid-request";
            /**
             * @description The same in words.
             * @example Invalid request
             */
            readonly title: string;
            /**
             * @description The HTTP status of the answer.
             * @example 400
             * @enum {number}
             */
            readonly status: 400;
            /**
             * @description What happened to this request.
             * @example The request is not what this route expects; issues names every value that was refused.
             */
            readonly detail: string;
            /**
             * @description The id of the request, as in the header x-request-id.
             * @example 9b0a5c1e-63f0-4b7e-9d3c-0b6f0c9a7f11
             */
            readonly requestId: string;
            /** @description The values that were refused, each with its place and the reason. */
            readonly issues?: readonly components["schemas"]["Issue"][];
        };
        /** @description What is wrong with one value of a request. */
        readonly Issue: {
            /**
             * @description The path of the value; empty for the whole body.
             * @example networks.bitcoin.0
             */
            readonly path: string;
            /**
             * @description Why it was refused.
             * @example must be a string; it is 5
             */
            readonly message: string;
        };
        /** @description The service requires a key in the header x-api-key and the request has none. */
        readonly UnauthorizedProblem: {
            /**
             * @description What kind of problem it is; stable, to be compared by programs.
             * @example urn:problem-type:unauthorized
             * @enum {string}
             */
            readonly type: "urn:problem-type:unauthorized";
            /**
             * @description The same in words.
             * @example API key needed
             */
            readonly title: string;
            /**
             * @description The HTTP status of the answer.
             * @example 401
             * @enum {number}
             */
            readonly status: 401;
            /**
             * @description What happened to this request.
             * @example The service requires a key in the header x-api-key and the request has none.
             */
            readonly detail: string;
            /**
             * @description The id of the request, as in the header x-request-id.
             * @example 9b0a5c1e-63f0-4b7e-9d3c-0b6f0c9a7f11
             */
            readonly requestId: string;
            /** @description The values that were refused, each with its place and the reason. */
            readonly issues?: readonly components["schemas"]["Issue"][];
        };
        /** @description The key in the header x-api-key is not one of the accepted ones. */
        readonly ForbiddenProblem: {
            /**
             * @description What kind of problem it is; stable, to be compared by programs.
             * @example urn:problem-type:forbidden
             * @enum {string}
             */
            readonly type: "urn:problem-type:forbidden";
            /**
             * @description The same in words.
             * @example API key refused
             */
            readonly title: string;
            /**
             * @description The HTTP status of the answer.
             * @example 403
             * @enum {number}
             */
            readonly status: 403;
            /**
             * @description What happened to this request.
             * @example The key in the header x-api-key is not one of the accepted ones.
             */
            readonly detail: string;
            /**
             * @description The id of the request, as in the header x-request-id.
             * @example 9b0a5c1e-63f0-4b7e-9d3c-0b6f0c9a7f11
             */
            readonly requestId: string;
            /** @description The values that were refused, each with its place and the reason. */
            readonly issues?: readonly components["schemas"]["Issue"][];
        };
        /** @description The limit is used up; the header Retry-After says in how many seconds to come back. */
        readonly TooManyRequestsProblem: {
            /**
             * @description What kind of problem it is; stable, to be compared by programs.
             * @example urn:problem-type:too-many-requests
             * @enum {string}
             */
            readonly type: "urn:problem-type:too-many-requests";
            /**
             * @description The same in words.
             * @example Too many requests
             */
            readonly title: string;
            /**
             * @description The HTTP status of the answer.
             * @example 429
             * @enum {number}
             */
            readonly status: 429;
            /**
             * @description What happened to this request.
             * @example The limit is used up; the header Retry-After says in how many seconds to come back.
             */
            readonly detail: string;
            /**
             * @description The id of the request, as in the header x-request-id.
             * @example 9b0a5c1e-63f0-4b7e-9d3c-0b6f0c9a7f11
             */
            readonly requestId: string;
            /** @description The values that were refused, each with its place and the reason. */
            readonly issues?: readonly components["schemas"]["Issue"][];
        };
        /** @description A fault of the service. */
        readonly InternalProblem: {
            /**
             * @description What kind of problem it is; stable, to be compared by programs.
             * @example urn:problem-type:internal
             * @enum {string}
             */
            readonly type: "urn:problem-type:internal";
            /**
             * @description The same in words.
             * @example Internal error
             */
            readonly title: string;
            /**
             * @description The HTTP status of the answer.
             * @example 500
             * @enum {number}
             */
            readonly status: 500;
            /**
             * @description What happened to this request.
             * @example A fault of the service.
             */
            readonly detail: string;
            /**
             * @description The id of the request, as in the header x-request-id.
             * @example 9b0a5c1e-63f0-4b7e-9d3c-0b6f0c9a7f11
             */
            readonly requestId: string;
            /** @description The values that were refused, each with its place and the reason. */
            readonly issues?: readonly components["schemas"]["Issue"][];
        };
        /** @description This instance takes no request now: it shuts down, or has too many under way. */
        readonly UnavailableProblem: {
            /**
             * @description What kind of problem it is; stable, to be compared by programs.
             * @example urn:problem-type:shutting-down
             * @enum {string}
             */
            readonly type: "urn:problem-type:shutting-down" | "urn:problem-type:overloaded";
            /**
             * @description The same in words.
             * @example Overloaded
             */
            readonly title: string;
            /**
             * @description The HTTP status of the answer.
             * @example 503
             * @enum {number}
             */
            readonly status: 503;
            /**
             * @description What happened to this request.
             * @example This instance takes no request now: it shuts down, or has too many under way.
             */
            readonly detail: string;
            /**
             * @description The id of the request, as in the header x-request-id.
             * @example 9b0a5c1e-63f0-4b7e-9d3c-0b6f0c9a7f11
             */
            readonly requestId: string;
            /** @description The values that were refused, each with its place and the reason. */
            readonly issues?: readonly components["schemas"]["Issue"][];
        };
        /** @description The answer was not ready within REQUEST_DEADLINE_MS. */
        readonly DeadlineExceededProblem: {
            /**
             * @description What kind of problem it is; stable, to be compared by programs.
             * @example urn:problem-type:deadline-exceeded
             * @enum {string}
             */
            readonly type: "urn:problem-type:deadline-exceeded";
            /**
             * @description The same in words.
             * @example Deadline exceeded
             */
            readonly title: string;
            /**
             * @description The HTTP status of the answer.
             * @example 504
             * @enum {number}
             */
            readonly status: 504;
            /**
             * @description What happened to this request.
             * @example The answer was not ready within REQUEST_DEADLINE_MS.
             */
            readonly detail: string;
            /**
             * @description The id of the request, as in the header x-request-id.
             * @example 9b0a5c1e-63f0-4b7e-9d3c-0b6f0c9a7f11
             */
            readonly requestId: string;
            /** @description The values that were refused, each with its place and the reason. */
            readonly issues?: readonly components["schemas"]["Issue"][];
        };
        /** @description The body is larger than MAX_BODY_BYTES, names more addresses than MAX_ADDRESSES, or has many more values than that. */
        readonly TooLargeProblem: {
            /**
             * @description What kind of problem it is; stable, to be compared by programs.
             * @example urn:problem-type:too-large
             * @enum {string}
             */
            readonly type: "urn:problem-type:too-large";
            /**
             * @description The same in words.
             * @example Request too large
             */
            readonly title: string;
            /**
             * @description The HTTP status of the answer.
             * @example 413
             * @enum {number}
             */
            readonly status: 413;
            /**
             * @description What happened to this request.
             * @example The body is larger than MAX_BODY_BYTES, names more addresses than MAX_ADDRESSES, or has many more values than that.
             */
            readonly detail: string;
            /**
             * @description The id of the request, as in the header x-request-id.
             * @example 9b0a5c1e-63f0-4b7e-9d3c-0b6f0c9a7f11
             */
            readonly requestId: string;
            /** @description The values that were refused, each with its place and the reason. */
            readonly issues?: readonly components["schemas"]["Issue"][];
        };
        /** @description Bodies are JSON: content-type application/json. */
        readonly UnsupportedMediaTypeProblem: {
            /**
             * @description What kind of problem it is; stable, to be compared by programs.
             * @example urn:problem-type:unsupported-media-type
             * @enum {string}
             */
            readonly type: "urn:problem-type:unsupported-media-type";
            /**
             * @description The same in words.
             * @example Unsupported media type
             */
            readonly title: string;
            /**
             * @description The HTTP status of the answer.
             * @example 415
             * @enum {number}
             */
            readonly status: 415;
            /**
             * @description What happened to this request.
             * @example Bodies are JSON: content-type application/json.
             */
            readonly detail: string;
            /**
             * @description The id of the request, as in the header x-request-id.
             * @example 9b0a5c1e-63f0-4b7e-9d3c-0b6f0c9a7f11
             */
            readonly requestId: string;
            /** @description The values that were refused, each with its place and the reason. */
            readonly issues?: readonly components["schemas"]["Issue"][];
        };
        /** @description One address and one coin or token. */
        readonly TokenBalanceRequest: {
            /**
             * @description Id or alias of the network.
             * @example ethereum
             */
            readonly networkId: string;
            /**
             * @description The holder's address.
             * @example 0x00000000219ab540356cBB839Cbe05303d7705Fa
             */
            readonly address: string;
            /**
             * @description Contract of the token, as its network writes it. Without it, or null, the native coin is meant; so is the zero address on EVM networks and tron, and 0x2::sui::SUI on sui. An empty text is refused with 400.
             * @example 0xdAC17F958D2ee523a2206206994597C13D831ec7
             */
            readonly tokenAddress?: string | null;
            /**
             * @description The currency of the numbers, in any case: usd, aed, ars, aud, bam, bdt, bhd, bmd, brl, cad, chf, clp, cny, cop, crc, czk, dkk, dop, eur, gbp, gel, gtq, hkd, hnl, huf, idr, ils, inr, jpy, kes, krw, kwd, lbp, lkr, mmk, mxn, myr, ngn, nok, nzd, pen, php, pkr, pln, ron, rub, sar, sek, sgd, svc, thb, try, twd, uah, vef, vnd, xdr, zar, zmw, xau, xag, btc, eth. Without it US dollars.
             * @example usd
             */
            readonly currency?: string;
            /**
             * @description Whether native coins have their whole `breakdown`, also where that needs further calls to upstreams.
             * @example true
             */
            readonly detail?: boolean;
        };
        /** @description What one address holds of one coin or token, and its worth. */
        readonly TokenBalance: {
            /**
             * @description Exact decimal, formatted with the decimals. Null when it is not available.
             * @example 0.5
             */
            readonly balance: string | null;
            /**
             * @description USD value, an exact decimal. Null without balance or price.
             * @example 1612.5
             */
            readonly balanceUsd: string | null;
            /**
             * @description USD price of one, or in the requested `currency`. Null when no source has a current one.
             * @example 3225
             */
            readonly price: string | null;
            /**
             * @description USD price of one, where the request names a currency.
             * @example 3225
             */
            readonly priceUsd?: string | null;
            /**
             * @description The currency of `price` and `value`, as a code in lower case.
             * @example eur
             */
            readonly currency?: string;
            /**
             * @description The exact product of balance and `price`. Null without one of them.
             * @example 1388.52375
             */
            readonly value?: string | null;
            readonly breakdown?: components["schemas"]["Breakdown"];
            /**
             * @description Why the balance is null, for people.
             * @example timed out
             */
            readonly error?: string;
            /**
             * @description Why a number is null, for programs. invalid_address: not an address of that network; timeout: there was no response within the time limit; rate_limited: the upstream accepts no more calls for now; upstream_error: it could not be reached or returned an error; bad_answer: it returned an unusable response; sunset: the network was shut down; not_configured: the operator must set something; no_price: no source has a current price.
             * @example timeout
             * @enum {string}
             */
            readonly errorCode?: "invalid_address" | "timeout" | "rate_limited" | "upstream_error" | "bad_answer" | "sunset" | "not_configured" | "no_price";
            readonly lastKnown?: components["schemas"]["LastKnown"];
        };
        /** @description The addresses to look up, and how far back. */
        readonly HistoryRequest: {
            /** @description Addresses by network id. Ids and aliases are accepted in any case; ids that are not supported are skipped. */
            readonly networks: {
                readonly [key: string]: readonly string[];
            };
            /**
             * @description How many transactions of each address, 1 to 500; 50 when it is left out.
             * @example 50
             */
            readonly limit?: number;
            /**
             * @description Whether to wrap the answer and say how complete it is.
             * @example false
             * @enum {boolean}
             */
            readonly meta?: false;
            /** @description Where to go on, by network and address as `networks` has them: `next` in the meta of the answer before. Addresses without one begin with the newest transactions. Pages neither overlap nor leave anything out, whatever arrives meanwhile; `limit` may differ from page to page. */
            readonly cursors?: {
                readonly [key: string]: {
                    readonly [key: string]: string;
                };
            };
        };
        /** @description The answer to a request with meta: true. */
        readonly HistoryWithMeta: {
            /** @description Transactions by network and address, the newest first. The keys are those of the request. */
            readonly data: {
                readonly [key: string]: {
                    readonly [key: string]: readonly components["schemas"]["HistoryEntry"][];
                };
            };
            /** @description How complete each list is, by network and address. */
            readonly meta: {
                readonly [key: string]: {
                    readonly [key: string]: components["schemas"]["HistoryMeta"];
                };
            };
        };
        /** @description One transaction of an address. */
        readonly HistoryEntry: {
            /**
             * @description Hash of the transaction.
             * @example 0x5c504ed432cb51138bcf09aa5e8a410dd4a1e204ef84bfed1be16dfba1b22060
             */
            readonly hash: string;
            /**
             * @description The transaction's page at a block explorer.
             * @example https://explorer.example/tx/0x5c504ed4
             */
            readonly explorer: string;
            /**
             * @description Contract Call, Receive, Send, Cancel, or the network's own name for the type.
             * @example Send
             */
            readonly type: string;
            /**
             * @description Fee in base units, with what the data costs on another chain; null when it is not certain.
             * @example 441000000000000
             */
            readonly fee: string | null;
            /**
             * @description How it ended.
             * @example Success
             * @enum {string}
             */
            readonly status: "Failed" | "Success" | "Pending" | "Unknown";
            /**
             * @description When it was executed, UNIX time in seconds.
             * @example 1793450000
             */
            readonly timestamp: number;
            /** @description Everyone from whom something is taken. */
            readonly from: readonly components["schemas"]["Party"][];
            /** @description Everyone to whom something goes. */
            readonly to: readonly components["schemas"]["Party"][];
            /** @description Signs of address poisoning. zero-value: moves nothing; lookalike: a party resembles one that the holder deals with; unknown-token: the token is not in the registry. */
            readonly flags?: readonly ("zero-value" | "lookalike" | "unknown-token")[];
        };
        /** @description One side of a transfer. */
        readonly Party: {
            /**
             * @description The address that spends or receives.
             * @example 0x00000000219ab540356cBB839Cbe05303d7705Fa
             */
            readonly address: string;
            /**
             * @description Base units, not formatted, and without the fee. Where several pay one transaction (Bitcoin family, Cardano), the amount of each is what it gave less its change and less its share of the fee: in proportion to what it gave, the remainder to the largest, and never more than it has left. A payer of nothing but fee is listed with 0. In the Bitcoin family `from` and `to` sum to the same.
             * @example 1500000000000000000
             */
            readonly amount: string;
            /**
             * @description Absent: the native coin. A text: the address of a token that is not in the registry, or the word Unknown.
             * @example Unknown
             */
            readonly currency?: components["schemas"]["Currency"] | string;
        };
        /** @description A token of the registry. */
        readonly Currency: {
            /**
             * @description Address of an icon; empty when there is none.
             * @example https://assets.example/tether.png
             */
            readonly img: string;
            /**
             * @description The coin's id at the market data provider.
             * @example tether
             */
            readonly coinId: string;
            /**
             * @description Contract of the token.
             * @example 0xdac17f958d2ee523a2206206994597c13d831ec7
             */
            readonly address: string;
            /**
             * @description How many decimals the token has.
             * @example 6
             */
            readonly decimals: number;
            /**
             * @description USD price; null when no source has a current one.
             * @example 1
             */
            readonly price: number | null;
            /**
             * @description Symbol of the token, in lower case.
             * @example usdt
             */
            readonly symbol: string;
        };
        /** @description How complete the list of one address is. */
        readonly HistoryMeta: {
            /**
             * @description Whether nothing is missing back to oldest. Where a source returns a count, it has returned that number.
             * @example true
             */
            readonly complete: boolean;
            /**
             * @description UNIX time in seconds of the oldest entry; null for an empty list.
             * @example 1700000000
             */
            readonly oldest: number | null;
            /**
             * @description The cursor of the page with older transactions, for `cursors` of the next request; null at the end of what can be read: where `complete` is false, `missing` says what is not. It stays valid; where the page itself could not be read, it is its own cursor again.
             * @example 1XJ0YvYc2d0ZK0hVx1Ht7ImgiOjIwMDAwMDAwLCJsIjoiMHg1YyJ9
             */
            readonly next: string | null;
            /** @description The upstreams that returned it. */
            readonly sources: readonly string[];
            /** @description What is known to be missing, for people; also what no source lists, such as withdrawals of validators. */
            readonly missing: readonly string[];
        };
        /** @description No upstream returned a usable response. */
        readonly UpstreamFailedProblem: {
            /**
             * @description What kind of problem it is; stable, to be compared by programs.
             * @example urn:problem-type:upstream-failed
             * @enum {string}
             */
            readonly type: "urn:problem-type:upstream-failed";
            /**
             * @description The same in words.
             * @example No upstream answered
             */
            readonly title: string;
            /**
             * @description The HTTP status of the answer.
             * @example 502
             * @enum {number}
             */
            readonly status: 502;
            /**
             * @description What happened to this request.
             * @example No upstream returned a usable response.
             */
            readonly detail: string;
            /**
             * @description The id of the request, as in the header x-request-id.
             * @example 9b0a5c1e-63f0-4b7e-9d3c-0b6f0c9a7f11
             */
            readonly requestId: string;
            /** @description The values that were refused, each with its place and the reason. */
            readonly issues?: readonly components["schemas"]["Issue"][];
        };
        /** @description The addresses, at most 50, how far back, and the currency of the values. */
        readonly PortfolioChartRequest: {
            /** @description Addresses by network id. Ids and aliases are accepted in any case; ids that are not supported are skipped. */
            readonly networks: {
                readonly [key: string]: readonly string[];
            };
            /**
             * @description How many days back: 1 or 7 (a point each hour), 30 (every six hours) or 365 (each day).
             * @example 30
             * @enum {number}
             */
            readonly days: 1 | 7 | 30 | 365;
            /**
             * @description The currency of the numbers, in any case: usd, aed, ars, aud, bam, bdt, bhd, bmd, brl, cad, chf, clp, cny, cop, crc, czk, dkk, dop, eur, gbp, gel, gtq, hkd, hnl, huf, idr, ils, inr, jpy, kes, krw, kwd, lbp, lkr, mmk, mxn, myr, ngn, nok, nzd, pen, php, pkr, pln, ron, rub, sar, sek, sgd, svc, thb, try, twd, uah, vef, vnd, xdr, zar, zmw, xau, xag, btc, eth. Without it US dollars.
             * @example usd
             */
            readonly currency?: string;
        };
        /** @description What addresses were worth over time. */
        readonly PortfolioChart: {
            /**
             * @description The currency of all values, as the request gave it; usd without one.
             * @example usd
             */
            readonly currency: string;
            /**
             * @description From one point to the next, in milliseconds.
             * @example 21600000
             */
            readonly step: number;
            /** @description The oldest first; the last is of now. They begin where something is known. */
            readonly points: readonly components["schemas"]["PortfolioPoint"][];
            /** @description What the values consist of. */
            readonly assets: readonly components["schemas"]["PortfolioAsset"][];
            /** @description What is known of each address. An address in several spellings counts once, under the first. */
            readonly addresses: readonly components["schemas"]["PortfolioAddress"][];
        };
        /** @description What the addresses were worth at one time. */
        readonly PortfolioPoint: {
            /**
             * @description The time, UNIX time in milliseconds
             * @example 1793450000000
             */
            readonly at: number;
            /**
             * @description What all of it was worth then in `currency`, an exact decimal. Null where nothing is known.
             * @example 4504.75
             */
            readonly value: string | null;
            /**
             * @description Whether something is missing from it: an address, a price, or what no transaction tells.
             * @example true
             */
            readonly approximate?: boolean;
        };
        /** @description One coin or token over all addresses. */
        readonly PortfolioAsset: {
            /**
             * @description Id of the network.
             * @example ethereum
             */
            readonly network: string;
            /**
             * @description The coin's id at the market data provider.
             * @example ethereum
             */
            readonly coinId: string;
            /**
             * @description Symbol of the coin or token.
             * @example ETH
             */
            readonly tokenSymbol: string;
            /** @description The token's contract; null for native coins. */
            readonly contractAddress: string | null;
            /** @description What the addresses had of it together. An exact decimal for each of `points`, or null where it is not known. */
            readonly balances: readonly (string | null)[];
            /** @description What that was worth in `currency`. An exact decimal for each of `points`, or null where it is not known. */
            readonly values: readonly (string | null)[];
            /**
             * @description Why values are null although there is a balance, for people.
             * @example no source has prices of it
             */
            readonly error?: string;
            /**
             * @description Why a number is null, for programs. invalid_address: not an address of that network; timeout: there was no response within the time limit; rate_limited: the upstream accepts no more calls for now; upstream_error: it could not be reached or returned an error; bad_answer: it returned an unusable response; sunset: the network was shut down; not_configured: the operator must set something; no_price: no source has a current price.
             * @example timeout
             * @enum {string}
             */
            readonly errorCode?: "invalid_address" | "timeout" | "rate_limited" | "upstream_error" | "bad_answer" | "sunset" | "not_configured" | "no_price";
        };
        /** @description What is known of the past of one address. */
        readonly PortfolioAddress: {
            /**
             * @description Id of the network.
             * @example ethereum
             */
            readonly network: string;
            /**
             * @description The address, as the request gave it.
             * @example 0x00000000219ab540356cBB839Cbe05303d7705Fa
             */
            readonly address: string;
            /**
             * @description From when on it is known what it had, UNIX time in milliseconds; null where not even its balances of now are.
             * @example 1793450000000
             */
            readonly since: number | null;
            /** @description Why its part is approximate, for people; empty where it is exact since then. */
            readonly reasons: readonly string[];
        };
        /** @description The price of a token on a chain. */
        readonly TokenPrice: {
            /**
             * @description Address of the token; of the native coin the zero address.
             * @example 0xdac17f958d2ee523a2206206994597c13d831ec7
             */
            readonly address: string;
            /**
             * @description The coin's id at the market data provider.
             * @example tether
             */
            readonly id: string;
            /**
             * @description Name of the coin or token.
             * @example Tether
             */
            readonly name: string;
            /**
             * @description Its symbol.
             * @example usdt
             */
            readonly symbol: string;
            /**
             * @description Fully diluted valuation in the same currency; null when it is not known.
             * @example 140000000000
             */
            readonly fdv: number | null;
            /**
             * @description Price in USD, or in the requested currency; null when none is current.
             * @example 1
             */
            readonly price: number | null;
            /**
             * @description The currency of the numbers, where it is not USD.
             * @example eur
             */
            readonly currency?: string;
            /**
             * @description Change over 24 hours in the same currency: that in USD at today's exchange rate. Null when it is not known.
             * @example 0.0004
             */
            readonly priceChange24h: number | null;
            /**
             * @description Change over 24 hours in percent, in USD. Null when it is not known.
             * @example 0.04
             */
            readonly priceChangePercent24h: number | null;
            /**
             * @description Address of an icon; empty when there is none.
             * @example https://assets.example/tether.png
             */
            readonly img: string;
            /**
             * @description The source of the price; empty when there is none.
             * @example coingecko
             */
            readonly source: string;
            /**
             * @description When the price was updated, UNIX time in milliseconds; null when there is none.
             * @example 1793450000000
             */
            readonly updatedAt: number | null;
        };
        /** @description The price of a coin; null, with the reason, where a known coin has no current price. */
        readonly CoinPrice: {
            /**
             * @description Address of the token; of the native coin the zero address.
             * @example 0xdac17f958d2ee523a2206206994597c13d831ec7
             */
            readonly address?: string;
            /**
             * @description The coin's id at the market data provider.
             * @example tether
             */
            readonly id: string;
            /**
             * @description Name of the coin or token.
             * @example Tether
             */
            readonly name: string;
            /**
             * @description Its symbol.
             * @example usdt
             */
            readonly symbol: string;
            /**
             * @description Fully diluted valuation in the same currency; null when it is not known.
             * @example 140000000000
             */
            readonly fdv: number | null;
            /**
             * @description Price in USD, or in the requested currency; null when none is current.
             * @example 1
             */
            readonly price: number | null;
            /**
             * @description The currency of the numbers, where it is not USD.
             * @example eur
             */
            readonly currency?: string;
            /**
             * @description Change over 24 hours in the same currency: that in USD at today's exchange rate. Null when it is not known.
             * @example 0.0004
             */
            readonly priceChange24h: number | null;
            /**
             * @description Change over 24 hours in percent, in USD. Null when it is not known.
             * @example 0.04
             */
            readonly priceChangePercent24h: number | null;
            /**
             * @description Address of an icon; empty when there is none.
             * @example https://assets.example/tether.png
             */
            readonly img: string;
            /**
             * @description The source of the price; empty when there is none.
             * @example coingecko
             */
            readonly source: string;
            /**
             * @description When the price was updated, UNIX time in milliseconds; null when there is none.
             * @example 1793450000000
             */
            readonly updatedAt: number | null;
            /**
             * @description Why the price is null, for people.
             * @example no source has a current price
             */
            readonly error?: string;
            /**
             * @description Why a number is null, for programs. invalid_address: not an address of that network; timeout: there was no response within the time limit; rate_limited: the upstream accepts no more calls for now; upstream_error: it could not be reached or returned an error; bad_answer: it returned an unusable response; sunset: the network was shut down; not_configured: the operator must set something; no_price: no source has a current price.
             * @example timeout
             * @enum {string}
             */
            readonly errorCode?: "invalid_address" | "timeout" | "rate_limited" | "upstream_error" | "bad_answer" | "sunset" | "not_configured" | "no_price";
        };
        /** @description How a coin did over the requested days. */
        readonly MarketChart: {
            /**
             * @description The currency of the numbers, where it is not USD.
             * @example eur
             */
            readonly currency?: string;
            /** @description Pairs of a time (UNIX time in milliseconds) and the price, in USD or the requested currency, at that time. */
            readonly prices: readonly (readonly number[])[];
            /** @description Pairs of a time (UNIX time in milliseconds) and the market capitalisation in the same currency at that time. */
            readonly market_caps: readonly (readonly number[])[];
            /** @description Pairs of a time (UNIX time in milliseconds) and the volume traded in the same currency at that time. */
            readonly total_volumes: readonly (readonly number[])[];
        };
        /** @description A currency, and its rate to the US dollar. */
        readonly CurrencyRate: {
            /**
             * @description The code, as `currency` of other routes and their answers have it.
             * @example eur
             */
            readonly currency: string;
            /**
             * @description Its name in English.
             * @example Euro
             */
            readonly name: string;
            /**
             * @description How amounts of it are marked; the code where it has no sign.
             * @example €
             */
            readonly symbol: string;
            /**
             * @description How many decimals an amount of it usually shows.
             * @example 2
             */
            readonly decimals: number;
            /**
             * @description fiat: money of a country, or the IMF's unit; commodity: a troy ounce; coin: a coin.
             * @example fiat
             * @enum {string}
             */
            readonly kind: "fiat" | "commodity" | "coin";
            /**
             * @description What one US dollar is worth in it. Null when no source has a current rate.
             * @example 0.8611
             */
            readonly perUsd: number | null;
            /**
             * @description The source of the rate; US dollars have none.
             * @example coingecko
             */
            readonly source?: string;
            /**
             * @description The time of the rate, which of a source without one is when it answered, UNIX time in milliseconds
             * @example 1793450000000
             */
            readonly updatedAt?: number;
            /**
             * @description Why the rate is null, for people.
             * @example the exchange rate of eur is not available
             */
            readonly error?: string;
            /**
             * @description Why a number is null, for programs. invalid_address: not an address of that network; timeout: there was no response within the time limit; rate_limited: the upstream accepts no more calls for now; upstream_error: it could not be reached or returned an error; bad_answer: it returned an unusable response; sunset: the network was shut down; not_configured: the operator must set something; no_price: no source has a current price.
             * @example timeout
             * @enum {string}
             */
            readonly errorCode?: "invalid_address" | "timeout" | "rate_limited" | "upstream_error" | "bad_answer" | "sunset" | "not_configured" | "no_price";
        };
        /** @description There is nothing at this address. */
        readonly NotFoundProblem: {
            /**
             * @description What kind of problem it is; stable, to be compared by programs.
             * @example urn:problem-type:not-found
             * @enum {string}
             */
            readonly type: "urn:problem-type:not-found";
            /**
             * @description The same in words.
             * @example Not found
             */
            readonly title: string;
            /**
             * @description The HTTP status of the answer.
             * @example 404
             * @enum {number}
             */
            readonly status: 404;
            /**
             * @description What happened to this request.
             * @example There is nothing at this address.
             */
            readonly detail: string;
            /**
             * @description The id of the request, as in the header x-request-id.
             * @example 9b0a5c1e-63f0-4b7e-9d3c-0b6f0c9a7f11
             */
            readonly requestId: string;
            /** @description The values that were refused, each with its place and the reason. */
            readonly issues?: readonly components["schemas"]["Issue"][];
        };
        /** @description A JSON-RPC request. */
        readonly JsonRpcCall: {
            /**
             * @description The version: 2.0.
             * @example 2.0
             */
            readonly jsonrpc?: string;
            /**
             * @description Returned with the response.
             * @example 1
             */
            readonly id?: string | number | null;
            /**
             * @description The node's method.
             * @example eth_blockNumber
             */
            readonly method: string;
            /** @description What the method takes. */
            readonly params?: unknown;
        };
        /** @description The operator has not configured what this route needs, or this version does not have it. */
        readonly NotImplementedProblem: {
            /**
             * @description What kind of problem it is; stable, to be compared by programs.
             * @example urn:problem-type:not-implemented
             * @enum {string}
             */
            readonly type: "urn:problem-type:not-implemented";
            /**
             * @description The same in words.
             * @example Not available
             */
            readonly title: string;
            /**
             * @description The HTTP status of the answer.
             * @example 501
             * @enum {number}
             */
            readonly status: 501;
            /**
             * @description What happened to this request.
             * @example The operator has not configured what this route needs, or this version does not have it.
             */
            readonly detail: string;
            /**
             * @description The id of the request, as in the header x-request-id.
             * @example 9b0a5c1e-63f0-4b7e-9d3c-0b6f0c9a7f11
             */
            readonly requestId: string;
            /** @description The values that were refused, each with its place and the reason. */
            readonly issues?: readonly components["schemas"]["Issue"][];
        };
        /** @description What a Cardano wallet needs to build a transaction. */
        readonly ProtocolParameters: {
            /** @description Protocol parameters of the current epoch, as the provider writes them. */
            readonly parameters: {
                readonly [key: string]: unknown;
            };
            /** @description The newest block, as the provider writes it. */
            readonly blockData: {
                readonly [key: string]: unknown;
            };
        };
        /** @description One address on several networks. */
        readonly FirstTransactionRequest: {
            /** @description Networks: ethereum, optimism, bsc, polygon, zkevm, base, arbitrum, avalanche, linea; others are skipped. */
            readonly networkIds: readonly string[];
            /**
             * @description The address whose first transaction is looked up.
             * @example 0xd8dA6BF26964aF9D7eEd9e03E53415D37aA96045
             */
            readonly address: string;
        };
        /** @description The first transaction on one network. */
        readonly FirstTransaction: {
            /**
             * @description When the first transaction was executed, UNIX time in seconds.
             * @example 1500000000
             */
            readonly timestamp: number;
        };
        /** @description The addresses that are to sign. */
        readonly ContextRequest: {
            /** @description Addresses by network id. Ids and aliases are accepted in any case; ids that are not supported are skipped. */
            readonly networks: {
                readonly [key: string]: readonly string[];
            };
        };
        /** @description What signing a transaction of one address needs. */
        readonly AddressContext: {
            /** @description What its transactions are built from; null where that could not be read. */
            readonly context: (components["schemas"]["EvmContext"] | components["schemas"]["UtxoContext"] | components["schemas"]["CardanoContext"] | components["schemas"]["SolanaContext"] | components["schemas"]["SuiContext"] | components["schemas"]["TonContext"] | components["schemas"]["TronContext"] | components["schemas"]["RippleContext"] | components["schemas"]["PolkadotContext"]) | null;
            /**
             * @description Why it is null, for people.
             * @example timed out
             */
            readonly error?: string;
            /**
             * @description Why a number is null, for programs. invalid_address: not an address of that network; timeout: there was no response within the time limit; rate_limited: the upstream accepts no more calls for now; upstream_error: it could not be reached or returned an error; bad_answer: it returned an unusable response; sunset: the network was shut down; not_configured: the operator must set something; no_price: no source has a current price.
             * @example timeout
             * @enum {string}
             */
            readonly errorCode?: "invalid_address" | "timeout" | "rate_limited" | "upstream_error" | "bad_answer" | "sunset" | "not_configured" | "no_price";
        };
        /** @description What a transaction of an EVM network is built from, of one node at one time. */
        readonly EvmContext: {
            /**
             * @description The kind of network, which says what the other members are.
             * @example evm
             * @enum {string}
             */
            readonly family: "evm";
            /**
             * @description The id of the chain, which the signature contains (EIP-155), as the node returned it.
             * @example 1
             */
            readonly chainId: number;
            /**
             * @description Transactions of the address that are in blocks: the nonce that replaces nothing if none waits.
             * @example 7
             */
            readonly nonce: number;
            /**
             * @description The same with those that wait in the node's pool: the nonce of the next transaction. Above `nonce`, the nonces between them belong to transactions that wait.
             * @example 8
             */
            readonly pendingNonce: number;
            /**
             * @description The native balance in the newest block, wei.
             * @example 1500000000000000000
             */
            readonly balance: string;
            /**
             * @description The number of the newest block.
             * @example 23800000
             */
            readonly block: number;
            /**
             * @description The base fee of the newest block (EIP-1559), wei; null where the network has none: then only transactions with a gas price are accepted.
             * @example 1200000000
             */
            readonly baseFeePerGas: string | null;
            /**
             * @description The gas price that the node suggests (eth_gasPrice), base fee included, wei.
             * @example 1300000000
             */
            readonly gasPrice: string;
        };
        /** @description What a transaction of the Bitcoin family is built from; of an extended public key too. */
        readonly UtxoContext: {
            /**
             * @description The kind of network, which says what the other members are.
             * @example utxo
             * @enum {string}
             */
            readonly family: "utxo";
            /**
             * @description The height of the newest block of the source.
             * @example 925000
             */
            readonly height: number;
            /**
             * @description Confirmations after which a newly mined output can be spent.
             * @example 100
             */
            readonly coinbaseMaturity: number;
            /** @description Outputs that are not spent, the largest first. Of an extended public key those of all its addresses. */
            readonly utxos: readonly components["schemas"]["UnspentOutput"][];
            /**
             * @description Whether there are more outputs than the list has. It has at most 500, the largest first.
             * @example false
             */
            readonly truncated: boolean;
            /**
             * @description How many outputs there are; null where the list is truncated and no source says it.
             * @example 1
             */
            readonly count: number | null;
        };
        /** @description An output that is not spent yet, also not by what waits in the pool. */
        readonly UnspentOutput: {
            /**
             * @description Hash of the transaction that made it. What spends an output of a script without a witness commits to that whole transaction: POST /utils/getrawtransaction has it.
             * @example f4184fc596403b9d638783cf57adfe4c75c605f6356fbc91338530e9831e9e16
             */
            readonly txid: string;
            /**
             * @description Its place among the outputs of that transaction.
             * @example 0
             */
            readonly vout: number;
            /**
             * @description Base units (satoshi).
             * @example 150000
             */
            readonly value: string;
            /**
             * @description The script that it has to satisfy (scriptPubKey), in hex.
             * @example 0014751e76e8199196d454941c45d1b3a323f1433bd6
             */
            readonly script: string;
            /**
             * @description The address that the script pays, in canonical form.
             * @example bc1qw508d6qejxtdg4y5r3zarvary0c5xw7kv8f3t4
             */
            readonly address: string;
            /**
             * @description 0 while its transaction waits in the pool.
             * @example 6
             */
            readonly confirmations: number;
            /**
             * @description Whether it is newly mined. Null where the source does not say it; it is looked up where it decides whether the output can be spent, for at most ten transactions of an address.
             * @example false
             */
            readonly coinbase: boolean | null;
            /**
             * @description Whether a transaction that spends it is accepted now: false for a newly mined output that is not mature, for one of which that is not known, and where `reason` says why. Outputs that wait in the pool are spendable, and may still disappear.
             * @example true
             */
            readonly spendable: boolean;
            /**
             * @description Why it is not spendable, where its age is not the reason: it carries CashTokens, or its script is not known.
             * @example it carries CashTokens, which a transaction of coins alone would destroy
             */
            readonly reason?: string;
            /**
             * @description Of an extended public key: the derivation of the address, as Blockbook writes it.
             * @example m/84'/0'/0'/1/24
             */
            readonly path?: string;
        };
        /** @description What a transaction of Cardano is built from. All protocol parameters, as scripts need them, are at GET /utils/protocol-parameters. */
        readonly CardanoContext: {
            /**
             * @description The kind of network, which says what the other members are.
             * @example cardano
             * @enum {string}
             */
            readonly family: "cardano";
            /**
             * @description The slot of the newest block: validity intervals are counted in slots of a second from it.
             * @example 160000000
             */
            readonly slot: number;
            /**
             * @description The epoch of that block.
             * @example 580
             */
            readonly epoch: number;
            /**
             * @description The height of that block.
             * @example 12600000
             */
            readonly block: number;
            /** @description Outputs that are not spent, the most ada first. Of a stake address those of all its payment addresses. */
            readonly utxos: readonly components["schemas"]["CardanoOutput"][];
            /**
             * @description Whether there are more outputs than the list has. It has at most 500, the largest first.
             * @example false
             */
            readonly truncated: boolean;
            /**
             * @description How many outputs there are; null where the list is truncated and no source says it.
             * @example 1
             */
            readonly count: number | null;
            /**
             * @description Lovelace of the fee for each byte of a transaction.
             * @example 44
             */
            readonly minFeeA: number;
            /**
             * @description Lovelace of the fee for each transaction.
             * @example 155381
             */
            readonly minFeeB: number;
            /**
             * @description Lovelace that each byte of an output needs, 160 bytes for its entry included.
             * @example 4310
             */
            readonly coinsPerUtxoByte: string;
            /**
             * @description Bytes that a transaction may have.
             * @example 16384
             */
            readonly maxTransactionSize: number;
        };
        /** @description An output that is not spent yet. */
        readonly CardanoOutput: {
            /**
             * @description Id of the transaction that made it.
             * @example 39a7a284c2a0948189dc45dec670211cd4d72f7b66c5726c08d9b3df11e44d58
             */
            readonly txHash: string;
            /**
             * @description Its place among the outputs of that transaction.
             * @example 0
             */
            readonly index: number;
            /**
             * @description The address that it pays.
             * @example addr1vx2fxv2umyhttkxyxp8x0dlpdt3k6cwng5pxj3jhsydzers66hrl8
             */
            readonly address: string;
            /**
             * @description Its ada, in lovelace.
             * @example 5000000
             */
            readonly lovelace: string;
            /** @description Its native assets. */
            readonly assets: readonly components["schemas"]["AssetQuantity"][];
            /** @description Hash of its datum; null where it has none. */
            readonly datumHash: string | null;
            /** @description CBOR of the datum that is in it, hex; null where there is none. */
            readonly inlineDatum: string | null;
            /** @description Hash of the script that is in it; null where there is none. */
            readonly referenceScript: string | null;
        };
        /** @description A native asset in an output. */
        readonly AssetQuantity: {
            /**
             * @description Policy id and name of the asset, in hex.
             * @example 279c909f348e533da5808898f87f9a14bb2c3dfbbacccd631d927a3f534e454b
             */
            readonly unit: string;
            /**
             * @description Base units of the asset.
             * @example 25
             */
            readonly quantity: string;
        };
        /** @description What a transaction of Solana is built from. */
        readonly SolanaContext: {
            /**
             * @description The kind of network, which says what the other members are.
             * @example solana
             * @enum {string}
             */
            readonly family: "solana";
            /**
             * @description A recent block hash, at the commitment confirmed.
             * @example EkSnNWid2cvwEVnVx9aBqawnmiCNiDgp3gUdkDPTKN1N
             */
            readonly blockhash: string;
            /**
             * @description The last block height at which a transaction with this block hash is accepted.
             * @example 355000150
             */
            readonly lastValidBlockHeight: number;
            /**
             * @description The slot in which it was read.
             * @example 377000000
             */
            readonly slot: number;
            /**
             * @description Lamports of the address.
             * @example 5000000000
             */
            readonly balance: string;
            /**
             * @description Lamports that an account without data must keep, or be emptied to zero.
             * @example 890880
             */
            readonly rentExemptMinimum: string;
            /**
             * @description Lamports that a new token account of 165 bytes costs; with extensions it costs more.
             * @example 2039280
             */
            readonly tokenAccountRent: string;
            /** @description Its token accounts of both token programs, empty ones included, the largest amounts of base units first. */
            readonly tokenAccounts: readonly components["schemas"]["SolanaTokenAccount"][];
            /**
             * @description Whether there are more token accounts than the list has. It has at most 500, the largest first.
             * @example false
             */
            readonly truncated: boolean;
            /**
             * @description How many token accounts there are; null where the list is truncated and no source says it.
             * @example 1
             */
            readonly count: number | null;
        };
        /** @description A token account of the address. */
        readonly SolanaTokenAccount: {
            /**
             * @description The token account itself.
             * @example 7UX2i7SucgLMQcfZ75s3VXmZZY4YRUyJN9X1RgfMoDUi
             */
            readonly address: string;
            /**
             * @description The mint of the token.
             * @example EPjFWdd5AufqSSqeM2qN1xzybapC8G4wEGGkZwyTDt1v
             */
            readonly mint: string;
            /**
             * @description The program that owns the account: Token or Token-2022.
             * @example TokenkegQfeZyiNwAJbNbGKPFXCWuBvf9Ss623VQ5DA
             */
            readonly program: string;
            /**
             * @description Base units of the token.
             * @example 2500000
             */
            readonly amount: string;
            /**
             * @description Decimals of the token.
             * @example 6
             */
            readonly decimals: number;
            /**
             * @description initialized, or frozen: then nothing can be sent from it.
             * @example initialized
             */
            readonly state: string;
        };
        /** @description What a transaction of Sui is built from. */
        readonly SuiContext: {
            /**
             * @description The kind of network, which says what the other members are.
             * @example sui
             * @enum {string}
             */
            readonly family: "sui";
            /**
             * @description The first bytes of the digest of the genesis checkpoint.
             * @example 35834a8a
             */
            readonly chainIdentifier: string;
            /**
             * @description The current epoch.
             * @example 960
             */
            readonly epoch: number;
            /**
             * @description The gas price of this epoch below which no transaction is accepted, MIST.
             * @example 500
             */
            readonly referenceGasPrice: string;
            /**
             * @description All SUI of the address, in MIST.
             * @example 2500000000
             */
            readonly balance: string;
            /**
             * @description What of it belongs to the address itself and is in no coin object; null where the source does not say it.
             * @example 0
             */
            readonly addressBalance: string | null;
            /** @description Coin objects of SUI, the largest first. A transaction takes at most 256 of them as gas. */
            readonly gasCoins: readonly components["schemas"]["GasCoin"][];
            /**
             * @description Whether there are more gas coins than the list has. It has at most 500, the largest first.
             * @example false
             */
            readonly truncated: boolean;
            /**
             * @description How many gas coins there are; null where the list is truncated and no source says it.
             * @example 1
             */
            readonly count: number | null;
        };
        /** @description A coin object of SUI, as a reference in a transaction needs it. */
        readonly GasCoin: {
            /**
             * @description Id of the object.
             * @example 0x5d5b3a1e5f3e2c0f6a1b7c8d9e0f1a2b3c4d5e6f708192a3b4c5d6e7f8091a2b
             */
            readonly objectId: string;
            /**
             * @description Its version.
             * @example 412345678
             */
            readonly version: string;
            /**
             * @description Its digest at this version.
             * @example 8ZQGdUBM7G7LYoWJ8SDx6vk2xW7vE1nV4sBYBJRvcz5C
             */
            readonly digest: string;
            /**
             * @description MIST in it.
             * @example 2500000000
             */
            readonly balance: string;
        };
        /** @description What a message of a TON wallet is built from. */
        readonly TonContext: {
            /**
             * @description The kind of network, which says what the other members are.
             * @example ton
             * @enum {string}
             */
            readonly family: "ton";
            /**
             * @description active: its contract runs; uninit and nonexist: the first message has to bring the contract along; frozen: it has not paid for its storage.
             * @example active
             * @enum {string}
             */
            readonly state: "nonexist" | "uninit" | "active" | "frozen";
            /**
             * @description The number of the next message of the wallet; 0 before its contract is deployed; null where the contract is not a wallet that is known.
             * @example 12
             */
            readonly seqno: number | null;
            /**
             * @description The kind of wallet, such as v3r2, v4r2 and v5r1; null before its contract is deployed, and for other contracts.
             * @example v4r2
             */
            readonly wallet: string | null;
            /**
             * @description The wallet's id (subwallet), which its messages contain; null where no source says it.
             * @example 698983191
             */
            readonly walletId: number | null;
            /**
             * @description Nanotons of the account.
             * @example 2500000000
             */
            readonly balance: string;
        };
        /** @description What a transaction of Tron is built from. What a byte or energy beyond the resources costs is part of the fees. */
        readonly TronContext: {
            /**
             * @description The kind of network, which says what the other members are.
             * @example tron
             * @enum {string}
             */
            readonly family: "tron";
            /**
             * @description Whether the account exists: one that does not cannot send, and a payment to it costs more.
             * @example true
             */
            readonly activated: boolean;
            /**
             * @description Spendable TRX, in sun.
             * @example 25000000
             */
            readonly balance: string;
            readonly block: components["schemas"]["ReferenceBlock"];
            /**
             * @description Bytes left today that every account has for nothing.
             * @example 600
             */
            readonly freeBandwidth: number;
            /**
             * @description Bytes left of those that the account has staked for, or was lent.
             * @example 0
             */
            readonly stakedBandwidth: number;
            /**
             * @description Energy left of what the account has staked for, or was lent.
             * @example 0
             */
            readonly energy: number;
        };
        /** @description The newest block, as a transaction refers to it. */
        readonly ReferenceBlock: {
            /**
             * @description Its height.
             * @example 77500000
             */
            readonly number: number;
            /**
             * @description Its id, hex.
             * @example 00000000049e8ce0b2c43e9b5f4a3d2c1b0a99887766554433221100ffeeddcc
             */
            readonly hash: string;
            /**
             * @description When it was made, UNIX time in milliseconds: the expiration is counted from it.
             * @example 1793450000000
             */
            readonly timestamp: number;
            /**
             * @description `ref_block_bytes` of a transaction: bytes 6 and 7 of the height, hex.
             * @example 8ce0
             */
            readonly refBlockBytes: string;
            /**
             * @description `ref_block_hash` of a transaction: bytes 8 to 15 of the id, hex.
             * @example b2c43e9b5f4a3d2c
             */
            readonly refBlockHash: string;
        };
        /** @description What a transaction of the XRP Ledger is built from. */
        readonly RippleContext: {
            /**
             * @description The kind of network, which says what the other members are.
             * @example ripple
             * @enum {string}
             */
            readonly family: "ripple";
            /**
             * @description Whether the ledger has the account. One that it has not is made by a payment of `reserveBase`.
             * @example true
             */
            readonly activated: boolean;
            /**
             * @description The sequence of the next transaction, after those in the open ledger; null where there is no account yet.
             * @example 95000000
             */
            readonly sequence: number | null;
            /**
             * @description Drops of the account, reserve included.
             * @example 25000000
             */
            readonly balance: string;
            /**
             * @description Objects that the account owns in the ledger, each of which takes a reserve.
             * @example 2
             */
            readonly ownerCount: number;
            /**
             * @description Index of the newest validated ledger: `LastLedgerSequence` is counted from it.
             * @example 99500000
             */
            readonly ledger: number;
            /**
             * @description Drops that an account must keep.
             * @example 1000000
             */
            readonly reserveBase: string;
            /**
             * @description Drops that it must keep for each object that it owns.
             * @example 200000
             */
            readonly reserveIncrement: string;
            /**
             * @description What this account must keep, drops.
             * @example 1400000
             */
            readonly reserve: string;
            /**
             * @description The least fee of a transaction without load, drops.
             * @example 10
             */
            readonly baseFee: string;
            /**
             * @description The fee with which a transaction gets into the open ledger at once, drops.
             * @example 12
             */
            readonly openLedgerFee: string;
        };
        /** @description What an extrinsic of Polkadot Asset Hub is built from. */
        readonly PolkadotContext: {
            /**
             * @description The kind of network, which says what the other members are.
             * @example polkadot
             * @enum {string}
             */
            readonly family: "polkadot";
            /**
             * @description The nonce of the next transaction, after those that wait in the node's pool.
             * @example 5
             */
            readonly nonce: number;
            /**
             * @description Hash of the first block of the chain.
             * @example 0x68d56f15f85d3136970ec16946040bc1752654e906147f7e43e9d539d7c3de2f
             */
            readonly genesisHash: string;
            /**
             * @description Name of the runtime.
             * @example statemint
             */
            readonly specName: string;
            /**
             * @description Version of the runtime, which the signature contains.
             * @example 2000001
             */
            readonly specVersion: number;
            /**
             * @description Version of the form of transactions, which the signature contains.
             * @example 15
             */
            readonly transactionVersion: number;
            /**
             * @description Height of the newest final block.
             * @example 11000000
             */
            readonly block: number;
            /**
             * @description Its hash: the checkpoint of the era, which the signature contains.
             * @example 0x1fb6b2a1d0e3f4958677a8b9cadbecfd0e1f2031425364758697a8b9cadbecfd
             */
            readonly blockHash: string;
            readonly era: components["schemas"]["Era"];
            /** @description Hash of the runtime's metadata (RFC-0078), for the extension CheckMetadataHash; null where the service does not have it: the extension is then sent with mode 0 (Disabled), which nodes accept. */
            readonly metadataHash: string | null;
            /**
             * @description Why it is null, for people.
             * @example nodes do not return it
             */
            readonly metadataHashReason?: string;
            /**
             * @description Free and reserved planck of the account.
             * @example 25000000000
             */
            readonly balance: string;
        };
        /** @description A mortal era that begins at the block. */
        readonly Era: {
            /**
             * @description Blocks for which the transaction is valid.
             * @example 256
             */
            readonly period: number;
            /**
             * @description Where in the period the block is.
             * @example 64
             */
            readonly phase: number;
            /**
             * @description Its two bytes in a transaction (SCALE), hex.
             * @example 0x0704
             */
            readonly encoded: string;
        };
        /** @description What transactions cost on a network, by its family. */
        readonly NetworkFees: components["schemas"]["EvmFees"] | components["schemas"]["UtxoFees"] | components["schemas"]["SolanaFees"] | components["schemas"]["SuiFees"] | components["schemas"]["CardanoFees"] | components["schemas"]["RippleFees"] | components["schemas"]["TronFees"] | components["schemas"]["TonFees"] | components["schemas"]["PolkadotFees"];
        /** @description What transactions cost on an EVM network. */
        readonly EvmFees: {
            /**
             * @description Id of the network.
             * @example base
             */
            readonly network: string;
            /**
             * @description The kind of network, which decides the members of levels and basis.
             * @example evm
             * @enum {string}
             */
            readonly family: "evm";
            /**
             * @description When the fees were read, UNIX time in milliseconds. Null where they could not be read.
             * @example 1793450000000
             */
            readonly updatedAt: number | null;
            readonly levels: components["schemas"]["EvmFeeLevels"];
            readonly basis: components["schemas"]["EvmFeeBasis"];
            readonly transfer: components["schemas"]["FeeExample"];
        };
        /** @description From cheap to soon. All are equal where no offer makes a transaction faster. */
        readonly EvmFeeLevels: {
            readonly slow: components["schemas"]["EvmFeeLevel"];
            readonly standard: components["schemas"]["EvmFeeLevel"];
            readonly fast: components["schemas"]["EvmFeeLevel"];
        };
        /** @description A level of the fees of an EVM network. */
        readonly EvmFeeLevel: {
            /**
             * @description EIP-1559: the most that a unit of gas may cost, wei: the base fee with room for full blocks, and the priority fee. Null on a network without EIP-1559.
             * @example 2100000000
             */
            readonly maxFeePerGasWei: string | null;
            /**
             * @description EIP-1559: the priority fee per unit of gas, wei, of which most is paid to whoever makes the block. Null on a network without EIP-1559.
             * @example 100000000
             */
            readonly maxPriorityFeePerGasWei: string | null;
            /**
             * @description The price of a unit of gas, wei: what a legacy transaction is to offer; with EIP-1559 about what the transaction pays now, the base fee and the priority fee.
             * @example 1100000000
             */
            readonly gasPriceWei: string | null;
            /**
             * @description After about how long a transaction of this level is in a block, seconds, by the usual time between blocks. Null where that is not known.
             * @example 12
             */
            readonly seconds: number | null;
            /**
             * @description What the example transfer costs at this level, base units (wei, satoshi …).
             * @example 23100000000000
             */
            readonly transferFeeBaseUnits: string | null;
            /**
             * @description Why a number is null, for people.
             * @example no estimate for this level
             */
            readonly error?: string;
            /**
             * @description Why a number is null, for programs. invalid_address: not an address of that network; timeout: there was no response within the time limit; rate_limited: the upstream accepts no more calls for now; upstream_error: it could not be reached or returned an error; bad_answer: it returned an unusable response; sunset: the network was shut down; not_configured: the operator must set something; no_price: no source has a current price.
             * @example timeout
             * @enum {string}
             */
            readonly errorCode?: "invalid_address" | "timeout" | "rate_limited" | "upstream_error" | "bad_answer" | "sunset" | "not_configured" | "no_price";
            /**
             * @description What the example transfer costs at this level, an exact decimal of the native coin.
             * @example 0.0000231
             */
            readonly transferFee: string | null;
            /**
             * @description The same in US dollars, an exact decimal. Null without the fee or a price.
             * @example 0.0744975
             */
            readonly transferFeeUsd: string | null;
        };
        /** @description What the levels have in common, and what the example is computed from. */
        readonly EvmFeeBasis: {
            /**
             * @description Whether the newest block has a base fee. Null where no block could be read.
             * @example true
             */
            readonly eip1559: boolean | null;
            /**
             * @description The base fee of the next block, wei; null on a network without EIP-1559.
             * @example 1000000000
             */
            readonly baseFeePerGasWei: string | null;
            /**
             * @description Gas that a plain transfer uses, as the node estimates it.
             * @example 21000
             */
            readonly transferGas: string | null;
            readonly l1Fee?: components["schemas"]["L1Fee"];
        };
        /** @description The fee for data of an OP-stack network, beside gas. A transaction cannot set it; it is taken from the balance. */
        readonly L1Fee: {
            /**
             * @description What the example transfer pays for its data on the chain below, wei, in addition to its gas: `getL1Fee` of the predeploy GasPriceOracle. Null where it could not be read.
             * @example 84213544
             */
            readonly feeWei: string | null;
            /**
             * @description What it pays to the operator, wei: `getOperatorFee`; zero where the network has no such fee. Null where it could not be read.
             * @example 0
             */
            readonly operatorFeeWei: string | null;
            /**
             * @description The length of the unsigned transaction for which it was read, bytes.
             * @example 47
             */
            readonly transactionBytes: number | null;
            /**
             * @description Why a number is null, for people.
             * @example timed out
             */
            readonly error?: string;
            /**
             * @description Why a number is null, for programs. invalid_address: not an address of that network; timeout: there was no response within the time limit; rate_limited: the upstream accepts no more calls for now; upstream_error: it could not be reached or returned an error; bad_answer: it returned an unusable response; sunset: the network was shut down; not_configured: the operator must set something; no_price: no source has a current price.
             * @example timeout
             * @enum {string}
             */
            readonly errorCode?: "invalid_address" | "timeout" | "rate_limited" | "upstream_error" | "bad_answer" | "sunset" | "not_configured" | "no_price";
        };
        /** @description A plain transfer of the native coin, as an example. */
        readonly FeeExample: {
            /**
             * @description What the example is.
             * @example a transfer of ETH to an account without code, at the present base fee
             */
            readonly description: string;
            /**
             * @description What it costs at the standard level, an exact decimal of the native coin.
             * @example 0.0000231
             */
            readonly fee: string | null;
            /**
             * @description The same in base units (wei, satoshi …).
             * @example 23100000000000
             */
            readonly feeBaseUnits: string | null;
            /**
             * @description The same in US dollars, an exact decimal. Null without the fee or a price.
             * @example 0.0744975
             */
            readonly feeUsd: string | null;
            /**
             * @description Why a number is null, for people.
             * @example no source has a current price
             */
            readonly error?: string;
            /**
             * @description Why a number is null, for programs. invalid_address: not an address of that network; timeout: there was no response within the time limit; rate_limited: the upstream accepts no more calls for now; upstream_error: it could not be reached or returned an error; bad_answer: it returned an unusable response; sunset: the network was shut down; not_configured: the operator must set something; no_price: no source has a current price.
             * @example timeout
             * @enum {string}
             */
            readonly errorCode?: "invalid_address" | "timeout" | "rate_limited" | "upstream_error" | "bad_answer" | "sunset" | "not_configured" | "no_price";
        };
        /** @description What transactions cost on a network of the Bitcoin family. */
        readonly UtxoFees: {
            /**
             * @description Id of the network.
             * @example base
             */
            readonly network: string;
            /**
             * @description The kind of network, which decides the members of levels and basis.
             * @example utxo
             * @enum {string}
             */
            readonly family: "utxo";
            /**
             * @description When the fees were read, UNIX time in milliseconds. Null where they could not be read.
             * @example 1793450000000
             */
            readonly updatedAt: number | null;
            readonly levels: components["schemas"]["UtxoFeeLevels"];
            readonly basis: components["schemas"]["UtxoFeeBasis"];
            readonly transfer: components["schemas"]["FeeExample"];
        };
        /** @description From cheap to soon. All are equal where no offer makes a transaction faster. */
        readonly UtxoFeeLevels: {
            readonly slow: components["schemas"]["UtxoFeeLevel"];
            readonly standard: components["schemas"]["UtxoFeeLevel"];
            readonly fast: components["schemas"]["UtxoFeeLevel"];
        };
        /** @description A level of the fees of a network of the Bitcoin family. */
        readonly UtxoFeeLevel: {
            /**
             * @description Base units (satoshi, litoshi …) per virtual byte; may have decimals.
             * @example 12.5
             */
            readonly satPerVbyte: string | null;
            /**
             * @description After about how long a transaction of this level is in a block, seconds, by the usual time between blocks. Null where that is not known.
             * @example 12
             */
            readonly seconds: number | null;
            /**
             * @description What the example transfer costs at this level, base units (wei, satoshi …).
             * @example 23100000000000
             */
            readonly transferFeeBaseUnits: string | null;
            /**
             * @description Why a number is null, for people.
             * @example no estimate for this level
             */
            readonly error?: string;
            /**
             * @description Why a number is null, for programs. invalid_address: not an address of that network; timeout: there was no response within the time limit; rate_limited: the upstream accepts no more calls for now; upstream_error: it could not be reached or returned an error; bad_answer: it returned an unusable response; sunset: the network was shut down; not_configured: the operator must set something; no_price: no source has a current price.
             * @example timeout
             * @enum {string}
             */
            readonly errorCode?: "invalid_address" | "timeout" | "rate_limited" | "upstream_error" | "bad_answer" | "sunset" | "not_configured" | "no_price";
            /**
             * @description What the example transfer costs at this level, an exact decimal of the native coin.
             * @example 0.0000231
             */
            readonly transferFee: string | null;
            /**
             * @description The same in US dollars, an exact decimal. Null without the fee or a price.
             * @example 0.0744975
             */
            readonly transferFeeUsd: string | null;
        };
        /** @description What the levels have in common, and what the example is computed from. */
        readonly UtxoFeeBasis: {
            /**
             * @description The size of the example transfer, virtual bytes: one input, two outputs.
             * @example 141
             */
            readonly transferVbytes: number | null;
        };
        /** @description What transactions cost on Solana. */
        readonly SolanaFees: {
            /**
             * @description Id of the network.
             * @example base
             */
            readonly network: string;
            /**
             * @description The kind of network, which decides the members of levels and basis.
             * @example solana
             * @enum {string}
             */
            readonly family: "solana";
            /**
             * @description When the fees were read, UNIX time in milliseconds. Null where they could not be read.
             * @example 1793450000000
             */
            readonly updatedAt: number | null;
            readonly levels: components["schemas"]["SolanaFeeLevels"];
            readonly basis: components["schemas"]["SolanaFeeBasis"];
            readonly transfer: components["schemas"]["FeeExample"];
        };
        /** @description From cheap to soon. All are equal where no offer makes a transaction faster. */
        readonly SolanaFeeLevels: {
            readonly slow: components["schemas"]["SolanaFeeLevel"];
            readonly standard: components["schemas"]["SolanaFeeLevel"];
            readonly fast: components["schemas"]["SolanaFeeLevel"];
        };
        /** @description A level of the fees of Solana. */
        readonly SolanaFeeLevel: {
            /**
             * @description The priority fee: millionths of a lamport per requested compute unit (`SetComputeUnitPrice`).
             * @example 1000
             */
            readonly computeUnitPriceMicroLamports: string | null;
            /**
             * @description After about how long a transaction of this level is in a block, seconds, by the usual time between blocks. Null where that is not known.
             * @example 12
             */
            readonly seconds: number | null;
            /**
             * @description What the example transfer costs at this level, base units (wei, satoshi …).
             * @example 23100000000000
             */
            readonly transferFeeBaseUnits: string | null;
            /**
             * @description Why a number is null, for people.
             * @example no estimate for this level
             */
            readonly error?: string;
            /**
             * @description Why a number is null, for programs. invalid_address: not an address of that network; timeout: there was no response within the time limit; rate_limited: the upstream accepts no more calls for now; upstream_error: it could not be reached or returned an error; bad_answer: it returned an unusable response; sunset: the network was shut down; not_configured: the operator must set something; no_price: no source has a current price.
             * @example timeout
             * @enum {string}
             */
            readonly errorCode?: "invalid_address" | "timeout" | "rate_limited" | "upstream_error" | "bad_answer" | "sunset" | "not_configured" | "no_price";
            /**
             * @description What the example transfer costs at this level, an exact decimal of the native coin.
             * @example 0.0000231
             */
            readonly transferFee: string | null;
            /**
             * @description The same in US dollars, an exact decimal. Null without the fee or a price.
             * @example 0.0744975
             */
            readonly transferFeeUsd: string | null;
        };
        /** @description What the levels have in common, and what the example is computed from. */
        readonly SolanaFeeBasis: {
            /**
             * @description What the example transfer pays without priority, lamports: one signature.
             * @example 5000
             */
            readonly baseFeeLamports: string | null;
            /**
             * @description The limit of compute units of the example transfer.
             * @example 450
             */
            readonly transferComputeUnits: number | null;
        };
        /** @description What transactions cost on Sui. */
        readonly SuiFees: {
            /**
             * @description Id of the network.
             * @example base
             */
            readonly network: string;
            /**
             * @description The kind of network, which decides the members of levels and basis.
             * @example sui
             * @enum {string}
             */
            readonly family: "sui";
            /**
             * @description When the fees were read, UNIX time in milliseconds. Null where they could not be read.
             * @example 1793450000000
             */
            readonly updatedAt: number | null;
            readonly levels: components["schemas"]["SuiFeeLevels"];
            readonly basis: components["schemas"]["SuiFeeBasis"];
            readonly transfer: components["schemas"]["FeeExample"];
        };
        /** @description From cheap to soon. All are equal where no offer makes a transaction faster. */
        readonly SuiFeeLevels: {
            readonly slow: components["schemas"]["SuiFeeLevel"];
            readonly standard: components["schemas"]["SuiFeeLevel"];
            readonly fast: components["schemas"]["SuiFeeLevel"];
        };
        /** @description A level of the fees of Sui. */
        readonly SuiFeeLevel: {
            /**
             * @description The price of a unit of computation, MIST: the reference gas price of the epoch.
             * @example 750
             */
            readonly gasPriceMist: string | null;
            /**
             * @description After about how long a transaction of this level is in a block, seconds, by the usual time between blocks. Null where that is not known.
             * @example 12
             */
            readonly seconds: number | null;
            /**
             * @description What the example transfer costs at this level, base units (wei, satoshi …).
             * @example 23100000000000
             */
            readonly transferFeeBaseUnits: string | null;
            /**
             * @description Why a number is null, for people.
             * @example no estimate for this level
             */
            readonly error?: string;
            /**
             * @description Why a number is null, for programs. invalid_address: not an address of that network; timeout: there was no response within the time limit; rate_limited: the upstream accepts no more calls for now; upstream_error: it could not be reached or returned an error; bad_answer: it returned an unusable response; sunset: the network was shut down; not_configured: the operator must set something; no_price: no source has a current price.
             * @example timeout
             * @enum {string}
             */
            readonly errorCode?: "invalid_address" | "timeout" | "rate_limited" | "upstream_error" | "bad_answer" | "sunset" | "not_configured" | "no_price";
            /**
             * @description What the example transfer costs at this level, an exact decimal of the native coin.
             * @example 0.0000231
             */
            readonly transferFee: string | null;
            /**
             * @description The same in US dollars, an exact decimal. Null without the fee or a price.
             * @example 0.0744975
             */
            readonly transferFeeUsd: string | null;
        };
        /** @description What the levels have in common, and what the example is computed from. */
        readonly SuiFeeBasis: {
            /**
             * @description Units of computation that the example transfer is charged for.
             * @example 1000
             */
            readonly transferComputationUnits: string | null;
            /**
             * @description What it pays for storage, MIST: two coin objects are stored, and what was paid for one comes back less the part that is not refunded.
             * @example 997880
             */
            readonly transferStorageMist: string | null;
        };
        /** @description What transactions cost on Cardano. */
        readonly CardanoFees: {
            /**
             * @description Id of the network.
             * @example base
             */
            readonly network: string;
            /**
             * @description The kind of network, which decides the members of levels and basis.
             * @example cardano
             * @enum {string}
             */
            readonly family: "cardano";
            /**
             * @description When the fees were read, UNIX time in milliseconds. Null where they could not be read.
             * @example 1793450000000
             */
            readonly updatedAt: number | null;
            readonly levels: components["schemas"]["CardanoFeeLevels"];
            readonly basis: components["schemas"]["CardanoFeeBasis"];
            readonly transfer: components["schemas"]["FeeExample"];
        };
        /** @description From cheap to soon. All are equal where no offer makes a transaction faster. */
        readonly CardanoFeeLevels: {
            readonly slow: components["schemas"]["CardanoFeeLevel"];
            readonly standard: components["schemas"]["CardanoFeeLevel"];
            readonly fast: components["schemas"]["CardanoFeeLevel"];
        };
        /** @description A level of the fees of Cardano. */
        readonly CardanoFeeLevel: {
            /**
             * @description `min_fee_a`: lovelace for each byte of the transaction.
             * @example 44
             */
            readonly lovelacePerByte: string | null;
            /**
             * @description `min_fee_b`: lovelace for each transaction.
             * @example 155381
             */
            readonly lovelacePerTransaction: string | null;
            /**
             * @description After about how long a transaction of this level is in a block, seconds, by the usual time between blocks. Null where that is not known.
             * @example 12
             */
            readonly seconds: number | null;
            /**
             * @description What the example transfer costs at this level, base units (wei, satoshi …).
             * @example 23100000000000
             */
            readonly transferFeeBaseUnits: string | null;
            /**
             * @description Why a number is null, for people.
             * @example no estimate for this level
             */
            readonly error?: string;
            /**
             * @description Why a number is null, for programs. invalid_address: not an address of that network; timeout: there was no response within the time limit; rate_limited: the upstream accepts no more calls for now; upstream_error: it could not be reached or returned an error; bad_answer: it returned an unusable response; sunset: the network was shut down; not_configured: the operator must set something; no_price: no source has a current price.
             * @example timeout
             * @enum {string}
             */
            readonly errorCode?: "invalid_address" | "timeout" | "rate_limited" | "upstream_error" | "bad_answer" | "sunset" | "not_configured" | "no_price";
            /**
             * @description What the example transfer costs at this level, an exact decimal of the native coin.
             * @example 0.0000231
             */
            readonly transferFee: string | null;
            /**
             * @description The same in US dollars, an exact decimal. Null without the fee or a price.
             * @example 0.0744975
             */
            readonly transferFeeUsd: string | null;
        };
        /** @description What the levels have in common, and what the example is computed from. */
        readonly CardanoFeeBasis: {
            /**
             * @description The size of the example transfer, bytes: one input, two outputs, one signature.
             * @example 304
             */
            readonly transferBytes: number | null;
        };
        /** @description What transactions cost on the XRP Ledger. */
        readonly RippleFees: {
            /**
             * @description Id of the network.
             * @example base
             */
            readonly network: string;
            /**
             * @description The kind of network, which decides the members of levels and basis.
             * @example ripple
             * @enum {string}
             */
            readonly family: "ripple";
            /**
             * @description When the fees were read, UNIX time in milliseconds. Null where they could not be read.
             * @example 1793450000000
             */
            readonly updatedAt: number | null;
            readonly levels: components["schemas"]["RippleFeeLevels"];
            readonly basis: components["schemas"]["RippleFeeBasis"];
            readonly transfer: components["schemas"]["FeeExample"];
        };
        /** @description From cheap to soon. All are equal where no offer makes a transaction faster. */
        readonly RippleFeeLevels: {
            readonly slow: components["schemas"]["RippleFeeLevel"];
            readonly standard: components["schemas"]["RippleFeeLevel"];
            readonly fast: components["schemas"]["RippleFeeLevel"];
        };
        /** @description A level of the fees of the XRP Ledger. */
        readonly RippleFeeLevel: {
            /**
             * @description `Fee` of a transaction with one signature, drops.
             * @example 10
             */
            readonly feeDrops: string | null;
            /**
             * @description After about how long a transaction of this level is in a block, seconds, by the usual time between blocks. Null where that is not known.
             * @example 12
             */
            readonly seconds: number | null;
            /**
             * @description What the example transfer costs at this level, base units (wei, satoshi …).
             * @example 23100000000000
             */
            readonly transferFeeBaseUnits: string | null;
            /**
             * @description Why a number is null, for people.
             * @example no estimate for this level
             */
            readonly error?: string;
            /**
             * @description Why a number is null, for programs. invalid_address: not an address of that network; timeout: there was no response within the time limit; rate_limited: the upstream accepts no more calls for now; upstream_error: it could not be reached or returned an error; bad_answer: it returned an unusable response; sunset: the network was shut down; not_configured: the operator must set something; no_price: no source has a current price.
             * @example timeout
             * @enum {string}
             */
            readonly errorCode?: "invalid_address" | "timeout" | "rate_limited" | "upstream_error" | "bad_answer" | "sunset" | "not_configured" | "no_price";
            /**
             * @description What the example transfer costs at this level, an exact decimal of the native coin.
             * @example 0.0000231
             */
            readonly transferFee: string | null;
            /**
             * @description The same in US dollars, an exact decimal. Null without the fee or a price.
             * @example 0.0744975
             */
            readonly transferFeeUsd: string | null;
        };
        /** @description What the levels have in common, and what the example is computed from. */
        readonly RippleFeeBasis: {
            /**
             * @description The cost of a reference transaction on a ledger without load, drops.
             * @example 10
             */
            readonly baseFeeDrops: string | null;
            /**
             * @description How many transactions wait in the node's queue for a later ledger.
             * @example 0
             */
            readonly queuedTransactions: string | null;
        };
        /** @description What transactions cost on Tron. */
        readonly TronFees: {
            /**
             * @description Id of the network.
             * @example base
             */
            readonly network: string;
            /**
             * @description The kind of network, which decides the members of levels and basis.
             * @example tron
             * @enum {string}
             */
            readonly family: "tron";
            /**
             * @description When the fees were read, UNIX time in milliseconds. Null where they could not be read.
             * @example 1793450000000
             */
            readonly updatedAt: number | null;
            readonly levels: components["schemas"]["TronFeeLevels"];
            readonly basis: components["schemas"]["TronFeeBasis"];
            readonly transfer: components["schemas"]["FeeExample"];
            readonly account?: components["schemas"]["AccountResources"];
        };
        /** @description From cheap to soon. All are equal where no offer makes a transaction faster. */
        readonly TronFeeLevels: {
            readonly slow: components["schemas"]["TronFeeLevel"];
            readonly standard: components["schemas"]["TronFeeLevel"];
            readonly fast: components["schemas"]["TronFeeLevel"];
        };
        /** @description A level of the fees of Tron. */
        readonly TronFeeLevel: {
            /**
             * @description What a unit of energy costs that the account does not have, sun.
             * @example 100
             */
            readonly energyPriceSun: string | null;
            /**
             * @description What a byte of bandwidth costs that the account does not have, sun.
             * @example 1000
             */
            readonly bandwidthPriceSun: string | null;
            /**
             * @description After about how long a transaction of this level is in a block, seconds, by the usual time between blocks. Null where that is not known.
             * @example 12
             */
            readonly seconds: number | null;
            /**
             * @description What the example transfer costs at this level, base units (wei, satoshi …).
             * @example 23100000000000
             */
            readonly transferFeeBaseUnits: string | null;
            /**
             * @description Why a number is null, for people.
             * @example no estimate for this level
             */
            readonly error?: string;
            /**
             * @description Why a number is null, for programs. invalid_address: not an address of that network; timeout: there was no response within the time limit; rate_limited: the upstream accepts no more calls for now; upstream_error: it could not be reached or returned an error; bad_answer: it returned an unusable response; sunset: the network was shut down; not_configured: the operator must set something; no_price: no source has a current price.
             * @example timeout
             * @enum {string}
             */
            readonly errorCode?: "invalid_address" | "timeout" | "rate_limited" | "upstream_error" | "bad_answer" | "sunset" | "not_configured" | "no_price";
            /**
             * @description What the example transfer costs at this level, an exact decimal of the native coin.
             * @example 0.0000231
             */
            readonly transferFee: string | null;
            /**
             * @description The same in US dollars, an exact decimal. Null without the fee or a price.
             * @example 0.0744975
             */
            readonly transferFeeUsd: string | null;
        };
        /** @description What the levels have in common, and what the example is computed from. */
        readonly TronFeeBasis: {
            /**
             * @description Bandwidth that the example transfer uses, bytes.
             * @example 268
             */
            readonly transferBandwidth: number | null;
            /**
             * @description What a transfer that creates the recipient's account pays in addition, sun.
             * @example 1100000
             */
            readonly newAccountFeeSun: string | null;
        };
        /** @description What an address may use without paying for it. A transaction takes bandwidth from one of the two as a whole, or is paid for as a whole. */
        readonly AccountResources: {
            /**
             * @description The address, as the request gave it.
             * @example TMuA6YqfCeX8EhbfYEg5y7S4DqzSJireY9
             */
            readonly address: string;
            /**
             * @description Bytes left of what every active account has free each day.
             * @example 600
             */
            readonly freeBandwidth: number | null;
            /**
             * @description Bytes left of what the account's stake gives it.
             * @example 0
             */
            readonly stakedBandwidth: number | null;
            /**
             * @description Energy left of what the account's stake gives it.
             * @example 0
             */
            readonly stakedEnergy: number | null;
            /**
             * @description Why the numbers are null, for people.
             * @example trongrid: timed out
             */
            readonly error?: string;
            /**
             * @description Why a number is null, for programs. invalid_address: not an address of that network; timeout: there was no response within the time limit; rate_limited: the upstream accepts no more calls for now; upstream_error: it could not be reached or returned an error; bad_answer: it returned an unusable response; sunset: the network was shut down; not_configured: the operator must set something; no_price: no source has a current price.
             * @example timeout
             * @enum {string}
             */
            readonly errorCode?: "invalid_address" | "timeout" | "rate_limited" | "upstream_error" | "bad_answer" | "sunset" | "not_configured" | "no_price";
        };
        /** @description What transactions cost on TON. */
        readonly TonFees: {
            /**
             * @description Id of the network.
             * @example base
             */
            readonly network: string;
            /**
             * @description The kind of network, which decides the members of levels and basis.
             * @example ton
             * @enum {string}
             */
            readonly family: "ton";
            /**
             * @description When the fees were read, UNIX time in milliseconds. Null where they could not be read.
             * @example 1793450000000
             */
            readonly updatedAt: number | null;
            readonly levels: components["schemas"]["TonFeeLevels"];
            readonly basis: components["schemas"]["TonFeeBasis"];
            readonly transfer: components["schemas"]["FeeExample"];
        };
        /** @description From cheap to soon. All are equal where no offer makes a transaction faster. */
        readonly TonFeeLevels: {
            readonly slow: components["schemas"]["TonFeeLevel"];
            readonly standard: components["schemas"]["TonFeeLevel"];
            readonly fast: components["schemas"]["TonFeeLevel"];
        };
        /** @description A level of the fees of TON. */
        readonly TonFeeLevel: {
            /**
             * @description What a unit of gas costs, nanoton; may have decimals.
             * @example 400
             */
            readonly gasPriceNanoton: string | null;
            /**
             * @description After about how long a transaction of this level is in a block, seconds, by the usual time between blocks. Null where that is not known.
             * @example 12
             */
            readonly seconds: number | null;
            /**
             * @description What the example transfer costs at this level, base units (wei, satoshi …).
             * @example 23100000000000
             */
            readonly transferFeeBaseUnits: string | null;
            /**
             * @description Why a number is null, for people.
             * @example no estimate for this level
             */
            readonly error?: string;
            /**
             * @description Why a number is null, for programs. invalid_address: not an address of that network; timeout: there was no response within the time limit; rate_limited: the upstream accepts no more calls for now; upstream_error: it could not be reached or returned an error; bad_answer: it returned an unusable response; sunset: the network was shut down; not_configured: the operator must set something; no_price: no source has a current price.
             * @example timeout
             * @enum {string}
             */
            readonly errorCode?: "invalid_address" | "timeout" | "rate_limited" | "upstream_error" | "bad_answer" | "sunset" | "not_configured" | "no_price";
            /**
             * @description What the example transfer costs at this level, an exact decimal of the native coin.
             * @example 0.0000231
             */
            readonly transferFee: string | null;
            /**
             * @description The same in US dollars, an exact decimal. Null without the fee or a price.
             * @example 0.0744975
             */
            readonly transferFeeUsd: string | null;
        };
        /** @description What the levels have in common, and what the example is computed from. */
        readonly TonFeeBasis: {
            /**
             * @description Gas that the sender's wallet (v4 R2) uses for the example transfer.
             * @example 3308
             */
            readonly transferGas: string | null;
            /**
             * @description What each message pays whatever its size, nanoton.
             * @example 400000
             */
            readonly messageLumpNanoton: string | null;
            /**
             * @description What each bit beside the root cell of a message costs, nanoton; may have decimals.
             * @example 400
             */
            readonly messageBitNanoton: string | null;
            /**
             * @description What each cell beside its root costs, nanoton; may have decimals.
             * @example 40000
             */
            readonly messageCellNanoton: string | null;
        };
        /** @description What transactions cost on Polkadot Asset Hub. */
        readonly PolkadotFees: {
            /**
             * @description Id of the network.
             * @example base
             */
            readonly network: string;
            /**
             * @description The kind of network, which decides the members of levels and basis.
             * @example polkadot
             * @enum {string}
             */
            readonly family: "polkadot";
            /**
             * @description When the fees were read, UNIX time in milliseconds. Null where they could not be read.
             * @example 1793450000000
             */
            readonly updatedAt: number | null;
            readonly levels: components["schemas"]["PolkadotFeeLevels"];
            readonly basis: components["schemas"]["PolkadotFeeBasis"];
            readonly transfer: components["schemas"]["FeeExample"];
        };
        /** @description From cheap to soon. All are equal where no offer makes a transaction faster. */
        readonly PolkadotFeeLevels: {
            readonly slow: components["schemas"]["PolkadotFeeLevel"];
            readonly standard: components["schemas"]["PolkadotFeeLevel"];
            readonly fast: components["schemas"]["PolkadotFeeLevel"];
        };
        /** @description A level of the fees of Polkadot Asset Hub. */
        readonly PolkadotFeeLevel: {
            /**
             * @description The tip, planck: none is needed unless blocks are full.
             * @example 0
             */
            readonly tipPlanck: string | null;
            /**
             * @description After about how long a transaction of this level is in a block, seconds, by the usual time between blocks. Null where that is not known.
             * @example 12
             */
            readonly seconds: number | null;
            /**
             * @description What the example transfer costs at this level, base units (wei, satoshi …).
             * @example 23100000000000
             */
            readonly transferFeeBaseUnits: string | null;
            /**
             * @description Why a number is null, for people.
             * @example no estimate for this level
             */
            readonly error?: string;
            /**
             * @description Why a number is null, for programs. invalid_address: not an address of that network; timeout: there was no response within the time limit; rate_limited: the upstream accepts no more calls for now; upstream_error: it could not be reached or returned an error; bad_answer: it returned an unusable response; sunset: the network was shut down; not_configured: the operator must set something; no_price: no source has a current price.
             * @example timeout
             * @enum {string}
             */
            readonly errorCode?: "invalid_address" | "timeout" | "rate_limited" | "upstream_error" | "bad_answer" | "sunset" | "not_configured" | "no_price";
            /**
             * @description What the example transfer costs at this level, an exact decimal of the native coin.
             * @example 0.0000231
             */
            readonly transferFee: string | null;
            /**
             * @description The same in US dollars, an exact decimal. Null without the fee or a price.
             * @example 0.0744975
             */
            readonly transferFeeUsd: string | null;
        };
        /** @description What the levels have in common, and what the example is computed from. */
        readonly PolkadotFeeBasis: {
            /**
             * @description What the example transfer pays without a tip, planck, as the runtime computes it.
             * @example 15000000
             */
            readonly transferFeePlanck: string | null;
            /**
             * @description The length of the signed example transfer, bytes.
             * @example 147
             */
            readonly transferBytes: number | null;
        };
        /** @description A transaction to simulate. */
        readonly SimulationRequest: {
            /**
             * @description Chain id.
             * @example 1
             * @enum {string}
             */
            readonly chain: "1" | "10" | "56" | "137" | "8453" | "42161" | "43114";
            readonly input: components["schemas"]["SimulationInput"];
        };
        /** @description The transaction. */
        readonly SimulationInput: {
            /**
             * @description The sender.
             * @example 0xd8dA6BF26964aF9D7eEd9e03E53415D37aA96045
             */
            readonly from: string;
            /**
             * @description The target.
             * @example 0xdAC17F958D2ee523a2206206994597C13D831ec7
             */
            readonly to: string;
            /**
             * @description Call data.
             * @example 0xa9059cbb
             */
            readonly input: string;
            /**
             * @description Gas to use.
             * @example 8000000
             */
            readonly gas?: number;
            /**
             * @description Gas price to use, base units.
             * @example 0
             */
            readonly gas_price?: string;
            /**
             * @description Native coin to send along, base units.
             * @example 0
             */
            readonly value?: string;
            /**
             * @description Block at which to simulate; the newest when it is left out.
             * @example 21000000
             */
            readonly block_number?: number;
            /**
             * @description Kind of simulation; full when it is left out.
             * @example full
             * @enum {string}
             */
            readonly simulation_type?: "full" | "quick" | "abi";
        };
        /** @description All fields of the provider's response, unchanged, and the address of its page. */
        readonly Simulation: {
            /**
             * @description Public page of the simulation; null where the simulation was made but is not known to have become public.
             * @example https://simulations.example/shared/1
             */
            readonly simulationUrl: string | null;
            /**
             * @description Why simulationUrl is null.
             * @example timed out after 5000 ms
             */
            readonly simulationUrlError?: string;
        } & {
            readonly [key: string]: unknown;
        };
        /** @description A test network account was funded. */
        readonly Funding: {
            /**
             * @description The address that was funded, in lower case.
             * @example 0xd8da6bf26964af9d7eed9e03e53415d37aa96045
             */
            readonly address: string;
            /**
             * @description How much was sent, in whole native coins.
             * @example 1
             */
            readonly amount: string;
            /**
             * @description Hash of the transaction that the node has accepted; null where the node set the balance, which takes no transaction.
             * @example 0x5c504ed432cb51138bcf09aa5e8a410dd4a1e204ef84bfed1be16dfba1b22060
             */
            readonly hash: string | null;
        };
        /** @description Which series are cached, and how fresh they are. */
        readonly ChartMetadata: {
            /**
             * @description When a series was last refreshed, UNIX time in milliseconds; null before the first time.
             * @example 1793450000000
             */
            readonly lastUpdate: number | null;
            /** @description Every cached series. */
            readonly data: readonly components["schemas"]["ChartLength"][];
            /**
             * @description Name of the data service; of several, in the order of their names, joined by commas.
             * @example coingecko
             */
            readonly service: string;
        };
        /** @description How long the series of one coin and period is. */
        readonly ChartLength: {
            /**
             * @description A coin with charts: bitcoin, ethereum, cardano, binancecoin, shiba-inu, chainlink, dogecoin.
             * @example bitcoin
             * @enum {string}
             */
            readonly coin: "bitcoin" | "ethereum" | "cardano" | "binancecoin" | "shiba-inu" | "chainlink" | "dogecoin";
            /**
             * @description How many days: 1, 30 or 365.
             * @example 30
             * @enum {string}
             */
            readonly period: "1" | "30" | "365";
            /**
             * @description How many entries there are.
             * @example 180
             */
            readonly length: number;
        };
        /** @description Five numbers: when the candle ends (UNIX time in milliseconds; of the newest it lies ahead), then the open, high, low and close price in USD. */
        readonly Ohlc: readonly number[];
        /** @description The networks whose address form a text fits. */
        readonly AddressLookup: {
            /**
             * @description The text, as the request gave it.
             * @example 0xd8dA6BF26964aF9D7eEd9e03E53415D37aA96045
             */
            readonly input: string;
            /** @description Every network that it fits, in the order of `GET /networks`; empty where it fits none. */
            readonly matches: readonly components["schemas"]["AddressMatch"][];
        };
        /** @description A network to which a text may belong. */
        readonly AddressMatch: {
            /**
             * @description Id of a network whose address form the text fits.
             * @example ethereum
             */
            readonly network: string;
            /**
             * @description The address in the network's canonical form, the same for all its spellings.
             * @example 0xd8da6bf26964af9d7eed9e03e53415d37aa96045
             */
            readonly canonical: string;
            /**
             * @description address: one address; xpub: an extended public key, all addresses derived from it; stake: a stake address, all payment addresses of its key; public-key: the key of an account, in place of its address.
             * @example address
             * @enum {string}
             */
            readonly kind: "address" | "xpub" | "stake" | "public-key";
            /**
             * @description Page of the address at a block explorer; absent where there is none.
             * @example https://etherscan.io/address/0xd8da6bf26964af9d7eed9e03e53415d37aa96045
             */
            readonly explorer?: string;
            /**
             * @description What a person should know about it.
             * @example This spelling has no checksum: a mistyped character would not be noticed.
             */
            readonly note?: string;
        };
        /** @description The process runs. */
        readonly Live: {
            /**
             * @description The process runs.
             * @example live
             * @enum {string}
             */
            readonly status: "live";
        };
        /** @description The service can serve. */
        readonly Ready: {
            /**
             * @description It can serve.
             * @example ready
             * @enum {string}
             */
            readonly status: "ready";
            /**
             * @description How many processes serve on this port; absent where it is one.
             * @example 4
             */
            readonly workers?: number;
            readonly store?: components["schemas"]["StoreHealth"];
            /** @description Every upstream that is configured and in use: those of a network from its first use on. */
            readonly upstreams: readonly components["schemas"]["UpstreamHealth"][];
        };
        /** @description The store of cached responses and shared limits. */
        readonly StoreHealth: {
            /**
             * @description The kind of store, as in the variable CACHE.
             * @example redis
             */
            readonly kind: string;
            /**
             * @description up, it works; read-only, nothing can be written; down, it cannot be reached. Memory carries on meanwhile, and no request fails.
             * @example up
             * @enum {string}
             */
            readonly state: "up" | "read-only" | "down";
        };
        /** @description The state of one upstream. */
        readonly UpstreamHealth: {
            /**
             * @description Name of the upstream.
             * @example koios
             */
            readonly name: string;
            /**
             * @description Whether a key of the operator's is used.
             * @example false
             */
            readonly keyed: boolean;
            /**
             * @description The result of the newest call; unknown before the first call.
             * @example up
             * @enum {string}
             */
            readonly state: "unknown" | "up" | "down";
            /** @description The circuit breaker of each of its addresses, in order of preference. */
            readonly circuits: readonly ("closed" | "open" | "half-open")[];
            /**
             * @description How many addresses the upstream has.
             * @example 2
             */
            readonly addresses: number;
            /**
             * @description The newest good answer, UNIX time in milliseconds
             * @example 1793450000000
             */
            readonly lastOkAt?: number;
            /** @description The newest failure, also when calls have succeeded since. */
            readonly lastFailure?: {
                /**
                 * @description What kind of failure it was.
                 * @example timeout
                 * @enum {string}
                 */
                readonly reason: "invalid_address" | "timeout" | "rate_limited" | "upstream_error" | "bad_answer" | "sunset" | "not_configured" | "no_price";
                /**
                 * @description When it happened, UNIX time in milliseconds
                 * @example 1793450000000
                 */
                readonly at: number;
            };
            readonly budget?: components["schemas"]["UpstreamBudget"];
        };
        /** @description What is left of the calls that its provider grants; absent where they are not counted. Upstreams of one provider share a budget, and each shows all of it. */
        readonly UpstreamBudget: {
            /**
             * @description Calls that could go out now.
             * @example 5
             */
            readonly left: number;
            /**
             * @description Calls in this calendar month, UTC.
             * @example 1200
             */
            readonly usedThisMonth: number;
            /**
             * @description Calls that may be made in any 31 days; absent where they are not limited.
             * @example 10000
             */
            readonly perMonth?: number;
        };
        /** @description The service cannot serve yet, or no more. */
        readonly NotReady: {
            /**
             * @description It cannot serve yet, or no more.
             * @example starting
             * @enum {string}
             */
            readonly status: "starting" | "stopping";
            /**
             * @description How many processes serve on this port; absent where it is one.
             * @example 4
             */
            readonly workers?: number;
            readonly store?: components["schemas"]["StoreHealth"];
            /** @description Every upstream that is configured and in use: those of a network from its first use on. */
            readonly upstreams: readonly components["schemas"]["UpstreamHealth"][];
        };
        /** @description A network and what works on it. */
        readonly NetworkDescription: {
            /**
             * @description The network's id.
             * @example cardano
             */
            readonly id: string;
            /** @description Other names that requests may use. */
            readonly aliases: readonly string[];
            /**
             * @description What kind of network it is.
             * @example cardano
             */
            readonly family: string;
            /** @description EVM chain id; null where there is none. */
            readonly chainId: number | null;
            /**
             * @description The name for people.
             * @example Cardano
             */
            readonly name: string;
            readonly nativeCoin: components["schemas"]["NativeCoin"];
            /**
             * @description The day on which the network was shut down.
             * @example 2026-07-01
             */
            readonly sunset?: string;
            readonly abilities: components["schemas"]["Abilities"];
        };
        /** @description The network's own coin. */
        readonly NativeCoin: {
            /**
             * @description The coin's id at the market data provider.
             * @example cardano
             */
            readonly coinId: string;
            /**
             * @description Symbol.
             * @example ADA
             */
            readonly symbol: string;
            /**
             * @description How many decimals the coin has.
             * @example 6
             */
            readonly decimals: number;
        };
        /** @description What is available on it at the moment. */
        readonly Abilities: {
            readonly balance: components["schemas"]["Ability"];
            readonly tokens: components["schemas"]["Ability"];
            readonly history: components["schemas"]["Ability"];
            readonly export: components["schemas"]["Ability"];
            readonly rpc: components["schemas"]["Ability"];
            readonly rawTransactions: components["schemas"]["Ability"];
            readonly firstTransaction: components["schemas"]["Ability"];
            readonly fees: components["schemas"]["Ability"];
            readonly transactionContext: components["schemas"]["Ability"];
        };
        /** @description An ability of a network. */
        readonly Ability: {
            /**
             * @description Whether it works: false where it does not exist, is not configured, or every upstream behind it fails at present.
             * @example true
             */
            readonly available: boolean;
            /** @description The upstreams, in the order of their use. */
            readonly upstreams: readonly components["schemas"]["AbilityUpstream"][];
            /**
             * @description Why it is not available.
             * @example koios timed out; blockfrost could not be reached or returned an error
             */
            readonly reason?: string;
        };
        /** @description An upstream and its state. */
        readonly AbilityUpstream: {
            /**
             * @description Name of the upstream.
             * @example koios
             */
            readonly name: string;
            /**
             * @description Whether a key of the operator's is used.
             * @example false
             */
            readonly keyed: boolean;
            /**
             * @description The result of the newest call; unknown before the first call.
             * @example up
             * @enum {string}
             */
            readonly state: "unknown" | "up" | "down";
            /** @description The circuit breaker of each of its addresses, in order of preference. */
            readonly circuits: readonly ("closed" | "open" | "half-open")[];
        };
        /** @description The addresses to look up, and how far back. The answer has `data` and `meta`. */
        readonly HistoryWithMetaRequest: {
            /** @description Addresses by network id. Ids and aliases are accepted in any case; ids that are not supported are skipped. */
            readonly networks: {
                readonly [key: string]: readonly string[];
            };
            /**
             * @description How many transactions of each address, 1 to 500; 50 when it is left out.
             * @example 50
             */
            readonly limit?: number;
            /**
             * @description Whether to wrap the answer and say how complete it is.
             * @example true
             * @enum {boolean}
             */
            readonly meta: true;
            /** @description Where to go on, by network and address as `networks` has them: `next` in the meta of the answer before. Addresses without one begin with the newest transactions. Pages neither overlap nor leave anything out, whatever arrives meanwhile; `limit` may differ from page to page. */
            readonly cursors?: {
                readonly [key: string]: {
                    readonly [key: string]: string;
                };
            };
        };
        readonly BalancesLine: (components["schemas"]["Balance"] | {
            /** @description What is missing from this part beyond what its rows say. */
            readonly failures: readonly {
                /**
                 * @description The network, as the part beside it names it.
                 * @example ethereum
                 */
                readonly network: string;
                /**
                 * @description The address, as the request gave it; absent where all of them are meant.
                 * @example ltc1qexampleaddress
                 */
                readonly address?: string;
                /**
                 * @description What is missing and why, for people.
                 * @example blockscout: could not be reached
                 */
                readonly message: string;
                /**
                 * @description Why a number is null, for programs. invalid_address: not an address of that network; timeout: there was no response within the time limit; rate_limited: the upstream accepts no more calls for now; upstream_error: it could not be reached or returned an error; bad_answer: it returned an unusable response; sunset: the network was shut down; not_configured: the operator must set something; no_price: no source has a current price.
                 * @example timeout
                 * @enum {string}
                 */
                readonly errorCode: "invalid_address" | "timeout" | "rate_limited" | "upstream_error" | "bad_answer" | "sunset" | "not_configured" | "no_price";
            }[];
        }) | {
            /**
             * @description The stream is complete. Without this line it was cut off.
             * @example true
             * @enum {boolean}
             */
            readonly done: true;
            /**
             * @description How many failures the lines before report.
             * @example 0
             */
            readonly failures: number;
        };
        readonly HistoryLine: ({
            /** @description Transactions by network and address, the newest first. The keys are those of the request. */
            readonly data: {
                readonly [key: string]: {
                    readonly [key: string]: readonly components["schemas"]["HistoryEntry"][];
                };
            };
            /** @description How complete each list is, by network and address. */
            readonly meta: {
                readonly [key: string]: {
                    readonly [key: string]: components["schemas"]["HistoryMeta"];
                };
            };
            /** @description What is missing from this part beyond what its rows say. */
            readonly failures?: readonly {
                /**
                 * @description The network, as the part beside it names it.
                 * @example ethereum
                 */
                readonly network: string;
                /**
                 * @description The address, as the request gave it; absent where all of them are meant.
                 * @example ltc1qexampleaddress
                 */
                readonly address?: string;
                /**
                 * @description What is missing and why, for people.
                 * @example blockscout: could not be reached
                 */
                readonly message: string;
                /**
                 * @description Why a number is null, for programs. invalid_address: not an address of that network; timeout: there was no response within the time limit; rate_limited: the upstream accepts no more calls for now; upstream_error: it could not be reached or returned an error; bad_answer: it returned an unusable response; sunset: the network was shut down; not_configured: the operator must set something; no_price: no source has a current price.
                 * @example timeout
                 * @enum {string}
                 */
                readonly errorCode: "invalid_address" | "timeout" | "rate_limited" | "upstream_error" | "bad_answer" | "sunset" | "not_configured" | "no_price";
            }[];
        } | ({
            /** @description What is missing from this part beyond what its rows say. */
            readonly failures?: readonly {
                /**
                 * @description The network, as the part beside it names it.
                 * @example ethereum
                 */
                readonly network: string;
                /**
                 * @description The address, as the request gave it; absent where all of them are meant.
                 * @example ltc1qexampleaddress
                 */
                readonly address?: string;
                /**
                 * @description What is missing and why, for people.
                 * @example blockscout: could not be reached
                 */
                readonly message: string;
                /**
                 * @description Why a number is null, for programs. invalid_address: not an address of that network; timeout: there was no response within the time limit; rate_limited: the upstream accepts no more calls for now; upstream_error: it could not be reached or returned an error; bad_answer: it returned an unusable response; sunset: the network was shut down; not_configured: the operator must set something; no_price: no source has a current price.
                 * @example timeout
                 * @enum {string}
                 */
                readonly errorCode: "invalid_address" | "timeout" | "rate_limited" | "upstream_error" | "bad_answer" | "sunset" | "not_configured" | "no_price";
            }[];
        } & {
            readonly [key: string]: {
                readonly [key: string]: readonly components["schemas"]["HistoryEntry"][];
            };
        })) | {
            /**
             * @description The stream is complete. Without this line it was cut off.
             * @example true
             * @enum {boolean}
             */
            readonly done: true;
            /**
             * @description How many failures the lines before report.
             * @example 0
             */
            readonly failures: number;
        };
    };
    responses: {
        /** @description The request is not what this route expects; issues names every value that was refused. */
        readonly InvalidRequest: {
            headers: {
                readonly "x-request-id": components["headers"]["XRequestId"];
                readonly [name: string]: unknown;
            };
            content: {
                readonly "application/problem+json": components["schemas"]["InvalidRequestProblem"];
            };
        };
        /** @description The service requires a key in the header x-api-key and the request has none. */
        readonly Unauthorized: {
            headers: {
                readonly "x-request-id": components["headers"]["XRequestId"];
                readonly [name: string]: unknown;
            };
            content: {
                readonly "application/problem+json": components["schemas"]["UnauthorizedProblem"];
            };
        };
        /** @description The key in the header x-api-key is not one of the accepted ones. */
        readonly Forbidden: {
            headers: {
                readonly "x-request-id": components["headers"]["XRequestId"];
                readonly [name: string]: unknown;
            };
            content: {
                readonly "application/problem+json": components["schemas"]["ForbiddenProblem"];
            };
        };
        /** @description The body is larger than MAX_BODY_BYTES, names more addresses than MAX_ADDRESSES, or has many more values than that. */
        readonly TooLarge: {
            headers: {
                readonly "x-request-id": components["headers"]["XRequestId"];
                readonly [name: string]: unknown;
            };
            content: {
                readonly "application/problem+json": components["schemas"]["TooLargeProblem"];
            };
        };
        /** @description Bodies are JSON: content-type application/json. */
        readonly UnsupportedMediaType: {
            headers: {
                readonly "x-request-id": components["headers"]["XRequestId"];
                readonly [name: string]: unknown;
            };
            content: {
                readonly "application/problem+json": components["schemas"]["UnsupportedMediaTypeProblem"];
            };
        };
        /** @description The limit is used up; the header Retry-After says in how many seconds to come back. */
        readonly TooManyRequests: {
            headers: {
                readonly "x-request-id": components["headers"]["XRequestId"];
                readonly "retry-after": components["headers"]["RetryAfter"];
                readonly "ratelimit-limit": components["headers"]["RatelimitLimit"];
                readonly "ratelimit-remaining": components["headers"]["RatelimitRemaining"];
                readonly "ratelimit-reset": components["headers"]["RatelimitReset"];
                readonly [name: string]: unknown;
            };
            content: {
                readonly "application/problem+json": components["schemas"]["TooManyRequestsProblem"];
            };
        };
        /** @description A fault of the service. */
        readonly Internal: {
            headers: {
                readonly "x-request-id": components["headers"]["XRequestId"];
                readonly [name: string]: unknown;
            };
            content: {
                readonly "application/problem+json": components["schemas"]["InternalProblem"];
            };
        };
        /** @description This instance takes no request now: it shuts down, or has too many under way. */
        readonly Unavailable: {
            headers: {
                readonly "x-request-id": components["headers"]["XRequestId"];
                readonly "retry-after": components["headers"]["RetryAfter"];
                readonly [name: string]: unknown;
            };
            content: {
                readonly "application/problem+json": components["schemas"]["UnavailableProblem"];
            };
        };
        /** @description The answer was not ready within REQUEST_DEADLINE_MS. */
        readonly DeadlineExceeded: {
            headers: {
                readonly "x-request-id": components["headers"]["XRequestId"];
                readonly [name: string]: unknown;
            };
            content: {
                readonly "application/problem+json": components["schemas"]["DeadlineExceededProblem"];
            };
        };
        /** @description No upstream returned a usable response. */
        readonly UpstreamFailed: {
            headers: {
                readonly "x-request-id": components["headers"]["XRequestId"];
                readonly "retry-after": components["headers"]["RetryAfter"];
                readonly [name: string]: unknown;
            };
            content: {
                readonly "application/problem+json": components["schemas"]["UpstreamFailedProblem"];
            };
        };
        /** @description There is nothing at this address. */
        readonly NotFound: {
            headers: {
                readonly "x-request-id": components["headers"]["XRequestId"];
                readonly [name: string]: unknown;
            };
            content: {
                readonly "application/problem+json": components["schemas"]["NotFoundProblem"];
            };
        };
        /** @description The operator has not configured what this route needs, or this version does not have it. */
        readonly NotImplemented: {
            headers: {
                readonly "x-request-id": components["headers"]["XRequestId"];
                readonly [name: string]: unknown;
            };
            content: {
                readonly "application/problem+json": components["schemas"]["NotImplementedProblem"];
                readonly "application/json": {
                    /**
                     * @description The version: 2.0.
                     * @example 2.0
                     */
                    readonly jsonrpc: string;
                    /**
                     * @description The id of the call, as it was written.
                     * @example 1
                     */
                    readonly id: unknown;
                    /** @description What went wrong. */
                    readonly error: {
                        /**
                         * @description The kind of error.
                         * @example -32000
                         */
                        readonly code: number;
                        /**
                         * @description The same in words.
                         * @example base-rpc: no address is configured
                         */
                        readonly message: string;
                    };
                };
            };
        };
    };
    parameters: never;
    requestBodies: never;
    headers: {
        /** @description The id of the request, as on every line of the log: the one that the client has sent, if it is sane, or a new one. */
        readonly XRequestId: string;
        /** @description What is missing from the answer and is not said in it: a JSON array, whose elements the description of the route names. Absent where nothing is. */
        readonly XPartialFailures: string;
        /** @description Names this state of the answer; to be sent as `if-none-match`. Absent where the answer must not be cached. */
        readonly Etag: string;
        /** @description For how long the answer may be used again without asking. */
        readonly CacheControl: string;
        /** @description In how many seconds to try again; absent where that is not known. */
        readonly RetryAfter: number;
        /** @description RATE_LIMIT_PER_MINUTE, where that is the limit which the request has met. */
        readonly RatelimitLimit: number;
        /** @description How many requests are left: none, where it is there. */
        readonly RatelimitRemaining: number;
        /** @description In how many seconds the next request is accepted. */
        readonly RatelimitReset: number;
    };
    pathItems: never;
}
export type $defs = Record<string, never>;
export interface operations {
    readonly "balances.balances": {
        readonly parameters: {
            readonly query?: {
                /** @description As `currency` of the body. */
                readonly currency?: string;
                /** @description As `detail` of the body. */
                readonly detail?: boolean;
            };
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly requestBody: {
            readonly content: {
                readonly "application/json": components["schemas"]["BalancesRequest"];
            };
        };
        readonly responses: {
            /** @description Networks and addresses in the order of the request; of each address the native coin first, then its tokens by USD value. */
            readonly 200: {
                headers: {
                    readonly "x-request-id": components["headers"]["XRequestId"];
                    readonly "x-partial-failures": components["headers"]["XPartialFailures"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": readonly components["schemas"]["Balance"][];
                };
            };
            readonly 400: components["responses"]["InvalidRequest"];
            readonly 401: components["responses"]["Unauthorized"];
            readonly 403: components["responses"]["Forbidden"];
            readonly 413: components["responses"]["TooLarge"];
            readonly 415: components["responses"]["UnsupportedMediaType"];
            readonly 429: components["responses"]["TooManyRequests"];
            readonly 500: components["responses"]["Internal"];
            readonly 503: components["responses"]["Unavailable"];
            readonly 504: components["responses"]["DeadlineExceeded"];
        };
    };
    readonly "balances.token": {
        readonly parameters: {
            readonly query?: {
                /** @description As `currency` of the body. */
                readonly currency?: string;
                /** @description As `detail` of the body. */
                readonly detail?: boolean;
            };
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly requestBody: {
            readonly content: {
                readonly "application/json": components["schemas"]["TokenBalanceRequest"];
            };
        };
        readonly responses: {
            /** @description What one address holds of one coin or token, and its worth. */
            readonly 200: {
                headers: {
                    readonly "x-request-id": components["headers"]["XRequestId"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["TokenBalance"];
                };
            };
            readonly 400: components["responses"]["InvalidRequest"];
            readonly 401: components["responses"]["Unauthorized"];
            readonly 403: components["responses"]["Forbidden"];
            readonly 413: components["responses"]["TooLarge"];
            readonly 415: components["responses"]["UnsupportedMediaType"];
            readonly 429: components["responses"]["TooManyRequests"];
            readonly 500: components["responses"]["Internal"];
            readonly 503: components["responses"]["Unavailable"];
            readonly 504: components["responses"]["DeadlineExceeded"];
        };
    };
    readonly "balances.stream": {
        readonly parameters: {
            readonly query: {
                /** @description `network:address` pairs separated by commas. Ids and aliases are accepted in any case; networks that are not supported are skipped. Only the first colon separates: `bch:bitcoincash:q…` is an address with a colon. */
                readonly addresses: string;
                /** @description The currency of the numbers, in any case: usd, aed, ars, aud, bam, bdt, bhd, bmd, brl, cad, chf, clp, cny, cop, crc, czk, dkk, dop, eur, gbp, gel, gtq, hkd, hnl, huf, idr, ils, inr, jpy, kes, krw, kwd, lbp, lkr, mmk, mxn, myr, ngn, nok, nzd, pen, php, pkr, pln, ron, rub, sar, sek, sgd, svc, thb, try, twd, uah, vef, vnd, xdr, zar, zmw, xau, xag, btc, eth. Without it US dollars. */
                readonly currency?: string;
                /** @description Whether native coins have their whole `breakdown`, also where that needs further calls to upstreams. */
                readonly detail?: boolean;
            };
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description Server-sent events, each with a name, an id and JSON as its data. */
            readonly 200: {
                headers: {
                    readonly "x-request-id": components["headers"]["XRequestId"];
                    readonly [name: string]: unknown;
                };
                content: {
                    /**
                     * @example event: end
                     *     id: end
                     *     data: {"done":true,"failures":0}
                     */
                    readonly "text/event-stream": string;
                };
            };
            /** @description To a request with `Last-Event-ID: end`: the stream is complete, and an EventSource stops. */
            readonly 204: {
                headers: {
                    readonly "x-request-id": components["headers"]["XRequestId"];
                    readonly [name: string]: unknown;
                };
                content?: never;
            };
            readonly 400: components["responses"]["InvalidRequest"];
            readonly 401: components["responses"]["Unauthorized"];
            readonly 403: components["responses"]["Forbidden"];
            readonly 413: components["responses"]["TooLarge"];
            readonly 429: components["responses"]["TooManyRequests"];
            readonly 500: components["responses"]["Internal"];
            readonly 503: components["responses"]["Unavailable"];
            readonly 504: components["responses"]["DeadlineExceeded"];
        };
    };
    readonly "history.transactions": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly requestBody: {
            readonly content: {
                readonly "application/json": components["schemas"]["HistoryRequest"];
            };
        };
        readonly responses: {
            /** @description Transactions by network and address, the newest first. The keys are those of the request. */
            readonly 200: {
                headers: {
                    readonly "x-request-id": components["headers"]["XRequestId"];
                    readonly "x-partial-failures": components["headers"]["XPartialFailures"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": {
                        readonly [key: string]: {
                            readonly [key: string]: readonly components["schemas"]["HistoryEntry"][];
                        };
                    };
                };
            };
            readonly 400: components["responses"]["InvalidRequest"];
            readonly 401: components["responses"]["Unauthorized"];
            readonly 403: components["responses"]["Forbidden"];
            readonly 413: components["responses"]["TooLarge"];
            readonly 415: components["responses"]["UnsupportedMediaType"];
            readonly 429: components["responses"]["TooManyRequests"];
            readonly 500: components["responses"]["Internal"];
            readonly 502: components["responses"]["UpstreamFailed"];
            readonly 503: components["responses"]["Unavailable"];
            readonly 504: components["responses"]["DeadlineExceeded"];
        };
    };
    readonly "history.transactionsWithMeta": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly requestBody: {
            readonly content: {
                readonly "application/json": components["schemas"]["HistoryWithMetaRequest"];
            };
        };
        readonly responses: {
            /** @description The answer to a request with meta: true. */
            readonly 200: {
                headers: {
                    readonly "x-request-id": components["headers"]["XRequestId"];
                    readonly "x-partial-failures": components["headers"]["XPartialFailures"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["HistoryWithMeta"];
                };
            };
            readonly 400: components["responses"]["InvalidRequest"];
            readonly 401: components["responses"]["Unauthorized"];
            readonly 403: components["responses"]["Forbidden"];
            readonly 413: components["responses"]["TooLarge"];
            readonly 415: components["responses"]["UnsupportedMediaType"];
            readonly 429: components["responses"]["TooManyRequests"];
            readonly 500: components["responses"]["Internal"];
            readonly 502: components["responses"]["UpstreamFailed"];
            readonly 503: components["responses"]["Unavailable"];
            readonly 504: components["responses"]["DeadlineExceeded"];
        };
    };
    readonly "history.stream": {
        readonly parameters: {
            readonly query: {
                /** @description `network:address` pairs separated by commas. Ids and aliases are accepted in any case; networks that are not supported are skipped. Only the first colon separates: `bch:bitcoincash:q…` is an address with a colon. */
                readonly addresses: string;
                /** @description How many transactions of each address, 1 to 500; 50 when it is left out. */
                readonly limit?: number;
                /** @description Whether to wrap the answer and say how complete it is. */
                readonly meta?: boolean;
                /** @description Where to go on: `network:address:cursor` items separated by commas, with network and address as `addresses` has them and the `next` of an answer with `meta`. */
                readonly cursors?: string;
            };
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description Server-sent events, each with a name, an id and JSON as its data. */
            readonly 200: {
                headers: {
                    readonly "x-request-id": components["headers"]["XRequestId"];
                    readonly [name: string]: unknown;
                };
                content: {
                    /**
                     * @example event: end
                     *     id: end
                     *     data: {"done":true,"failures":0}
                     */
                    readonly "text/event-stream": string;
                };
            };
            /** @description To a request with `Last-Event-ID: end`: the stream is complete, and an EventSource stops. */
            readonly 204: {
                headers: {
                    readonly "x-request-id": components["headers"]["XRequestId"];
                    readonly [name: string]: unknown;
                };
                content?: never;
            };
            readonly 400: components["responses"]["InvalidRequest"];
            readonly 401: components["responses"]["Unauthorized"];
            readonly 403: components["responses"]["Forbidden"];
            readonly 413: components["responses"]["TooLarge"];
            readonly 429: components["responses"]["TooManyRequests"];
            readonly 500: components["responses"]["Internal"];
            readonly 503: components["responses"]["Unavailable"];
            readonly 504: components["responses"]["DeadlineExceeded"];
        };
    };
    readonly "history.export": {
        readonly parameters: {
            readonly query: {
                /** @description `network:address` pairs separated by commas. Ids and aliases are accepted in any case; networks that are not supported are skipped. Only the first colon separates: `bch:bitcoincash:q…` is an address with a colon. */
                readonly addresses: string;
                /** @description What the file has. */
                readonly format?: "csv" | "ndjson";
            };
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description With `format=csv`. The lines of `format=ndjson` are those of `x-stream`. */
            readonly 200: {
                headers: {
                    readonly "x-request-id": components["headers"]["XRequestId"];
                    readonly [name: string]: unknown;
                };
                content: {
                    /** @example network,address,time,hash,type,status,direction,party,amount,amountBaseUnits,currency,token,fee,feeCurrency,flags,explorer,note */
                    readonly "text/csv": string;
                };
            };
            readonly 400: components["responses"]["InvalidRequest"];
            readonly 401: components["responses"]["Unauthorized"];
            readonly 403: components["responses"]["Forbidden"];
            readonly 413: components["responses"]["TooLarge"];
            readonly 429: components["responses"]["TooManyRequests"];
            readonly 500: components["responses"]["Internal"];
            readonly 503: components["responses"]["Unavailable"];
            readonly 504: components["responses"]["DeadlineExceeded"];
        };
    };
    readonly "portfolio.chart": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly requestBody: {
            readonly content: {
                readonly "application/json": components["schemas"]["PortfolioChartRequest"];
            };
        };
        readonly responses: {
            /** @description What addresses were worth over time. */
            readonly 200: {
                headers: {
                    readonly "x-request-id": components["headers"]["XRequestId"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["PortfolioChart"];
                };
            };
            readonly 400: components["responses"]["InvalidRequest"];
            readonly 401: components["responses"]["Unauthorized"];
            readonly 403: components["responses"]["Forbidden"];
            readonly 413: components["responses"]["TooLarge"];
            readonly 415: components["responses"]["UnsupportedMediaType"];
            readonly 429: components["responses"]["TooManyRequests"];
            readonly 500: components["responses"]["Internal"];
            readonly 503: components["responses"]["Unavailable"];
            readonly 504: components["responses"]["DeadlineExceeded"];
        };
    };
    readonly "prices.byChain": {
        readonly parameters: {
            readonly query: {
                /** @description Chain ids separated by commas, at most 1000. Chains with prices: 1, 10, 56, 61, 137, 1101, 146, 8453, 42161, 43114, 59144, 728126428; others are left out of the answer. */
                readonly network_ids: string;
                /** @description The currency of the numbers, in any case: usd, aed, ars, aud, bam, bdt, bhd, bmd, brl, cad, chf, clp, cny, cop, crc, czk, dkk, dop, eur, gbp, gel, gtq, hkd, hnl, huf, idr, ils, inr, jpy, kes, krw, kwd, lbp, lkr, mmk, mxn, myr, ngn, nok, nzd, pen, php, pkr, pln, ron, rub, sar, sek, sgd, svc, thb, try, twd, uah, vef, vnd, xdr, zar, zmw, xau, xag, btc, eth. Without it US dollars. */
                readonly currency?: string;
            };
            readonly header?: {
                /** @description The `etag` of an earlier answer: the answer is 304 without a body if nothing has changed since. */
                readonly "if-none-match"?: string;
            };
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description Prices by chain id and token address: EVM addresses in lower case, Tron's in base58, the native coin under the zero address. */
            readonly 200: {
                headers: {
                    readonly "x-request-id": components["headers"]["XRequestId"];
                    readonly "x-partial-failures": components["headers"]["XPartialFailures"];
                    readonly etag: components["headers"]["Etag"];
                    readonly "cache-control": components["headers"]["CacheControl"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": {
                        readonly [key: string]: {
                            readonly [key: string]: components["schemas"]["TokenPrice"];
                        };
                    };
                };
            };
            /** @description Nothing has changed since the answer with the tag in `if-none-match`; there is no body. */
            readonly 304: {
                headers: {
                    readonly "x-request-id": components["headers"]["XRequestId"];
                    readonly etag: components["headers"]["Etag"];
                    readonly "cache-control": components["headers"]["CacheControl"];
                    readonly [name: string]: unknown;
                };
                content?: never;
            };
            readonly 400: components["responses"]["InvalidRequest"];
            readonly 401: components["responses"]["Unauthorized"];
            readonly 403: components["responses"]["Forbidden"];
            readonly 429: components["responses"]["TooManyRequests"];
            readonly 500: components["responses"]["Internal"];
            readonly 502: components["responses"]["UpstreamFailed"];
            readonly 503: components["responses"]["Unavailable"];
            readonly 504: components["responses"]["DeadlineExceeded"];
        };
    };
    readonly "prices.byCoin": {
        readonly parameters: {
            readonly query: {
                /** @description Coin ids of the market data provider, separated by commas, at most 1000. Those that no source knows are left out of the answer. */
                readonly coin_ids: string;
                /** @description The currency of the numbers, in any case: usd, aed, ars, aud, bam, bdt, bhd, bmd, brl, cad, chf, clp, cny, cop, crc, czk, dkk, dop, eur, gbp, gel, gtq, hkd, hnl, huf, idr, ils, inr, jpy, kes, krw, kwd, lbp, lkr, mmk, mxn, myr, ngn, nok, nzd, pen, php, pkr, pln, ron, rub, sar, sek, sgd, svc, thb, try, twd, uah, vef, vnd, xdr, zar, zmw, xau, xag, btc, eth. Without it US dollars. */
                readonly currency?: string;
            };
            readonly header?: {
                /** @description The `etag` of an earlier answer: the answer is 304 without a body if nothing has changed since. */
                readonly "if-none-match"?: string;
            };
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description Prices by coin id. */
            readonly 200: {
                headers: {
                    readonly "x-request-id": components["headers"]["XRequestId"];
                    readonly etag: components["headers"]["Etag"];
                    readonly "cache-control": components["headers"]["CacheControl"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": {
                        readonly [key: string]: components["schemas"]["CoinPrice"];
                    };
                };
            };
            /** @description Nothing has changed since the answer with the tag in `if-none-match`; there is no body. */
            readonly 304: {
                headers: {
                    readonly "x-request-id": components["headers"]["XRequestId"];
                    readonly etag: components["headers"]["Etag"];
                    readonly "cache-control": components["headers"]["CacheControl"];
                    readonly [name: string]: unknown;
                };
                content?: never;
            };
            readonly 400: components["responses"]["InvalidRequest"];
            readonly 401: components["responses"]["Unauthorized"];
            readonly 403: components["responses"]["Forbidden"];
            readonly 429: components["responses"]["TooManyRequests"];
            readonly 500: components["responses"]["Internal"];
            readonly 502: components["responses"]["UpstreamFailed"];
            readonly 503: components["responses"]["Unavailable"];
            readonly 504: components["responses"]["DeadlineExceeded"];
        };
    };
    readonly "prices.marketChart": {
        readonly parameters: {
            readonly query: {
                /** @description Coin ids of the market data provider, separated by commas, at most 100. Those that it does not know are left out of the answer. */
                readonly coin_ids: string;
                /** @description How many days back: 1, 7, 30 or 365. */
                readonly days: "1" | "7" | "30" | "365";
                /** @description The currency of the numbers, in any case: usd, aed, ars, aud, bam, bdt, bhd, bmd, brl, cad, chf, clp, cny, cop, crc, czk, dkk, dop, eur, gbp, gel, gtq, hkd, hnl, huf, idr, ils, inr, jpy, kes, krw, kwd, lbp, lkr, mmk, mxn, myr, ngn, nok, nzd, pen, php, pkr, pln, ron, rub, sar, sek, sgd, svc, thb, try, twd, uah, vef, vnd, xdr, zar, zmw, xau, xag, btc, eth. Without it US dollars. */
                readonly currency?: string;
            };
            readonly header?: {
                /** @description The `etag` of an earlier answer: the answer is 304 without a body if nothing has changed since. */
                readonly "if-none-match"?: string;
            };
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description Series by coin id. */
            readonly 200: {
                headers: {
                    readonly "x-request-id": components["headers"]["XRequestId"];
                    readonly "x-partial-failures": components["headers"]["XPartialFailures"];
                    readonly etag: components["headers"]["Etag"];
                    readonly "cache-control": components["headers"]["CacheControl"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": {
                        readonly [key: string]: components["schemas"]["MarketChart"];
                    };
                };
            };
            /** @description Nothing has changed since the answer with the tag in `if-none-match`; there is no body. */
            readonly 304: {
                headers: {
                    readonly "x-request-id": components["headers"]["XRequestId"];
                    readonly etag: components["headers"]["Etag"];
                    readonly "cache-control": components["headers"]["CacheControl"];
                    readonly [name: string]: unknown;
                };
                content?: never;
            };
            readonly 400: components["responses"]["InvalidRequest"];
            readonly 401: components["responses"]["Unauthorized"];
            readonly 403: components["responses"]["Forbidden"];
            readonly 429: components["responses"]["TooManyRequests"];
            readonly 500: components["responses"]["Internal"];
            readonly 502: components["responses"]["UpstreamFailed"];
            readonly 503: components["responses"]["Unavailable"];
            readonly 504: components["responses"]["DeadlineExceeded"];
        };
    };
    readonly "prices.currencies": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description US dollars first. */
            readonly 200: {
                headers: {
                    readonly "x-request-id": components["headers"]["XRequestId"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": readonly components["schemas"]["CurrencyRate"][];
                };
            };
            readonly 400: components["responses"]["InvalidRequest"];
            readonly 401: components["responses"]["Unauthorized"];
            readonly 403: components["responses"]["Forbidden"];
            readonly 429: components["responses"]["TooManyRequests"];
            readonly 500: components["responses"]["Internal"];
            readonly 503: components["responses"]["Unavailable"];
            readonly 504: components["responses"]["DeadlineExceeded"];
        };
    };
    readonly "prices.nativeDetails": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: {
                /** @description The `etag` of an earlier answer: the answer is 304 without a body if nothing has changed since. */
                readonly "if-none-match"?: string;
            };
            readonly path: {
                /** @description A platform's name at the market data provider: 1 to 100 letters, digits, hyphens or underscores. */
                readonly platform: string;
            };
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description The provider's own details, unchanged. */
            readonly 200: {
                headers: {
                    readonly "x-request-id": components["headers"]["XRequestId"];
                    readonly etag: components["headers"]["Etag"];
                    readonly "cache-control": components["headers"]["CacheControl"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": unknown;
                };
            };
            /** @description Nothing has changed since the answer with the tag in `if-none-match`; there is no body. */
            readonly 304: {
                headers: {
                    readonly "x-request-id": components["headers"]["XRequestId"];
                    readonly etag: components["headers"]["Etag"];
                    readonly "cache-control": components["headers"]["CacheControl"];
                    readonly [name: string]: unknown;
                };
                content?: never;
            };
            readonly 400: components["responses"]["InvalidRequest"];
            readonly 401: components["responses"]["Unauthorized"];
            readonly 403: components["responses"]["Forbidden"];
            readonly 404: components["responses"]["NotFound"];
            readonly 429: components["responses"]["TooManyRequests"];
            readonly 500: components["responses"]["Internal"];
            readonly 502: components["responses"]["UpstreamFailed"];
            readonly 503: components["responses"]["Unavailable"];
            readonly 504: components["responses"]["DeadlineExceeded"];
        };
    };
    readonly "prices.tokenDetails": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: {
                /** @description The `etag` of an earlier answer: the answer is 304 without a body if nothing has changed since. */
                readonly "if-none-match"?: string;
            };
            readonly path: {
                /** @description A platform's name at the market data provider: 1 to 100 letters, digits, hyphens or underscores. */
                readonly platform: string;
                /** @description Contract of the token: 1 to 200 letters, digits or characters of `. _ : $ ~ -`, and not `.` or `..` alone. */
                readonly contract: string;
            };
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description The provider's own details, unchanged. */
            readonly 200: {
                headers: {
                    readonly "x-request-id": components["headers"]["XRequestId"];
                    readonly etag: components["headers"]["Etag"];
                    readonly "cache-control": components["headers"]["CacheControl"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": unknown;
                };
            };
            /** @description Nothing has changed since the answer with the tag in `if-none-match`; there is no body. */
            readonly 304: {
                headers: {
                    readonly "x-request-id": components["headers"]["XRequestId"];
                    readonly etag: components["headers"]["Etag"];
                    readonly "cache-control": components["headers"]["CacheControl"];
                    readonly [name: string]: unknown;
                };
                content?: never;
            };
            readonly 400: components["responses"]["InvalidRequest"];
            readonly 401: components["responses"]["Unauthorized"];
            readonly 403: components["responses"]["Forbidden"];
            readonly 404: components["responses"]["NotFound"];
            readonly 429: components["responses"]["TooManyRequests"];
            readonly 500: components["responses"]["Internal"];
            readonly 502: components["responses"]["UpstreamFailed"];
            readonly 503: components["responses"]["Unavailable"];
            readonly 504: components["responses"]["DeadlineExceeded"];
        };
    };
    readonly "nodes.rpc": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path: {
                /** @description Id or alias of a network, in any case: Ethereum, Optimism, Bsc, Polygon, Base, Arbitrum, Avalanche, Linea, Solana, Sui and Ton. */
                readonly network: string;
            };
            readonly cookie?: never;
        };
        readonly requestBody: {
            readonly content: {
                readonly "application/json": components["schemas"]["JsonRpcCall"] | readonly components["schemas"]["JsonRpcCall"][];
            };
        };
        readonly responses: {
            /** @description The node's answer, unchanged; its JSON-RPC errors come with status 200. */
            readonly 200: {
                headers: {
                    readonly "x-request-id": components["headers"]["XRequestId"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": unknown;
                };
            };
            /** @description There were only calls without an id: they were sent, and have no response. */
            readonly 204: {
                headers: {
                    readonly "x-request-id": components["headers"]["XRequestId"];
                    readonly [name: string]: unknown;
                };
                content?: never;
            };
            /** @description The request is not what this route expects; issues names every value that was refused. */
            readonly 400: {
                headers: {
                    readonly "x-request-id": components["headers"]["XRequestId"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["InvalidRequestProblem"];
                    readonly "application/json": {
                        /**
                         * @description The version: 2.0.
                         * @example 2.0
                         */
                        readonly jsonrpc: string;
                        /**
                         * @description The id of the call, as it was written.
                         * @example 1
                         */
                        readonly id: unknown;
                        /** @description What went wrong. */
                        readonly error: {
                            /**
                             * @description The kind of error.
                             * @example -32600
                             */
                            readonly code: number;
                            /**
                             * @description The same in words.
                             * @example Invalid request: method must be the name of a method
                             */
                            readonly message: string;
                        };
                    };
                };
            };
            readonly 401: components["responses"]["Unauthorized"];
            /** @description The key in the header x-api-key is not one of the accepted ones. */
            readonly 403: {
                headers: {
                    readonly "x-request-id": components["headers"]["XRequestId"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["ForbiddenProblem"];
                    readonly "application/json": {
                        /**
                         * @description The version: 2.0.
                         * @example 2.0
                         */
                        readonly jsonrpc: string;
                        /**
                         * @description The id of the call, as it was written.
                         * @example 1
                         */
                        readonly id: unknown;
                        /** @description What went wrong. */
                        readonly error: {
                            /**
                             * @description The kind of error.
                             * @example -32601
                             */
                            readonly code: number;
                            /**
                             * @description The same in words.
                             * @example The method admin_peers administers a node and is not passed on
                             */
                            readonly message: string;
                        };
                    };
                };
            };
            readonly 404: components["responses"]["NotFound"];
            readonly 413: components["responses"]["TooLarge"];
            readonly 415: components["responses"]["UnsupportedMediaType"];
            readonly 429: components["responses"]["TooManyRequests"];
            readonly 500: components["responses"]["Internal"];
            readonly 501: components["responses"]["NotImplemented"];
            /** @description No node answered. */
            readonly 502: {
                headers: {
                    readonly "x-request-id": components["headers"]["XRequestId"];
                    readonly "retry-after": components["headers"]["RetryAfter"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": {
                        /**
                         * @description The version: 2.0.
                         * @example 2.0
                         */
                        readonly jsonrpc: string;
                        /**
                         * @description The id of the call, as it was written.
                         * @example 1
                         */
                        readonly id: unknown;
                        /** @description What went wrong. */
                        readonly error: {
                            /**
                             * @description The kind of error.
                             * @example -32000
                             */
                            readonly code: number;
                            /**
                             * @description The same in words.
                             * @example no node answered
                             */
                            readonly message: string;
                        };
                    };
                };
            };
            readonly 503: components["responses"]["Unavailable"];
            /** @description The answer was not ready within REQUEST_DEADLINE_MS. */
            readonly 504: {
                headers: {
                    readonly "x-request-id": components["headers"]["XRequestId"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["DeadlineExceededProblem"];
                    readonly "application/json": {
                        /**
                         * @description The version: 2.0.
                         * @example 2.0
                         */
                        readonly jsonrpc: string;
                        /**
                         * @description The id of the call, as it was written.
                         * @example 1
                         */
                        readonly id: unknown;
                        /** @description What went wrong. */
                        readonly error: {
                            /**
                             * @description The kind of error.
                             * @example -32000
                             */
                            readonly code: number;
                            /**
                             * @description The same in words.
                             * @example no node answered within 15000 ms
                             */
                            readonly message: string;
                        };
                    };
                };
            };
        };
    };
    readonly "nodes.testnetRpc": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path: {
                /** @description Id or alias of a network, in any case: Optimism, Bsc, Polygon, Base, Arbitrum, Avalanche, Linea, Solana and Ton. */
                readonly network: string;
            };
            readonly cookie?: never;
        };
        readonly requestBody: {
            readonly content: {
                readonly "application/json": components["schemas"]["JsonRpcCall"] | readonly components["schemas"]["JsonRpcCall"][];
            };
        };
        readonly responses: {
            /** @description The node's answer, unchanged; its JSON-RPC errors come with status 200. */
            readonly 200: {
                headers: {
                    readonly "x-request-id": components["headers"]["XRequestId"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": unknown;
                };
            };
            /** @description There were only calls without an id: they were sent, and have no response. */
            readonly 204: {
                headers: {
                    readonly "x-request-id": components["headers"]["XRequestId"];
                    readonly [name: string]: unknown;
                };
                content?: never;
            };
            /** @description The request is not what this route expects; issues names every value that was refused. */
            readonly 400: {
                headers: {
                    readonly "x-request-id": components["headers"]["XRequestId"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["InvalidRequestProblem"];
                    readonly "application/json": {
                        /**
                         * @description The version: 2.0.
                         * @example 2.0
                         */
                        readonly jsonrpc: string;
                        /**
                         * @description The id of the call, as it was written.
                         * @example 1
                         */
                        readonly id: unknown;
                        /** @description What went wrong. */
                        readonly error: {
                            /**
                             * @description The kind of error.
                             * @example -32600
                             */
                            readonly code: number;
                            /**
                             * @description The same in words.
                             * @example Invalid request: method must be the name of a method
                             */
                            readonly message: string;
                        };
                    };
                };
            };
            readonly 401: components["responses"]["Unauthorized"];
            /** @description The key in the header x-api-key is not one of the accepted ones. */
            readonly 403: {
                headers: {
                    readonly "x-request-id": components["headers"]["XRequestId"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["ForbiddenProblem"];
                    readonly "application/json": {
                        /**
                         * @description The version: 2.0.
                         * @example 2.0
                         */
                        readonly jsonrpc: string;
                        /**
                         * @description The id of the call, as it was written.
                         * @example 1
                         */
                        readonly id: unknown;
                        /** @description What went wrong. */
                        readonly error: {
                            /**
                             * @description The kind of error.
                             * @example -32601
                             */
                            readonly code: number;
                            /**
                             * @description The same in words.
                             * @example The method admin_peers administers a node and is not passed on
                             */
                            readonly message: string;
                        };
                    };
                };
            };
            readonly 404: components["responses"]["NotFound"];
            readonly 413: components["responses"]["TooLarge"];
            readonly 415: components["responses"]["UnsupportedMediaType"];
            readonly 429: components["responses"]["TooManyRequests"];
            readonly 500: components["responses"]["Internal"];
            readonly 501: components["responses"]["NotImplemented"];
            /** @description No node answered. */
            readonly 502: {
                headers: {
                    readonly "x-request-id": components["headers"]["XRequestId"];
                    readonly "retry-after": components["headers"]["RetryAfter"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": {
                        /**
                         * @description The version: 2.0.
                         * @example 2.0
                         */
                        readonly jsonrpc: string;
                        /**
                         * @description The id of the call, as it was written.
                         * @example 1
                         */
                        readonly id: unknown;
                        /** @description What went wrong. */
                        readonly error: {
                            /**
                             * @description The kind of error.
                             * @example -32000
                             */
                            readonly code: number;
                            /**
                             * @description The same in words.
                             * @example no node answered
                             */
                            readonly message: string;
                        };
                    };
                };
            };
            readonly 503: components["responses"]["Unavailable"];
            /** @description The answer was not ready within REQUEST_DEADLINE_MS. */
            readonly 504: {
                headers: {
                    readonly "x-request-id": components["headers"]["XRequestId"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["DeadlineExceededProblem"];
                    readonly "application/json": {
                        /**
                         * @description The version: 2.0.
                         * @example 2.0
                         */
                        readonly jsonrpc: string;
                        /**
                         * @description The id of the call, as it was written.
                         * @example 1
                         */
                        readonly id: unknown;
                        /** @description What went wrong. */
                        readonly error: {
                            /**
                             * @description The kind of error.
                             * @example -32000
                             */
                            readonly code: number;
                            /**
                             * @description The same in words.
                             * @example no node answered within 15000 ms
                             */
                            readonly message: string;
                        };
                    };
                };
            };
        };
    };
    readonly "nodes.protocolParameters": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: {
                /** @description The `etag` of an earlier answer: the answer is 304 without a body if nothing has changed since. */
                readonly "if-none-match"?: string;
            };
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description What a Cardano wallet needs to build a transaction. */
            readonly 200: {
                headers: {
                    readonly "x-request-id": components["headers"]["XRequestId"];
                    readonly etag: components["headers"]["Etag"];
                    readonly "cache-control": components["headers"]["CacheControl"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["ProtocolParameters"];
                };
            };
            /** @description Nothing has changed since the answer with the tag in `if-none-match`; there is no body. */
            readonly 304: {
                headers: {
                    readonly "x-request-id": components["headers"]["XRequestId"];
                    readonly etag: components["headers"]["Etag"];
                    readonly "cache-control": components["headers"]["CacheControl"];
                    readonly [name: string]: unknown;
                };
                content?: never;
            };
            readonly 400: components["responses"]["InvalidRequest"];
            readonly 401: components["responses"]["Unauthorized"];
            readonly 403: components["responses"]["Forbidden"];
            readonly 429: components["responses"]["TooManyRequests"];
            readonly 500: components["responses"]["Internal"];
            /** @description The operator has not configured what this route needs, or this version does not have it. */
            readonly 501: {
                headers: {
                    readonly "x-request-id": components["headers"]["XRequestId"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["NotImplementedProblem"];
                };
            };
            readonly 502: components["responses"]["UpstreamFailed"];
            readonly 503: components["responses"]["Unavailable"];
            readonly 504: components["responses"]["DeadlineExceeded"];
        };
    };
    readonly "transactions.sendRawTransaction": {
        readonly parameters: {
            readonly query?: {
                /** @description Id or alias of the network. */
                readonly chain?: string;
                /** @description The raw transaction to send, or the hash to look up. */
                readonly tx?: string;
            };
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        /** @description The same fields as in the query; what both have is taken from the query. */
        readonly requestBody?: {
            readonly content: {
                readonly "application/json": {
                    /**
                     * @description Id or alias of the network.
                     * @example litecoin
                     */
                    readonly chain?: string;
                    /**
                     * @description The raw transaction to send, or the hash to look up.
                     * @example 0200000001abcdef
                     */
                    readonly tx?: string;
                };
            };
        };
        readonly responses: {
            /** @description The node's answer, unchanged. */
            readonly 200: {
                headers: {
                    readonly "x-request-id": components["headers"]["XRequestId"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": unknown;
                };
            };
            /** @description The request is not what this route expects; issues names every value that was refused. */
            readonly 400: {
                headers: {
                    readonly "x-request-id": components["headers"]["XRequestId"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["InvalidRequestProblem"];
                    readonly "application/json": unknown;
                    /** @example TX decode failed. Make sure the tx has at least one input. */
                    readonly "text/plain": string;
                };
            };
            readonly 401: components["responses"]["Unauthorized"];
            readonly 403: components["responses"]["Forbidden"];
            readonly 413: components["responses"]["TooLarge"];
            readonly 415: components["responses"]["UnsupportedMediaType"];
            readonly 429: components["responses"]["TooManyRequests"];
            readonly 500: components["responses"]["Internal"];
            /** @description The operator has not configured what this route needs, or this version does not have it. */
            readonly 501: {
                headers: {
                    readonly "x-request-id": components["headers"]["XRequestId"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["NotImplementedProblem"];
                };
            };
            readonly 502: components["responses"]["UpstreamFailed"];
            readonly 503: components["responses"]["Unavailable"];
            readonly 504: components["responses"]["DeadlineExceeded"];
        };
    };
    readonly "transactions.getRawTransaction": {
        readonly parameters: {
            readonly query?: {
                /** @description Id or alias of the network. */
                readonly chain?: string;
                /** @description The raw transaction to send, or the hash to look up. */
                readonly tx?: string;
            };
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        /** @description The same fields as in the query; what both have is taken from the query. */
        readonly requestBody?: {
            readonly content: {
                readonly "application/json": {
                    /**
                     * @description Id or alias of the network.
                     * @example litecoin
                     */
                    readonly chain?: string;
                    /**
                     * @description The raw transaction to send, or the hash to look up.
                     * @example 0200000001abcdef
                     */
                    readonly tx?: string;
                };
            };
        };
        readonly responses: {
            /** @description The node's answer, unchanged. */
            readonly 200: {
                headers: {
                    readonly "x-request-id": components["headers"]["XRequestId"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": unknown;
                };
            };
            /** @description The request is not what this route expects; issues names every value that was refused. */
            readonly 400: {
                headers: {
                    readonly "x-request-id": components["headers"]["XRequestId"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["InvalidRequestProblem"];
                    readonly "application/json": unknown;
                    /** @example TX decode failed. Make sure the tx has at least one input. */
                    readonly "text/plain": string;
                };
            };
            readonly 401: components["responses"]["Unauthorized"];
            readonly 403: components["responses"]["Forbidden"];
            /** @description No upstream has the transaction. */
            readonly 404: {
                headers: {
                    readonly "x-request-id": components["headers"]["XRequestId"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": unknown;
                    /** @example No such mempool or blockchain transaction */
                    readonly "text/plain": string;
                };
            };
            readonly 413: components["responses"]["TooLarge"];
            readonly 415: components["responses"]["UnsupportedMediaType"];
            readonly 429: components["responses"]["TooManyRequests"];
            readonly 500: components["responses"]["Internal"];
            /** @description The operator has not configured what this route needs, or this version does not have it. */
            readonly 501: {
                headers: {
                    readonly "x-request-id": components["headers"]["XRequestId"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["NotImplementedProblem"];
                };
            };
            readonly 502: components["responses"]["UpstreamFailed"];
            readonly 503: components["responses"]["Unavailable"];
            readonly 504: components["responses"]["DeadlineExceeded"];
        };
    };
    readonly "transactions.firstTransaction": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly requestBody: {
            readonly content: {
                readonly "application/json": components["schemas"]["FirstTransactionRequest"];
            };
        };
        readonly responses: {
            /** @description By network id as requested; a network without transactions is left out. */
            readonly 200: {
                headers: {
                    readonly "x-request-id": components["headers"]["XRequestId"];
                    readonly "x-partial-failures": components["headers"]["XPartialFailures"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": {
                        readonly [key: string]: components["schemas"]["FirstTransaction"];
                    };
                };
            };
            readonly 400: components["responses"]["InvalidRequest"];
            readonly 401: components["responses"]["Unauthorized"];
            readonly 403: components["responses"]["Forbidden"];
            readonly 413: components["responses"]["TooLarge"];
            readonly 415: components["responses"]["UnsupportedMediaType"];
            readonly 429: components["responses"]["TooManyRequests"];
            readonly 500: components["responses"]["Internal"];
            /** @description The operator has not configured what this route needs, or this version does not have it. */
            readonly 501: {
                headers: {
                    readonly "x-request-id": components["headers"]["XRequestId"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["NotImplementedProblem"];
                };
            };
            readonly 502: components["responses"]["UpstreamFailed"];
            readonly 503: components["responses"]["Unavailable"];
            readonly 504: components["responses"]["DeadlineExceeded"];
        };
    };
    readonly "transactions.context": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly requestBody: {
            readonly content: {
                readonly "application/json": components["schemas"]["ContextRequest"];
            };
        };
        readonly responses: {
            /** @description By network and address; the keys are those of the request. Networks that are not supported are left out. */
            readonly 200: {
                headers: {
                    readonly "x-request-id": components["headers"]["XRequestId"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": {
                        readonly [key: string]: {
                            readonly [key: string]: components["schemas"]["AddressContext"];
                        };
                    };
                };
            };
            readonly 400: components["responses"]["InvalidRequest"];
            readonly 401: components["responses"]["Unauthorized"];
            readonly 403: components["responses"]["Forbidden"];
            readonly 413: components["responses"]["TooLarge"];
            readonly 415: components["responses"]["UnsupportedMediaType"];
            readonly 429: components["responses"]["TooManyRequests"];
            readonly 500: components["responses"]["Internal"];
            /** @description The operator has not configured what this route needs, or this version does not have it. */
            readonly 501: {
                headers: {
                    readonly "x-request-id": components["headers"]["XRequestId"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["NotImplementedProblem"];
                };
            };
            readonly 503: components["responses"]["Unavailable"];
            readonly 504: components["responses"]["DeadlineExceeded"];
        };
    };
    readonly "fees.fees": {
        readonly parameters: {
            readonly query?: {
                /** @description An address of a network whose accounts have resources of their own (tron): the answer has what it may use without paying, and the example is that address's. */
                readonly address?: string;
            };
            readonly header?: never;
            readonly path: {
                /** @description Id or alias of a network, in any case: ethereum, optimism, bsc, ethereum-classic, polygon, zkevm, sonic, base, arbitrum, avalanche, linea, tron, bitcoin, bch, litecoin, dogecoin, cardano, solana, sui, ton, ripple, polkadot. */
                readonly network: string;
            };
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description What transactions cost on a network, by its family. */
            readonly 200: {
                headers: {
                    readonly "x-request-id": components["headers"]["XRequestId"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["NetworkFees"];
                };
            };
            readonly 400: components["responses"]["InvalidRequest"];
            readonly 401: components["responses"]["Unauthorized"];
            readonly 403: components["responses"]["Forbidden"];
            readonly 404: components["responses"]["NotFound"];
            readonly 429: components["responses"]["TooManyRequests"];
            readonly 500: components["responses"]["Internal"];
            readonly 503: components["responses"]["Unavailable"];
            readonly 504: components["responses"]["DeadlineExceeded"];
        };
    };
    readonly "simulation.simulate": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly requestBody: {
            readonly content: {
                readonly "application/json": components["schemas"]["SimulationRequest"];
            };
        };
        readonly responses: {
            /** @description All fields of the provider's response, unchanged, and the address of its page. */
            readonly 200: {
                headers: {
                    readonly "x-request-id": components["headers"]["XRequestId"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["Simulation"];
                };
            };
            readonly 400: components["responses"]["InvalidRequest"];
            readonly 401: components["responses"]["Unauthorized"];
            readonly 403: components["responses"]["Forbidden"];
            readonly 413: components["responses"]["TooLarge"];
            readonly 415: components["responses"]["UnsupportedMediaType"];
            readonly 429: components["responses"]["TooManyRequests"];
            readonly 500: components["responses"]["Internal"];
            /** @description The operator has not configured what this route needs, or this version does not have it. */
            readonly 501: {
                headers: {
                    readonly "x-request-id": components["headers"]["XRequestId"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["NotImplementedProblem"];
                };
            };
            readonly 502: components["responses"]["UpstreamFailed"];
            readonly 503: components["responses"]["Unavailable"];
            readonly 504: components["responses"]["DeadlineExceeded"];
        };
    };
    readonly "faucet.fundTestnetAccount": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path: {
                /** @description The address to fund. */
                readonly address: string;
            };
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description A test network account was funded. */
            readonly 200: {
                headers: {
                    readonly "x-request-id": components["headers"]["XRequestId"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["Funding"];
                };
            };
            readonly 400: components["responses"]["InvalidRequest"];
            readonly 401: components["responses"]["Unauthorized"];
            readonly 403: components["responses"]["Forbidden"];
            readonly 429: components["responses"]["TooManyRequests"];
            readonly 500: components["responses"]["Internal"];
            /** @description The operator has not configured what this route needs, or this version does not have it. */
            readonly 501: {
                headers: {
                    readonly "x-request-id": components["headers"]["XRequestId"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["NotImplementedProblem"];
                };
            };
            readonly 502: components["responses"]["UpstreamFailed"];
            readonly 503: components["responses"]["Unavailable"];
            readonly 504: components["responses"]["DeadlineExceeded"];
        };
    };
    readonly "charts.metadata": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: {
                /** @description The `etag` of an earlier answer: the answer is 304 without a body if nothing has changed since. */
                readonly "if-none-match"?: string;
            };
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description Which series are cached, and how fresh they are. */
            readonly 200: {
                headers: {
                    readonly "x-request-id": components["headers"]["XRequestId"];
                    readonly etag: components["headers"]["Etag"];
                    readonly "cache-control": components["headers"]["CacheControl"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["ChartMetadata"];
                };
            };
            /** @description Nothing has changed since the answer with the tag in `if-none-match`; there is no body. */
            readonly 304: {
                headers: {
                    readonly "x-request-id": components["headers"]["XRequestId"];
                    readonly etag: components["headers"]["Etag"];
                    readonly "cache-control": components["headers"]["CacheControl"];
                    readonly [name: string]: unknown;
                };
                content?: never;
            };
            readonly 400: components["responses"]["InvalidRequest"];
            readonly 401: components["responses"]["Unauthorized"];
            readonly 403: components["responses"]["Forbidden"];
            readonly 429: components["responses"]["TooManyRequests"];
            readonly 500: components["responses"]["Internal"];
            readonly 503: components["responses"]["Unavailable"];
            readonly 504: components["responses"]["DeadlineExceeded"];
        };
    };
    readonly "charts.restart": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description An empty object. */
            readonly 200: {
                headers: {
                    readonly "x-request-id": components["headers"]["XRequestId"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": Record<string, never>;
                };
            };
            readonly 400: components["responses"]["InvalidRequest"];
            readonly 401: components["responses"]["Unauthorized"];
            readonly 403: components["responses"]["Forbidden"];
            readonly 429: components["responses"]["TooManyRequests"];
            readonly 500: components["responses"]["Internal"];
            readonly 503: components["responses"]["Unavailable"];
            readonly 504: components["responses"]["DeadlineExceeded"];
        };
    };
    readonly "charts.errors": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description An empty array. */
            readonly 200: {
                headers: {
                    readonly "x-request-id": components["headers"]["XRequestId"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": readonly unknown[];
                };
            };
            readonly 400: components["responses"]["InvalidRequest"];
            readonly 401: components["responses"]["Unauthorized"];
            readonly 403: components["responses"]["Forbidden"];
            readonly 429: components["responses"]["TooManyRequests"];
            readonly 500: components["responses"]["Internal"];
            readonly 503: components["responses"]["Unavailable"];
            readonly 504: components["responses"]["DeadlineExceeded"];
        };
    };
    readonly "charts.data": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: {
                /** @description The `etag` of an earlier answer: the answer is 304 without a body if nothing has changed since. */
                readonly "if-none-match"?: string;
            };
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description Series by coin and period. Series that are not available are left out and named in the header x-partial-failures, a JSON array of {coin, period, message}; where none is available, that is a failure. */
            readonly 200: {
                headers: {
                    readonly "x-request-id": components["headers"]["XRequestId"];
                    readonly "x-partial-failures": components["headers"]["XPartialFailures"];
                    readonly etag: components["headers"]["Etag"];
                    readonly "cache-control": components["headers"]["CacheControl"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": {
                        readonly [key: string]: {
                            readonly [key: string]: readonly components["schemas"]["Ohlc"][];
                        };
                    };
                };
            };
            /** @description Nothing has changed since the answer with the tag in `if-none-match`; there is no body. */
            readonly 304: {
                headers: {
                    readonly "x-request-id": components["headers"]["XRequestId"];
                    readonly etag: components["headers"]["Etag"];
                    readonly "cache-control": components["headers"]["CacheControl"];
                    readonly [name: string]: unknown;
                };
                content?: never;
            };
            readonly 400: components["responses"]["InvalidRequest"];
            readonly 401: components["responses"]["Unauthorized"];
            readonly 403: components["responses"]["Forbidden"];
            readonly 429: components["responses"]["TooManyRequests"];
            readonly 500: components["responses"]["Internal"];
            readonly 502: components["responses"]["UpstreamFailed"];
            readonly 503: components["responses"]["Unavailable"];
            readonly 504: components["responses"]["DeadlineExceeded"];
        };
    };
    readonly "charts.item": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: {
                /** @description The `etag` of an earlier answer: the answer is 304 without a body if nothing has changed since. */
                readonly "if-none-match"?: string;
            };
            readonly path: {
                /** @description A coin with charts: bitcoin, ethereum, cardano, binancecoin, shiba-inu, chainlink, dogecoin. */
                readonly coin: "bitcoin" | "ethereum" | "cardano" | "binancecoin" | "shiba-inu" | "chainlink" | "dogecoin";
                /** @description How many days: 1, 30 or 365. */
                readonly period: "1" | "30" | "365";
            };
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description The series, the oldest entry first; there is at least one. */
            readonly 200: {
                headers: {
                    readonly "x-request-id": components["headers"]["XRequestId"];
                    readonly etag: components["headers"]["Etag"];
                    readonly "cache-control": components["headers"]["CacheControl"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": readonly components["schemas"]["Ohlc"][];
                };
            };
            /** @description Nothing has changed since the answer with the tag in `if-none-match`; there is no body. */
            readonly 304: {
                headers: {
                    readonly "x-request-id": components["headers"]["XRequestId"];
                    readonly etag: components["headers"]["Etag"];
                    readonly "cache-control": components["headers"]["CacheControl"];
                    readonly [name: string]: unknown;
                };
                content?: never;
            };
            readonly 400: components["responses"]["InvalidRequest"];
            readonly 401: components["responses"]["Unauthorized"];
            readonly 403: components["responses"]["Forbidden"];
            readonly 429: components["responses"]["TooManyRequests"];
            readonly 500: components["responses"]["Internal"];
            readonly 502: components["responses"]["UpstreamFailed"];
            readonly 503: components["responses"]["Unavailable"];
            readonly 504: components["responses"]["DeadlineExceeded"];
        };
    };
    readonly "charts.list": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: {
                /** @description The `etag` of an earlier answer: the answer is 304 without a body if nothing has changed since. */
                readonly "if-none-match"?: string;
            };
            readonly path: {
                /** @description Coins separated by commas, out of bitcoin, ethereum, cardano, binancecoin, shiba-inu, chainlink, dogecoin. */
                readonly coins: string;
                /** @description How many days: 1, 30 or 365. */
                readonly period: "1" | "30" | "365";
            };
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description Series by coin. Series that are not available are left out and named in the header x-partial-failures, a JSON array of {coin, period, message}; where none is available, that is a failure. */
            readonly 200: {
                headers: {
                    readonly "x-request-id": components["headers"]["XRequestId"];
                    readonly "x-partial-failures": components["headers"]["XPartialFailures"];
                    readonly etag: components["headers"]["Etag"];
                    readonly "cache-control": components["headers"]["CacheControl"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": {
                        readonly [key: string]: readonly components["schemas"]["Ohlc"][];
                    };
                };
            };
            /** @description Nothing has changed since the answer with the tag in `if-none-match`; there is no body. */
            readonly 304: {
                headers: {
                    readonly "x-request-id": components["headers"]["XRequestId"];
                    readonly etag: components["headers"]["Etag"];
                    readonly "cache-control": components["headers"]["CacheControl"];
                    readonly [name: string]: unknown;
                };
                content?: never;
            };
            readonly 400: components["responses"]["InvalidRequest"];
            readonly 401: components["responses"]["Unauthorized"];
            readonly 403: components["responses"]["Forbidden"];
            readonly 429: components["responses"]["TooManyRequests"];
            readonly 500: components["responses"]["Internal"];
            readonly 502: components["responses"]["UpstreamFailed"];
            readonly 503: components["responses"]["Unavailable"];
            readonly 504: components["responses"]["DeadlineExceeded"];
        };
    };
    readonly "addresses.lookUp": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path: {
                /** @description What a wallet shows as an address, at most 256 characters, percent-encoded. */
                readonly text: string;
            };
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description The networks whose address form a text fits. */
            readonly 200: {
                headers: {
                    readonly "x-request-id": components["headers"]["XRequestId"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["AddressLookup"];
                };
            };
            readonly 400: components["responses"]["InvalidRequest"];
            readonly 401: components["responses"]["Unauthorized"];
            readonly 403: components["responses"]["Forbidden"];
            readonly 429: components["responses"]["TooManyRequests"];
            readonly 500: components["responses"]["Internal"];
            readonly 503: components["responses"]["Unavailable"];
            readonly 504: components["responses"]["DeadlineExceeded"];
        };
    };
    readonly "status.live": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description The process runs. */
            readonly 200: {
                headers: {
                    readonly "x-request-id": components["headers"]["XRequestId"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["Live"];
                };
            };
            readonly 400: components["responses"]["InvalidRequest"];
            readonly 500: components["responses"]["Internal"];
        };
    };
    readonly "status.ready": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description The service can serve. */
            readonly 200: {
                headers: {
                    readonly "x-request-id": components["headers"]["XRequestId"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["Ready"];
                };
            };
            readonly 400: components["responses"]["InvalidRequest"];
            readonly 500: components["responses"]["Internal"];
            /** @description The service cannot serve yet, or no more. */
            readonly 503: {
                headers: {
                    readonly "x-request-id": components["headers"]["XRequestId"];
                    readonly "retry-after": components["headers"]["RetryAfter"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["NotReady"];
                };
            };
        };
    };
    readonly "status.metrics": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description Prometheus text format. */
            readonly 200: {
                headers: {
                    readonly "x-request-id": components["headers"]["XRequestId"];
                    readonly [name: string]: unknown;
                };
                content: {
                    /** @example http_requests_total{method="GET",route="/price",status="200"} 12 */
                    readonly "text/plain; version=0.0.4; charset=utf-8": string;
                };
            };
            readonly 400: components["responses"]["InvalidRequest"];
            readonly 401: components["responses"]["Unauthorized"];
            readonly 403: components["responses"]["Forbidden"];
            readonly 429: components["responses"]["TooManyRequests"];
            readonly 500: components["responses"]["Internal"];
            readonly 503: components["responses"]["Unavailable"];
            readonly 504: components["responses"]["DeadlineExceeded"];
        };
    };
    readonly "status.networks": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description Every network, in the order of the registry. */
            readonly 200: {
                headers: {
                    readonly "x-request-id": components["headers"]["XRequestId"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": readonly components["schemas"]["NetworkDescription"][];
                };
            };
            readonly 400: components["responses"]["InvalidRequest"];
            readonly 401: components["responses"]["Unauthorized"];
            readonly 403: components["responses"]["Forbidden"];
            readonly 429: components["responses"]["TooManyRequests"];
            readonly 500: components["responses"]["Internal"];
            readonly 503: components["responses"]["Unavailable"];
            readonly 504: components["responses"]["DeadlineExceeded"];
        };
    };
}
