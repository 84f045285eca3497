import { assert, describe, it } from "@effect/vitest"
import { ripemd160 } from "@noble/hashes/legacy"
import { sha256 } from "@noble/hashes/sha2"
import { bech32, bech32m } from "@scure/base"
import * as Either from "effect/Either"
import * as FastCheck from "effect/FastCheck"
import * as Base58 from "../../../src/chains/utxo/UtxoAddress.ts"
import * as CashAddr from "../../../src/chains/utxo/UtxoAddress.ts"
import * as UtxoAddress from "../../../src/chains/utxo/UtxoAddress.ts"
import { Bch, Bitcoin, Dogecoin, Litecoin } from "../../support/networks.ts"

const networks = [Bitcoin.info, Bch.info, Litecoin.info, Dogecoin.info]
const bitcoin = UtxoAddress.parse(Bitcoin.info)
const bch = UtxoAddress.parse(Bch.info)
const litecoin = UtxoAddress.parse(Litecoin.info)
const dogecoin = UtxoAddress.parse(Dogecoin.info)

const bytes = (length: number) => FastCheck.uint8Array({ minLength: length, maxLength: length })
const witness = (hrp: string, version: number, program: Uint8Array, code = version === 0 ? bech32 : bech32m) =>
  code.encode(hrp, [version, ...code.toWords(program)], false)

const accepted = (parse: (text: string) => Either.Either<string, string>, texts: Readonly<Record<string, string>>) => {
  for (const [text, canonical] of Object.entries(texts))
    assert.deepStrictEqual(parse(text), Either.right(canonical), text)
}

const refused = (
  parse: (text: string) => Either.Either<string, string>,
  texts: ReadonlyArray<string>,
  why: RegExp = /\S/
) => {
  for (const text of texts)
    assert.match(
      Either.getOrThrowWith(Either.flip(parse(text)), () => new Error(text)),
      why,
      text
    )
}

const same = (texts: ReadonlyArray<string>) => Object.fromEntries(texts.map((text) => [text, text]))

