/** The programs that keep tokens; an address may have accounts of both. */
export const token = "TokenkegQfeZyiNwAJbNbGKPFXCWuBvf9Ss623VQ5DA"
export const token2022 = "TokenzQdBNbLqP5VEhdkAS6EPFLC1PHnBqCXEpPxuEb"

/** What a wallet's own transactions are judged by: voted for by most of the stake. */
export const commitment = "confirmed"

/** The mint of wrapped SOL: the coins of its accounts, but for the rent, are their tokens. */
export const wrappedSol = "So11111111111111111111111111111111111111112"
