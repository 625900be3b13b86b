import { type LookupFunction, BlockList, isIP } from "node:net";
import { lookup } from "node:dns";
import { ClientError } from "./client-error.ts";

/** Address blocks that are not public (IANA special-purpose registries). */
const specialBlocks = new BlockList();
for (const [address, prefix] of [
  ["0.0.0.0", 8],
  ["10.0.0.0", 8],
  ["100.64.0.0", 10],
  ["127.0.0.0", 8],
  ["169.254.0.0", 16],
  ["172.16.0.0", 12],
  ["192.0.0.0", 24],
  ["192.0.2.0", 24],
  ["192.88.99.0", 24],
  ["192.168.0.0", 16],
  ["198.18.0.0", 15],
  ["198.51.100.0", 24],
  ["203.0.113.0", 24],
  ["224.0.0.0", 3],
] as const)
  specialBlocks.addSubnet(address, prefix, "ipv4");

/** The only public IPv6 block is 2000::/3; its special sub-blocks, some of which embed IPv4 addresses, are in `specialBlocks`. */
const publicIpv6 = new BlockList();
publicIpv6.addSubnet("2000::", 3, "ipv6");
for (const [address, prefix] of [
  ["2001::", 23],
  ["2001:db8::", 32],
  ["2002::", 16],
  ["3fff::", 20],
] as const)
  specialBlocks.addSubnet(address, prefix, "ipv6");

/** Whether an address is public: not private, loopback, link-local, multicast or reserved. False for IPv4-mapped IPv6 addresses. */
export const isPublicAddress = (address: string): boolean => {
  if (isIP(address) === 4) return !specialBlocks.check(address, "ipv4");
  return isIP(address) === 6 && publicIpv6.check(address, "ipv6") && !specialBlocks.check(address, "ipv6");
};

/** Resolves a name like `dns.lookup`, and fails unless all its addresses are public. The socket connects to the checked addresses. */
export const publicLookup: LookupFunction = (hostname, options, callback) => {
  lookup(hostname, { ...options, all: true }, (error, addresses) => {
    if (error !== null) return callback(error, "");
    const [first] = addresses;
    if (first === undefined || !addresses.every(({ address }) => isPublicAddress(address)))
      return callback(refusedAddress(hostname), "");
    if (options.all === true) callback(null, addresses);
    else callback(null, first.address, first.family);
  });
};

/** Returns the error for a host whose address is not public. */
export const refusedAddress = (hostname: string): ClientError =>
  new ClientError("CLIENT_HOST_REFUSED", `${hostname} has an address that is not public`);