describe("a Bitcoin address", () => {
  it("may be of a key, of a script, or of a witness of any version", () => {
    accepted(
      bitcoin,
      same([
        "1A1zP1eP5QGefi2DMPTfTL5SLmv7DivfNa",
        "3J98t1WpEZ73CNmQviecrnyiWrnqRhWNLy",
        "bc1qw508d6qejxtdg4y5r3zarvary0c5xw7kv8f3t4",
        "bc1qrp33g0q5c5txsp9arysrx4k6zdkfs4nce4xj0gdcccefvpysxf3qccfmv3",
        // BIP-350
        "bc1p0xlxvlhemja6c4dqv22uapctqupfhlxm9h8z3k2e72q4k9hcz7vqzk5jj0",
        "bc1pw508d6qejxtdg4y5r3zarvary0c5xw7kw508d6qejxtdg4y5r3zarvary0c5xw7kt5nd6y",
        "bc1zw508d6qejxtdg4y5r3zarvaryvaxxpcs",
        // Pay to anchor
        "bc1pfeessrawgf"
      ])
    )
    accepted(bitcoin, {
      BC1QW508D6QEJXTDG4Y5R3ZARVARY0C5XW7KV8F3T4: "bc1qw508d6qejxtdg4y5r3zarvary0c5xw7kv8f3t4",
      BC1SW50QGDZ25J: "bc1sw50qgdz25j"
    })
  })

  it("is refused if BIP-173 or BIP-350 refuses it", () => {
    refused(bitcoin, [
      "tc1qw508d6qejxtdg4y5r3zarvary0c5xw7kg3g4ty",
      "bc1qw508d6qejxtdg4y5r3zarvary0c5xw7kv8f3t5",
      "bc1rw5uspcuh",
      "bc10w508d6qejxtdg4y5r3zarvary0c5xw7kw508d6qejxtdg4y5r3zarvary0c5xw7kw5rljs90",
      "BC1QR508D6QEJXTDG4Y5R3ZARVARYV98GJ9P",
      "bc1zw508d6qejxtdg4y5r3zarvaryvqyzf3du",
      "bc1gmk9yu",
      "bc1p0xlxvlhemja6c4dqv22uapctqupfhlxm9h8z3k2e72q4k9hcz7vqh2y7hd",
      "bc1q0xlxvlhemja6c4dqv22uapctqupfhlxm9h8z3k2e72q4k9hcz7vqh2y7hd",
      "BC1S0XLXVLHEMJA6C4DQV22UAPCTQUPFHLXM9H8Z3K2E72Q4K9HCZ7VQ54WELL",
      "bc1qw508d6qejxtdg4y5r3zarvary0c5xw7kemeawh",
      "bc1p38j9r5y49hruaue7wxjce0updqjuyyx0kh56v8s25huc6995vvpql3jow4",
      "BC130XLXVLHEMJA6C4DQV22UAPCTQUPFHLXM9H8Z3K2E72Q4K9HCZ7VQ7ZWS8R",
      "bc1pw5dgrnzv",
      "bc1p0xlxvlhemja6c4dqv22uapctqupfhlxm9h8z3k2e72q4k9hcz7v8n0nx0muaewav253zgeav"
    ])
    refused(bitcoin, ["bc1qW508d6qejxtdg4y5r3zarvary0c5xw7kv8f3t4"], /mixes upper and lower case/)
  })

  it("may start like a bech32 address in base58 with mixed case", () => {
    const hash = Buffer.from("576314494acb78ac7a4c7fc620ddadbffd2e9142", "hex")
    const text = UtxoAddress.base58(Litecoin.info.coding, "keyHash", hash)
    assert.match(text, /^LTC1k/)
    accepted(litecoin, { [text]: text })
  })

  it("is refused if it is of a test network, of another network, or not an address", () => {
    refused(
      bitcoin,
      [
        "tb1qw508d6qejxtdg4y5r3zarvary0c5xw7kxpjzsx",
        "mipcBbFg9gMiCh81Kj8tqqdgoZub1ZJRfn",
        "2MzQwSSnBHWHqSAqtTVQ6v47XtaisrJa1Vc",
        "ltc1qpm594ntjq6ayqjngf6t9td2dxtey9d7985eept",
        "D5dAUAx3Ezg1q4dRgzKTBsxp4VJietWkDh"
      ],
      /another network/
    )
    refused(
      bitcoin,
      ["bitcoincash:qpm2qsznhks23z7629mms6s4cwef74vcwvy22gdx6a", "satoshi", "1", "0"],
      /no Bitcoin address/
    )
  })

  it("is refused if it is a private key, which the error does not repeat", () => {
    const keys = [
      "5HueCGU8rMjxEXxiPuD5BDku4MkFqeZyd4dZ1jvhTVqvbTLvyTJ",
      "KwdMAjGmerYanjeui5SHS7JkmpZvVipYvB2LJGU1ZxJwYvP98617",
      "xprv9s21ZrQH143K3QTDL4LXw2F7HEK3wJUD2nW2nRk4stbPy6cq3jPPqjiChkVvvNKmPGJxWUtg6LnF5kejMRNNU3TGtRBeJgk33yuGBxrMPHi"
    ]
    refused(bitcoin, keys, /private key/)
    for (const key of keys) assert.notInclude(Either.getOrThrow(Either.flip(bitcoin(key))), key)
  })
})

