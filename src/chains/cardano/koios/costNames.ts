// The names of a cost model's prices, in the order of the ledger's list (Plutus, ParamName). The first version of a
// language is sorted by name; later additions follow, in the same order for nearly all languages.

const [cpu, memory] = ["cpu-arguments", "memory-arguments"]
const linearMemory = [`${memory}-intercept`, `${memory}-slope`]
const quadratic = ["c00", "c01", "c02", "c10", "c11", "c20", "minimum"].map((text) => `${cpu}-model-arguments-${text}`)
const threefold = [`${cpu}-c0`, `${cpu}-c1`, `${cpu}-c2`, ...linearMemory]
const bitwise = [`${cpu}-intercept`, `${cpu}-slope1`, `${cpu}-slope2`, ...linearMemory]

/** Parts of names, by the form of a price. */
const forms = {
  step: ["exBudgetCPU", "exBudgetMemory"],
  flat: [cpu, memory],
  slope: [`${cpu}-intercept`, `${cpu}-slope`, memory],
  slopes: [`${cpu}-intercept`, `${cpu}-slope`, ...linearMemory],
  diagonal: [`${cpu}-constant`, `${cpu}-intercept`, `${cpu}-slope`, memory],
  division: [
    `${cpu}-constant`,
    ...["intercept", "slope"].map((text) => `${cpu}-model-arguments-${text}`),
    `${memory}-intercept`,
    `${memory}-minimum`,
    `${memory}-slope`
  ],
  quotient: [`${cpu}-constant`, ...quadratic, `${memory}-intercept`, `${memory}-minimum`, `${memory}-slope`],
  modulus: [`${cpu}-constant`, ...quadratic, ...linearMemory],
  threefold,
  bitwise,
  power: [...["00", "11", "12"].map((powers) => `${cpu}-coefficient${powers}`), ...linearMemory],
  union: [...["c00", "c10", "c01", "c11"].map((powers) => `${cpu}-${powers}`), ...linearMemory],
  contains: [
    `${cpu}-constant`,
    ...["intercept", "slope1", "slope2"].map((current) => `${cpu}-model-arguments-${current}`),
    memory
  ]
} as const

/** Names of operations whose prices have the same form. */
const all = (form: keyof typeof forms, operations: string): ReadonlyArray<string> =>
  operations
    .trim()
    .split(/\s+/)
    .flatMap((operation) => forms[form].map((part) => `${operation}-${part}`))

const sorted = (...names: ReadonlyArray<ReadonlyArray<string>>) => names.flat().sort()

const first = [
  ...all("step", "cekApplyCost cekBuiltinCost cekConstCost cekDelayCost cekForceCost cekLamCost cekStartupCost"),
  ...all("step", "cekVarCost"),
  ...all(
    "flat",
    `bData chooseData chooseList chooseUnit constrData fstPair headList iData ifThenElse indexByteString
    lengthOfByteString listData mapData mkCons mkNilData mkNilPairData mkPairData nullList sndPair tailList trace unBData
    unConstrData unIData unListData unMapData`
  ),
  ...all(
    "slope",
    `blake2b_256 equalsData equalsInteger lessThanByteString lessThanEqualsByteString lessThanEqualsInteger
    lessThanInteger sha2_256 sha3_256 verifyEd25519Signature`
  ),
  ...all(
    "slopes",
    `addInteger appendByteString appendString consByteString decodeUtf8 encodeUtf8 multiplyInteger sliceByteString
    subtractInteger`
  ),
  ...all("diagonal", "equalsByteString equalsString")
]

const division = all("division", "divideInteger modInteger quotientInteger remainderInteger")

const signatures = [
  ...all("slopes", "serialiseData"),
  ...all("flat", "verifyEcdsaSecp256k1Signature"),
  ...all("slope", "verifySchnorrSecp256k1Signature")
]

const curve = (group: string) => [
  ...all("flat", `${group}_add ${group}_compress ${group}_equal`),
  ...all("slope", `${group}_hashToGroup`),
  ...all("flat", `${group}_neg`),
  ...all("slope", `${group}_scalarMul`),
  ...all("flat", `${group}_uncompress`)
]

const curves = [
  ...all("step", "cekConstrCost cekCaseCost"),
  ...curve("bls12_381_G1"),
  ...curve("bls12_381_G2"),
  ...all("flat", "bls12_381_finalVerify bls12_381_millerLoop bls12_381_mulMlResult"),
  ...all("slope", "keccak_256 blake2b_224")
]

const conversions = all("threefold", "integerToByteString byteStringToInteger")

const later = [
  ...all("bitwise", "andByteString orByteString xorByteString"),
  ...all("slopes", "complementByteString"),
  ...all("flat", "readBit"),
  ...all("slopes", "writeBits replicateByte shiftByteString rotateByteString"),
  ...all("slope", "countSetBits findFirstSetBit ripemd_160"),
  ...all("power", "expModInteger"),
  ...all("slope", "dropList"),
  ...all("flat", "lengthOfArray"),
  ...all("slopes", "listToArray"),
  ...all("flat", "indexArray"),
  ...all("slope", "bls12_381_G1_multiScalarMul bls12_381_G2_multiScalarMul"),
  ...all("slopes", "insertCoin"),
  ...all("slope", "lookupCoin"),
  ...all("union", "unionValue"),
  ...all("contains", "valueContains"),
  ...all("slopes", "valueData"),
  ...all("threefold", "unValueData"),
  ...all("slopes", "scaleValue")
]

/** By language: the names of a list of prices; in earlier epochs the list may be shorter. */
export const costNames: Readonly<Record<string, ReadonlyArray<string>>> = {
  PlutusV1: [...sorted(first, division), ...signatures, ...curves, ...conversions, ...later],
  PlutusV2: [...sorted(first, division, signatures), ...conversions, ...curves, ...later],
  PlutusV3: [
    ...sorted(
      first,
      all("quotient", "divideInteger remainderInteger"),
      all("modulus", "modInteger quotientInteger"),
      signatures
    ),
    ...curves,
    ...conversions,
    ...later
  ]
}
