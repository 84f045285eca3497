/** The whole balance is spendable, except for parts that holdings already contain: no call is needed. */
export const fullySpendable = "whole"