describe("the address of a script", () => {
  const hash = Buffer.from("11".repeat(20), "hex")
  const { coding } = Bch.info

  it("is that which the script pays", () => {
    for (const payee of [
      { kind: "keyHash", hash },
      { kind: "scriptHash", hash },
      { kind: "witness", version: 0, program: hash },
      { kind: "witness", version: 8, program: Buffer.alloc(32, 7) }
    ] as const) {
      const script = UtxoAddress.lockingScript(payee).toString("hex")
      const address = UtxoAddress.encode(Litecoin.info.coding, payee)
      assert.strictEqual(UtxoAddress.addressOf(Litecoin.info.coding, script), address)
    }
    for (const script of ["", "6a", "76a914", `51${"21".repeat(9)}`, `0015${"11".repeat(20)}`])
      assert.isUndefined(UtxoAddress.addressOf(Litecoin.info.coding, script))
  })

  it("is that beside tokens on Bitcoin Cash", () => {
    const script = UtxoAddress.lockingScript({ kind: "keyHash", hash }).toString("hex")
    const address = UtxoAddress.encode(coding, { kind: "keyHash", hash })
    const category = "ab".repeat(32)
    const amount = "fd0004"
    for (const prefix of [
      "",
      `ef${category}10${amount}`,
      `ef${category}6003c0ffee`,
      `ef${category}7103c0ffee${amount}`
    ])
      assert.strictEqual(UtxoAddress.addressOf(coding, `${prefix}${script}`), address)
    assert.isUndefined(UtxoAddress.addressOf(Litecoin.info.coding, `ef${category}10${amount}${script}`))
    for (const cut of [`ef${category}`, `ef${category}40`, `ef${category}40ff${script}`, `ef${category}60fd${script}`])
      assert.isUndefined(UtxoAddress.addressOf(coding, cut))
  })

  it("is that of the key that spends, if the input is a signature and a key", () => {
    const key = "0279be667ef9dcbbac55a06295ce870b07029bfcdb2dce28d959f2815b16f81798"
    const address = UtxoAddress.encode(coding, {
      kind: "keyHash",
      hash: Buffer.from("751e76e8199196d454941c45d1b3a323f1433bd6", "hex")
    })
    const signature = `41${"30".repeat(65)}`
    assert.strictEqual(UtxoAddress.addressOfSpender(coding, `${signature}21${key}`), address)
    for (const script of ["", signature, `${signature}23${key}`, `${signature}21${key}00`, `00${signature}21${key}`])
      assert.isUndefined(UtxoAddress.addressOfSpender(coding, script))
  })

  it("is not another one, in any spelling of one that can be read", () => {
    const isOther = UtxoAddress.contradictsScript(Bch.info)
    const script = UtxoAddress.lockingScript({ kind: "keyHash", hash }).toString("hex")
    const right = [
      UtxoAddress.encode(coding, { kind: "keyHash", hash }),
      UtxoAddress.base58(coding, "keyHash", hash),
      UtxoAddress.encodeCashAddr({ prefix: "bitcoincash", type: 2, hash })
    ]
    for (const address of [...right, "somebody", "", null, undefined]) assert.isFalse(isOther({ address, script }))
    for (const payee of [
      { kind: "keyHash", hash: Buffer.alloc(20, 7) },
      { kind: "scriptHash", hash }
    ] as const) {
      const address = UtxoAddress.encode(coding, payee)
      assert.isTrue(isOther({ address, script }))
      for (const unknown of ["6a01ab", "", null, undefined]) assert.isFalse(isOther({ address, script: unknown }))
    }
  })

  it("of an input is that of the hash of its key or of its witness program", () => {
    const isOther = UtxoAddress.contradictsSpender(Litecoin.info)
    const of = (kind: "keyHash" | "scriptHash", hashed: string) => {
      const hash = ripemd160(sha256(Buffer.from(hashed, "hex")))
      return UtxoAddress.encode(Litecoin.info.coding, { kind, hash })
    }
    const signature = `41${"30".repeat(65)}`
    const [short, long] = [`02${"ab".repeat(32)}`, `04${"ab".repeat(64)}`]
    const [keyProgram, scriptProgram] = [`0014${"11".repeat(20)}`, `0020${"11".repeat(32)}`]
    const known = [
      ["keyHash", short, `${signature}21${short}`],
      ["keyHash", long, `${signature}41${long}`],
      // A script that is as long as a key.
      ["scriptHash", short, `${signature}21${short}`],
      ["scriptHash", keyProgram, `16${keyProgram}`],
      ["scriptHash", scriptProgram, `22${scriptProgram}`]
    ] as const
    const witness = UtxoAddress.encode(Litecoin.info.coding, { kind: "witness", version: 0, program: hash })
    for (const [kind, hashed, script] of known) {
      assert.isFalse(isOther({ address: of(kind, hashed), script }), script)
      for (const address of [of(kind, "00"), witness]) assert.isTrue(isOther({ address, script }), script)
      for (const address of ["somebody", "", null, undefined]) assert.isFalse(isOther({ address, script }))
    }
    // The script of a bare public key is a signature alone, and that of several keys is not read.
    for (const script of ["", null, undefined, signature, `00${signature}${signature}4c69${"ab".repeat(105)}`])
      assert.isFalse(isOther({ address: witness, script }))
  })
})

