/** A local DNS server on a free port that resolves every name to the current result of `addresses` (IPv4). */
export const dnsServer = async (addresses: () => ReadonlyArray<string>) => {
  const socket = await Bun.udpSocket({
    hostname: "127.0.0.1",
    socket: {
      data: (self, query, port, address) => {
        const end = query.indexOf(0, 12) + 5
        const found = addresses()
        const head = Buffer.from(query.subarray(0, 12))
        // A response without error, with one answer per address and empty other sections.
        head.writeUInt16BE(0x8180, 2)
        head.writeUInt16BE(found.length, 6)
        head.writeUInt32BE(0, 8)
        const records = found.map((answer) =>
          Buffer.from([0xc0, 12, 0, 1, 0, 1, 0, 0, 0, 1, 0, 4, ...answer.split(".").map(Number)])
        )
        self.send(Buffer.concat([head, query.subarray(12, end), ...records]), port, address)
      }
    }
  })
  return { port: socket.port, stop: () => socket.close() }
}
