/** The token programs; an address may have accounts of both. */
export const token = "TokenkegQfeZyiNwAJbNbGKPFXCWuBvf9Ss623VQ5DA"
export const token2022 = "TokenzQdBNbLqP5VEhdkAS6EPFLC1PHnBqCXEpPxuEb"

/** The commitment at which wallets show their own transactions: voted for by a majority of the stake. */
export const commitment = "confirmed"

/** The mint of wrapped SOL: apart from the rent, the coins of its accounts are their token balance. */
export const wrappedSol = "So11111111111111111111111111111111111111112"