describe("a Bitcoin Cash address", () => {
  // Pairs from the CashAddr specification.
  const pairs = {
    "1BpEi6DfDAUFd7GtittLSdBeYJvcoaVggu": "bitcoincash:qpm2qsznhks23z7629mms6s4cwef74vcwvy22gdx6a",
    "1KXrWXciRDZUpQwQmuM1DbwsKDLYAYsVLR": "bitcoincash:qr95sy3j9xwd2ap32xkykttr4cvcu7as4y0qverfuy",
    "16w1D5WRVKJuZUsSRzdLp9w3YGcgoxDXb": "bitcoincash:qqq3728yw0y47sqn6l2na30mcw6zm78dzqre909m2r",
    "3CWFddi6m4ndiGyKqzYvsFYagqDLPVMTzC": "bitcoincash:ppm2qsznhks23z7629mms6s4cwef74vcwvn0h829pq",
    "3LDsS579y7sruadqu11beEJoTjdFiFCdX4": "bitcoincash:pr95sy3j9xwd2ap32xkykttr4cvcu7as4yc93ky28e",
    "31nwvkZwyPdgzjBJZXfDmSWsC4ZLKpYyUw": "bitcoincash:pqq3728yw0y47sqn6l2na30mcw6zm78dzq5ucqzc37"
  }

  it("has one canonical form for its legacy spelling, and CashAddr with and without prefix in either case", () => {
    for (const [legacy, cash] of Object.entries(pairs)) {
      const payload = cash.slice(cash.indexOf(":") + 1)
      for (const spelling of [legacy, cash, payload, cash.toUpperCase(), payload.toUpperCase()])
        assert.deepStrictEqual(bch(spelling), Either.right(cash), spelling)
      refused(bch, [`BITCOINCASH:${payload}`, `bitcoincash:${payload.toUpperCase()}`], /mixes upper and lower case/)
    }
  })

  it.prop(
    "is the same in its token-aware form, and may have a script hash of 32 bytes",
    [bytes(20), bytes(32)],
    ([short, long]) => {
      const of = (type: number, hash: Uint8Array) => CashAddr.encodeCashAddr({ prefix: "bitcoincash", type, hash })
      for (const [aware, plain] of [
        [of(2, short), of(0, short)],
        [of(3, short), of(1, short)],
        [of(3, long), of(1, long)]
      ] as const) {
        assert.deepStrictEqual(bch(aware), Either.right(plain))
        assert.deepStrictEqual(bch(plain), Either.right(plain))
      }
      refused(bch, [of(0, long), of(2, long), of(4, short), of(15, short)])
    }
  )

  it("is refused if it is of a test network, of another network, or has a wrong checksum", () => {
    refused(
      bch,
      ["bchtest:pr6m7j9njldwwzlg9v7v53unlr4jkmx6eyvwc0uz5t", "mipcBbFg9gMiCh81Kj8tqqdgoZub1ZJRfn"],
      /test network/
    )
    refused(bch, ["bitcoincash:qr6m7j9njldwwzlg9v7v53unlr4jkmx6eylep8ekg3"], /checksum/)
    refused(
      bch,
      ["bc1qw508d6qejxtdg4y5r3zarvary0c5xw7kv8f3t4", "pref:pr6m7j9njldwwzlg9v7v53unlr4jkmx6ey65nvtks5"],
      /another network/
    )
  })
})

