/** Header fields, names in lower case. */
export type HeaderFields = Readonly<Record<string, string>>
