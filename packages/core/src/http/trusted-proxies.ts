import { excerpt } from "./excerpt.ts";
import { type IpBytes, parseIp } from "./ip-address.ts";

/** Addresses whose forwarded fields are trusted, as bytes. */
export interface TrustedProxies {
  readonly networks: readonly Network[];
}

/** The addresses that share the first `bits` bits of `bytes`. */
export interface Network {
  readonly bytes: IpBytes;
  readonly bits: number;
}

/** A compiled list: the proxies, and one message for each malformed entry. */
export interface CompiledProxies {
  readonly proxies: TrustedProxies;
  readonly problems: readonly string[];
}

/**
 * Compiles a list of addresses (`10.0.0.7`, `::1`) and CIDR blocks (`10.0.0.0/8`, `fd00::/8`) once, at start.
 *
 * IPv4-mapped addresses count as IPv4, zone ids are dropped, host bits are ignored. An entry of one family never matches the other: `::/0` trusts no IPv4.
 */
export const compileTrustedProxies = (list: readonly string[]): CompiledProxies => {
  const networks: Network[] = [];
  const problems: string[] = [];
  for (const entry of list) {
    const network = parseNetwork(entry);
    if (network !== null) networks.push(network);
    else problems.push(`trustedProxies: ${excerpt(entry)} is neither an address nor a CIDR block`);
  }
  return { proxies: { networks }, problems };
};

/** Whether an address belongs to a trusted proxy. */
export const isTrusted = ({ networks }: TrustedProxies, address: IpBytes): boolean =>
  networks.some((network) => contains(network, address));

const parseNetwork = (entry: string): Network | null => {
  const slash = entry.indexOf("/");
  const text = slash === -1 ? entry : entry.slice(0, slash);
  const bytes = parseIp(text);
  if (bytes === null) return null;
  const written = text.includes(":") ? 128 : 32;
  const digits = slash === -1 ? String(written) : entry.slice(slash + 1);
  if (!/^(?:0|[1-9]\d{0,2})$/.test(digits)) return null;
  const bits = Number(digits) - (written - bytes.length * 8); // the prefix length of a mapped address includes 96 more bits
  return Number(digits) <= written && bits >= 0 ? { bytes, bits } : null;
};

const contains = ({ bytes, bits }: Network, address: IpBytes): boolean => {
  if (address.length !== bytes.length) return false;
  const whole = bits >> 3;
  for (let at = 0; at < whole; at++) if (address[at] !== bytes[at]) return false;
  const mask = 0xff00 >> (bits & 7);
  return (((address[whole] ?? 0) ^ (bytes[whole] ?? 0)) & mask & 0xff) === 0;
};