describe("a Litecoin address", () => {
  it("has one canonical form for a script address that starts with M or, in its old form, with 3", () => {
    accepted(litecoin, {
      "3CWFddi6m4ndiGyKqzYvsFYagqDLPVMTzC": "MJiPwX84iBe4WnFDwsYGgtnz1XonPhUqhf",
      MJiPwX84iBe4WnFDwsYGgtnz1XonPhUqhf: "MJiPwX84iBe4WnFDwsYGgtnz1XonPhUqhf"
    })
    accepted(litecoin, same(["LVg2kJoFNg45Nbpy53h7Fe1wKyeXVRhMH9", "ltc1qpm594ntjq6ayqjngf6t9td2dxtey9d7985eept"]))
  })

  it("is refused if it is an MWEB address or of another network", () => {
    refused(litecoin, [`ltcmweb1${"q".repeat(120)}`], /MWEB/)
    refused(litecoin, ["tltc1qw508d6qejxtdg4y5r3zarvary0c5xw7klfsuq0", "1A1zP1eP5QGefi2DMPTfTL5SLmv7DivfNa"])
  })
})

describe("a Dogecoin address", () => {
  it("may be of a key or of a script, but not of a witness", () => {
    accepted(dogecoin, same(["D5dAUAx3Ezg1q4dRgzKTBsxp4VJietWkDh", "DH5yaieqoZN36fDVciNyRueRGvGLR3mr7L"]))
    refused(
      dogecoin,
      ["bc1qw508d6qejxtdg4y5r3zarvary0c5xw7kv8f3t4", "3J98t1WpEZ73CNmQviecrnyiWrnqRhWNLy"],
      /another network/
    )
    const script = Base58.encodeBase58(Uint8Array.of(0x16, ...new Uint8Array(20)))
    assert.match(script, /^[9A]/)
    accepted(dogecoin, same([script]))
  })
})

describe("an extended public key", () => {
  // BIP-32, test vector 1. The other keys are the same with the version bytes of SLIP-132.
  const xpub =
    "xpub661MyMwAqRbcFtXgS5sYJABqqG9YLmC4Q1Rdap9gSE8NqtwybGhePY2gZ29ESFjqJoCu1Rupje8YtGqsefD265TMg7usUDFdp6W1EGMcet8"
  const withVersion = (version: number, key = xpub, first?: number) => {
    const payload = Base58.decodeBase58(key)
    const changed = payload._tag === "Some" ? payload.value.slice() : new Uint8Array(78)
    new DataView(changed.buffer).setUint32(0, version)
    if (first !== undefined) changed[45] = first
    return Base58.encodeBase58(changed)
  }

  for (const info of networks)
    it(`of ${info.name} is accepted only with the version bytes of that network`, () => {
      const all = Object.fromEntries(networks.flatMap(({ coding }) => Object.entries(coding.extended)))
      for (const [letters, version] of Object.entries(all)) {
        const key = withVersion(version)
        assert.isTrue(key.startsWith(letters), `${key} ${letters}`)
        const own = Object.values(info.coding.extended).includes(version)
        assert.deepStrictEqual(Either.isRight(UtxoAddress.parse(info)(key)), own, key)
        if (own) accepted(UtxoAddress.parse(info), same([key]))
      }
    })

  it("is refused if it is cut off, of a test network, for several signers, without a key, or mistyped", () => {
    refused(bitcoin, [`${xpub.slice(0, -1)}9`, xpub.slice(0, -1), `${xpub}1`])
    refused(bitcoin, [withVersion(0x043587cf), withVersion(0x02aa7ed3), withVersion(0x0488b21e, xpub, 5)], /extended/)
  })
})

