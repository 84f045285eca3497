// Reads many balances in one eth_call that has no `to`: the node runs this as init code and answers what it returns, as
// if that were the code of a new contract. So nothing has to be deployed on a network before its balances can be read.
//
// Input, appended to this code, big-endian:
//   gasPerCall uint32, start uint32, holderCount uint16, tokenCount uint16, holders 20 bytes each, tokens 20 bytes each
// Pair p = h * (tokenCount + 1) + t: holder h, with t = 0 its native balance, with t >= 1 its balance of token t - 1.
//
// Output:
//   version uint8 = 2, chain id uint64, timestamp of the block uint64, next uint32, size uint16 of the whole output, then
//   one record a pair, ascending:
//   nothing            the balance is zero
//   p, value uint256   the balance
//   p | 2^31           the token did not answer with 32 to 1024 bytes within gasPerCall
// All pairs from start to next - 1 were read; next is the number of all pairs when nothing is left to do.
//
// A token is never called with less than gasPerCall: where the gas, or the room in the output, could fall short, the
// scan stops before that pair. What is said of a token therefore never depends on what was read before it.
object "Scanner" {
  code {
    // Memory: 0x00 call data (36 bytes), 0x40 answer of the token, 0x67 output (24,576 bytes), 0x6080 input. All of it is
    // paid for by the first line, so the loop costs the same for every pair.
    codecopy(0x6080, datasize("Scanner"), sub(codesize(), datasize("Scanner")))
    let input := mload(0x6080)
    let gasPerCall := shr(224, input)
    let p := and(shr(192, input), 0xffffffff)
    let holderCount := and(shr(176, input), 0xffff)
    let width := add(and(shr(160, input), 0xffff), 1)
    let holders := 0x608c
    // Token t is at tokens + 20 * t, where t counts from 1.
    let tokens := add(0x6078, mul(20, holderCount))
    let total := mul(holderCount, width)
    let size := 23

    // A call leaves 1/64 of the gas with the caller (EIP-150), hence gasPerCall / 63. 10,000 is for the call itself
    // (2,600 for a cold address, as much again for a delegated one, EIP-2929 and EIP-7702), the loop and the end.
    let reserve := add(add(gasPerCall, div(gasPerCall, 63)), 10000)

    // balanceOf(address)
    mstore(0, shl(224, 0x70a08231))

    for {} lt(p, total) { p := add(p, 1) } {
      let room := add(size, 36)
      // At most 24,576 bytes (EIP-170), each of which costs 200 gas at the end.
      if or(gt(room, 24576), lt(gas(), add(reserve, mul(200, room)))) { break }

      let t := mod(p, width)
      let holder := shr(96, mload(add(holders, mul(20, div(p, width)))))
      let value := 0
      let good := 1
      switch t
      case 0 { value := balance(holder) }
      default {
        mstore(4, holder)
        // The first word, as decoders of the ABI read it.
        good := staticcall(gasPerCall, shr(96, mload(add(tokens, mul(20, t)))), 0, 36, 0x40, 32)
        good := and(good, lt(sub(returndatasize(), 32), 993))
        value := mload(0x40)
      }

      let record := add(0x67, size)
      switch good
      case 0 {
        mstore(record, shl(224, or(p, 0x80000000)))
        size := add(size, 4)
      }
      default {
        if value {
          mstore(record, shl(224, p))
          mstore(add(record, 4), value)
          size := room
        }
      }
    }

    // Right-aligned in the word that ends where the records begin. EIP-3541 forbids a first byte of 0xef; this one is 2.
    let chain := shl(112, and(chainid(), 0xffffffffffffffff))
    let time := shl(48, and(timestamp(), 0xffffffffffffffff))
    mstore(0x5e, or(or(or(shl(176, 2), chain), time), or(shl(16, p), size)))
    return(0x67, size)
  }
}
