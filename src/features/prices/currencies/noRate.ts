/** Why numbers in a currency are null, for people. */
export const noRate = (currency: string): string => `the exchange rate of ${currency} is not available`