for (const info of networks) {
  const { coding } = info
  const parse = UtxoAddress.parse(info)
  const payee: FastCheck.Arbitrary<UtxoAddress.Payee> = FastCheck.oneof(
    bytes(20).map((hash) => ({ kind: "keyHash" as const, hash })),
    bytes(20).map((hash) => ({ kind: "scriptHash" as const, hash })),
    ...(coding.hrp === undefined
      ? []
      : [
          FastCheck.constantFrom(20, 32)
            .chain(bytes)
            .map((program) => ({ kind: "witness" as const, version: 0, program })),
          FastCheck.tuple(
            FastCheck.integer({ min: 1, max: 16 }),
            FastCheck.integer({ min: 2, max: 40 }).chain(bytes)
          ).map(([version, program]) => ({ kind: "witness" as const, version, program }))
        ])
  )
  const canonical = payee.map((value) => UtxoAddress.encode(coding, value))

  describe(`any address of ${info.name}`, () => {
    it.prop("is decoded to its payee", [payee], ([value]) => {
      const text = UtxoAddress.encode(coding, value)
      assert.deepStrictEqual(UtxoAddress.decode(info, text), Either.right(value))
      assert.deepStrictEqual(parse(text), Either.right(text))
    })

    it.prop("has its canonical form for the base58check spelling of every version byte", [bytes(20)], ([hash]) => {
      for (const kind of ["keyHash", "scriptHash"] as const)
        for (const version of coding[kind])
          assert.deepStrictEqual(
            parse(Base58.encodeBase58(Uint8Array.of(version, ...hash))),
            Either.right(UtxoAddress.encode(coding, { kind, hash }))
          )
    })

    it.prop("is refused with any other version byte or length", [bytes(20), FastCheck.nat(255)], ([hash, version]) => {
      const known = [...coding.keyHash, ...coding.scriptHash].some((own) => own === version)
      assert.strictEqual(Either.isRight(parse(Base58.encodeBase58(Uint8Array.of(version, ...hash)))), known)
      for (const length of [0, 19, 21, 31])
        assert.isTrue(
          Either.isLeft(parse(Base58.encodeBase58(Uint8Array.of(coding.keyHash[0], ...new Uint8Array(length)))))
        )
    })

    it.prop(
      "is refused if a character is changed",
      [canonical, FastCheck.nat(), FastCheck.constantFrom(..."q2zP9abcl0")],
      ([text, at, to]) => {
        const index = at % text.length
        const wrong = `${text.slice(0, index)}${to}${text.slice(index + 1)}`
        if (wrong !== text) assert.isTrue(Either.isLeft(parse(wrong)), wrong)
      }
    )

    it.prop(
      "is refused if it is cut off or has extra characters around it",
      [canonical, FastCheck.nat()],
      ([text, at]) => {
        for (const wrong of [text.slice(0, at % text.length), ` ${text}`, `${text} `, `${text}1`, `${text}\n`])
          assert.isTrue(Either.isLeft(parse(wrong)), wrong)
      }
    )

    it.prop("never throws", [FastCheck.string()], ([text]) => {
      assert.isTrue(Either.isLeft(parse(text)))
    })

    if (coding.hrp !== undefined) {
      const hrp = coding.hrp
      it.prop(
        "is refused if a witness has the checksum of the other BIP",
        [bytes(32), FastCheck.nat(16)],
        ([program, version]) => {
          const other = version === 0 ? bech32m : bech32
          refused(parse, [witness(hrp, version, program, other)], /BIP-173/)
          assert.isTrue(Either.isRight(parse(witness(hrp, version, program))))
          for (const foreign of ["tb", "bcrt", "tltc", "rltc", "x"])
            refused(parse, [witness(foreign, version, program)], /another network/)
        }
      )

      it.prop(
        "is refused if a witness is too short, too long, or of an invalid version",
        [FastCheck.nat(48)],
        ([length]) => {
          const program = new Uint8Array(length)
          assert.strictEqual(Either.isRight(parse(witness(hrp, 0, program))), length === 20 || length === 32)
          assert.strictEqual(Either.isRight(parse(witness(hrp, 1, program))), length >= 2 && length <= 40)
          assert.isTrue(Either.isLeft(parse(witness(hrp, 17, new Uint8Array(20)))))
        }
      )
    }
  })
}
